// The order of a mesh's triangles, for a packed tree that is divided from the top: at the median of the longest side of
// the centres' box, to whole nodes of the level below. Triangles are divided by counting them in bins, without a branch
// for each. What is divided in tasks is the same for any number of threads.
#include "cook/mesh_cook.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

#define FEW       16u // triangles that are divided by their ranks
#define MOST_BINS 512u
#define CHUNKS    64u   // that are sorted in tasks, at most
#define LEAST     4096u // triangles of a chunk, before it is halved for the sake of tasks

// A triangle while it is sorted: twice the centre of its box, then the bits of its number, which make a float that is
// as good as any other.
typedef struct entry
{
    float at[4];
} entry;

_Static_assert(ABUT_MAX_MESH_TRIANGLES <= 0x7f800000u, "no number of a triangle has the bits of infinity");

static uint32_t number_of(const entry *p)
{
    uint32_t number;
    memcpy(&number, &p->at[3], sizeof number);
    return number;
}

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// A range along an axis.
typedef struct range
{
    float least, most;
} range;

static float length_of(const range *r)
{
    return r->most - r->least;
}

static range range_of(const entry *entries, uint32_t count, int axis)
{
    const float first = entries[0].at[axis];
    range r = { first, first }, s = r; // two, each a chain of instructions that wait for each other
    for (uint32_t i = count & 1u; i < count; i += 2)
    {
        const float one = entries[i].at[axis], other = entries[i + 1].at[axis];
        r = (range){ lesser(one, r.least), larger(one, r.most) };
        s = (range){ lesser(other, s.least), larger(other, s.most) };
    }
    return (range){ lesser(r.least, s.least), larger(r.most, s.most) };
}

// Integers in the order of floats.
static int32_t key_of(float x)
{
    int32_t bits;
    const float positive = x + 0.0f; // negative zero is zero
    memcpy(&bits, &positive, sizeof bits);
    return bits < 0 ? INT32_MIN - bits : bits;
}

// How many entries are before each one along an axis. Of equal ones, the first is before the others.
static void rank(const entry *entries, uint32_t count, int axis, int32_t before[FEW])
{
    int32_t key[FEW];
    for (uint32_t i = 0; i < FEW; ++i)
    {
        key[i] = i < count ? key_of(entries[i].at[axis]) : 0;
        before[i] = 0;
    }
    for (int32_t j = 0; j < (int32_t)count; ++j)
    {
        const int32_t other = key[j];
        for (int32_t i = 0; i < (int32_t)FEW; ++i)
        {
            before[i] += key[i] > other - (j < i);
        }
    }
}

// All bits if a is less than b; both are less than 2^31.
static uint32_t mask_of_less(uint32_t a, uint32_t b)
{
    return 0u - ((a - b) >> 31);
}

static void divide_few(const entry *from, entry *to, uint32_t count, uint32_t left, int axis)
{
    int32_t before[FEW];
    uint32_t low = 0, high = left;
    rank(from, count, axis, before);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t is_left = mask_of_less((uint32_t)before[i], left);
        to[high ^ ((low ^ high) & is_left)] = from[i];
        low -= is_left;
        high += 1 + is_left;
    }
}

// The bins of a range.
typedef struct bins
{
    float least, scale; // bins a metre
    int axis;
} bins;

static uint32_t bin_of(const bins *b, const entry *p)
{
    return (uint32_t)(int32_t)((p->at[b->axis] - b->least) * b->scale);
}

// As many as a fourth of the entries: what is in the median's bin costs more than a bin.
static uint32_t bins_for(uint32_t count)
{
    uint32_t all = FEW;
    while (all < MOST_BINS && 4 * all < count)
    {
        all *= 2;
    }
    return all;
}

// The bin that has number `left` in the order of bins, how many entries are in bins before it, and in it.
static uint32_t find_bin(const entry *entries, uint32_t count, uint32_t left, const bins *b, uint32_t all,
                         uint32_t *low, uint32_t *middle)
{
    uint32_t counts[MOST_BINS + 1]; // rounding may lead to one more
    uint32_t bin = 0, before = 0;
    memset(counts, 0, (all + 1) * sizeof *counts);
    for (uint32_t i = 0; i < count; ++i)
    {
        ++counts[bin_of(b, &entries[i])];
    }
    for (; before + counts[bin] <= left; ++bin)
    {
        before += counts[bin];
    }
    *low = before;
    *middle = counts[bin];
    return bin;
}

// Moves those in bins before one to the front, and those behind it to the back.
static void deal(const entry *from, entry *to, uint32_t count, const bins *b, uint32_t bin, uint32_t low,
                 uint32_t middle)
{
    uint32_t front = 0, back = low + middle;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t here = bin_of(b, &from[i]);
        const uint32_t before = mask_of_less(here, bin), behind = mask_of_less(bin, here);
        to[low ^ ((low ^ front) & before) ^ ((low ^ back) & behind)] = from[i];
        front -= before;
        back -= behind;
        low += 1 + before + behind;
    }
}

// Moves the `left` first of `count` entries along an axis to the front: finds the bin of the median, then divides what
// is in that bin alike. `from` is destroyed. Returns a range: the entries at the front do not end behind it, the others
// do not begin before it.
static range divide(entry *from, entry *to, uint32_t count, uint32_t left, int axis, range r)
{
    while (count > FEW)
    {
        const uint32_t all = bins_for(count);
        const bins b = { r.least, (float)all / length_of(&r), axis };
        uint32_t low, middle;
        if (!(b.scale < HUGE_VALF)) // all at one position
        {
            memcpy(to, from, count * sizeof *to);
            return r;
        }
        const uint32_t bin = find_bin(from, count, left, &b, all, &low, &middle);
        deal(from, to, count, &b, bin, low, middle);
        from += low;
        to += low;
        left -= low;
        count = middle;
        r = range_of(to, count, axis);
        if (left == 0)
        {
            return r;
        }
        memcpy(from, to, count * sizeof *to);
    }
    divide_few(from, to, count, left, axis);
    return r;
}

