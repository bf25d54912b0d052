// abut/full, which the package has inside: shapes of a level and characters, which the small module is without.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { abut as small, crowd, folder } from './package.mjs';

const full = await import(pathToFileURL(join(folder, 'full', 'index.js')));
await full.init();

// A square of two triangles, 20 metres wide, at height zero.
const square = { vertices: [-10, 0, -10, 10, 0, -10, 10, 0, 10, -10, 0, 10], indices: [0, 2, 1, 0, 3, 2] };

test('a hull rests on a mesh, and a ray finds it', () => {
    const world = new full.World();
    const mesh = full.geometryCreateMesh(square);
    const hull = full.geometryCreateHull([0, 0.5, 0, 0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0, -0.5, -0.5], 0);
    world.bodyCreate({ motion: full.Motion.STATIC, collider: { shape: full.shapeMesh(mesh) } });
    const stone = world.bodyCreate({ pose: { position: [4, 0.49, 1] }, collider: { shape: full.shapeHull(hull) } });
    world.step(0);
    const { data, order } = world.contacts(full.ContactSet.AWAKE);
    assert.equal(order.length, 1);
    const contact = data.get(order[0]);
    assert.deepEqual(contact.b, stone);
    assert.ok(Math.abs(contact.normal.y - 1) < 1e-6 && Math.abs(contact.separation + 0.01) < 1e-6);
    assert.equal(contact.pointCount, 3);
    const hit = world.rayClosest({ origin: [4, 5, 1], translation: [0, -10, 0] });
    assert.deepEqual(hit.body, stone);
    assert.ok(Math.abs(hit.fraction - 0.401) < 1e-6);
    world.close();
});

test('a ball lies on a half-space, at the pose of its plane', () => {
    const world = new full.World();
    const pose = full.poseOfPlane([0, 2, 0], 6); // y = 3, whatever the normal's length
    world.bodyCreate({ motion: full.Motion.STATIC, pose, collider: { shape: full.shapeHalfSpace() } });
    world.bodyCreate({ pose: { position: [700, 3.5, -90] }, collider: { shape: full.shapeSphere(0.75) } });
    world.step(0);
    const { data, order } = world.contacts(full.ContactSet.AWAKE);
    assert.equal(order.length, 1);
    assert.equal(data.get(order[0]).separation, -0.25);
    assert.equal(data.get(order[0]).normal.y, 1);
    world.close();
});

test('a barrel stands on its disc', () => {
    const world = new full.World();
    world.bodyCreate({ motion: full.Motion.STATIC, collider: { shape: full.shapeHalfSpace() } });
    world.bodyCreate({ pose: { position: [0, 0.375, 0] }, collider: { shape: full.shapeCylinder(0.25, 0.5) } });
    world.step(0);
    const { data, order } = world.contacts(full.ContactSet.AWAKE);
    assert.equal(data.get(order[0]).separation, -0.125);
    assert.equal(data.get(order[0]).pointCount, 4);
    world.close();
});

test('a character walks over a mesh up to a wall', () => {
    const world = new full.World();
    world.bodyCreate({ motion: full.Motion.STATIC, collider: { shape: full.shapeMesh(full.geometryCreateMesh(square)) } });
    world.bodyCreate({ motion: full.Motion.STATIC, pose: { position: [5, 1, 0] }, collider: { shape: full.shapeObb(1, 1, 5) } });
    world.update();
    const move = world.moveCharacter({ shape: full.shapeCapsule(0.25, 0.5), pose: { position: [0, 0.77, 0], rotation: [0, 0, 0, 1] }, translation: [9, 0, 0], stands: true });
    assert.equal(move.footing, full.Footing.GROUND);
    assert.ok(Math.abs(move.position.x - (4 - 0.25 - 0.01)) < 1e-3);
    world.close();
});

test('geometries are saved as bytes and made again', () => {
    const level = [full.geometryCreateMesh(square), full.geometryCreateHull([0, 0.5, 0, 0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0, -0.5, -0.5], 0)];
    const saved = full.geometriesSave({ geometries: level });
    const again = full.geometriesLoad(saved);
    assert.deepEqual(again.map((g) => [g.meshTriangles(), g.hullFaces()]), [[2, 0], [0, 4]]);
    assert.deepEqual(full.geometriesSave({ geometries: again }), saved);
    assert.deepEqual(full.geometriesLoad(full.geometriesSave({ geometries: [] })), []);
    saved[saved.length - 1] ^= 1;
    assert.throws(() => full.geometriesLoad(saved), full.AbutError);
    assert.throws(() => small.geometriesSave({ geometries: [] }), small.AbutError);
});

