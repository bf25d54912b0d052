// Every function of the C interface as a JavaScript function, made from the table in api.js: the roles of the parameters say
// which are arguments, which are results, and which are lengths that arrays bring along.
import { constants, enums, functions as table, structs } from './api.js';
import { adopt, heap, mark, release, renew, take, text } from './memory.js';
import { checkNumber, copyArray, forget, know, Records, typeOf, viewArray, writeArray } from './values.js';

const { Status } = enums;
const FEW = 64; // elements of a list that are asked for at first

/** A call that failed. The world is what it was before. */
export class AbutError extends Error {
    constructor(status, call, index, sentence) {
        super(`${sentence} (${call}, element ${index})`);
        this.name = 'AbutError';
        this.status = status;
        this.call = call;
        this.index = index;
    }
}

let thrown = null; // what a veto threw; module code cannot pass it on

function check(status, call) {
    if (thrown) {
        const { error } = thrown;
        thrown = null;
        throw error;
    }
    if (status === Status.OK) {
        return;
    }
    renew();
    const [told, sentence, index] = heap.u32.subarray(heap.exports.module_take_error() >>> 2);
    const reason = told === 0 ? heap.exports.abut_status_text(status) : sentence;
    throw new AbutError(status, call, told === 0 ? 0 : index, text(reason));
}

let ready = null;

async function compiled(source) {
    if (source instanceof WebAssembly.Module) {
        return source;
    }
    let given = (await source) ?? new URL('./abut.wasm', import.meta.url);
    if (typeof given === 'string') {
        given = new URL(given, import.meta.url);
    }
    if (given instanceof URL && given.protocol === 'file:') {
        const module = 'node:fs/promises'; // by a name that bundlers for browsers do not follow
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ module);
        given = await readFile(given);
    }
    if (given instanceof URL) {
        given = await fetch(given);
    }
    if (typeof Response !== 'undefined' && given instanceof Response) {
        given = await given.arrayBuffer();
    }
    return WebAssembly.compile(given);
}

async function start(source) {
    const imports = {
        abut: { veto },
        wasi_snapshot_preview1: {
            clock_time_get(clock, precision, at) {
                renew();
                heap.u64[at >>> 3] = BigInt(Math.round((globalThis.performance ?? Date).now() * 1e6));
                return 0;
            },
        },
    };
    const instance = await WebAssembly.instantiate(await compiled(source), imports);
    adopt(instance.exports);
}

/** Loads the module, once: further calls wait for the first. `source`: where abut.wasm is, when not beside this file. */
export function init(source) {
    ready ??= start(source).catch((error) => {
        ready = null;
        throw error;
    });
    return ready;
}

function exported(name) {
    if (!heap.exports) {
        throw new Error('abut is not loaded: await init() first');
    }
    return heap.exports[name];
}

// Functions -----------------------------------------------------------------------------------------------------------

const isStruct = (type) => structs[type] !== undefined;
const isLarge = (type) => type === 'uint64_t' || type === 'data64';
const wide = (type, number) => (isLarge(type) ? BigInt(number) : number);

function asBytes(value, name) {
    if (value instanceof ArrayBuffer) {
        return new Uint8Array(value);
    }
    if (ArrayBuffer.isView(value)) {
        return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }
    if (value !== undefined && value !== null && !Array.isArray(value)) {
        throw new TypeError(`${name} are bytes`);
    }
    return value ?? [];
}

function indicesOfArrays(f) {
    const given = f.parameters.filter((p) => ['in', 'handle', 'in_array', 'inout', 'bytes'].includes(p.role));
    const hasFields = (type) => structs[type]?.fields.some((field) => field.counted || field.perQuestion);
    return given.flatMap((p, i) => (['in_array', 'bytes'].includes(p.role) || (p.pointers && hasFields(p.type)) ? [i] : []));
}

const liesInMemory = (value) => ArrayBuffer.isView(value) && value.buffer === heap.buffer;

