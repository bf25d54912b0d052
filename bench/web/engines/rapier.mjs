// Rapier: kinematic bodies of which all kinds of pairs collide, so that a step finds contacts and solves none. Prediction is off:
// pairs that are apart are no contacts. A step finds the contacts of the poses before it and then moves, which costs less than to
// place bodies at once: contacts are a frame behind.
import RAPIER from '@dimforge/rapier3d-simd-compat';
import { pairKey } from '../scenes.mjs';

export async function load() {
    await RAPIER.init();

    class Engine {
        constructor(scene) {
            this.world = new RAPIER.World({ x: 0, y: 0, z: 0 });
            this.world.integrationParameters.normalizedPredictionDistance = 0;
            this.scene = scene;
            this.colliders = [];
            this.indices = new Map();
            this.moving = scene.bodies.map((b, i) => {
                const desc = b.isStatic ? RAPIER.RigidBodyDesc.fixed() : RAPIER.RigidBodyDesc.kinematicPositionBased();
                const [x, y, z] = b.position;
                const [rx, ry, rz, rw] = b.rotation;
                const body = this.world.createRigidBody(desc.setTranslation(x, y, z).setRotation({ x: rx, y: ry, z: rz, w: rw }));
                const shape = b.isSphere ? RAPIER.ColliderDesc.ball(b.shape.radius) : RAPIER.ColliderDesc.cuboid(...b.shape.half);
                // All kinds of pairs, but for two bodies that stay where they are.
                const kinds = RAPIER.ActiveCollisionTypes.ALL & ~RAPIER.ActiveCollisionTypes.FIXED_FIXED;
                const collider = this.world.createCollider(shape.setActiveCollisionTypes(kinds), body);
                this.colliders.push(collider);
                this.indices.set(collider.handle, i);
                return body;
            });
            this.position = { x: 0, y: 0, z: 0 };
            this.rotation = { x: 0, y: 0, z: 0, w: 1 };
        }

        step(poses) {
            const { position, rotation, moving, scene } = this;
            for (let i = 0, at = 0; i < scene.moving; ++i, at += 8) {
                position.x = poses[at];
                position.y = poses[at + 1];
                position.z = poses[at + 2];
                moving[i].setNextKinematicTranslation(position);
                if (scene.bodies[i].turns) {
                    rotation.x = poses[at + 4];
                    rotation.y = poses[at + 5];
                    rotation.z = poses[at + 6];
                    rotation.w = poses[at + 7];
                    moving[i].setNextKinematicRotation(rotation);
                }
            }
            this.world.step();
        }

        pairs(visit) {
            this.colliders.forEach((collider, i) => {
                this.world.contactPairsWith(collider, (other) => {
                    const k = this.indices.get(other.handle);
                    if (i < k) {
                        this.world.contactPair(collider, other, (manifold) => visit(i, k, manifold));
                    }
                });
            });
        }

        read() {
            let sum = 0;
            let points = 0;
            this.pairs((a, b, manifold) => {
                const normal = manifold.normal();
                sum += normal.x + normal.y + normal.z;
                for (let i = 0; i < manifold.numContacts(); ++i) {
                    const p = manifold.localContactPoint1(i);
                    sum += p.x + p.y + p.z + manifold.contactDist(i);
                    points += 1;
                }
            });
            return { points, sum };
        }

        touching(poses) {
            this.step(poses);
            const found = [];
            this.pairs((a, b, manifold) => {
                let deepest = Infinity;
                for (let i = 0; i < manifold.numContacts(); ++i) {
                    deepest = Math.min(deepest, manifold.contactDist(i));
                }
                if (deepest <= 0) {
                    found.push(pairKey(a, b));
                }
            });
            return found;
        }

        // `solid`: a ray from within hits at once, as elsewhere. The step before has placed the bodies, this one what rays go by.
        rays(rays, out) {
            const ray = new RAPIER.Ray({ x: 0, y: 0, z: 0 }, { x: 0, y: 0, z: 0 });
            for (let i = 0, at = 0; i < out.body.length; ++i, at += 6) {
                [ray.origin.x, ray.origin.y, ray.origin.z] = [rays[at], rays[at + 1], rays[at + 2]];
                [ray.dir.x, ray.dir.y, ray.dir.z] = [rays[at + 3], rays[at + 4], rays[at + 5]];
                const hit = this.world.castRayAndGetNormal(ray, 1, true);
                out.fraction[i] = hit ? hit.timeOfImpact : 1;
                out.body[i] = hit ? this.indices.get(hit.collider.handle) : -1;
            }
        }

        close() {
            this.world.free();
        }
    }
    return { name: `rapier ${RAPIER.version()}`, Engine };
}
