// The scenes: those of the benchmark, which the module makes and poses frame by frame, and two with gravity, which the solver moves.
import { Motion, shapeObb, shapeSphere } from 'abut';
import { heap } from 'abut/memory';
import { Records, typeOf } from 'abut/values';

export const SCENES = [
    { name: 'level', title: 'Level', about: 'ramps, stairs and crates: drag, throw, shoot', bodies: 300, most: 2000, solved: true, room: 15 },
    { name: 'bin', title: 'Pile with a solver', about: 'boxes and balls fall into a bin', bodies: 600, most: 3000, solved: true, room: 9 },
    { name: 'gas', title: 'Gas', about: 'balls and boxes fly through each other', bodies: 10000, most: 50000 },
    { name: 'dense', title: 'Dense', about: 'the same, six times as many in the same room', bodies: 5000, most: 50000 },
    { name: 'pile', title: 'Pile', about: 'unit cubes in a lattice, trembling', bodies: 5000, most: 50000 },
    { name: 'sparse', title: 'Sparse', about: 'most stand still, some fly past', bodies: 20000, most: 50000 },
    { name: 'sizes', title: 'Sizes', about: 'from small to a hundred times as large', bodies: 5000, most: 50000 },
    { name: 'rain', title: 'Rain', about: 'bodies fall on terrain, end and begin anew', bodies: 5000, most: 50000 },
];

const encoder = new TextEncoder();

/** A scene of the benchmark, open: its definitions, and the poses of its frames one after the other. */
export class Script {
    constructor(name, bodies) {
        const text = encoder.encode(`${name}\0`);
        const at = heap.exports.malloc(text.length);
        heap.u8.set(text, at);
        this.take(heap.exports.web_scene_open(at, bodies));
        heap.exports.free(at);
        this.frame = 0;
    }

    take(at) {
        const words = new Uint32Array(heap.exports.memory.buffer, at, 9);
        [this.count, this.moving, this.defsAt, this.posesAt, this.renewedCount, this.renewedAt, this.renewedDefsAt, , this.scene] = words;
    }

    advance() {
        this.take(heap.exports.web_scene_advance(this.scene));
        this.frame += 1;
    }

    get defs() {
        return new Records(typeOf('abut_body_def'), heap, this.defsAt, this.count);
    }

    get poses() {
        return new Float32Array(heap.exports.memory.buffer, this.posesAt, 8 * this.moving);
    }

    /** Bodies that end and begin anew in this frame: their indices and definitions. */
    get renewed() {
        const indices = new Uint32Array(heap.exports.memory.buffer, this.renewedAt, this.renewedCount);
        const defs = new Records(typeOf('abut_body_def'), heap, this.renewedDefsAt, this.renewedCount);
        return [...indices].map((index, i) => [index, defs.get(i)]);
    }

    close() {
        heap.exports.web_scene_close(this.scene);
    }
}

// Numbers in [0, 1) that are the same in every run, so that a link shows what its sender saw.
function random(seed) {
    let state = seed;
    return () => {
        state = (state * 48271) % 2147483647;
        return state / 2147483647;
    };
}

const box = (position, half, rotation = [0, 0, 0, 1]) => ({
    motion: Motion.STATIC,
    pose: { position, rotation },
    collider: { shape: shapeObb(...half) },
});
const about = (axis, degrees) => {
    const half = (degrees * Math.PI) / 360;
    return [...axis.map((a) => a * Math.sin(half)), Math.cos(half)];
};

function falling(count, next, place) {
    return Array.from({ length: count }, (_, i) => {
        const size = () => 0.25 + next() * 0.25;
        const shape = next() < 0.4 ? shapeSphere(size()) : shapeObb(size(), size(), size());
        const rotation = about(next() < 0.5 ? [1, 0, 0] : [0, 0, 1], next() * 90);
        return { pose: { position: place(i), rotation }, collider: { shape } };
    });
}

export const MADE = {
    bin(count) {
        const next = random(7);
        const wide = Math.max(3, Math.cbrt(count) * 0.8);
        const wall = [wide + 1, 2.5, 0.5];
        return [
            box([0, -0.5, 0], [wide * 4, 0.5, wide * 4]),
            box([0, 2.5, wide + 0.5], wall),
            box([0, 2.5, -wide - 0.5], wall),
            box([wide + 0.5, 2.5, 0], [0.5, 2.5, wide]),
            box([-wide - 0.5, 2.5, 0], [0.5, 2.5, wide]),
            ...falling(count, next, (i) => {
                const layer = Math.floor(i / 36);
                return [(next() - 0.5) * 1.2 * wide, 2 + layer * 1.2, (next() - 0.5) * 1.2 * wide];
            }),
        ];
    },
    level(count) {
        const next = random(11);
        const stairs = Array.from({ length: 8 }, (_, i) => box([-11 + i, 0.25 + i * 0.25, -8], [0.5, 0.25 + i * 0.25, 3]));
        const crates = Array.from({ length: Math.min(count, 84) }, (_, i) => {
            const [row, column] = [Math.floor(i / 12), i % 12];
            return { pose: { position: [(column - 5.5) * 1.02 + (row % 2) * 0.5, 0.5 + row, 9] }, collider: { shape: shapeObb(0.5, 0.5, 0.5) } };
        });
        return [
            box([0, -0.5, 0], [20, 0.5, 20]),
            box([0, 1, 20.5], [21, 1.5, 0.5]),
            box([0, 1, -20.5], [21, 1.5, 0.5]),
            box([20.5, 1, 0], [0.5, 1.5, 20]),
            box([-20.5, 1, 0], [0.5, 1.5, 20]),
            ...stairs,
            box([0, 2, -8], [3.5, 2, 3]),
            box([7.2, 1.6, -8], [4.6, 0.2, 3], about([0, 0, 1], -26)),
            box([-13, 2.6, 6], [4, 0.2, 4], about([0, 0, 1], 25)),
            box([12, 2.2, 6], [0.4, 2.2, 0.4]),
            box([15, 2.2, 6], [0.4, 2.2, 0.4]),
            box([13.5, 4.6, 6], [2.2, 0.2, 0.8]),
            ...crates,
            ...falling(Math.max(count - crates.length, 0), next, (i) => [(next() - 0.5) * 24, 6 + Math.floor(i / 20) * 1.3, -9 + next() * 14]),
        ];
    },
};