// Arguments, and fields of such, that are arrays over the module's memory are copied first: others may make it grow, which detaches them.
function detached(f, args) {
    f.arrays ??= indicesOfArrays(f);
    for (const i of f.arrays) {
        if (liesInMemory(args[i])) {
            args[i] = args[i].slice();
        } else if (args[i] && Object.getPrototypeOf(args[i]) === Object.prototype && Object.values(args[i]).some(liesInMemory)) {
            args[i] = Object.fromEntries(Object.entries(args[i]).map(([key, value]) => [key, liesInMemory(value) ? value.slice() : value]));
        }
    }
    return args;
}

// Native arguments of one call, and what is to be read afterwards.
class Call {
    constructor(f, args) {
        this.f = f;
        this.args = detached(f, args);
        this.next = 0;
        this.owners = []; // of which it may change what views show
        this.results = [];
        this.count = undefined;
    }

    argument() {
        return this.args[this.next++];
    }

    value(p) {
        const value = this.argument();
        if (p.pointers) {
            const given = value ?? (p.type.endsWith('_def') ? {} : null); // definitions are valid when zeroed
            const isOptional = /_(query_filter|registry|tile_part)$/.test(p.type);
            return given === null && isOptional ? 0 : this.written(p, this.needed(p, given));
        }
        if (isStruct(p.type)) {
            return this.written(p, this.needed(p, value));
        }
        if (p.type === 'bool') {
            return Number(Boolean(value));
        }
        const type = typeOf(p.type);
        if (isLarge(p.type)) {
            const at = take(8);
            type.write(at, value, this.name(p));
            return heap.u64[at >>> 3];
        }
        checkNumber(type.kind, value, this.name(p));
        return value;
    }

    name(p) {
        return `${p.name} of ${this.f.js}`;
    }

    needed(p, value) {
        if (value === undefined || value === null) {
            throw new TypeError(`${this.f.js} needs ${p.name}`);
        }
        return value;
    }

    written(p, value) {
        const type = typeOf(p.type);
        const at = take(type.size);
        type.write(at, value);
        for (const f of structs[p.type].fields) {
            if (f.perQuestion && value[f.name]) {
                const array = this.perQuestion(f, value[f.name]); // memory may grow
                heap.u32[(at + f.at) >>> 2] = array;
            }
        }
        this.lastWritten = at;
        return at;
    }

    array(p) {
        const array = writeArray(typeOf(p.type), this.needed(p, this.argument()), p.name, p.components);
        if (this.count !== undefined && this.count !== array.count) {
            throw new RangeError(`${p.name} has ${array.count} elements where others have ${this.count}`);
        }
        this.count = array.count;
        return array.at;
    }

    // An element for each of those that the call counts, or one.
    perQuestion(f, value) {
        const array = writeArray(typeOf(f.type), value, f.name);
        if (array.count !== (this.count ?? 1)) {
            throw new RangeError(`${f.name} has ${array.count} elements for ${this.count ?? 1} questions`);
        }
        return array.at;
    }

    // How many elements come back in an array: a fixed number, as many as went in, or what a struct counts.
    resultCount(p) {
        return p.length ?? (p.count ? heap.u32[(this.lastWritten + p.count) >>> 2] : this.count);
    }

    parameter(p) {
        const { f } = this;
        switch (p.role) {
            case 'in':
                return this.value(p);
            case 'handle': {
                const owner = this.argument();
                if (owner?.of !== p.type) {
                    throw new TypeError(`${f.js} needs a ${owners[p.type].name} for ${p.name}`);
                }
                this.owners.push([owner, p]);
                return owner.pointer;
            }
            case 'in_array':
                return this.array(p);
            case 'count':
                return null; // known when the arrays are
            case 'out': {
                const type = typeOf(p.pointers === 2 ? 'uint32_t' : p.type);
                const at = take(type.size);
                this.results.push([p.name, () => (p.pointers === 2 ? p.wrap(heap.u32[at >>> 2]) : type.read(heap, at))]);
                return at;
            }
            case 'inout': {
                const at = this.value(p);
                this.results.push([p.name, () => typeOf(p.type).read(heap, at)]);
                return at;
            }
            case 'out_array':
                return this.outArray(p);
            case 'bytes': {
                const bytes = asBytes(this.argument(), p.name);
                const at = take(bytes.length);
                heap.u8.set(bytes, at);
                this.bytes = bytes.length;
                return at;
            }
            case 'size':
                return this.bytes;
            case 'stride':
            case 'null':
            case 'context':
                return 0;
            default:
                throw new Error(`${f.name}: no rule for the role ${p.role}`);
        }
    }

