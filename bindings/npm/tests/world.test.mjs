// A world from JavaScript: what comes back is what the C library says, whatever form the arguments have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abut, crowd, floorAndCrate } from './package.mjs';

const { AbutError, ContactSet, EventKind, Motion, Status, World } = abut;

test('a crate in the floor has one contact with four points, up along y', () => {
    const { world, floor, crate } = floorAndCrate();
    world.step(0);
    const contacts = world.contacts(ContactSet.AWAKE);
    assert.equal(contacts.count, 1);
    assert.deepEqual([...contacts.order], [0]);
    const contact = contacts.data.get(contacts.order[0]);
    assert.equal(contact.pointCount, 4);
    assert.deepEqual([contact.a, contact.b], [floor, crate]);
    assert.deepEqual(contact.normal, { x: 0, y: 1, z: 0 });
    assert.ok(Math.abs(contact.separation + 0.1) < 1e-6);
    for (const point of contact.points) {
        assert.ok(Math.abs(point.separation + 0.1) < 1e-6);
    }
    assert.deepEqual([...contacts.colliders].slice(2), Object.values(world.bodyColliders(crate)[0]));
    const { data } = contacts;
    assert.equal(data.f32[(data.first + data.offsets.separation) / 4], contact.separation);
    assert.equal(data.u32[(data.first + data.offsets.b) / 4], crate.slot);
    assert.equal(world.events(EventKind.BEGIN).count, 1);
    world.close();
});

test('shifts say how bodies have moved where separations stay', () => {
    const { world, crate } = floorAndCrate({ recycleDistance: 0.1, separations: abut.Separations.AT_ANCHORS });
    world.step(0);
    world.bodySetVelocity(crate, { linear: [0, 1, 0], angular: [0, 0, 0] });
    world.step(0.02);
    const contact = world.contacts(ContactSet.AWAKE).data.get(0);
    assert.ok(Math.abs(contact.separation + 0.1) < 1e-6);
    assert.equal(contact.flags, abut.ContactFlag.RECYCLED);
    const shifts = world.shifts();
    assert.equal(shifts.count, 2);
    assert.ok(Math.abs(shifts.data[8 * crate.slot + 1] - 0.02) < 1e-6);
    assert.throws(() => new World({ separations: abut.Separations.AT_ANCHORS }), AbutError);
    world.close();
});

test('a contact keeps its slot and its impulses until it ends', () => {
    const { world, crate } = floorAndCrate();
    world.step(0);
    const contacts = world.contacts(ContactSet.AWAKE);
    const [slot] = contacts.order;
    assert.equal(contacts.impulses.length, 4 * abut.CONTACT_POINTS * contacts.slots);
    contacts.impulses.set([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0], 16 * slot);
    const first = contacts.data.get(slot);
    assert.equal(first.flags, abut.ContactFlag.NEW);
    assert.deepEqual(world.events(EventKind.BEGIN).data.get(0).contact, first.id);
    world.step(0);
    const again = world.contact(first.id);
    assert.deepEqual([again.id, again.flags], [first.id, 0]);
    assert.deepEqual([0, 1, 2, 3].map((k) => contacts.impulses[16 * slot + 4 * k]), [1, 2, 3, 4]);
    assert.deepEqual([...world.bodyContacts(crate, ContactSet.AWAKE)], [slot]);
    assert.ok(Math.abs(world.contactPosition(again, again.points[0]).y - 0.45) < 1e-6);
    world.bodySetPose(crate, [0, 9, 0, 0, 0, 0, 0, 1]);
    world.step(0);
    assert.equal(world.contact(first.id), null);
    assert.deepEqual(world.events(EventKind.END).data.get(0).contact, first.id);
    world.close();
});

test('the hash of a moving crowd is that of the native library', { skip: !process.env.ABUT_HASH }, () => {
    const world = new World({ margin: 0.01 });
    world.bodyCreateMany(crowd(1000));
    for (let frame = 0; frame < 20; ++frame) {
        world.step(1 / 60);
    }
    assert.equal(world.hash().toString(16), process.env.ABUT_HASH);
    assert.equal(world.audit().what, null);
    world.close();
});

