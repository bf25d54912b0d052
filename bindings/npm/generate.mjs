#!/usr/bin/env node
// Writes what of the package is made from bindings/api.json: `generate.mjs FOLDER`.
//   api.js      the table that library.js makes its functions from
//   index.js    what the package exports
//   index.d.ts  its types, with the comments of the headers
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const api = JSON.parse(readFileSync(new URL('../api.json', import.meta.url), 'utf8'));
const folder = process.argv[2];

// The class World makes and ends worlds and takes a veto; geometry is closed. Functions that C calls back are not to be had.
const OWN = new Set(['abut_world_create', 'abut_world_destroy', 'abut_geometry_retain', 'abut_geometry_release', 'abut_history_destroy']);
const NATIVE = new Set(['abut_kind_def', 'abut_allocator', 'void', ...Object.keys(api.callbacks)]);
const OWNERS = { abut_world: 'World', abut_geometry: 'Geometry', abut_history: 'History' };
const BOX = ['aabb', 'obb'];

const pascal = (name) => name.replace(/^abut_/, '').replace(/(^|_)(\w)/g, (_, __, c) => c.toUpperCase());
const camel = (name) => name.replace(/^abut_/, '').replace(/_(\w)/g, (_, c) => c.toUpperCase());

// Names -----------------------------------------------------------------------------------------------------------------

const constantNames = {}; // C name → JavaScript name

function enumeration(values, prefix) {
    const named = values.filter((v) => !v.name.endsWith('_COUNT'));
    return named.map(({ name, value, doc }) => {
        const short = name.slice(named.every((v) => v.name.startsWith(prefix)) ? prefix.length : 'ABUT_'.length);
        return { name, short, value, doc };
    });
}

// What names have in common, up to an underscore.
function commonPrefix([first, ...rest]) {
    let length = first.length;
    for (const name of rest) {
        while (!name.startsWith(first.slice(0, length))) {
            --length;
        }
    }
    return first.slice(0, first.lastIndexOf('_', length - 1) + 1);
}

const enums = {};
for (const [name, { doc, values }] of Object.entries(api.enums)) {
    const counted = values.find((v) => v.name.endsWith('_COUNT'))?.name.replace(/(_KIND|_ORDER)?_COUNT$/, '_');
    const prefix = counted ?? commonPrefix(values.map((v) => v.name));
    enums[pascal(name)] = { doc, values: enumeration(values, prefix) };
}
for (const [name, { prefix, values }] of Object.entries(api.flags)) {
    enums[pascal(name)] = { doc: '', values: enumeration(values, prefix) };
}
for (const [name, { values }] of Object.entries(enums)) {
    for (const v of values) {
        constantNames[v.name] = `${name}.${v.short}`;
    }
}
const constants = {};
for (const [name, value] of Object.entries(api.constants)) {
    constants[name.replace('ABUT_', '')] = value;
    constantNames[name] = name.replace('ABUT_', '');
}

// The table -------------------------------------------------------------------------------------------------------------

const data64 = (type, name) => (type === 'uint64_t' && /data|hash/.test(name) ? 'data64' : type);

function structFields(name) {
    const { offsets } = api.wasm32[name];
    const found = [];
    for (const field of api.structs[name].fields) {
        const members = field.union ?? [field];
        for (const m of members) {
            if (m.function || NATIVE.has(m.type)) {
                continue;
            }
            found.push({
                name: camel(m.name),
                type: data64(m.type, m.name),
                at: offsets[m.name],
                length: m.length,
                pointers: m.count || m.per_question || m.makes || m.factors ? undefined : m.pointers,
                perQuestion: m.per_question,
                makes: m.makes?.map(({ count, each }) => ({ count: camel(count), each })),
                factors: m.factors?.map(({ count, less }) => ({ count: camel(count), less: typeof less === 'string' ? camel(less) : less })),
                counted: m.count && camel(m.count),
                each: m.each,
                handles: m.count && m.pointers === 2 ? true : undefined,
                member: field.union ? true : undefined,
                kinds: field.union && m.type === 'abut_box' ? BOX : undefined,
                doc: m.doc,
            });
        }
    }
    return found;
}

