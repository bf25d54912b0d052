// cannon-es: its broad phase and narrow phase alone, which are public, without the solver. Sweep and prune along one axis is the
// fastest of its broad phases here.
import * as CANNON from 'cannon-es';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pairKey } from '../scenes.mjs';

export async function load() {
    const folder = dirname(createRequire(import.meta.url).resolve('cannon-es'));
    const { version } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));

    class Engine {
        constructor(scene) {
            this.scene = scene;
            this.world = new CANNON.World();
            this.world.broadphase = new CANNON.SAPBroadphase(this.world);
            this.bodies = scene.bodies.map((b) => {
                const shape = b.isSphere ? new CANNON.Sphere(b.shape.radius) : new CANNON.Box(new CANNON.Vec3(...b.shape.half));
                const body = new CANNON.Body({ mass: b.isStatic ? 0 : 1, shape });
                body.position.set(...b.position);
                body.quaternion.set(...b.rotation);
                body.aabbNeedsUpdate = true;
                this.world.addBody(body);
                return body;
            });
            this.contacts = [];
            this.spare = [];
        }

        step(poses) {
            const { scene, bodies, world } = this;
            for (let i = 0, at = 0; i < scene.moving; ++i, at += 8) {
                bodies[i].position.set(poses[at], poses[at + 1], poses[at + 2]);
                if (scene.bodies[i].turns) {
                    bodies[i].quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 7]);
                }
                bodies[i].aabbNeedsUpdate = true;
            }
            world.broadphase.dirty = true;
            const [first, second] = [[], []];
            world.broadphase.collisionPairs(world, first, second);
            this.spare = this.spare.concat(this.contacts); // equations that it may write over
            this.contacts = [];
            world.narrowphase.getContacts(first, second, world, this.contacts, this.spare, [], []);
        }

        read() {
            let sum = 0;
            for (const c of this.contacts) {
                sum += c.ni.x + c.ni.y + c.ni.z + c.ri.x + c.ri.y + c.ri.z;
            }
            return { points: this.contacts.length, sum };
        }

        touching() {
            return [...new Set(this.contacts.map((c) => pairKey(c.bi.index, c.bj.index)))];
        }

        rays(rays, out) {
            const [from, to, result] = [new CANNON.Vec3(), new CANNON.Vec3(), new CANNON.RaycastResult()];
            for (let i = 0, at = 0; i < out.body.length; ++i, at += 6) {
                from.set(rays[at], rays[at + 1], rays[at + 2]);
                to.set(rays[at] + rays[at + 3], rays[at + 1] + rays[at + 4], rays[at + 2] + rays[at + 5]);
                result.reset();
                this.world.raycastClosest(from, to, {}, result);
                out.fraction[i] = result.hasHit ? result.distance / from.distanceTo(to) : 1;
                out.body[i] = result.hasHit ? result.body.index : -1;
            }
        }

        close() {}
    }
    return { name: `cannon-es ${version}`, Engine };
}