test('bodies made one by one, by the many and by columns of a world are the same bodies', () => {
    const bodies = crowd(200);
    const [one, many] = [new World(), new World()];
    const handles = bodies.map((b) => one.bodyCreate(b));
    const made = many.bodyCreateMany(bodies);
    assert.deepEqual([...made], handles.flatMap((h) => [h.slot, many.bodies().generations[h.slot]]));
    const poses = many.bodyPoseMany(made);
    handles.forEach((h, i) => assert.deepEqual(one.bodyPose(h).position, { x: poses[8 * i], y: poses[8 * i + 1], z: poses[8 * i + 2] }));
    one.step(0.1);
    many.step(0.1);
    assert.equal(one.hash(), many.hash());
    assert.deepEqual(many.bodyPoseMany(made, new Float32Array(poses.length)), many.bodies().poses.slice());
    one.close();
    many.close();
});

test('poses written in place move bodies', () => {
    const { world, crate } = floorAndCrate();
    world.bodies().poses[8 * crate.slot + 1] = 7;
    assert.equal(world.bodyPose(crate).position.y, 7);
    world.step(0);
    assert.equal(world.contacts(ContactSet.AWAKE).count, 0);
    world.close();
});

test('what a world shows is of its present state, also when the memory has grown', () => {
    const { world } = floorAndCrate();
    world.step(0);
    const [bodies, contacts] = [world.bodies(), world.contacts(ContactSet.AWAKE)];
    const before = bodies.poses;
    const { data } = contacts;
    assert.equal(before.length, 16);
    world.bodyCreateMany(crowd(30000));
    assert.equal(before.length, 0, 'the memory has grown, which detaches older arrays');
    assert.equal(bodies.count, 30002);
    assert.ok(Math.abs(bodies.poses[9] - 0.9) < 1e-6);
    assert.deepEqual(data.get(0).normal, { x: 0, y: 1, z: 0 });
    world.step(0);
    assert.ok(contacts.count > 30000);
    assert.equal(new Set(contacts.order).size, contacts.count);
    assert.ok(contacts.slots < 1.5 * contacts.count && contacts.data.length === contacts.slots);
    world.close();
});

test('a call that fails throws the sentence and changes nothing', () => {
    const { world, crate } = floorAndCrate();
    world.step(0);
    const hash = world.hash();
    const far = (x) => ({ position: [x, 0, 0], rotation: [0, 0, 0, 1] });
    assert.throws(
        () => world.bodySetPoseMany([crate, crate], [far(1), far(NaN)]),
        (error) => {
            assert.ok(error instanceof AbutError);
            assert.equal(error.status, Status.INVALID_ARGUMENT);
            assert.equal(error.call, 'abut_body_set_pose_many');
            assert.equal(error.index, 1);
            assert.match(error.message, /\w+ \w+ \w+ \(abut_body_set_pose_many, element 1\)$/);
            return true;
        },
    );
    world.bodyDestroy(crate);
    assert.throws(() => world.bodyPose(crate), { status: Status.STALE_HANDLE });
    assert.throws(() => world.step(NaN), { status: Status.INVALID_ARGUMENT, call: 'abut_world_step' });
    assert.throws(() => world.step(), /dt of step is a number, not left out/);
    assert.throws(() => abut.overlap(abut.shapeSphere(-1), {}, abut.shapeSphere(1), {}), { status: Status.INVALID_ARGUMENT });
    assert.throws(() => new World({ margin: -1 }), { status: Status.INVALID_ARGUMENT, call: 'abut_world_create' });
    world.close();
    const again = floorAndCrate().world;
    again.step(0);
    assert.equal(again.hash(), hash);
});

