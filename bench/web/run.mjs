#!/usr/bin/env node
// abut's npm package beside other engines from npm, under node, on the benchmark's scenes: run.mjs [OPTIONS]
//
//   --engines LIST   of rapier, jolt, havok, cannon (all)         --scenes LIST    gas,dense,pile,sparse,sizes
//   --bodies LIST    1000,10000                                   --repeats N      5
//   --frames N       measured in a run, after as many that are not; 16
//   --rays LIST      long,10: of the scene's size, or of so many metres     --ray-scenes LIST    gas,sizes,sparse
//   --package DIR    the npm package (build/npm/package)          --wasm FILE      scenes (build/wasm/bin/abut-web.wasm)
//   --out DIR        writes web.csv, web.svg and README.md there
//
// Each engine runs between two runs of abut, on the same poses, several times over. Times are the process's own processor time for
// a frame: the median of a run, and of the ratios of all repeats. "Found" is new poses and finding all contacts; "read" is that and
// reading every contact's normal and points in JavaScript. Which pairs touch is compared in the last frame. Rays are those of that
// frame: the closest hit of each, with body and fraction read in JavaScript, in one call for all and in one for each.
import { loadavg } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeReport } from './report.mjs';
import { castRays, compareRays, makeRays } from './rays.mjs';
import { Scenes } from './scenes.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const build = join(here, '../../build');
const { values: asked } = parseArgs({
    options: {
        engines: { type: 'string', default: 'rapier,jolt,havok,cannon' },
        scenes: { type: 'string', default: 'gas,dense,pile,sparse,sizes' },
        bodies: { type: 'string', default: '1000,10000' },
        repeats: { type: 'string', default: '5' },
        frames: { type: 'string', default: '16' },
        rays: { type: 'string', default: 'long,10' },
        'ray-scenes': { type: 'string', default: 'gas,sizes,sparse' },
        package: { type: 'string', default: join(build, 'npm/package') },
        wasm: { type: 'string', default: join(build, 'wasm/bin/abut-web.wasm') },
        out: { type: 'string' },
    },
});
const frames = Number(asked.frames);
const TOO_LONG = 20e9; // nanoseconds for a frame: such an engine is left out
const RAYS = 2000;
const SLOW = 0.5e9; // and such a one is measured in fewer frames, once

const median = (numbers) => {
    const sorted = [...numbers].sort((a, b) => a - b);
    return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

function timed(work) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) * 1000;
}

// One run: a fresh world, frames not measured, then frames that are.
function run({ Engine }, scene) {
    const engine = new Engine(scene);
    try {
        const found = [];
        const read = [];
        let points = 0;
        const first = timed(() => engine.step(scene.frames[0]));
        if (first > TOO_LONG) {
            return null;
        }
        const slow = first > SLOW;
        const [from, to] = slow ? [1, 3] : [frames, 2 * frames];
        for (let frame = 1; frame < to; ++frame) {
            const poses = scene.frames[frame];
            let both;
            let alone;
            if (engine.stepAndRead && frame % 2 === 0) {
                both = timed(() => ({ points } = engine.stepAndRead(poses)));
            } else {
                alone = timed(() => engine.step(poses));
                both = engine.stepAndRead ? undefined : alone + timed(() => ({ points } = engine.read()));
            }
            if (frame >= from) {
                found.push(...(alone === undefined ? [] : [alone]));
                read.push(...(both === undefined ? [] : [both]));
            }
        }
        const touching = new Set(engine.touching(scene.frames[to - 1]));
        return { found: median(found), read: median(read), points, touching, last: to - 1, slow };
    } finally {
        engine.close();
    }
}

// Pairs in which two answers differ, with the depth or gap that abut's own test gives them.
function compare(abut, ours, theirs, scene, frame) {
    const separation = (key) => {
        const [a, b] = [Math.floor(key / 16777216), key % 16777216].map((i) => {
            const body = scene.bodies[i];
            const moved = scene.frames[frame].subarray(8 * i, 8 * i + 8);
            const pose = i < scene.moving ? moved : { position: body.position, rotation: body.rotation };
            const make = body.turns ? abut.shapeObb : abut.shapeAabb;
            return [body.isSphere ? abut.shapeSphere(body.shape.radius) : make(...body.shape.half), pose];
        });
        return abut.collide(...a, ...b, 1e6).separation;
    };
    const missed = [...ours].filter((key) => !theirs.has(key)).map(separation);
    const more = [...theirs].filter((key) => !ours.has(key)).map(separation);
    return {
        missed: missed.length,
        missed_deepest: Math.max(0, ...missed.map((s) => -s)),
        more: more.length,
        more_widest: Math.max(0, ...more),
    };
}

const scenes = await Scenes.load(asked.wasm);
const abut = await (await import('./engines/abut.mjs')).load(resolve(asked.package));
const library = await import(pathToFileURL(join(resolve(asked.package), 'index.js')));
const rows = [];
const rayRows = [];
const load = loadavg()[0];
const list = (text) => text.split(',').filter(Boolean);
for (const name of list(asked.engines)) {
    const peer = await (await import(`./engines/${name}.mjs`)).load();
    for (const bodies of list(asked.bodies).map(Number)) {
        for (const kind of list(asked.scenes)) {
            measure(peer, scenes.open(kind, bodies, 2 * frames));
        }
        for (const kind of list(asked['ray-scenes'])) {
            const scene = scenes.open(kind, bodies, 2 * frames);
            list(asked.rays).forEach((length) => measureRays(peer, scene, length));
        }
    }
}

