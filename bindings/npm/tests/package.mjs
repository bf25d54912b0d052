// The built package: the folder in ABUT_PACKAGE, or the one that the preset npm builds.
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const folder = resolve(process.env.ABUT_PACKAGE ?? fileURLToPath(new URL('../../../build/npm/package', import.meta.url)));
export const abut = await import(pathToFileURL(join(folder, 'index.js')));
await abut.init();

/** Numbers in [0, 1), the same in every run and language: a multiplicative generator modulo 2^31 - 1. */
export function random(seed) {
    let state = seed;
    return () => {
        state = (state * 48271) % 2147483647;
        return state / 2147483647;
    };
}

/** Boxes and balls in a cube, moving: as bindings/python/tests make them. */
export function crowd(count, seed = 1) {
    const next = random(seed);
    const side = Math.sqrt(Math.sqrt(count)) * 3;
    const at = () => Math.fround(next() * side);
    const size = () => Math.fround(0.25 + next() * 0.5);
    const speed = () => Math.fround(next() * 4 - 2);
    return Array.from({ length: count }, (_, i) => ({
        pose: { position: [at(), at(), at()] },
        velocity: { linear: [speed(), speed(), speed()], angular: [speed(), speed(), speed()] },
        collider: { shape: i % 3 === 0 ? abut.shapeSphere(size()) : abut.shapeObb(size(), size(), size()) },
    }));
}

/** A world with a floor of half a metre's half height and a crate that sinks into it by a tenth. */
export function floorAndCrate(def) {
    const world = new abut.World(def);
    const floor = world.bodyCreate({ motion: abut.Motion.STATIC, collider: { shape: abut.shapeObb(5, 0.5, 5) } });
    const crate = world.bodyCreate({ pose: { position: [0, 0.9, 0] }, collider: { shape: abut.shapeObb(0.5, 0.5, 0.5) } });
    return { world, floor, crate };
}