test('names that do not exist and arrays of the wrong length are refused before the call', () => {
    const { world, crate } = floorAndCrate();
    assert.throws(() => world.bodyCreate({ veloicty: {} }), /has no veloicty, only pose, velocity/);
    assert.throws(() => world.bodySetPose(crate, [1, 2, 3]), /has 8 numbers, not 3/);
    assert.throws(() => world.bodySetPoseMany([crate], new Float32Array(9)), /no multiple of 8/);
    assert.throws(() => world.bodySetPoseMany([crate], new Float32Array(16)), /poses has 2 elements where others have 1/);
    assert.throws(() => world.bodyCreate(7), TypeError);
    world.close();
});

test('a veto sees pairs that touch once and decides about them; what it throws comes out of the step', () => {
    const seen = [];
    let fails = false;
    const { world } = floorAndCrate({
        veto(pairs, vetoed) {
            if (fails) {
                throw new RangeError('no opinion');
            }
            for (const pair of pairs) {
                seen.push([pair.a.slot, pair.b.slot, pair.normal.y]);
            }
            vetoed.fill(1);
        },
    });
    world.step(0);
    world.step(0);
    assert.deepEqual(seen, [[0, 1, 1]]);
    assert.equal(world.contacts(ContactSet.AWAKE).count, 0);
    assert.equal(world.statistics().vetoed, 1);
    fails = true;
    world.bodyCreate({ pose: { position: [3, 0.9, 0] }, collider: { shape: abut.shapeSphere(1) } });
    assert.throws(() => world.step(0), /no opinion/);
    assert.equal(world.contacts(ContactSet.AWAKE).count, 1); // the step was carried out
    world.close();
});

test('worlds are closed once, and then say so', () => {
    const { world } = floorAndCrate();
    world.close();
    world.close();
    assert.throws(() => world.step(0), /World is closed/);
    if (Symbol.dispose) {
        const another = new World();
        another[Symbol.dispose]();
        assert.throws(() => another.hash(), /World is closed/);
    }
});

test('a thousand worlds made and closed leave the memory as large as it was', () => {
    const make = () => {
        const { world } = floorAndCrate();
        world.step(0);
        world.close();
    };
    make();
    const size = new World().bodies().poses.buffer.byteLength;
    for (let i = 0; i < 1000; ++i) {
        make();
    }
    assert.equal(new World().bodies().poses.buffer.byteLength, size);
});

test('rays find what the C library finds, one by one and by the many', () => {
    const world = new World();
    const balls = Array.from({ length: 100 }, (_, i) => world.bodyCreate({ pose: { position: [4 * i, 0, 0] }, collider: { shape: abut.shapeSphere(1) } }));
    world.update();
    const ray = { origin: [-10, 0, 0], translation: [1000, 0, 0] };
    assert.deepEqual(world.rayClosest(ray).body, balls[0]);
    assert.deepEqual(world.rayClosest(ray, { ignore: balls.slice(0, 3) }).body, balls[3]);
    assert.equal(world.rayAll(ray).length, 100);
    assert.deepEqual(world.rayAll(ray).get(99).body, balls[99]);
    const rays = new Float32Array([-10, 0, 0, 1000, 0, 0, -10, 5, 0, 1000, 0, 0, 8, 9, 0, 0, -9, 0]);
    assert.deepEqual([...world.rayAnyMany(rays)], [1, 0, 1]);
    assert.deepEqual(world.rayClosestMany(rays).get(2).body, balls[2]);
    assert.deepEqual(world.rayClosest(ray, { ignoreEach: balls.slice(0, 1) }).body, balls[1]);
    assert.deepEqual(world.rayClosestMany(rays, { ignoreEach: balls.slice(0, 3) }).get(0).body, balls[1]);
    assert.deepEqual([...world.rayAnyMany(rays, { ignoreEach: balls.slice(0, 3) })], [1, 0, 0]);
    assert.throws(() => world.rayAnyMany(rays, { ignoreEach: balls.slice(0, 2) }), RangeError);
    assert.deepEqual([...world.rayAnyMany(rays, { maskEach: [2, 1, 1] })], [0, 0, 1]);
    const { ranges, out } = world.rayAllMany(rays);
    assert.deepEqual([...ranges].map((r) => [r.first, r.count]), [[0, 100], [100, 0], [100, 1]]);
    assert.equal(out.length, 101);
    world.close();
});

