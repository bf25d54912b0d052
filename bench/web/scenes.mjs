// Scenes of abut-bench as plain arrays: the same bits, from the same C code.
import { readFile } from 'node:fs/promises';

const [SPHERE, AABB] = [1, 2]; // kinds of shape
const DEF = { size: 192, position: 0, rotation: 16, motion: 56, kind: 72, sizes: 80 }; // bytes into abut_body_def

export class Scenes {
    static async load(path) {
        const nothing = () => 0;
        const imports = { abut: { veto: nothing }, wasi_snapshot_preview1: new Proxy({}, { get: () => nothing }) };
        const { instance } = await WebAssembly.instantiate(await readFile(path), imports);
        instance.exports._initialize();
        return new Scenes(instance.exports);
    }

    constructor(exports) {
        this.exports = exports;
    }

    /** Bodies, and the poses of those that move, eight numbers each, for every frame. */
    open(name, bodies, frames) {
        const { exports } = this;
        const text = new TextEncoder().encode(`${name}\0`);
        const at = exports.malloc(text.length);
        new Uint8Array(exports.memory.buffer).set(text, at);
        const shown = exports.web_scene_open(at, bodies);
        exports.free(at);
        if (shown === 0) {
            throw new Error(`there is no scene ${name} of ${bodies} bodies`);
        }
        let [count, moving, defs, poses, , , , , scene] = this.words(shown);
        const found = { name, asked: bodies, count, moving, bodies: [], frames: [] };
        for (let i = 0; i < count; ++i) {
            found.bodies.push(this.body(defs + i * DEF.size));
        }
        for (let frame = 0; frame < frames; ++frame) {
            found.frames.push(new Float32Array(exports.memory.buffer, poses, moving * 8).slice());
            [, , , poses] = this.words(exports.web_scene_advance(scene));
        }
        exports.web_scene_close(scene);
        return found;
    }

    words(at) {
        return new Uint32Array(this.exports.memory.buffer, at, 9);
    }

    body(at) {
        const { buffer } = this.exports.memory;
        const numbers = (offset, length) => [...new Float32Array(buffer, at + offset, length)];
        const kind = new Uint32Array(buffer, at + DEF.kind, 1)[0];
        const sizes = numbers(DEF.sizes, 3);
        const rotation = numbers(DEF.rotation, 4);
        return {
            shape: kind === SPHERE ? { radius: sizes[0] } : { half: sizes },
            isSphere: kind === SPHERE,
            turns: kind !== SPHERE && kind !== AABB, // boxes along the axes stay so, whatever the pose says
            isStatic: new Uint32Array(buffer, at + DEF.motion, 1)[0] === 2,
            position: numbers(DEF.position, 3),
            rotation: kind === AABB || rotation.every((r) => r === 0) ? [0, 0, 0, 1] : rotation,
        };
    }
}

/** Pairs of bodies as sorted numbers. */
export const pairKey = (a, b) => (a < b ? a * 16777216 + b : b * 16777216 + a);
