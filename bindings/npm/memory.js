// The module's memory: typed arrays over it, made anew when it has grown, and scratch for the arguments of a call.

/** Exports of the instance, and typed arrays over its memory. Empty before `adopt`. */
export const heap = { exports: null, buffer: null };

const STACK = 1 << 16; // bytes of scratch that last; larger arguments borrow from the allocator
let base = 0;
let used = 0;
const borrowed = []; // blocks of the calls under way

/** Typed arrays of every width over one buffer. */
export function arraysOver(buffer) {
    return {
        buffer,
        u8: new Uint8Array(buffer),
        u16: new Uint16Array(buffer),
        u32: new Uint32Array(buffer),
        i32: new Int32Array(buffer),
        f32: new Float32Array(buffer),
        f64: new Float64Array(buffer),
        u64: new BigUint64Array(buffer),
    };
}

/** Makes the typed arrays anew if the memory has grown, which detaches older ones. */
export function renew() {
    if (heap.buffer !== heap.exports.memory.buffer) {
        Object.assign(heap, arraysOver(heap.exports.memory.buffer));
    }
}

export function adopt(exports) {
    heap.exports = exports;
    exports._initialize();
    base = exports.malloc(STACK) >>> 0;
    renew();
}

/** What `release` returns to. */
export function mark() {
    return { used, blocks: borrowed.length };
}

/** Zeroed bytes until `release`, at a multiple of eight. */
export function take(bytes) {
    let at = base + used;
    if (used + bytes <= STACK) {
        used += (bytes + 7) & ~7;
    } else {
        at = heap.exports.malloc(bytes) >>> 0; // past two gigabytes it is negative
        renew();
        if (at === 0) {
            throw new RangeError(`out of memory: ${bytes} bytes for the arguments of a call`);
        }
        borrowed.push(at);
    }
    heap.u8.fill(0, at, at + bytes);
    return at;
}

/** Gives back what was taken since the mark. */
export function release(to) {
    used = to.used;
    while (borrowed.length > to.blocks) {
        heap.exports.free(borrowed.pop());
    }
}

const decoder = new TextDecoder();

/** The C string at `at`; null for a null pointer. */
export function text(at) {
    return at === 0 ? null : decoder.decode(heap.u8.subarray(at, heap.u8.indexOf(0, at)));
}