test('what is nearest is as many as are wanted, however many there are', () => {
    const world = new World();
    const balls = Array.from({ length: 200 }, (_, i) => world.bodyCreate({ pose: { position: [4 * i, 0, 0] }, collider: { shape: abut.shapeSphere(1) } }));
    world.update();
    for (const wanted of [0, 1, 64, 65, 200, 2 ** 32 - 1]) {
        assert.equal(world.nearest([0, 9, 0], Infinity, wanted).length, Math.min(wanted, 200));
    }
    assert.deepEqual(world.nearest([0, 9, 0], Infinity, 150).get(149).body, balls[149]);
    assert.deepEqual(world.nearest([0, 9, 0], Infinity, 1, { ignore: [balls[0]] }).get(0).body, balls[1]);
    assert.equal(world.nearest([0, 0, 0], 50, 1000).length, 13);
    const shape = { shape: abut.shapeSphere(2), pose: { position: [0, 9, 0], rotation: [0, 0, 0, 1] } };
    assert.equal(world.nearestShape(shape, Infinity, 150).length, 150);
    assert.throws(() => world.nearest([0, 9, 0], 1), /capacity of nearest is a number, not left out/);
    world.close();
});

test('queries by the many find what they should, right after updates that made the memory grow', () => {
    const worlds = Array.from({ length: 20 }, () => new World());
    for (const world of worlds) {
        const balls = Array.from({ length: 100 }, (_, i) => world.bodyCreate({ pose: { position: [4 * i, 0, 0] }, collider: { shape: abut.shapeSphere(1) } }));
        world.update();
        const near = world.nearestMany(new Float32Array([0, 0, 0, 200, 9, 0]), Infinity, 3);
        assert.deepEqual([...near.ranges].map((r) => [r.first, r.count]), [[0, 3], [3, 3]]);
        assert.deepEqual([near.out.get(0).body, near.out.get(3).body], [balls[0], balls[50]]);
        const inBoxes = world.overlapAabbMany(new Float32Array([-1, -1, -1, 5, 1, 1, 0, 5, 0, 1, 6, 1]));
        assert.deepEqual([...inBoxes.ranges].map((r) => [r.first, r.count]), [[0, 2], [2, 0]]);
        const atPoints = world.overlapPointMany(new Float32Array([0, 0, 0, 2, 0, 0, 8, 0.5, 0]));
        assert.deepEqual([...atPoints.ranges].map((r) => r.count), [1, 0, 1]);
    }
    worlds.forEach((world) => world.close());
});

test('a saved world comes back, with its geometry', () => {
    const triangle = abut.geometryCreatePolygon([0, 0, 2, 0, 0, 2]);
    const world = new World({ dimension: 2 });
    const body = world.bodyCreate({ velocity: { linear: [1, 0, 0] }, collider: { shape: abut.shapePolygon(triangle) } });
    world.step(0.5);
    const registry = { geometries: [triangle] };
    const [image, hash] = [world.save(0, registry), world.hash()];
    world.step(0.5);
    assert.notEqual(world.hash(), hash);
    const bodies = world.bodies();
    world.restore(registry, image);
    assert.equal(world.hash(), hash);
    assert.equal(bodies.poses[8 * body.slot], 0.5);
    assert.throws(() => world.restore(registry, image.subarray(8)), AbutError);
    world.close();
});

test('a difference of two images makes the later one of the earlier', () => {
    const { world } = floorAndCrate();
    world.step(0.1);
    const base = world.save(0);
    world.step(0.1);
    const image = world.save(0);
    const difference = abut.imageDifference(base, image);
    assert.ok(difference.length < image.length);
    assert.deepEqual(abut.imageApply(base, difference), image);
    assert.throws(() => abut.imageApply(image, difference), AbutError);
    assert.throws(() => abut.imageApply(base, difference.slice(0, -8)), AbutError);
    world.close();
});