function measure(peer, scene) {
    const [ours, theirs, ratios, readRatios] = [[], [], [], []];
    let difference;
    for (let repeat = 0; repeat < Number(asked.repeats); ++repeat) {
        const before = run(abut, scene);
        const found = run(peer, scene);
        if (!found) {
            console.log(`${scene.name} ${scene.asked} ${peer.name}: takes too long`);
            return;
        }
        const after = run(abut, scene);
        ours.push(before, after);
        theirs.push(found);
        ratios.push((2 * found.found) / (before.found + after.found));
        readRatios.push((2 * found.read) / (before.read + after.read));
        const same = found.last === after.last ? after.touching : at(scene, found.last);
        difference = compare(library, same, found.touching, scene, found.last);
        if (found.slow) {
            break;
        }
    }
    const each = (list, key) => median(list.map((r) => r[key])) / scene.asked;
    const row = {
        scene: scene.name,
        bodies: scene.asked,
        engine: peer.name,
        repeats: ratios.length,
        abut_found_ns: each(ours, 'found'),
        abut_read_ns: each(ours, 'read'),
        found_ns: each(theirs, 'found'),
        read_ns: each(theirs, 'read'),
        ratio: median(ratios),
        ratio_least: Math.min(...ratios),
        ratio_most: Math.max(...ratios),
        read_ratio: median(readRatios),
        touching: ours[0].touching.size,
        ...difference,
    };
    rows.push(row);
    report();
    console.log(
        `${row.scene} ${row.bodies} ${row.engine}: found ${row.found_ns.toFixed(0)} ns a body, ${row.ratio.toFixed(1)} times abut's ` +
            `${row.abut_found_ns.toFixed(0)} (${row.ratio_least.toFixed(1)} to ${row.ratio_most.toFixed(1)}); read ` +
            `${row.read_ns.toFixed(0)}, ${row.read_ratio.toFixed(1)} times ${row.abut_read_ns.toFixed(0)}; of ${row.touching} pairs ` +
            `${row.missed} missed, deepest ${row.missed_deepest.toExponential(1)} m; ${row.more} more, widest ${row.more_widest.toExponential(1)} m`,
    );
}

// After each row, for all take long.
function report() {
    if (asked.out) {
        const settings = { frames, rays: RAYS, load: `${load.toFixed(1)} to ${loadavg()[0].toFixed(1)}` };
        writeReport(resolve(asked.out), rows, rayRows, settings);
    }
}

// Rounds of the peer's rays between rounds of abut's, in one call for all and in one for each.
function measureRays(peer, scene, length) {
    const frame = 2 * frames - 1;
    const rays = makeRays(abut.Engine, scene, frame, RAYS, length);
    const found = { many: [], each: [], theirs: [], manyRatio: [], eachRatio: [] };
    let difference;
    for (let repeat = 0; repeat < Number(asked.repeats); ++repeat) {
        const many = castRays(abut.Engine, scene, frame, rays, 'rays', timed);
        const theirs = castRays(peer.Engine, scene, frame, rays, 'rays', timed);
        const each = castRays(abut.Engine, scene, frame, rays, 'eachRay', timed);
        const [m, t, e] = [many, theirs, each].map(({ times }) => median(times));
        found.many.push(m);
        found.each.push(e);
        found.theirs.push(t);
        found.manyRatio.push(t / m);
        found.eachRatio.push(t / e);
        difference = compareRays(rays, many.out, theirs.out);
        if (t * (rays.length / 6) > SLOW) {
            break;
        }
    }
    const row = {
        scene: scene.name,
        bodies: scene.asked,
        length,
        engine: peer.name,
        repeats: found.theirs.length,
        abut_many_ns: median(found.many),
        abut_each_ns: median(found.each),
        ray_ns: median(found.theirs),
        many_ratio: median(found.manyRatio),
        each_ratio: median(found.eachRatio),
        ...difference,
    };
    rayRows.push(row);
    report();
    console.log(
        `${row.scene} ${row.bodies} rays ${length} ${row.engine}: ${row.ray_ns.toFixed(0)} ns a ray, ${row.many_ratio.toFixed(1)} times abut's ` +
            `${row.abut_many_ns.toFixed(0)} in one call and ${row.each_ratio.toFixed(1)} times ${row.abut_each_ns.toFixed(0)} in one for each; of ` +
            `${row.hits} hits ${row.differing} differ, by at most ${row.widest.toExponential(1)} m`,
    );
}

// What touches in a frame that abut's own run did not end with.
function at(scene, frame) {
    const engine = new abut.Engine(scene);
    engine.step(scene.frames[frame]);
    const found = new Set(engine.touching());
    engine.close();
    return found;
}

process.exit(0); // engines with threads would go on waiting
