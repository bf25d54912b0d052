// Havok: it has no contacts between kinematic bodies, so these are dynamic, without gravity, and its solver runs. Their poses are
// set anew before every step. Contacts come as events, which are asked for.
import HavokPhysics from '@babylonjs/havok';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pairKey } from '../scenes.mjs';

export async function load() {
    const folder = dirname(createRequire(import.meta.url).resolve('@babylonjs/havok'));
    const find = (name) => join(folder, '..', name);
    const wasm = [find('esm/HavokPhysics.wasm'), find('umd/HavokPhysics.wasm')].map((path) => {
        try {
            return readFileSync(path);
        } catch {
            return null;
        }
    });
    const hp = await HavokPhysics({ wasmBinary: wasm.find(Boolean) });
    const { version } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'));
    const take = ([result, value]) => {
        if (result !== hp.Result.RESULT_OK) {
            throw new Error(`Havok: result ${result.value}`);
        }
        return value;
    };

    class Engine {
        constructor(scene) {
            this.scene = scene;
            this.world = take(hp.HP_World_Create());
            hp.HP_World_SetGravity(this.world, [0, 0, 0]);
            this.indices = new Map();
            this.bodies = scene.bodies.map((b, i) => this.add(b, i));
        }

        add(b, i) {
            const body = take(hp.HP_Body_Create());
            const shape = take(
                b.isSphere
                    ? hp.HP_Shape_CreateSphere([0, 0, 0], b.shape.radius)
                    : hp.HP_Shape_CreateBox([0, 0, 0], [0, 0, 0, 1], b.shape.half.map((h) => 2 * h)),
            );
            hp.HP_Body_SetShape(body, shape);
            hp.HP_Body_SetMotionType(body, b.isStatic ? hp.MotionType.STATIC : hp.MotionType.DYNAMIC);
            hp.HP_Body_SetMassProperties(body, [[0, 0, 0], 1, [1, 1, 1], [0, 0, 0, 1]]);
            hp.HP_Body_SetQTransform(body, [b.position, b.rotation]);
            hp.HP_Body_SetEventMask(body, hp.EventType.COLLISION_STARTED.value | hp.EventType.COLLISION_CONTINUED.value);
            hp.HP_Body_SetActivationControl(body, hp.ActivationControl.ALWAYS_ACTIVE);
            hp.HP_World_AddBody(this.world, body, false);
            this.indices.set(body[0], i);
            return body;
        }

        place(poses) {
            const { scene, bodies } = this;
            for (let i = 0, at = 0; i < scene.moving; ++i, at += 8) {
                const position = [poses[at], poses[at + 1], poses[at + 2]];
                const rotation = scene.bodies[i].turns ? [poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 7]] : [0, 0, 0, 1];
                hp.HP_Body_SetQTransform(bodies[i], [position, rotation]);
                hp.HP_Body_SetLinearVelocity(bodies[i], [0, 0, 0]);
                hp.HP_Body_SetAngularVelocity(bodies[i], [0, 0, 0]);
            }
        }

        step(poses) {
            this.place(poses);
            hp.HP_World_Step(this.world, 1 / 60);
        }

        // Events lie in the module's memory, where Babylon's plugin reads them: the contact on a from word 2, that on b from 18.
        events(visit) {
            const world = Number(this.world[0]);
            let [, event] = hp.HP_World_GetCollisionEvents(this.world); // fails where there is none
            while (event) {
                visit(event);
                event = hp.HP_World_GetNextCollisionEvent(world, event);
            }
        }

        read() {
            let sum = 0;
            let points = 0;
            const numbers = new Float32Array(hp.HEAPU8.buffer);
            this.events((event) => {
                for (let at = event / 4 + 10; at < event / 4 + 16; ++at) {
                    sum += numbers[at]; // of a's position and normal
                }
                points += 1;
            });
            return { points, sum };
        }

        touching(poses) {
            this.step(poses);
            const found = new Set();
            this.events((event) => {
                const [, a, b] = take(hp.HP_Event_AsCollision(event));
                found.add(pairKey(this.indices.get(a[0][0]), this.indices.get(b[0][0])));
            });
            return [...found];
        }

        // With room for one hit a collector keeps the closest.
        rays(rays, out) {
            const collector = take(hp.HP_QueryCollector_Create(1));
            for (let i = 0, at = 0; i < out.body.length; ++i, at += 6) {
                const start = [rays[at], rays[at + 1], rays[at + 2]];
                const end = [start[0] + rays[at + 3], start[1] + rays[at + 4], start[2] + rays[at + 5]];
                hp.HP_World_CastRayWithCollector(this.world, collector, [start, end, [~0, ~0], false, [0n]]);
                const some = hp.HP_QueryCollector_GetNumHits(collector)[1] > 0;
                const hit = some ? hp.HP_QueryCollector_GetCastRayResult(collector, 0)[1] : undefined;
                out.fraction[i] = hit ? hit[0] : 1;
                out.body[i] = hit ? this.indices.get(hit[1][0][0]) : -1;
            }
            hp.HP_QueryCollector_Release(collector);
        }

        close() {
            for (const body of this.bodies) {
                hp.HP_World_RemoveBody(this.world, body);
                hp.HP_Body_Release(body);
            }
            hp.HP_World_Release(this.world);
        }
    }
    return { name: `havok ${version}`, Engine };
}
