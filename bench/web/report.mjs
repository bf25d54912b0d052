// What run.mjs measured, as a table to read, a table for programs and a picture.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

const COLOURS = ['#1f77b4', '#2ca02c', '#9467bd', '#e08214', '#17a2b8'];

const unique = (list) => [...new Set(list)];
// Cases of a scene together, in the order of scenes.
const grouped = (cases) => unique(cases.map((c) => c.split(' ')[0])).flatMap((scene) => cases.filter((c) => c.startsWith(`${scene} `)));
const thousands = (n) => Math.round(n).toLocaleString('en-US');
const figure = (n) => (n >= 100 ? thousands(n) : n.toPrecision(3));
const length = (m) => (m === 0 ? '' : m < 1e-5 ? 'less than 0.00001' : m.toPrecision(2));

function writeRows(path, rows) {
    const keys = Object.keys(rows[0]);
    writeFileSync(path, [keys.join(','), ...rows.map((row) => keys.map((key) => row[key]).join(','))].join('\n') + '\n');
}

export function writeReport(folder, rows, rayRows, settings) {
    mkdirSync(folder, { recursive: true });
    if (rayRows.length > 0) {
        writeRows(join(folder, 'rays.csv'), rayRows);
    }
    if (rows.length === 0) {
        return; // rays alone
    }
    writeRows(join(folder, 'web.csv'), rows);
    writeFileSync(join(folder, 'web.svg'), picture(rows));
    try {
        execFileSync('rsvg-convert', ['-z', '2', '-o', join(folder, 'web.png'), join(folder, 'web.svg')]);
    } catch {
        console.log('without rsvg-convert (Debian: librsvg2-bin) there is no web.png');
    }
    writeFileSync(join(folder, 'README.md'), page(rows, rayRows, settings));
}

// Rays a row for each scene, number of bodies and length.
function rayTable(rows, engines) {
    const cases = grouped(unique(rows.map((r) => `${r.scene} ${r.bodies} ${r.length}`))).map((c) => c.split(' '));
    const lines = cases.map(([scene, bodies, length]) => {
        const found = rows.filter((r) => r.scene === scene && r.bodies === Number(bodies) && r.length === length);
        const ours = (key) => found.map((r) => r[key]).sort((a, b) => a - b)[found.length >> 1];
        const cells = engines.map((engine) => {
            const row = found.find((r) => r.engine === engine);
            return row ? `${figure(row.ray_ns)} (${figure(row.many_ratio)}; ${figure(row.each_ratio)})` : '';
        });
        const of = length === 'long' ? 'long' : `${length} m`;
        return `| ${scene} | ${thousands(bodies)} | ${of} | ${figure(ours('abut_many_ns'))} | ${figure(ours('abut_each_ns'))} | ${cells.join(' | ')} |\n`;
    });
    return (
        `| scene | bodies | rays | abut, all in one call | abut, one a call | ${engines.join(' | ')} |\n` +
        `|---|---:|---|---:|---:|${engines.map(() => '---:|').join('')}\n${lines.join('')}`
    );
}

function rayDifferences(rows) {
    const differing = rows.filter((r) => r.differing > 0);
    if (differing.length === 0) {
        return 'All hit the same, to a thousandth of a metre.\n';
    }
    const lines = differing.map(
        (r) => `| ${r.engine} | ${r.scene} | ${thousands(r.bodies)} | ${r.length} | ${thousands(r.hits)} | ${thousands(r.differing)} | ${length(r.widest)} |\n`,
    );
    return `Where fractions differ by more than a thousandth of a metre:

| engine | scene | bodies | rays | hits, by abut's | differing | widest of them, m |
|---|---|---:|---|---:|---:|---:|
${lines.join('')}`;
}