// How many of `count` go left: a half, in whole nodes.
static uint32_t left_of(uint32_t count)
{
    uint32_t node = AB_MESH_WIDTH;
    while (node * AB_MESH_WIDTH < count)
    {
        node *= AB_MESH_WIDTH;
    }
    const uint32_t nodes = (count + node - 1) / node;
    return (nodes / 2) * node;
}

// Places that wait to be halved.
typedef struct chunk
{
    uint32_t first, count, side;
    range range[3]; // that contain theirs
} chunk;

static int longest_of(const range r[3])
{
    const float x = length_of(&r[0]), y = length_of(&r[1]), z = length_of(&r[2]);
    return x >= y ? (x >= z ? 0 : 2) : y >= z ? 1 : 2;
}

// The axis along which entries reach farthest. Only ranges that may be the longest are measured.
static int longest_side(const entry *entries, uint32_t count, range r[3])
{
    bool measured[3] = { false, false, false };
    for (;;)
    {
        const int axis = longest_of(r);
        if (measured[axis])
        {
            return axis;
        }
        r[axis] = range_of(entries, count, axis);
        measured[axis] = true;
    }
}

static void list_numbers(const entry *entries, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] = number_of(&entries[i]);
    }
}

// Halves a chunk, between two arrays: `at` becomes its left half, `right` the other.
static void halve(entry *const side[2], chunk *at, chunk *right)
{
    entry *const from = side[at->side] + at->first, *const to = side[1 - at->side] + at->first;
    const uint32_t left = left_of(at->count);
    const int axis = longest_side(from, at->count, at->range);
    const range middle = divide(from, to, at->count, left, axis, at->range[axis]);
    at->side = 1 - at->side;
    *right = *at;
    right->first = at->first + left;
    right->count = at->count - left;
    right->range[axis].least = middle.least;
    at->count = left;
    at->range[axis].most = middle.most;
}

// Halves a chunk again and again, down to blocks. The stack holds the right halves: they shrink by more than a third.
static void sort(entry *const side[2], chunk at, uint32_t *order)
{
    chunk stack[64];
    for (uint32_t depth = 0;;)
    {
        while (at.count > AB_MESH_WIDTH)
        {
            halve(side, &at, &stack[depth++]);
        }
        list_numbers(side[at.side] + at.first, at.count, order + at.first);
        if (depth == 0)
        {
            return;
        }
        at = stack[--depth];
    }
}

// A sort in tasks: rounds, each of which halves all chunks; then each is sorted.
typedef struct sorting
{
    const ab_mesh_parts *parts;
    entry *side[2];
    uint32_t *order;
    ab_partition parts_of; // for laying entries
    chunk chunks[CHUNKS];
    uint32_t count;
} sorting;

static void lay_entries(void *pass, uint32_t task)
{
    const sorting *s = pass;
    const ab_mesh_parts *parts = s->parts;
    entry *const entries = s->side[0];
    const uint32_t end = (uint32_t)ab_partition_end(&s->parts_of, task);
    for (uint32_t i = (uint32_t)ab_partition_first(&s->parts_of, task); i < end; ++i)
    {
        float min[3], max[3];
        ab_cook_box_of(parts, &parts->triangles[i], min, max);
        for (int k = 0; k < 3; ++k)
        {
            entries[i].at[k] = min[k] + max[k];
        }
        memcpy(&entries[i].at[3], &i, sizeof i);
    }
}

static void halve_one(void *pass, uint32_t task)
{
    sorting *s = pass;
    halve(s->side, &s->chunks[task], &s->chunks[s->count + task]);
}

static void sort_one(void *pass, uint32_t task)
{
    const sorting *s = pass;
    sort(s->side, s->chunks[task], s->order);
}

static bool are_worth_halving(const sorting *s)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        least = s->chunks[i].count < least ? s->chunks[i].count : least;
    }
    return 2 * s->count <= CHUNKS && least >= 2 * LEAST;
}

static void sort_all(sorting *s, ab_pool *pool)
{
    const range all = { -HUGE_VALF, HUGE_VALF };
    s->chunks[0] = (chunk){ 0, s->parts->own, 0, { all, all, all } };
    s->count = 1;
    s->parts_of = ab_partition_into(&AB_GRANULARITY_DEFAULT, s->parts->own, 1);
    ab_pool_run(pool, lay_entries, s, s->parts_of.tasks);
    while (pool && are_worth_halving(s))
    {
        ab_pool_run(pool, halve_one, s, s->count);
        s->count *= 2;
    }
    ab_pool_run(pool, sort_one, s, s->count);
}

// Those of neighbours stay behind the mesh's own, as they are.
bool ab_mesh_sort(const ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool, uint32_t *order)
{
    const uint32_t count = parts->own, all = (uint32_t)arrlenu(parts->triangles);
    sorting s = { .parts = parts, .order = order };
    const bool room = ab_array_resize(s.side[0], memory, count) && ab_array_resize(s.side[1], memory, count);
    if (room)
    {
        sort_all(&s, pool);
        for (uint32_t i = count; i < all; ++i)
        {
            order[i] = i;
        }
    }
    arrfree(s.side[0]);
    arrfree(s.side[1]);
    return room;
}