const structs = {};
for (const [name, { doc }] of Object.entries(api.structs)) {
    if (!NATIVE.has(name)) {
        structs[name] = { size: api.wasm32[name].size, fields: structFields(name), doc };
    }
}
structs.abut_shape.kinds = enums.ShapeKind.values.map((v) => v.short.toLowerCase());

const countField = (p) => p.count && api.wasm32[p.count.split('.')[0]].offsets[p.count.split('.')[1]];

function functionOf([name, f]) {
    const [first] = f.parameters;
    const owned = first?.role === 'handle' && first.type in OWNERS;
    const on = owned && (first.type === 'abut_world' || name.startsWith(`${first.type}_`)) ? first.type : null;
    const parameters = (on ? f.parameters.slice(1) : f.parameters).map((p) => ({
        name: camel(p.name),
        type: data64(p.type, `${name} ${p.name}`),
        pointers: p.pointers,
        role: p.role,
        length: p.length,
        components: p.components,
        count: countField(p),
        constant: p.role === 'handle' && p.const,
    }));
    const short = on && name.startsWith(`${first.type}_`) ? name.slice(first.type.length + 1) : name;
    return {
        name,
        js: camel(short),
        on,
        constant: first?.const === true,
        returns: { type: data64(f.returns.type, name), pointers: f.returns.pointers },
        parameters,
        doc: f.doc,
    };
}

// The module leaves out what it was not built with.
const module = new WebAssembly.Module(readFileSync(join(folder, 'abut.wasm')));
const exported = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
const reachable = ([name, f]) => exported.has(name) && !OWN.has(name) && f.parameters.every((p) => p.role === 'null' || p.role === 'context' || !NATIVE.has(p.type) || p.role.endsWith('bytes'));
const functions = Object.entries(api.functions).filter(reachable).map(functionOf);
for (const [name, { fields }] of Object.entries(structs)) {
    const isOne = fields.length === 1 && !fields[0].length;
    const passed = functions.some((f) => f.returns.type === name || f.parameters.some((p) => p.type === name && !p.pointers));
    if (isOne && passed) {
        throw new Error(`${name} is passed as the number it holds: a case that library.js does not know`);
    }
}

// Structs of numbers and of such structs are read by code of their own, which an engine can compile: several times as fast as
// going through their fields.
const READ = { float: 'f32', double: 'f64', uint8_t: 'u8', uint16_t: 'u16', uint32_t: 'u32', int32_t: 'i32', size_t: 'u32' };
const SHIFT = { f32: 2, f64: 3, u8: 0, u16: 1, u32: 2, i32: 2, u64: 3 };

const isArray = (f) => f.counted || f.perQuestion || f.makes || f.factors;

function readerOf(name, base) {
    const fields = structs[name].fields.map((f) => {
        const kind = READ[f.type] ?? (api.enums[f.type] ? 'u32' : f.type === 'data64' || f.type === 'uint64_t' ? 'u64' : f.type === 'bool' ? 'u8' : null);
        if (f.pointers || isArray(f) || f.member || (f.length && !structs[f.type]) || (!kind && !structs[f.type])) {
            return null;
        }
        if (f.name === 'unused') {
            return [];
        }
        const at = base + f.at;
        if (structs[f.type]) {
            const inner = Array.from({ length: f.length ?? 1 }, (_, i) => readerOf(f.type, at + i * structs[f.type].size));
            return inner[0] && `${f.name}: ${f.length ? `[${inner.join(', ')}]` : inner}`;
        }
        const value = `h.${kind}[${at === 0 ? 'at' : `(at + ${at})`} >>> ${SHIFT[kind]}]`;
        return `${f.name}: ${f.type === 'uint64_t' ? `Number(${value})` : f.type === 'bool' ? `${value} !== 0` : value}`;
    });
    return fields.includes(null) ? null : `{ ${fields.flat().join(', ')} }`;
}

const readers = Object.keys(structs).map((name) => [name, readerOf(name, 0)]).filter(([, text]) => text);

