// Values of the C interface in memory: each type of the table can be read as a JavaScript value and written from one.
import { readers, structs } from './api.js';
import { arraysOver, heap, take, text } from './memory.js';

const described = (value) => (value === undefined ? 'left out' : value === null ? 'null' : `of type ${typeof value}`);

// Names of numbers that are sets of bits or the caller's own: they may be negative, as ~flags is.
const SETS_OF_BITS = /\b(flags|category|mask|motions|what|\w*data\w*)\b/i;

/** Refuses what a number of this kind cannot be: memory would hold zero instead, or some of its bits. */
export function checkNumber(kind, value, name) {
    if (typeof value !== 'number') {
        throw new TypeError(`${name} is a number, not ${described(value)}`);
    }
    if (kind[0] === 'f') {
        return;
    }
    if (!(Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32)) {
        throw new RangeError(`${name} is an integer of 32 bits, not ${value}`);
    }
    if (value < 0 && kind[0] === 'u' && !SETS_OF_BITS.test(name)) {
        throw new RangeError(`${name} is not negative, as ${value} is`);
    }
}

const scalar = (size, kind, shift) => ({
    size,
    kind,
    leaves: 1,
    read: (from, at) => from[kind][at >>> shift],
    write: (at, value, name) => {
        checkNumber(kind, value, name);
        heap[kind][at >>> shift] = value;
    },
});

function bits(value, name) {
    if (typeof value !== 'bigint' && !Number.isInteger(value)) {
        throw new TypeError(`${name} is a bigint or an integer, not ${value === undefined ? 'left out' : value}`);
    }
    return BigInt(value);
}

const large = {
    ...scalar(8, 'u64', 3),
    write: (at, value, name) => {
        heap.u64[at >>> 3] = bits(value, name);
    },
};

const types = {
    float: scalar(4, 'f32', 2),
    double: scalar(8, 'f64', 3),
    uint8_t: scalar(1, 'u8', 0),
    uint16_t: scalar(2, 'u16', 1),
    uint32_t: scalar(4, 'u32', 2),
    int32_t: scalar(4, 'i32', 2),
    size_t: scalar(4, 'u32', 2),
    // Numbers of the caller's own may have all 64 bits, so they are BigInt; counts and nanoseconds are numbers.
    data64: large,
    uint64_t: { ...large, kind: null, read: (from, at) => Number(large.read(from, at)) },
    bool: {
        size: 1,
        kind: 'u8',
        leaves: 1,
        read: (from, at) => from.u8[at] !== 0,
        write: (at, value) => {
            heap.u8[at] = value ? 1 : 0;
        },
    },
};
const string = { size: 4, kind: null, leaves: 1, read: (from, at) => text(from.u32[at >>> 2]) };

const objects = new Map(); // the object of a pointer to something opaque, weakly

/** Remembers the object that stands for a pointer. */
export function know(pointer, object) {
    objects.set(pointer, new WeakRef(object));
}

export function forget(pointer) {
    objects.delete(pointer);
}

const reference = {
    size: 4,
    kind: null,
    leaves: 1,
    read: (from, at) => objects.get(from.u32[at >>> 2])?.deref() ?? null,
    write: (at, value, name) => {
        if (value?.of !== 'abut_geometry') {
            throw new TypeError(`${name} is a Geometry`);
        }
        heap.u32[at >>> 2] = value.pointer;
    },
};

/** The type with this name in the table. */
export function typeOf(name) {
    types[name] ??= structs[name] ? struct(name, structs[name]) : types.uint32_t; // the rest are enumerations
    return types[name];
}

function fieldType(field) {
    if (field.pointers) {
        return field.type === 'char' ? string : reference;
    }
    const element = typeOf(field.type);
    if (!field.length) {
        return element;
    }
    const { length } = field;
    return {
        size: element.size * length,
        kind: element.kind,
        leaves: element.leaves * length,
        read: (from, at) => cut(Array.from({ length }, (_, i) => element.read(from, at + i * element.size))),
        write: (at, value, name) => value.forEach((v, i) => element.write(at + i * element.size, v, name)),
    };
}

// A list of named things ends before the first without a name.
function cut(list) {
    const end = list.findIndex((v) => v.name === null);
    return end < 0 ? list : list.slice(0, end);
}

// Of the members of a shape's union that one which its kind has.
function memberOf(kindName, members) {
    const kind = kindName?.toLowerCase();
    return members.find((m) => m.name === kind) ?? members.find((m) => m.kinds?.includes(kind));
}

