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

        close() {
            this.world.close();
        }
    }
    return { name: 'abut', Engine };
}