    // Arrays may come after the parameter that says how long they are.
    fillCounts(given, first = 0) {
        this.f.parameters.forEach((p, i) => {
            if (p.role === 'count') {
                given[first + i] = this.count ?? 0;
            }
        });
    }

    outArray(p) {
        const type = typeOf(p.type);
        const count = this.resultCount(p);
        const at = take(count * type.size);
        const into = p.length ? undefined : this.argument();
        this.results.push([
            p.name,
            () => {
                const found = copyArray(type, at, count, into);
                return p.length ? Array.from({ length: count }, (_, i) => type.read(heap, at + i * type.size)) : found;
            },
        ]);
        return at;
    }

    result(returned) {
        const { returns } = this.f;
        if (this.results.length === 1) {
            const value = this.results[0][1]();
            return returns.type === 'bool' && !returned ? null : value;
        }
        if (this.results.length > 1) {
            return returns.type === 'bool' && !returned ? null : this.named();
        }
        return plainResult(returns, returned);
    }

    named() {
        return Object.fromEntries(this.results.map(([name, read]) => [name, read()]));
    }
}

function plainResult(returns, returned) {
    if (returns.pointers) {
        return !isStruct(returns.type) ? text(returned) : returned === 0 ? null : typeOf(returns.type).read(heap, returned);
    }
    if (returns.type === 'bool') {
        return returned !== 0;
    }
    if (returns.type === 'data64') {
        return BigInt.asUintN(64, returned);
    }
    if (returns.type === 'float') {
        return returned;
    }
    return returns.type === 'void' || returns.type === 'abut_status' ? undefined : returned >>> 0;
}

function invoke(f, pointer, args) {
    const native = exported(f.name);
    const at = mark();
    try {
        const call = new Call(f, args);
        const structAt = isStruct(f.returns.type) && !f.returns.pointers ? take(typeOf(f.returns.type).size) : 0;
        const given = pointer === undefined ? [] : [pointer];
        for (const p of f.parameters) {
            given.push(call.parameter(p));
        }
        call.fillCounts(given, pointer === undefined ? 0 : 1);
        call.owners.forEach(([owner, p]) => owner.changed(p)); // a veto may ask for views meanwhile
        const returned = structAt ? native(structAt, ...given) : native(...given);
        renew();
        call.owners.forEach(([owner, p]) => owner.changed(p));
        if (f.returns.type === 'abut_status') {
            check(returned, f.name);
        }
        return structAt ? typeOf(f.returns.type).read(heap, structAt) : call.result(returned);
    } finally {
        release(at);
    }
}