function struct(name, { size, fields }) {
    const isPlain = (f) => !f.counted && !f.perQuestion && !f.makes && !f.factors && !f.member;
    const plain = fields.filter(isPlain).map((f) => ({ ...f, value: fieldType(f) }));
    const counted = fields.filter((f) => f.counted);
    const arrays = fields.filter((f) => f.makes || f.factors);
    const members = fields.filter((f) => f.member).map((f) => ({ ...f, value: fieldType(f) }));
    const kinds = new Set([...plain, ...members].map((f) => f.value.kind));
    const kind = kinds.size === 1 && counted.length === 0 && arrays.length === 0 ? [...kinds][0] : null;
    const leaves = plain.reduce((sum, f) => sum + f.value.leaves, 0);
    const known = new Set(fields.map((f) => f.name));
    const isVector = known.has('x');

    function read(from, at) {
        const value = {};
        for (const f of plain) {
            if (f.name !== 'unused') {
                value[f.name] = f.value.read(from, at + f.at);
            }
        }
        if (members.length > 0) {
            const member = memberOf(structs[name].kinds[value.kind], members);
            if (member) {
                value[member.name] = member.value.read(from, at + member.at);
            }
        }
        return value;
    }

    // The bytes at `at` are zero: what is left out keeps the default that zero stands for.
    function write(at, value) {
        if (kind && value?.length !== undefined && typeof value !== 'string') {
            if (value.length !== leaves) {
                throw new RangeError(`${name} has ${leaves} numbers, not ${value.length}`);
            }
            setNumbers(kind, value, at, name);
            return;
        }
        if (typeof value !== 'object' || value === null) {
            throw new TypeError(`${name} is an object with ${[...known].join(', ')}`);
        }
        if (!isVector) {
            const unknown = Object.keys(value).find((key) => !known.has(key));
            if (unknown) {
                throw new TypeError(`${name} has no ${unknown}, only ${[...known].join(', ')}`);
            }
        }
        for (const f of [...plain, ...members]) {
            if (value[f.name] !== undefined && value[f.name] !== null) {
                f.value.write(at + f.at, value[f.name], f.name);
            }
        }
        writeCounted(at, value);
        writeArrays(at, value);
    }

    const offsetOf = (name) => fields.find((f) => f.name === name).at;

    // Arrays that say numbers of the struct, or whose lengths are products of such.
    function writeArrays(at, value) {
        const made = {};
        const lengths = [];
        const make = (count, number) => {
            if ((value[count] ?? number) !== number) {
                throw new RangeError(`${count} is ${value[count]}, and the array has ${number}`);
            }
            made[count] = number;
            heap.u32[(at + offsetOf(count)) >>> 2] = number;
        };
        for (const f of arrays.filter(({ name }) => value[name] !== undefined && value[name] !== null)) {
            const given = f.factors?.length === 0 && value[f.name].length === undefined ? [value[f.name]] : value[f.name];
            const array = writeArray(typeOf(f.type), f.makes?.length === 2 ? rowsOf(f, given, make) : given, f.name);
            if (f.makes?.length === 1) {
                const [{ count, each }] = f.makes;
                if (array.count % each !== 0) {
                    throw new RangeError(`${f.name} has ${array.count} elements, which is no multiple of ${each}`);
                }
                make(count, array.count / each);
            }
            lengths.push([f, array.count]);
            heap.u32[(at + f.at) >>> 2] = array.at;
        }
        const number = (of) => (typeof of === 'number' ? of : made[of] ?? value[of] ?? 0);
        for (const [f, length] of lengths) {
            const factors = f.factors ?? (f.makes.length === 2 ? f.makes.map(({ count }) => ({ count, less: 0 })) : null);
            const expected = factors?.reduce((product, { count, less }) => product * Math.max(0, number(count) - number(less)), 1);
            if (factors && length !== expected) {
                throw new RangeError(`${f.name} has ${length} elements, not ${expected}`);
            }
        }
    }

    function writeCounted(at, value) {
        const counts = {};
        for (const f of counted) {
            if (value[f.name] === undefined || value[f.name] === null) {
                continue;
            }
            const array = f.handles ? writeHandles(value[f.name], f.name) : writeArray(typeOf(f.type), value[f.name], f.name);
            if (counts[f.counted] !== undefined && counts[f.counted] !== array.count) {
                throw new RangeError(`${f.name} has ${array.count} elements where others have ${counts[f.counted]}`);
            }
            counts[f.counted] = array.count;
            heap.u32[(at + f.at) >>> 2] = array.at;
        }
        for (const [count, number] of Object.entries(counts)) {
            heap.u32[(at + offsetOf(count)) >>> 2] = number;
        }
    }

    return { name, size, kind, leaves, read: readers[name] ?? read, write };
}