const bare = (key, value) => (key === 'doc' || value === null || value === false ? undefined : value);
const lines = (list) => list.map((entry) => `    ${JSON.stringify(entry, bare)},\n`).join('');
const values = (list) => Object.fromEntries(list.map((v) => [v.short, v.value]));
writeFileSync(
    join(folder, 'api.js'),
    `// Made from bindings/api.json.
export const version = ${JSON.stringify(api.version)};
export const constants = ${JSON.stringify(constants)};
export const enums = {
${Object.entries(enums).map(([name, e]) => `    ${name}: Object.freeze(${JSON.stringify(values(e.values))}),\n`).join('')}};
export const structs = {
${Object.entries(structs).map(([name, s]) => `    ${name}: ${JSON.stringify(s, bare)},\n`).join('')}};
export const readers = {
${readers.map(([name, text]) => `    ${name}: (h, at) => (${text}),\n`).join('')}};
export const functions = [
${lines(functions)}];
`,
);

const free = functions.filter((f) => !f.on);
writeFileSync(
    join(folder, 'index.js'),
    `// Made from bindings/api.json.
import { constants, enums, functions } from './library.js';

export { AbutError, Geometry, History, Records, World, init } from './library.js';
export { version } from './api.js';
export const { ${Object.keys(constants).join(', ')} } = constants;
export const { ${Object.keys(enums).join(', ')} } = enums;
export const { ${free.map((f) => f.js).join(', ')} } = functions;
`,
);

// Types -----------------------------------------------------------------------------------------------------------------

const jsNames = Object.fromEntries(functions.map((f) => [f.name, f.on ? `${OWNERS[f.on]}.${f.js}` : f.js]));