// A list of unknown length: asked for again with room when there was too little.
function invokeList(f, pointer, args) {
    const native = exported(f.name);
    const list = f.parameters.find((p) => p.role === 'out_list');
    const counted = f.parameters.find((p) => p.role === 'out_count');
    const wanted = f.parameters.find((p) => p.role === 'wanted'); // the argument before the filter, which is the last one
    const type = typeOf(list.wrap ? 'uint32_t' : list.type);
    const most = wanted ? args.splice(f.parameters.indexOf(list) - 1, 1)[0] : Infinity;
    if (wanted) {
        checkNumber('u32', most, `${wanted.name} of ${f.js}`);
    }
    for (let room = list.wrap ? 0 : Math.min(FEW, most); ;) { // of what is owned, the number is asked for first
        const at = mark();
        try {
            const call = new Call(f, args);
            const out = room > 0 ? take(room * type.size) : 0;
            const count = take(8);
            const given = f.parameters.map((p) => {
                const roles = { out_list: out, out_count: count, capacity: wide(p.type, room), wanted: room };
                return roles[p.role] ?? call.parameter(p);
            });
            call.fillCounts(given);
            const returned = native(...(pointer === undefined ? [] : [pointer]), ...given);
            renew();
            check(returned, f.name);
            const found = Number(typeOf(counted.type).read(heap, count));
            if (found <= room && !(wanted && found === room && room < most)) { // cut at what is wanted, not at the room
                const listed = list.wrap ? Array.from(copyArray(type, out, found), list.wrap) : listOf(type, out, found);
                return call.results.length === 0 ? listed : { ...call.named(), [list.name]: listed };
            }
            room = wanted ? Math.min(8 * room, most) : found;
        } finally {
            release(at);
        }
    }
}

// Bytes of unknown length: their number is asked for first.
function invokeBytes(f, pointer, args) {
    const native = exported(f.name);
    const at = mark();
    try {
        const size = take(4);
        const ask = (out, room) => {
            const call = new Call(f, args);
            const roles = { out_bytes: out, out_size: size, capacity: room };
            const given = f.parameters.map((p) => roles[p.role] ?? call.parameter(p));
            const returned = native(...(pointer === undefined ? [] : [pointer]), ...given);
            renew();
            check(returned, f.name);
        };
        ask(0, 0);
        const found = heap.u32[size >>> 2];
        const out = take(found);
        ask(out, found);
        return heap.u8.slice(out, out + found);
    } finally {
        release(at);
    }
}

// Handles as objects, numbers as a typed array, the rest as records.
function listOf(type, at, count) {
    if (type.kind && type.leaves > 1) {
        return Array.from({ length: count }, (_, i) => type.read(heap, at + i * type.size));
    }
    return copyArray(type, at, count);
}

// Numbers and flags in, a status out: nothing to marshal.
const isPlain = (f) =>
    f.returns.type === 'abut_status' &&
    f.parameters.every((p) => p.role === 'in' && !p.pointers && !isStruct(p.type) && !isLarge(p.type));

// Returns what `geometry.vertices()` and the like show: an array that the object owns.
function invokeView(f, pointer) {
    const at = mark();
    try {
        const out = take(4);
        const count = exported(f.name)(pointer, out);
        renew();
        return copyArray(typeOf(f.parameters[0].type), heap.u32[out >>> 2], count);
    } finally {
        release(at);
    }
}

// Arrays in the world's own memory, always of its present state: asked for again after any call that may have changed them.
function viewClass(name) {
    const { fields } = structs[name];
    class View {
        #world;
        #f;
        #given;
        #epoch = -1;
        #words = [];
        #arrays = {};

        constructor(world, f, given) {
            this.#world = world;
            this.#f = f;
            this.#given = given;
        }

        at(field) {
            if (this.#epoch !== this.#world.epoch) {
                this.#renew();
            }
            return this.#words[field.at >>> 2];
        }

        #renew() {
            const { pointer } = this.#world;
            const mine = mark();
            try {
                const words = structs[name].size / 4;
                const at = take(words * 4);
                exported(this.#f.name)(at, pointer, ...this.#given);
                renew();
                this.#words = heap.u32.slice(at >>> 2, (at >>> 2) + words);
                this.#arrays = {};
                this.#epoch = this.#world.epoch;
            } finally {
                release(mine);
            }
        }

        words() {
            this.at(fields[0]);
            return this.#words;
        }

        array(field) {
            const pointer = this.at(field);
            renew();
            if (this.#arrays[field.name]?.buffer !== heap.buffer) {
                const count = this.at(fields.find((f) => f.name === field.counted));
                const value = viewArray(typeOf(field.type), pointer, count * (field.each ?? 1));
                this.#arrays[field.name] = { buffer: heap.buffer, value };
            }
            return this.#arrays[field.name].value;
        }
    }
    for (const field of fields) {
        Object.defineProperty(View.prototype, field.name, {
            enumerable: true,
            get() {
                return field.counted ? this.array(field) : this.at(field);
            },
        });
    }
    return View;
}