// An array of rows as one of numbers; their numbers go to `make`. One of numbers is what it is.
function rowsOf(f, given, make) {
    checkArray(given, f.name);
    if (given[0]?.length === undefined) {
        return given;
    }
    const [rows, columns] = f.makes;
    if (Array.prototype.some.call(given, (row) => row.length !== given[0].length)) {
        throw new RangeError(`${f.name} has rows of different lengths`);
    }
    make(rows.count, given.length);
    make(columns.count, given[0].length);
    return Array.from(given, (row) => Array.from(row)).flat();
}

function checkArray(value, name) {
    if (!Number.isInteger(value?.length) || value.length < 0 || typeof value === 'string') {
        throw new TypeError(`${name} is an array, not ${described(value)}`);
    }
}

function writeHandles(objects, name) {
    checkArray(objects, name);
    const at = take(4 * objects.length);
    for (let i = 0; i < objects.length; ++i) {
        reference.write(at + 4 * i, objects[i], name);
    }
    return { at, count: objects.length };
}

// Numbers into memory, each of which it can hold.
function setNumbers(kind, value, at, name) {
    const to = heap[kind];
    const hasFractions = value instanceof Float32Array || value instanceof Float64Array;
    if (kind !== 'u64' && (!ArrayBuffer.isView(value) || (hasFractions && kind[0] !== 'f'))) {
        for (let i = 0; i < value.length; ++i) {
            checkNumber(kind, value[i], name);
        }
    }
    to.set(value, at / to.BYTES_PER_ELEMENT);
}

/** Writes an array of any form into scratch: a typed array, records, or values one by one. `leaves`: numbers an element. */
export function writeArray(type, value, name, leaves = type.leaves) {
    if (value instanceof Records) {
        if (value.type !== type) {
            throw new TypeError(`${name}: records of ${value.type.name} where those of ${type.name} belong`);
        }
        const at = take(value.length * type.size);
        heap.u8.set(value.bytes(), at);
        return { at, count: value.length };
    }
    checkArray(value, name);
    const isFlat = type.kind && (ArrayBuffer.isView(value) || typeof value[0] === 'number' || typeof value[0] === 'bigint');
    if (isFlat) {
        const count = value.length / leaves;
        if (!Number.isInteger(count)) {
            throw new RangeError(`${name} has ${value.length} numbers, which is no multiple of ${leaves}`);
        }
        const bytes = heap[type.kind].BYTES_PER_ELEMENT;
        const at = take(value.length * bytes);
        setNumbers(type.kind, value, at, name);
        return { at, count };
    }
    const at = take(value.length * type.size);
    for (let i = 0; i < value.length; ++i) {
        type.write(at + i * type.size, value[i], name);
    }
    return { at, count: value.length };
}

/** A copy of `count` elements: a typed array where they are of one kind of number, else records. */
export function copyArray(type, at, count, into) {
    if (!type.kind) {
        const bytes = new Uint8Array((count * type.size + 7) & ~7);
        bytes.set(heap.u8.subarray(at, at + count * type.size));
        return new Records(type, arraysOver(bytes.buffer), 0, count);
    }
    const all = heap[type.kind];
    const first = at / all.BYTES_PER_ELEMENT;
    const found = all.subarray(first, first + (count * type.size) / all.BYTES_PER_ELEMENT);
    if (!into) {
        return found.slice();
    }
    if (!(into.length >= found.length)) {
        throw new RangeError(`there are ${found.length} numbers, and room for ${into.length}`);
    }
    into.set(found);
    return into;
}

/** The same over the memory itself. */
export function viewArray(type, at, count) {
    if (!type.kind) {
        return new Records(type, heap, at, count);
    }
    const all = heap[type.kind];
    return new all.constructor(heap.buffer, at, (count * type.size) / all.BYTES_PER_ELEMENT);
}

/** Structs of several kinds of number, one after the other: element i has its field `f` at byte `first + i * size + offsets.f`. */
export class Records {
    constructor(type, arrays, first, length) {
        this.type = type;
        this.length = length;
        this.first = first;
        this.size = type.size;
        this.offsets = Object.fromEntries(structs[type.name].fields.map((f) => [f.name, f.at]));
        this.arrays = arrays;
    }

    get u8() {
        return this.arrays.u8;
    }

    get u16() {
        return this.arrays.u16;
    }

    get u32() {
        return this.arrays.u32;
    }

    get f32() {
        return this.arrays.f32;
    }

    get u64() {
        return this.arrays.u64;
    }

    bytes() {
        return this.arrays.u8.subarray(this.first, this.first + this.length * this.size);
    }

    /** Element i as an object. */
    get(i) {
        if (!(Number.isInteger(i) && i >= 0 && i < this.length)) {
            throw new RangeError(`element ${i} of ${this.length}`);
        }
        return this.type.read(this.arrays, this.first + i * this.size);
    }

    *[Symbol.iterator]() {
        for (let i = 0; i < this.length; ++i) {
            yield this.get(i);
        }
    }
}
