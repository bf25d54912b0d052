// abut's npm package as it is: poses written in place, then a detect.
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { pairKey } from '../scenes.mjs';

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
            const { data, points } = this.contacts;
            let sum = 0;
            for (let i = 0, at = (data.first + data.offsets.normal) / 4; i < data.length; ++i, at += data.size / 4) {
                sum += data.f32[at] + data.f32[at + 1] + data.f32[at + 2];
            }
            for (let i = 0, at = points.first / 4; i < points.length; ++i, at += points.size / 4) {
                sum += points.f32[at] + points.f32[at + 1] + points.f32[at + 2] + points.f32[at + 3];
            }
            return { points: points.length, sum };
        }

        touching() {
            const { data } = this.contacts;
            return [...data].map((c) => pairKey(c.a.slot, c.b.slot));
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