function page(rows, rayRows, { frames, rays, load }) {
    const engines = unique(rows.map((r) => r.engine));
    const cases = grouped(unique(rows.map((r) => `${r.scene} ${r.bodies}`))).map((c) => c.split(' '));
    const at = (scene, bodies, engine) => rows.find((r) => r.scene === scene && r.bodies === Number(bodies) && r.engine === engine);
    const table = (mine, theirs, ratio) =>
        cases
            .map(([scene, bodies]) => {
                const found = rows.filter((r) => r.scene === scene && r.bodies === Number(bodies));
                const ours = found.map((r) => r[mine]).sort((a, b) => a - b)[found.length >> 1];
                const cells = engines.map((engine) => {
                    const row = at(scene, bodies, engine);
                    return row ? `${figure(row[theirs])} (${figure(row[ratio])})` : '';
                });
                return `| ${scene} | ${thousands(bodies)} | ${figure(ours)} | ${cells.join(' | ')} |\n`;
            })
            .join('');
    const head = `| scene | bodies | abut | ${engines.join(' | ')} |\n|---|---:|---:|${engines.map(() => '---:|').join('')}\n`;
    const differing = rows.filter((r) => r.missed + r.more > 0);
    const processor = readFileSync('/proc/cpuinfo', 'utf8').match(/model name\s*: (.*)/)?.[1] ?? cpus()[0].model;
    const version = JSON.parse(readFileSync(new URL('../../bindings/npm/package.json', import.meta.url), 'utf8')).version;
    return `# abut beside other engines from npm

Written by \`bench/web/run.mjs\`. Every number here can be had again on another machine: \`bench/web/README.md\` says how.

- Processor: ${processor}, ${cpus().length} in this machine
- Node: ${process.version}
- abut: ${version}, the npm package as it is
- Load while it ran: ${load}
- Runs: ${rows[0].repeats} of ${frames} frames, after as many that are not counted; each between two of abut, on the same poses. One run of two
  frames where a frame takes more than half a second

## Contacts found

Processor time a body and frame in nanoseconds: new poses are written and all contacts found. In brackets: how many times abut's time,
the median of all runs.

![Times abut's time, for each engine, scene and number of bodies](web.svg)

${head}${table('abut_found_ns', 'found_ns', 'ratio')}
## Contacts found and read

The same, and every contact's normal and points are read in JavaScript.

${head}${table('abut_read_ns', 'read_ns', 'read_ratio')}
## Rays

The closest hit of ${thousands(rays)} rays, with body, fraction and normal, in nanoseconds a ray; "long" ones go from anywhere in the
scene to anywhere. abut takes all in one call, or one a call as the others do. In brackets: how many times abut's time, first beside
all in one call, then beside one a call.

${rayTable(rayRows, engines)}
${rayDifferences(rayRows)}
## How each is set up

- **rapier**: kinematic bodies of which all kinds of pairs collide, so that a step finds contacts and solves none; the build with
  SIMD. Poses are those for the end of a step, so contacts are a frame behind: placing bodies at once takes up to twice as long.
  It keeps a pair's manifold while the bodies hardly move, which is why it is fast on \`pile\` and has pairs there that do not touch;
  abut does that only where it is asked to (\`recycle_distance\`).
- **jolt**: kinematic bodies that collide with kinematic ones, likewise; sharp boxes; the build with SIMD, which is the one with
  threads, without workers. Contacts are read by a listener, which is set only where they are.
- **havok**: dynamic bodies without gravity and with velocities set to zero, because kinematic ones do not collide with each other: its
  solver runs. It has events for a pair rather than manifolds.
- **cannon-es**: its broad phase (sweep and prune) and its narrow phase, called without the solver.

None looks ahead: pairs that are apart are no contacts, where that can be said.

## Which pairs touch

Compared in the last frame with abut's; where nothing is listed the pairs are the same. Depths and gaps are abut's own.

| engine | scene | bodies | touching, by abut's | missed | deepest of them, m | more | widest apart of them, m |
|---|---|---:|---:|---:|---:|---:|---:|
${differing
    .map(
        (r) =>
            `| ${r.engine} | ${r.scene} | ${thousands(r.bodies)} | ${thousands(r.touching)} | ${thousands(r.missed)} | ` +
            `${length(r.missed_deepest)} | ${thousands(r.more)} | ${length(r.more_widest)} |\n`,
    )
    .join('')}`;
}

// Bars of the ratios on a scale of powers of ten, a group for each scene and number of bodies.
function picture(rows) {
    const engines = unique(rows.map((r) => r.engine));
    const cases = grouped(unique(rows.map((r) => `${r.scene} ${r.bodies}`)));
    const [left, top, high, bar] = [50, 56, 260, 11];
    const group = bar * engines.length + 16;
    const wide = left + group * cases.length + 10;
    const most = Math.ceil(Math.log10(Math.max(...rows.map((r) => r.ratio))) * 4) / 4;
    const y = (ratio) => top + high - (Math.log10(Math.max(ratio, 1)) / most) * high;
    const parts = [];
    for (let power = 0; power <= most; ++power) {
        for (const step of [1, 2, 5]) {
            const value = step * 10 ** power;
            if (Math.log10(value) <= most) {
                parts.push(`<path d="M${left} ${y(value)}H${wide - 10}" stroke="#d0d0d0"/>`);
                parts.push(`<text x="${left - 6}" y="${y(value) + 4}" text-anchor="end">${value}</text>`);
            }
        }
    }
    cases.forEach((name, g) => {
        const [scene, bodies] = name.split(' ');
        const x = left + 8 + g * group;
        engines.forEach((engine, e) => {
            const row = rows.find((r) => `${r.scene} ${r.bodies}` === name && r.engine === engine);
            if (row) {
                const at = y(row.ratio);
                parts.push(`<rect x="${x + e * bar}" y="${at}" width="${bar - 1}" height="${top + high - at}" fill="${COLOURS[e]}"/>`);
            }
        });
        const middle = x + (bar * engines.length) / 2;
        parts.push(`<text x="${middle}" y="${top + high + 16}" text-anchor="middle">${scene}</text>`);
        parts.push(`<text x="${middle}" y="${top + high + 31}" text-anchor="middle">${thousands(bodies)}</text>`);
    });
    engines.forEach((engine, e) => {
        parts.push(`<rect x="${left + e * 120}" y="30" width="10" height="10" fill="${COLOURS[e]}"/>`);
        parts.push(`<text x="${left + 15 + e * 120}" y="39">${engine}</text>`);
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${top + high + 40}" font-family="DejaVu Sans, sans-serif" font-size="11" fill="#202020">
<rect width="100%" height="100%" fill="white"/>
<text x="${left}" y="18" font-size="13">Times abut's time to find all contacts, in node (abut is 1; lower is better)</text>
${parts.join('\n')}
</svg>
`;
}