test('64 bits of user data come back, in events too', () => {
    const world = new World();
    const shape = abut.shapeSphere(1);
    const data = 0xfedcba9876543210n;
    const body = world.bodyCreate({ userData: data, collider: { shape, userData: 5 } });
    world.bodyCreate({ collider: { shape } });
    world.step(0);
    assert.equal(world.bodyUserData(body), data);
    assert.equal(world.bodies().userData[body.slot], data);
    const [begun] = world.events(EventKind.BEGIN).data;
    assert.deepEqual([begun.userDataA, begun.colliderDataA], [data, 5n]);
    const [collider] = world.bodyColliders(body);
    assert.equal(world.colliderGet(collider).def.userData, 5n);
    assert.deepEqual(world.colliderGet(collider).def.shape, shape);
    world.close();
});

test('lists longer than what is asked for at first come whole', () => {
    const world = new World();
    const hub = world.bodyCreate({ motion: Motion.STATIC, collider: { shape: abut.shapeObb(1000, 1, 1) } });
    const sensor = world.colliderAttach(hub, { shape: abut.shapeObb(1000, 1, 1), flags: abut.ColliderFlag.SENSOR });
    for (let i = 0; i < 300; ++i) {
        world.bodyCreate({ pose: { position: [i * 3 - 450, 0, 0] }, collider: { shape: abut.shapeSphere(1) } });
    }
    world.step(0);
    const slots = world.bodyContacts(hub, ContactSet.AWAKE);
    assert.equal(slots.length, 300);
    assert.equal(world.colliderOverlaps(sensor).length, 300);
    assert.equal(world.colliderOverlaps(sensor)[299].body.slot, 300);
    const lines = world.draw({ what: abut.DrawFlag.POINTS });
    assert.ok(lines.length > 300);
    assert.equal(lines.get(0).kind, abut.DrawFlag.POINTS);
    world.close();
});

test('what a veto reads is renewed after the step', () => {
    const counts = [];
    const world = new World({ veto: () => counts.push(world.bodies().count, world.contacts(ContactSet.AWAKE).count) });
    const shape = abut.shapeSphere(1);
    world.bodyCreate({ pose: { position: [0, 0, 0] }, collider: { shape } });
    world.bodyCreate({ pose: { position: [0, 1.5, 0] }, collider: { shape } });
    world.step(0);
    assert.equal(counts.length, 2);
    assert.equal(world.bodies().count, 2);
    assert.equal(world.bodies().poses.length, 16);
    assert.equal(world.contacts(ContactSet.AWAKE).count, 1);
    world.close();
});

test('views of a closed world say so, and shifts are of the poses at the call', () => {
    const { world, crate } = floorAndCrate({ recycleDistance: 0.1, separations: abut.Separations.AT_ANCHORS });
    world.step(0);
    const { poses } = world.bodies();
    const before = world.shifts().data[8 * crate.slot + 1];
    poses[8 * crate.slot + 1] += 0.01;
    assert.ok(Math.abs(world.shifts().data[8 * crate.slot + 1] - before - 0.01) < 1e-6);
    const bodies = world.bodies();
    world.close();
    assert.throws(() => bodies.poses, /closed/);
    assert.throws(() => world.bodies().count, /closed/);
});

test('a misspelt member of a pose is refused', () => {
    const world = new World();
    assert.throws(() => world.bodyCreate({ pose: { positon: [1, 2, 3] } }), TypeError);
    world.close();
});

test('a history rewinds a world, whose views then show the world as it was, and ends when it is closed', () => {
    const { world, crate } = floorAndCrate();
    const bytes = () => world.bodies().poses.buffer.byteLength;
    const history = abut.historyCreate(1 << 20);
    assert.ok(history instanceof abut.History);
    assert.equal(history.range(), null);
    for (let frame = 0; frame < 5; ++frame) {
        history.push(world, null, frame);
        world.bodies().poses[8 * crate.slot] += 1;
        world.bodyCreate();
        world.step(0);
    }
    assert.deepEqual(history.range(), { oldest: 0, newest: 4 });
    assert.equal(world.bodies().count, 7);
    history.rewind(world, null, 2);
    assert.equal(world.bodies().poses[8 * crate.slot], 2);
    assert.equal(world.bodies().count, 4);
    assert.throws(() => history.push(history, null, 9), /push needs a World for world/);
    history.close();
    history.close();
    assert.throws(() => history.range(), /History is closed/);
    const keep = () => {
        const another = abut.historyCreate(1 << 20);
        another.push(world, null, 1);
        another.close();
    };
    keep();
    const size = bytes();
    for (let i = 0; i < 2000; ++i) {
        keep();
    }
    assert.equal(bytes(), size);
    world.close();
});