const views = {};

function isView(type) {
    return structs[type]?.fields.some((f) => f.counted);
}

function viewOf(f, world, args) {
    views[f.returns.type] ??= viewClass(f.returns.type);
    const given = f.parameters.map((p, i) => {
        checkNumber('u32', args[i], `${p.name} of ${f.js}`);
        return args[i];
    });
    if (f.name === 'abut_world_shifts') { // of the poses at the call, which are written in place
        return new views[f.returns.type](world, f, given);
    }
    const key = `${f.name} ${given}`;
    world.views[key] ??= new views[f.returns.type](world, f, given);
    return world.views[key];
}

// A call that may change its object. What a veto read meanwhile is no longer so afterwards.
function changing(f, object, call) {
    object.changed(f);
    try {
        return call();
    } finally {
        object.changed(f);
    }
}

function method(f) {
    if (isView(f.returns.type)) {
        return function view(...args) {
            return viewOf(f, this, args);
        };
    }
    if (f.parameters.some((p) => p.role === 'out_list')) {
        return function list(...args) {
            return changing(f, this, () => invokeList(f, this.pointer, args));
        };
    }
    if (f.parameters.some((p) => p.role === 'out_bytes')) {
        return function saved(...args) {
            return changing(f, this, () => invokeBytes(f, this.pointer, args));
        };
    }
    if (f.parameters.some((p) => p.role === 'out_view')) {
        return function shown() {
            return invokeView(f, this.pointer);
        };
    }
    if (isPlain(f)) {
        const { length } = f.parameters;
        return function plain(...args) {
            args.length = length;
            f.parameters.forEach((p, i) => p.type === 'bool' || checkNumber(typeOf(p.type).kind, args[i], `${p.name} of ${f.js}`));
            const status = changing(f, this, () => exported(f.name)(this.pointer, ...args.map(Number)));
            renew();
            check(status, f.name);
        };
    }
    return function called(...args) {
        return changing(f, this, () => invoke(f, this.pointer, args));
    };
}

// Objects that own something in the module's memory -------------------------------------------------------------------

const leaked = new FinalizationRegistry(({ destroy, pointer, number }) => {
    vetoes.delete(number);
    heap.exports[destroy](pointer);
});

class Owner {
    #pointer;
    #destroy;

    constructor(pointer, destroy, number = 0) {
        if (!(pointer > 0)) {
            throw new TypeError(`a ${new.target.name} is made by a function of the library`);
        }
        this.#pointer = pointer;
        this.#destroy = destroy;
        know(pointer, this);
        leaked.register(this, { destroy, pointer, number }, this);
    }

    get pointer() {
        if (this.closed) {
            throw new Error(`this ${this.constructor.name} is closed`);
        }
        return this.#pointer;
    }

    get closed() {
        return this.#pointer === 0;
    }

