// abut's npm package as it is: poses written in place, then a detect.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { pairKey } from '../scenes.mjs';

const POINT = 5; // numbers: an offset, a separation, a feature

export async function load(folder) {
    const abut = await import(pathToFileURL(join(folder, 'index.js')));
    await abut.init();

    class Engine {
        constructor(scene) {
            this.world = new abut.World({ bodyCapacity: scene.count });
            this.world.bodyCreateMany(
                scene.bodies.map((b) => ({
                    motion: b.isStatic ? abut.Motion.STATIC : abut.Motion.DYNAMIC,
                    pose: { position: b.position, rotation: b.rotation },
                    collider: { shape: b.isSphere ? abut.shapeSphere(b.shape.radius) : (b.turns ? abut.shapeObb : abut.shapeAabb)(...b.shape.half) },
                })),
            );
            this.bodies = this.world.bodies();
            this.contacts = this.world.contacts(abut.ContactSet.AWAKE);
        }

        step(poses) {
            this.bodies.poses.set(poses);
            this.world.detect(0);
        }

        // Every contact's normal, and every point with its depth.
        read() {
            const { data, order } = this.contacts;
            const { f32, u16, first, size, offsets } = data;
            let points = 0, sum = 0;
            for (const slot of order) {
                const start = first + slot * size;
                const normal = (start + offsets.normal) / 4;
                const count = u16[(start + offsets.pointCount) / 2];
                sum += f32[normal] + f32[normal + 1] + f32[normal + 2];
                for (let k = 0, at = (start + offsets.points) / 4; k < count; ++k, at += POINT) {
                    sum += f32[at] + f32[at + 1] + f32[at + 2] + f32[at + 3];
                }
                points += count;
            }
            return { points, sum };
        }

        touching() {
            const { data, order } = this.contacts;
            return Array.from(order, (slot) => data.get(slot)).map((c) => pairKey(c.a.slot, c.b.slot));
        }

        // All rays in one call, or one a call. out.body is -1 where a ray hits nothing.
        rays(rays, out) {
            const hits = this.world.rayClosestMany(rays);
            const { offsets, size, f32, u32 } = hits;
            for (let i = 0, at = hits.first / 4; i < hits.length; ++i, at += size / 4) {
                out.fraction[i] = f32[at + offsets.fraction / 4];
                out.body[i] = u32[at + offsets.collider / 4 + 1] === 0 ? -1 : u32[at + offsets.body / 4];
            }
        }

        eachRay(rays, out) {
            for (let i = 0; i < out.body.length; ++i) {
                const hit = this.world.rayClosest(rays.subarray(6 * i, 6 * i + 6));
                out.fraction[i] = hit.fraction;
                out.body[i] = hit.fraction < 1 ? hit.body.slot : -1;
            }
        }

        close() {
            this.world.close();
        }
    }
    return { name: 'abut', Engine };
}