function comment(doc, indent = '') {
    const words = (doc ?? '')
        .replace(/^[^\n]*-{20,}\n*/, '')
        .replace(/\b(abut_\w+)\b/g, (c) => jsNames[c] ?? (structs[c] || api.enums[c] ? pascal(c) : c))
        .replace(/\b(ABUT_\w+)\b/g, (c) => constantNames[c] ?? c)
        .replace(/\bABUT_(\w+)_…/g, (_, c) => `${pascal(c.toLowerCase())}Flag`)
        .replace(/\*\//g, '* /');
    return words ? `${indent}/** ${words.replace(/\n\n/g, `\n${indent} *\n${indent} * `)} */\n` : '';
}

const NUMBERS = { f32: 'Float32Array', f64: 'Float64Array', u8: 'Uint8Array', u16: 'Uint16Array', u32: 'Uint32Array', i32: 'Int32Array', u64: 'BigUint64Array' };
const SCALARS = { float: 'f32', double: 'f64', uint8_t: 'u8', bool: 'u8', uint16_t: 'u16', uint32_t: 'u32', size_t: 'u32', int32_t: 'i32', data64: 'u64' };

// The one kind of number that a type is made of; null when there are several.
function kindOf(type) {
    if (SCALARS[type] || api.enums[type]) {
        return SCALARS[type] ?? 'u32';
    }
    if (!structs[type]) {
        return null;
    }
    const kinds = new Set(structs[type].fields.map((f) => (f.pointers || isArray(f) ? null : kindOf(f.type))));
    return kinds.size === 1 ? [...kinds][0] : null;
}

const isView = (type) => structs[type]?.fields.some((f) => f.counted);
const arrayOf = (type) => (kindOf(type) ? NUMBERS[kindOf(type)] : `Records<${pascal(type)}>`);
const single = (type) => (type === 'data64' ? 'bigint' : type === 'bool' ? 'boolean' : api.enums[type] || structs[type] ? pascal(type) : 'number');

function outType(p) {
    if (p.role === 'out_bytes') {
        return 'Uint8Array';
    }
    if (p.pointers === 2) {
        return OWNERS[p.type] + (p.role === 'out_list' ? '[]' : '');
    }
    if (p.role === 'out_list') {
        return kindOf(p.type) && structs[p.type] ? `${pascal(p.type)}[]` : arrayOf(p.type);
    }
    if (p.role === 'out_array') {
        return p.length ? `${single(p.type)}[]` : arrayOf(p.type);
    }
    return single(p.type);
}

function inType(p) {
    if (p.role === 'bytes') {
        return 'ArrayBuffer | ArrayLike<number>';
    }
    if (p.role === 'handle') {
        return OWNERS[p.type];
    }
    const one = structs[p.type] ? `${pascal(p.type)}Like` : p.type === 'data64' ? 'bigint | number' : single(p.type);
    if (p.role === 'in_array') {
        const flat = kindOf(p.type);
        const forms = [`ArrayLike<${one}>`, ...(flat ? [`ArrayLike<${flat === 'u64' ? 'bigint' : 'number'}>`] : [`Records<${pascal(p.type)}>`])];
        return [...new Set(forms)].join(' | ');
    }
    return one;
}

function signature(f, indent) {
    const given = f.parameters.filter((p) => ['in', 'in_array', 'inout', 'bytes', 'handle'].includes(p.role));
    given.splice(-1, 0, ...f.parameters.filter((p) => p.role === 'wanted')); // before the filter, as of many questions
    const intoArrays = f.parameters.filter((p) => p.role === 'out_array' && !p.length && kindOf(p.type));
    const isOptional = (p) => p.role === 'in' && /_(def|query_filter|registry|tile_part)$/.test(p.type);
    const text = given.map((p) => `${p.name}${isOptional(p) && p === given.at(-1) ? '?' : ''}: ${inType(p)}${isOptional(p) ? ' | null' : ''}`);
    const into = intoArrays.map((p) => `into?: ${arrayOf(p.type)}`);
    const out = f.parameters.filter((p) => ['out', 'out_array', 'out_list', 'out_bytes', 'inout'].includes(p.role));
    if (f.name === 'abut_contact_patches') {
        return `${comment(f.doc.replace(/ `out` has room.*/, ''))}export function contactPatches(contacts: Contacts, first: number, cosine: number): Records<Patch>;\n`;
    }
    let result = { void: 'void', abut_status: 'void', bool: 'boolean', char: 'string', data64: 'bigint', float: 'number' }[f.returns.type] ?? single(f.returns.type);
    if (f.parameters.some((p) => p.role === 'out_view')) {
        result = arrayOf(f.parameters.find((p) => p.role === 'out_view').type);
    } else if (out.length === 1) {
        result = outType(out[0]) + (f.returns.type === 'bool' ? ' | null' : '');
    } else if (f.returns.pointers && structs[f.returns.type]) {
        result += ' | null';
    } else if (out.length > 1) {
        result = `{ ${out.map((p) => `${p.name}: ${outType(p)}`).join('; ')} }${f.returns.type === 'bool' ? ' | null' : ''}`;
    }
    return `${comment(f.doc, indent)}${indent}${f.on ? '' : 'export function '}${f.js}(${[...text, ...into].join(', ')}): ${result};\n`;
}

function fieldOut(f) {
    if (f.handles) {
        return 'readonly Geometry[]';
    }
    if (isArray(f)) {
        return arrayOf(f.type);
    }
    if (f.pointers) {
        return f.type === 'char' ? 'string | null' : `${pascal(f.type)} | null`;
    }
    return single(f.type) + (f.length ? '[]' : '');
}

function fieldIn(f) {
    if (f.handles) {
        return 'readonly Geometry[]';
    }
    if (isArray(f)) {
        const rows = f.makes?.length === 2 ? ' | ArrayLike<ArrayLike<number>>' : '';
        return inType({ ...f, role: 'in_array' }) + rows;
    }
    if (f.pointers) {
        return `${pascal(f.type)} | null`;
    }
    const one = structs[f.type] ? `${pascal(f.type)}Like` : f.type === 'data64' ? 'bigint | number' : single(f.type);
    return f.length ? `ArrayLike<${one}>` : one;
}

// Structs that are arguments, or fields of such.
const taken = new Set(['abut_world_def']);
function take(type) {
    if (structs[type] && !taken.has(type)) {
        taken.add(type);
        structs[type].fields.forEach((f) => take(f.type));
    }
}
structs.abut_world_def.fields.forEach((f) => take(f.type));
functions.forEach((f) => f.parameters.filter((p) => /^in/.test(p.role)).forEach((p) => take(p.type)));

// Structs that a caller can meet: arguments, results and their fields. The module may lack the functions of the others.
const met = new Set(taken);
function meet(type) {
    if (structs[type] && !met.has(type)) {
        met.add(type);
        structs[type].fields.forEach((f) => meet(f.type));
    }
}
functions.forEach((f) => [f.returns, ...f.parameters].forEach((p) => meet(p.type)));
meet('abut_new_pair'); // what World's veto gets

function structTypes([name, s]) {
    const fields = s.fields.filter((f) => f.name !== 'unused');
    const counts = new Set(s.fields.map((f) => f.counted));
    const view = isView(name) ? 'readonly ' : '';
    const out = fields.map((f) => `${comment(f.doc, '    ')}    ${view}${f.name}${f.member ? '?' : ''}: ${fieldOut(f)};\n`).join('');
    const into = fields.filter((f) => f.type !== 'char' && !counts.has(f.name)).map((f) => `    ${f.name}?: ${fieldIn(f)};\n`).join('');
    const flat = kindOf(name) ? ` | ArrayLike<${kindOf(name) === 'u64' ? 'bigint' : 'number'}>` : '';
    const like = taken.has(name) ? `export type ${pascal(name)}Like = {\n${into}}${flat};\n` : '';
    return `${comment(s.doc)}export interface ${pascal(name)} {\n${out}}\n${like}`;
}

const enumTypes = ([name, e]) => {
    const members = e.values.map((v) => `${comment(v.doc, '    ')}    readonly ${v.short}: ${v.value};\n`).join('');
    return `${comment(e.doc)}export declare const ${name}: {\n${members}};\nexport type ${name} = number;\n`;
};
const methods = (owner) => functions.filter((f) => OWNERS[f.on] === owner).map((f) => signature(f, '    ')).join('');

writeFileSync(
    join(folder, 'index.d.ts'),
    `// Made from bindings/api.json and the comments of the C headers.
/// <reference lib="esnext.disposable" />
//
// Where a struct is wanted, what is left out is zero and stands for its default. Vectors, rotations, poses and velocities may be
// arrays of their numbers (a pose has eight: x, y, z, one that is not used, and the rotation's x, y, z, w).

export declare const version: string;
/** Loads the module, once: further calls wait for the first. Give abut.wasm as bytes, a response or an address where it is not beside index.js. */
export declare function init(source?: unknown): Promise<void>;
/** A call that failed: the message is a sentence that says why. The world is observably unchanged. */
export declare class AbutError extends Error {
    readonly status: Status;
    /** The C function's name. */
    readonly call: string;
    /** The failing element of a call about many, the body's slot for move, step, detect, update, translate and draw, else 0. */
    readonly index: number;
}
/** Structs in memory, one after the other: element i has its field f at byte first + i * size + offsets[f]. Those of a world are read in place. */
export declare class Records<T> implements Iterable<T> {
    readonly length: number;
    readonly first: number;
    readonly size: number;
    readonly offsets: Readonly<Record<keyof T & string, number>>;
    readonly u8: Uint8Array;
    readonly u16: Uint16Array;
    readonly u32: Uint32Array;
    readonly f32: Float32Array;
    readonly u64: BigUint64Array;
    get(i: number): T;
    [Symbol.iterator](): Iterator<T>;
}
${Object.entries(constants).map(([name, value]) => `export declare const ${name}: ${value};\n`).join('')}
${Object.entries(enums).map(enumTypes).join('')}
${Object.entries(structs).filter(([name]) => met.has(name)).map(structTypes).join('')}
export type WorldSettings = WorldDefLike & {
    /** ${api.callbacks.abut_veto.doc.replace(/\n+/g, ' ')} */
    veto?: (pairs: Records<NewPair>, vetoed: Uint8Array) => void;
};
${comment(api.opaque.abut_world.doc)}export declare class World {
    constructor(def?: WorldSettings);
    /** Destroys the world and all it owns. Closing twice does nothing. Fails with Status.BUSY in its veto and during a detect. */
    close(): void;
    [Symbol.dispose](): void;
${methods('World')}}
${comment(api.opaque.abut_geometry.doc)}export declare class Geometry {
    private constructor();
    /** Lets go of it. Colliders keep it alive. */
    close(): void;
    [Symbol.dispose](): void;
${methods('Geometry')}}
${comment(api.opaque.abut_history.doc)}export declare class History {
    private constructor();
    /** Frees it. Closing twice does nothing. */
    close(): void;
    [Symbol.dispose](): void;
${methods('History')}}
${free.map((f) => signature(f, '').replace('export function', 'export declare function')).join('')}`,
);