test('contacts of a pair come as patches', () => {
    const { world, floor, crate } = floorAndCrate();
    world.colliderAttach(floor, { shape: abut.shapeObb(0.1, 0.1, 0.1), local: { position: [0, 0.45, 0] } });
    world.step(0);
    const contacts = world.contacts(ContactSet.AWAKE);
    assert.equal(contacts.count, 2);
    const patches = abut.contactPatches(contacts, 0, 0.999);
    assert.equal(patches.length, 1);
    assert.deepEqual([patches.get(0).pointCount, patches.get(0).normal.y], [4, 1]);
    assert.throws(() => abut.contactPatches(contacts, 2, 0.999), /there are 2 contacts, and none is at 2/);
    assert.throws(() => abut.contactPatches({}, 0, 0.999), /needs the contacts of a world/);
    assert.ok(world.bodyValid(crate));
    world.close();
});

test('numbers that memory would hold otherwise are refused, and so is what is no array', () => {
    const { world, crate } = floorAndCrate();
    world.update();
    const ray = [0, 9, 0, 0, -20, 0];
    assert.throws(() => world.bodyCreate({ motion: 'static' }), /motion is a number, not of type string/);
    assert.throws(() => world.bodyCreate({ motion: 1.5 }), /motion is an integer of 32 bits, not 1.5/);
    assert.throws(() => world.reserve(-1, 0), /bodies of reserve is not negative, as -1 is/);
    assert.throws(() => world.bodyPose([-1, crate.generation]), /not negative/);
    world.bodyDestroy(world.bodyCreate({ flags: ~0xffff_ffff, userData: -5n, collider: { filter: { category: 1, mask: ~2 } } }));
    assert.throws(() => world.bodyCreate({ userData: 1.5 }), /userData is a bigint or an integer, not 1.5/);
    assert.throws(() => world.bodyCreate({ pose: { position: ['1', 0, 0] } }), /abut_vec3 is a number, not of type string/);
    assert.throws(() => world.bodyPose([2 ** 32 + crate.slot, crate.generation]), RangeError);
    assert.throws(() => world.bodyPoseMany(new Float32Array([crate.slot + 0.5, crate.generation])), /not 1.5/);
    assert.throws(() => world.bodyPoseMany([crate], new Float32Array(7)), /there are 8 numbers, and room for 7/);
    assert.throws(() => world.nearestMany(new Float32Array(3), 1), /most of nearestMany is a number, not left out/);
    assert.throws(() => world.step('1'), /dt of step is a number, not of type string/);
    assert.throws(() => world.contacts('awake'), /set of contacts is a number, not of type string/);
    for (const wrong of [crate, 5, 'crate', new Set([crate])]) {
        assert.throws(() => world.rayClosest(ray, { ignore: wrong }), /ignore is an array/);
        assert.throws(() => world.bodyCreateMany(wrong), /defs is an array/);
    }
    assert.throws(() => world.bodyCreateMany(), /bodyCreateMany needs defs/);
    assert.throws(() => world.bodyPose(), /bodyPose needs body/);
    assert.throws(() => world.rayClosest(), /rayClosest needs ray/);
    assert.throws(() => new World({ veto: 5 }), /veto is a function/);
    assert.throws(() => new World(5), /settings of a World are an object/);
    assert.throws(() => world.contacts(ContactSet.AWAKE).data.get(0.5), RangeError);
    assert.notEqual(world.rayClosest(ray, { mask: ~0, category: ~2 }), null);
    for (const wrong of [5, { pointer: 5 }, world]) {
        assert.throws(() => world.bodyCreate({ collider: { shape: { kind: abut.ShapeKind.POLYGON, polygon: wrong } } }), /polygon is a Geometry/);
        assert.throws(() => abut.shapePolygon(wrong), /shapePolygon needs a Geometry for polygon/);
    }
    assert.throws(() => new abut.Geometry(), /a Geometry is made by a function of the library/);
    const image = world.save(0);
    world.restore(null, image.buffer);
    world.restore(null, new Uint32Array(image.buffer));
    assert.throws(() => world.restore(null, 'image'), /image are bytes/);
    world.close();
});

