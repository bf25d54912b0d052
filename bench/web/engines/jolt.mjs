// Jolt: its build with SIMD, without workers; kinematic bodies that collide with each other, so that a step finds contacts and
// solves none. Boxes are sharp, and pairs that are apart are no contacts. Contacts come to a listener, which is Jolt's way.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pairKey } from '../scenes.mjs';

const [STILL, MOVING] = [0, 1];

// Only the build with threads has SIMD. Its workers do not start under node, because a line of it reads a member of a promise; with
// that line put right they do.
async function loadWithSimd(folder) {
    const name = 'jolt-physics.multithread.wasm-compat.js';
    const righted = 'jolt-physics.for-node.js';
    const text = readFileSync(join(folder, 'dist', name), 'utf8');
    const line = 'await import("node:worker_threads").workerData';
    if (!text.includes(line)) {
        throw new Error('this version of Jolt may start its workers by itself');
    }
    const path = join(folder, 'dist', righted);
    writeFileSync(path, text.replace(line, '(await import("node:worker_threads")).workerData').replaceAll(name, righted));
    const awake = setInterval(() => {}, 1000); // its workers do not keep node from ending
    const { default: initJolt } = await import(pathToFileURL(path));
    const Jolt = await initJolt();
    clearInterval(awake);
    return Jolt;
}

export async function load() {
    const folder = dirname(createRequire(import.meta.url).resolve('jolt-physics/package.json'));
    const Jolt = await loadWithSimd(folder);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

    function settingsFor(scene) {
        const settings = new Jolt.JoltSettings();
        settings.mMaxBodies = scene.count;
        settings.mMaxBodyPairs = scene.count * 16;
        settings.mMaxContactConstraints = scene.count; // none is made between kinematic bodies
        settings.mMaxWorkerThreads = 0;
        const pairs = new Jolt.ObjectLayerPairFilterTable(2);
        pairs.EnableCollision(STILL, MOVING);
        pairs.EnableCollision(MOVING, MOVING);
        const layers = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
        layers.MapObjectToBroadPhaseLayer(STILL, new Jolt.BroadPhaseLayer(0));
        layers.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
        settings.mObjectLayerPairFilter = pairs;
        settings.mBroadPhaseLayerInterface = layers;
        settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, pairs, 2);
        return settings;
    }

    class Engine {
        constructor(scene) {
            this.scene = scene;
            this.jolt = new Jolt.JoltInterface(settingsFor(scene));
            const system = this.jolt.GetPhysicsSystem();
            system.SetGravity(new Jolt.Vec3(0, 0, 0));
            const physics = system.GetPhysicsSettings();
            physics.mSpeculativeContactDistance = 0;
            system.SetPhysicsSettings(physics);
            this.bodies = system.GetBodyInterface();
            this.indices = new Map(); // by a body's address
            this.slots = new Map(); // and by its id
            this.ids = scene.bodies.map((b, i) => this.add(b, i));
            system.OptimizeBroadPhase();
            this.listen(system);
            this.position = new Jolt.RVec3(0, 0, 0);
            this.rotation = new Jolt.Quat(0, 0, 0, 1);
        }

        add(b, i) {
            const shape = b.isSphere ? new Jolt.SphereShape(b.shape.radius) : new Jolt.BoxShape(new Jolt.Vec3(...b.shape.half), 0);
            const motion = b.isStatic ? Jolt.EMotionType_Static : Jolt.EMotionType_Kinematic;
            const creation = new Jolt.BodyCreationSettings(
                shape,
                new Jolt.RVec3(...b.position),
                new Jolt.Quat(...b.rotation),
                motion,
                b.isStatic ? STILL : MOVING,
            );
            creation.mCollideKinematicVsNonDynamic = true;
            creation.mAllowSleeping = false;
            const body = this.bodies.CreateBody(creation);
            Jolt.destroy(creation);
            this.bodies.AddBody(body.GetID(), b.isStatic ? Jolt.EActivation_DontActivate : Jolt.EActivation_Activate);
            this.indices.set(Jolt.getPointer(body), i);
            this.slots.set(body.GetID().GetIndexAndSequenceNumber(), i);
            return body.GetID();
        }

        listen(system) {
            const listener = new Jolt.ContactListenerJS();
            const found = (a, b, manifold) => this.found?.(a, b, Jolt.wrapPointer(manifold, Jolt.ContactManifold));
            listener.OnContactValidate = () => Jolt.ValidateResult_AcceptAllContactsForThisBodyPair;
            listener.OnContactAdded = found;
            listener.OnContactPersisted = found;
            listener.OnContactRemoved = () => {};
            this.listener = listener;
            this.system = system;
        }

        // `found` hears of every contact; without one there is no listener, and contacts stay where they are.
        step(poses, found) {
            this.found = found;
            this.system.SetContactListener(found ? this.listener : null);
            const { position, rotation, scene } = this;
            for (let i = 0, at = 0; i < scene.moving; ++i, at += 8) {
                position.Set(poses[at], poses[at + 1], poses[at + 2]);
                if (scene.bodies[i].turns) {
                    rotation.Set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 7]);
                    this.bodies.SetPositionAndRotation(this.ids[i], position, rotation, Jolt.EActivation_DontActivate);
                } else {
                    this.bodies.SetPosition(this.ids[i], position, Jolt.EActivation_DontActivate);
                }
            }
            this.jolt.Step(1 / 60, 1);
        }

        stepAndRead(poses) {
            let sum = 0;
            let points = 0;
            this.step(poses, (a, b, manifold) => {
                const normal = manifold.mWorldSpaceNormal;
                sum += normal.GetX() + normal.GetY() + normal.GetZ() + manifold.mPenetrationDepth;
                const count = manifold.mRelativeContactPointsOn1.size();
                for (let i = 0; i < count; ++i) {
                    const p = manifold.GetWorldSpaceContactPointOn1(i);
                    sum += p.GetX() + p.GetY() + p.GetZ();
                }
                points += count;
            });
            return { points, sum };
        }

        touching(poses) {
            const pairs = [];
            this.step(poses, (a, b, manifold) => {
                if (manifold.mPenetrationDepth >= 0) {
                    pairs.push(pairKey(this.indices.get(a), this.indices.get(b)));
                }
            });
            return pairs;
        }

        // Normals cost a call on the hit body's shape, which is not made: the others give one.
        rays(rays, out) {
            const query = this.system.GetNarrowPhaseQuery();
            const ray = new Jolt.RRayCast();
            const settings = new Jolt.RayCastSettings();
            const collector = new Jolt.CastRayClosestHitCollisionCollector();
            const filters = [new Jolt.BroadPhaseLayerFilter(), new Jolt.ObjectLayerFilter(), new Jolt.BodyFilter(), new Jolt.ShapeFilter()];
            const [origin, direction] = [ray.mOrigin, ray.mDirection];
            for (let i = 0, at = 0; i < out.body.length; ++i, at += 6) {
                origin.Set(rays[at], rays[at + 1], rays[at + 2]);
                direction.Set(rays[at + 3], rays[at + 4], rays[at + 5]);
                collector.Reset();
                query.CastRay(ray, settings, collector, ...filters);
                const hit = collector.HadHit() ? collector.mHit : undefined;
                out.fraction[i] = hit ? hit.mFraction : 1;
                out.body[i] = hit ? this.slots.get(hit.mBodyID.GetIndexAndSequenceNumber()) : -1;
            }
            [ray, settings, collector, ...filters].forEach((one) => Jolt.destroy(one));
        }

        close() {
            Jolt.destroy(this.jolt);
        }
    }
    return { name: `jolt ${version}`, Engine };
}
