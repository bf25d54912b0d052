// Rays through the scenes: each engine's own way to find the closest hit of a ray, in the same frame, compared with abut's.

// The same numbers everywhere: a generator of 32 bits (multiply, add and shuffle).
function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
        return ((mixed ^ (mixed >>> 16)) >>> 0) / 4294967296;
    };
}

function boundsOf(poses) {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (let at = 0; at < poses.length; at += 8) {
        for (let k = 0; k < 3; ++k) {
            low[k] = Math.min(low[k], poses[at + k]);
            high[k] = Math.max(high[k], poses[at + k]);
        }
    }
    return [low, high];
}

/** Rays from anywhere in the scene to anywhere ("long"), or in any direction for as many metres: six numbers each. None begins in a
 * body: engines differ in what such a ray hits. */
export function makeRays(Engine, scene, frame, count, length) {
    const some = anyRays(scene, frame, 8 * count, length);
    const { out } = castRays(Engine, scene, frame, some, 'rays', (work) => work() ?? 2e9);
    const kept = [];
    for (let i = 0; i < 8 * count && kept.length < 6 * count; ++i) {
        if (out.fraction[i] > 0) {
            kept.push(...some.subarray(6 * i, 6 * i + 6));
        }
    }
    return Float32Array.from(kept);
}

function anyRays(scene, frame, count, length) {
    const next = random(12345);
    const [low, high] = boundsOf(scene.frames[frame]);
    const somewhere = () => low.map((l, k) => l + next() * (high[k] - l));
    const rays = new Float32Array(6 * count);
    for (let i = 0; i < count; ++i) {
        const from = somewhere();
        const to = somewhere();
        const way = to.map((t, k) => t - from[k]);
        const scale = length === 'long' ? 1 : Number(length) / Math.hypot(...way);
        rays.set([...from, ...way.map((w) => w * scale)], 6 * i);
    }
    return rays;
}

const answers = (count) => ({ fraction: new Float32Array(count), body: new Int32Array(count) });

/** Times of one round of all rays, in nanoseconds a ray, and the last round's hits. */
export function castRays(Engine, scene, frame, rays, way, timed) {
    const count = rays.length / 6;
    const engine = new Engine(scene);
    try {
        const out = answers(count);
        engine.step(scene.frames[frame]);
        engine.step(scene.frames[frame]); // some engines' boxes are of the poses before a step
        engine.place?.(scene.frames[frame]); // and a solver may have moved what overlaps
        const first = timed(() => engine[way](rays, out));
        const rounds = Math.max(1, Math.min(12, Math.floor(1e9 / first)));
        const times = first > 1e9 ? [first] : Array.from({ length: rounds }, () => timed(() => engine[way](rays, out)));
        return { times: times.map((t) => t / count), out };
    } finally {
        engine.close();
    }
}

/** Rays whose bodies differ where the fractions do too, and the widest such difference in metres. */
export function compareRays(rays, ours, theirs) {
    let [hits, differing, widest] = [0, 0, 0];
    ours.body.forEach((body, i) => {
        hits += body >= 0;
        const length = Math.hypot(...rays.subarray(6 * i + 3, 6 * i + 6));
        const apart = Math.abs(ours.fraction[i] - theirs.fraction[i]) * length;
        if (apart > 1e-3 * Math.max(1, length / 100)) {
            differing += 1;
            widest = Math.max(widest, apart);
        }
    });
    return { hits, differing, widest };
}