    /** Frees it. Closing twice does nothing. */
    close() {
        if (!this.closed) {
            leaked.unregister(this);
            forget(this.#pointer);
            heap.exports[this.#destroy](this.#pointer);
            this.#pointer = 0;
        }
    }

    changed() {}
}
if (Symbol.dispose) {
    Owner.prototype[Symbol.dispose] = Owner.prototype.close;
}

/** Geometry that shapes refer to. Colliders keep it alive; `close` lets go of it here. */
export class Geometry extends Owner {
    constructor(pointer) {
        super(pointer, 'abut_geometry_release');
    }

    get of() {
        return 'abut_geometry';
    }
}

/** The last frames of a world within a budget of bytes. */
export class History extends Owner {
    constructor(pointer) {
        super(pointer, 'abut_history_destroy');
    }

    get of() {
        return 'abut_history';
    }
}

const vetoes = new Map(); // worlds with a veto by number, weakly
let vetoCount = 0;

function veto(number, at, count, out) {
    renew();
    const vetoed = new Uint8Array(count); // not over the memory, which the callback may make grow
    try {
        vetoes.get(number).deref().veto(new Records(typeOf('abut_new_pair'), heap, at >>> 0, count), vetoed);
    } catch (error) {
        thrown = { error };
    }
    renew();
    heap.u8.set(vetoed, out >>> 0); // past two gigabytes addresses come as negative numbers
}

/** Owns every body put into it. */
export class World extends Owner {
    constructor(def = {}) {
        if (typeof def !== 'object' || def === null) {
            throw new TypeError('the settings of a World are an object');
        }
        const { veto: callback, ...rest } = def;
        if (callback && typeof callback !== 'function') {
            throw new TypeError('veto is a function of pairs and vetoed');
        }
        const number = callback ? ++vetoCount : 0;
        const create = exported('module_world_create');
        const at = mark();
        let pointer = 0;
        try {
            const type = typeOf('abut_world_def');
            const written = take(type.size);
            type.write(written, rest);
            const out = take(4);
            const status = create(written, number, out);
            renew();
            check(status, 'abut_world_create');
            pointer = heap.u32[out >>> 2];
        } finally {
            release(at);
        }
        super(pointer, 'abut_world_destroy', number);
        this.epoch = 0; // of calls that may change it
        this.views = {};
        if (callback) {
            vetoes.set(number, new WeakRef(this));
        }
        this.veto = callback;
        this.number = number;
    }

    get of() {
        return 'abut_world';
    }

    /** Destroys it and all it owns. Closing twice does nothing. Fails with BUSY in its veto and while a detect is under way. */
    close() {
        if (!this.closed) {
            check(heap.exports.abut_body_destroy_many(this.pointer, 0, 0), 'abut_world_destroy');
        }
        super.close();
        ++this.epoch; // views are asked for again, and then say that it is closed
        vetoes.delete(this.number);
    }

    changed(f) {
        this.epoch += f.constant ? 0 : 1;
    }
}

/** What is no method: by name. */
export const functions = {};

const owners = { abut_world: World, abut_geometry: Geometry, abut_history: History };
for (const f of table) {
    for (const p of f.parameters) {
        if (p.pointers === 2 && p.type in owners) {
            p.wrap = (pointer) => new owners[p.type](pointer);
        }
    }
    if (f.on) {
        Object.defineProperty(owners[f.on].prototype, f.js, { value: method(f), configurable: true, writable: true });
    } else {
        const has = (role) => f.parameters.some((p) => p.role === role);
        const call = has('out_list') ? invokeList : has('out_bytes') ? invokeBytes : invoke;
        functions[f.js] = (...args) => call(f, undefined, args);
    }
}

/** The patches of the pair of contact `first` in order: of these there are at most as many as contacts. */
functions.contactPatches = (contacts, first, cosine) => {
    const native = exported('abut_contact_patches');
    if (typeof contacts?.words !== 'function') {
        throw new TypeError('contactPatches needs the contacts of a world');
    }
    const { count, order, colliders } = contacts;
    checkNumber('u32', first, 'first of contactPatches');
    checkNumber('f32', cosine, 'cosine of contactPatches');
    if (!(first >= 0 && first < count)) {
        throw new RangeError(`there are ${count} contacts, and none is at ${first}`);
    }
    const pairOf = (i) => `${colliders[4 * order[i]]} ${colliders[4 * order[i] + 2]}`; // by the colliders' slots
    let end = first + 1;
    while (end < count && pairOf(end) === pairOf(first)) {
        ++end;
    }
    const at = mark();
    try {
        const type = typeOf('abut_patch');
        const out = take((end - first) * type.size);
        const words = contacts.words();
        const struct = take(4 * words.length);
        heap.u32.set(words, struct >>> 2);
        return copyArray(type, out, native(struct, first, cosine, out));
    } finally {
        release(at);
    }
};

export { constants, enums, Records };