test('a mesh is checked for what may be wrong with it', () => {
    const { BORDER, FLIPPED } = full.MeshFaultKind;
    const faults = full.geometryCheckMesh({ ...square, indices: [0, 2, 1, 0, 2, 3] });
    assert.deepEqual(faults.map(({ kind, triangle, edge }) => [kind, triangle, edge]),
        [[FLIPPED, 0, 0], [BORDER, 0, 1], [BORDER, 0, 2], [FLIPPED, 1, 0], [BORDER, 1, 1], [BORDER, 1, 2]]);
    assert.equal(faults[0].other, 1);
});

test('arrays of definitions say how many there are, and lengths that do not fit are refused', () => {
    const { geometryCreateChain, geometryCreateHeightfield, geometryCreateMesh } = full;
    const mesh = geometryCreateMesh({ ...square, vertices: new Float32Array(square.vertices), materials: [7, 9] });
    assert.equal(mesh.meshTriangles(), 2);
    assert.equal(mesh.meshMaterial(1), 9);
    assert.throws(() => geometryCreateMesh({ ...square, materials: [7] }), /materials has 1 elements, not 2/);
    assert.throws(() => geometryCreateMesh({ ...square, indices: [0, 2, 1, 0] }), /indices has 4 elements, which is no multiple of 3/);
    assert.throws(() => geometryCreateMesh({ ...square, vertexCount: 5 }), /vertexCount is 5, and the array has 4/);
    assert.throws(() => geometryCreateMesh({ ...square, indices: [0, 2, 4] }), full.AbutError);
    const rows = [[0, 0, 0], [0, 1, 0]];
    const steps = { stepX: 1, stepZ: 1, materials: [3, 4] };
    const fields = [
        geometryCreateHeightfield({ ...steps, heights: rows }),
        geometryCreateHeightfield({ ...steps, heights: new Float32Array(rows.flat()), rows: 2, columns: 3 }),
    ];
    for (const field of fields) {
        assert.equal(field.meshTriangles(), 4);
        assert.equal(field.meshMaterial(3), 4);
        field.updateHeightfield({ column: 1, row: 1, columns: 1, rows: 1, heights: [2] });
        assert.throws(() => field.updateHeightfield({ column: 1, row: 1, columns: 2, rows: 1, heights: [2] }), /heights has 1 elements, not 2/);
        const world = new full.World();
        world.bodyCreate({ motion: full.Motion.STATIC, collider: { shape: full.shapeMesh(field) } });
        world.update();
        assert.ok(Math.abs(world.rayClosest({ origin: [0, 5, 0.25], translation: [0, -10, 0] }).fraction - 0.35) < 1e-6);
        world.close();
    }
    assert.throws(() => geometryCreateHeightfield({ ...steps, heights: rows.flat() }), /heights has 6 elements, not 0/);
    assert.throws(() => geometryCreateHeightfield({ ...steps, heights: [[0, 0], [0]] }), /rows of different lengths/);
    const chain = geometryCreateChain({ points: [0, 0, 1, 0, 2, 1], before: { x: -1, y: 0 }, after: [3, 1] });
    assert.equal(chain.chainSegments(), 2);
    assert.throws(() => geometryCreateChain({ points: [0, 0, 1, 0], before: [1, 2, 3, 4] }), /before has 2 elements, not 1/);
});

test('tile maps become chains', () => {
    const { Tile, geometriesOfTiles } = full;
    const tiles = [[Tile.FULL, Tile.FULL, Tile.FULL], [Tile.EMPTY, Tile.EMPTY, Tile.LOWER_RIGHT]];
    const map = { tiles, size: [1, 1] };
    assert.deepEqual(geometriesOfTiles(map).map((chain) => chain.chainPoints().length / 2), [5]);
    const parts = [0, 2].map((firstColumn) => geometriesOfTiles(map, { firstColumn, columns: firstColumn ? 1 : 2, rows: 2 }));
    assert.deepEqual(parts.flat().map((chain) => chain.chainSegments()), [3, 3]);
});

test('both modules have the same hash of a moving crowd, and what parts two worlds is named', () => {
    const hashes = [small, full].map((abut) => {
        const world = new abut.World();
        crowd(300).forEach((def) => world.bodyCreate(def));
        for (let frame = 0; frame < 20; ++frame) {
            world.step(1 / 60);
        }
        const hash = world.hash();
        world.close();
        return hash;
    });
    assert.equal(hashes[0], hashes[1]);
    const images = [0, 0.5].map((x) => {
        const world = new full.World();
        world.bodyCreate({ pose: { position: [x, 0, 0] }, collider: { shape: full.shapeSphere(1) } });
        const image = world.save(0);
        world.close();
        return image;
    });
    const { differ, out } = full.imageCompare(images[0], images[1]);
    assert.ok(differ);
    assert.deepEqual([out.body, out.part, out.field], [0, 'body', 'position.x']);
});
