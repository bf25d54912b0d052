// What the types allow and what they do not: checked by the compiler alone.
import { ContactSet, Geometry, History, Motion, Records, World, collideMany, contactPatches, geometryCreatePolygon, historyCreate, init, shapeSphere, sincos } from 'abut';
import { geometryCreateHeightfield, geometryCreateMesh } from 'abut/full';
import type { Body, Contact, Manifold, Patch } from 'abut';

await init();
const world = new World({ margin: 0.01, veto: (pairs, vetoed) => vetoed.fill(pairs.get(0).separation < 0 ? 1 : 0) });
const body: Body = world.bodyCreate({ motion: Motion.STATIC, pose: { position: [0, 1, 0] }, collider: { shape: shapeSphere(1) } });
const handles: Uint32Array = world.bodyCreateMany([{ userData: 5n }, { userData: 5 }]);
world.bodySetPoseMany(handles, new Float32Array(16));
world.step(1 / 60);
const poses: Float32Array = world.bodies().poses;
const { data, impulses, order } = world.contacts(ContactSet.AWAKE);
for (const slot of order) {
    const given: Contact = data.get(slot);
    poses[8 * given.a.slot] += given.normal.x + impulses[16 * slot];
}
const found: Contact | null = world.contact({ slot: 0, generation: 1 });
const manifolds: Records<Manifold> = collideMany({ shapes: [shapeSphere(1)], poses: [{}], a: [0], b: [0] }, 0);
const polygon: Geometry = geometryCreatePolygon([0, 0, 1, 0, 0, 1]);
const { sine, cosine }: { sine: number; cosine: number } = sincos(manifolds.length);
const patches: Records<Patch> = contactPatches(world.contacts(ContactSet.AWAKE), 0, 0.999);
const history: History = historyCreate(1 << 20);
history.push(world, null, 1);
const range: { oldest: number; newest: number } | null = history.range();
history.rewind(world, null, range?.newest ?? 1);
world.restore(null, world.save(0).buffer as ArrayBuffer);
const hash: bigint = world.hash();
world.close();

const mesh = geometryCreateMesh({ vertices: new Float32Array(9), indices: [0, 1, 2], materials: [7] });
const field = geometryCreateHeightfield({ heights: [[0, 0], [0, 1]], stepX: 1, stepZ: 1 });
// @ts-expect-error: vertices are an array
geometryCreateMesh({ vertices: mesh });

// @ts-expect-error: a misspelt name
world.bodyCreate({ veloicty: {} });
// @ts-expect-error: a pose is no handle
world.bodyPose({ position: [0, 0, 0] });
// @ts-expect-error: counts of a view cannot be set
world.contacts(ContactSet.AWAKE).count = 3;
// @ts-expect-error: a history takes its world first
history.push(history, null, 2);
// @ts-expect-error: polygons are made by geometryCreatePolygon
new Geometry();

export { body, cosine, field, found, hash, patches, polygon, sine };