test('arrays over the memory are arguments that are read before it grows', () => {
    const count = 60000;
    const world = new World();
    world.bodyCreateMany(Array.from({ length: count }, (_, i) => ({ pose: { position: [3 * i, 0, 0] } })));
    const shapes = Array.from({ length: count }, () => abut.shapeSphere(1));
    const pairs = { shapes, a: [0, 0], b: [0, count - 1] };
    const bytes = () => world.bodies().poses.buffer.byteLength;
    const fillers = [];
    for (const before = bytes(); bytes() === before;) { // until no room is left
        fillers.push(new World({ bodyCapacity: 4096 }));
    }
    const { buffer } = world.bodies().poses;
    assert.deepEqual([...abut.overlapMany({ ...pairs, poses: world.bodies().poses })], [1, 0]);
    assert.notEqual(world.bodies().poses.buffer, buffer, 'the memory has grown');
    [world, ...fillers].forEach((each) => each.close());
});

test('a veto decides also when the memory grows meanwhile, and cannot close its world', () => {
    const two = [{ collider: { shape: abut.shapeSphere(1) } }, { collider: { shape: abut.shapeSphere(1) } }];
    const growing = new World({
        veto(pairs, vetoed) {
            const worlds = Array.from({ length: 8 }, () => new World({ bodyCapacity: 1 << 20 }));
            vetoed[0] = 1;
            worlds.forEach((world) => world.close());
        },
    });
    growing.bodyCreateMany(two);
    growing.step(0);
    assert.equal(growing.contacts(ContactSet.AWAKE).count, 0);
    growing.close();
    const closing = new World({ veto: () => closing.close() });
    closing.bodyCreateMany(two);
    assert.throws(() => closing.step(0), { status: Status.BUSY });
    assert.equal(closing.bodies().count, 2);
    closing.detectBegin(0);
    assert.throws(() => closing.close(), { status: Status.BUSY });
    while (closing.detectNext() > 0) {}
    closing.detectEnd();
    closing.close();
});

test('a veto decides also where addresses are past two gigabytes', () => {
    const world = new World({ veto: (pairs, vetoed) => vetoed.fill(pairs.get(0).separation < 0 ? 1 : 0) });
    const fillers = [];
    const bytes = () => world.bodies().poses.buffer.byteLength;
    while (bytes() < 2 ** 31 + 2 ** 28) {
        fillers.push(new World({ bodyCapacity: 1 << 20 }));
    }
    for (const before = bytes(); bytes() === before;) { // until no room is left below
        fillers.push(new World({ bodyCapacity: 1024 }));
    }
    world.bodyCreateMany(Array.from({ length: 20000 }, (_, i) => ({ pose: { position: [1.5 * i, 0, 0] }, collider: { shape: abut.shapeSphere(1) } })));
    world.step(0);
    assert.equal(world.contacts(ContactSet.AWAKE).count, 0);
    assert.equal(world.statistics().vetoed, 19999);
    fillers.forEach((each) => each.close());
    world.close();
});

test('a world that its own veto refers to is collected', async () => {
    setFlagsFromString('--expose-gc');
    const make = () => {
        const world = new World({ veto: () => world.hash() });
        return new WeakRef(world);
    };
    const world = make();
    await new Promise((resolve) => setTimeout(resolve, 10));
    runInNewContext('gc')();
    assert.equal(world.deref(), undefined);
});
