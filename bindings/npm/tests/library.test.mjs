// Functions without a world, the package's names, and the programs of its README.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { abut, crowd, folder } from './package.mjs';

const api = JSON.parse(readFileSync(new URL('../../api.json', import.meta.url), 'utf8'));

test('every function of the C interface is here, but for what it is built without, those that C calls back, and a few for size', () => {
    const left = new Set(['abut_world_create', 'abut_world_destroy', 'abut_geometry_retain', 'abut_geometry_release', 'abut_history_destroy']);
    const camel = (name) => name.replace(/_(\w)/g, (_, c) => c.toUpperCase());
    const missing = Object.keys(api.functions).filter((name) => {
        const names = [name.slice(5), name.replace(/^abut_(world|geometry|history)_/, '')].map(camel);
        return !left.has(name) && ![abut, abut.World.prototype, abut.Geometry.prototype, abut.History.prototype].some((o) => names.some((n) => n in o));
    });
    assert.deepEqual(missing.filter((name) => !/_hull|_cylinder|_cone|_mesh|_heightfield|_scaled|_compound|_chain|_of_tiles|_half_space|_of_plane|_shape_children|_shape_all|_recording_|_replay_|_image_compare/.test(name)), ['abut_vec3_normalise', 'abut_closest_points_2d_many', 'abut_distance_2d_many', 'abut_world_register_kind', 'abut_world_kind', 'abut_world_set_pair_function',
        'abut_world_translate', 'abut_world_update_bodies', 'abut_world_overlap_shape_any', 'abut_world_overlap_shape_any_many', 'abut_world_collide_shape', 'abut_world_collide_shape_many', 'abut_world_move_character', 'abut_world_move_character_many']);
});

test('every constant of the C interface is here', () => {
    for (const [name, value] of Object.entries(api.constants)) {
        assert.equal(abut[name.slice(5)], value, name);
    }
    assert.equal(abut.version, api.version);
    assert.equal(abut.Motion.STATIC, 2);
    assert.equal(abut.ShapeKind.OBB, 3);
    assert.equal(abut.isaName(abut.isaBest()), 'simd128');
});

test('pairs at once are what pairs one by one are', () => {
    const bodies = crowd(60).map((b) => ({ ...b, pose: { position: b.pose.position, rotation: abut.quatFromEuler(...b.velocity.angular, 0) } }));
    const pairs = { shapes: bodies.map((b) => b.collider.shape), poses: bodies.map((b) => b.pose), a: [], b: [] };
    for (let a = 0; a < bodies.length; ++a) {
        for (let b = a + 1; b < bodies.length; ++b) {
            pairs.a.push(a);
            pairs.b.push(b);
        }
    }
    const manifolds = abut.collideMany(pairs, 0.1);
    const overlapping = abut.overlapMany(pairs);
    const distances = abut.distanceMany(pairs, new Float32Array(pairs.a.length));
    assert.equal(manifolds.length, pairs.a.length);
    let touching = 0;
    pairs.a.forEach((a, i) => {
        const two = [pairs.shapes[a], pairs.poses[a], pairs.shapes[pairs.b[i]], pairs.poses[pairs.b[i]]];
        assert.deepEqual(manifolds.get(i), abut.collide(...two, 0.1));
        assert.equal(overlapping[i] !== 0, abut.overlap(...two));
        assert.equal(distances[i], abut.distance(...two));
        touching += overlapping[i];
    });
    assert.ok(touching > 10 && touching < pairs.a.length / 2);
});

test('structs come back by value, through pointers, several at once, and as lists', () => {
    assert.deepEqual(abut.poseCompose({ position: [1, 2, 3], rotation: [0, 0, 0, 1] }, { position: { x: 1 }, rotation: { w: 1 } }).position, {
        x: 2,
        y: 2,
        z: 3,
    });
    const { sine, cosine } = abut.sincos(Math.PI / 6);
    assert.ok(Math.abs(sine - 0.5) < 1e-6 && Math.abs(cosine - Math.sqrt(0.75)) < 1e-6);
    const pose = { position: [0, 0, 0], rotation: [0, 0, 0, 1] };
    assert.deepEqual(abut.poseMove(pose, { linear: [2, 0, 0] }, 0.5).position, { x: 1, y: 0, z: 0 });
    assert.equal(abut.poseMove(pose, { linear: [NaN, 0, 0] }, 0.5), null);
    assert.equal(abut.shapeCorners(abut.shapeObb(1, 2, 3), pose).length, 8);
    assert.deepEqual(abut.fitAabb(new Float32Array([0, 0, 0, 1, 2, 3])), { min: { x: 0, y: 0, z: 0 }, max: { x: 1, y: 2, z: 3 } });
    assert.equal(abut.fitRectangle([0, 0, 2, 0, 2, 1, 0, 1]).shape.box.halfExtents.x, 1);
    const far = abut.closestPoints(abut.shapeSphere(1), pose, abut.shapeSphere(1), { ...pose, position: [5, 0, 0] });
    assert.deepEqual(far, { distance: 3, onA: { x: 1, y: 0, z: 0 }, onB: { x: 4, y: 0, z: 0 } });
});

test('a polygon lives as long as somebody needs it', () => {
    const triangle = abut.geometryCreatePolygon([0, 0, 2, 0, 0, 2]);
    assert.deepEqual([...triangle.vertices()].sort(), [0, 0, 0, 0, 2, 2]);
    const world = new abut.World({ dimension: 2 });
    const shape = abut.shapePolygon(triangle);
    assert.equal(shape.polygon, triangle);
    const body = world.bodyCreate({ collider: { shape } });
    triangle.close();
    assert.throws(() => triangle.vertices(), /Geometry is closed/);
    world.bodyCreate({ pose: abut.pose2d(1, -0.5, 0), collider: { shape: abut.shapeSphere(1) } });
    world.step(0);
    assert.equal(world.contacts(abut.ContactSet.AWAKE).count, 1);
    world.bodyDestroy(body);
    world.close();
    assert.throws(() => abut.geometryCreatePolygon([0, 0, 1, 1, 2, 2]), { status: abut.Status.INVALID_ARGUMENT });
});

test('the module is under 400 kB, and under 150 kB with Brotli', () => {
    const wasm = readFileSync(join(folder, 'abut.wasm'));
    const packed = brotliCompressSync(wasm).length;
    console.log(`abut.wasm: ${wasm.length} bytes, ${packed} with Brotli`);
    assert.ok(wasm.length < 400000, `${wasm.length} bytes`);
    assert.ok(packed < 150000, `${packed} bytes with Brotli`);
});

test('packed and installed into an empty project, the programs of the README run', () => {
    const root = mkdtempSync(join(tmpdir(), 'abut-npm-'));
    const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', root], { cwd: folder, encoding: 'utf8' }).trim();
    const project = join(root, 'project');
    cpSync(new URL('empty', import.meta.url), project, { recursive: true });
    execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', join(root, packed)], { cwd: project });
    const programs = [...readFileSync(new URL('../README.md', import.meta.url), 'utf8').matchAll(/```js\n([^]*?)```/g)];
    const said = programs.map(([, program]) => {
        writeFileSync(join(project, 'program.mjs'), program);
        return execFileSync('node', ['program.mjs'], { cwd: project, encoding: 'utf8' });
    });
    assert.equal(said.length, 2);
    assert.match(said[0], /^body 1 touches body 0: normal 1, at height 2\.0\d*\n$/);
    assert.match(said[1], /^the character is at height 0\.7\d*\n$/);
});
