// Sorts proxies into the order of the tree: by size class, so that a few large AABBs do not inflate the nodes of many
// small ones, then by slabs along the longest axis, of many points, then by halves of halves. While pairs are dropped,
// sensors are classes of their own, so that few nodes hold both sensors and others, and filters can separate nodes; and
// what is at one spot is sorted by filter.
#include "broad/bvh_order.h"

#include "base/array.h"
#include "base/radix.h"
#include "broad/halve.h"

#include <string.h>

#define CLASS_OCTAVES 3u // doublings per size class
#define BIN_BITS      6u
#define THICK         5u  // points: a slab of what is evenly spread in a cube is no thinner
#define KEY_SHIFT     32u // a word to sort: the key in the upper half, the proxy in the lower

_Static_assert(AB_ORDER_CLASSES << BIN_BITS == AB_ORDER_RANGES, "a range is a bin of a class");

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// NaN is at the lower end.
static float within_reach(float coordinate)
{
    const float from = coordinate > -AB_BEYOND ? coordinate : -AB_BEYOND;
    return from < AB_BEYOND ? from : AB_BEYOND;
}

static uint32_t octave_of(uint32_t bits)
{
    return bits >> 23 & 0xffu;
}

static const ab_span no_span = { { AB_BEYOND, AB_BEYOND, AB_BEYOND }, { -AB_BEYOND, -AB_BEYOND, -AB_BEYOND } };

static ab_span span_around(ab_span a, ab_span b)
{
    for (uint32_t axis = 0; axis < AB_AXES; ++axis)
    {
        a.low[axis] = b.low[axis] < a.low[axis] ? b.low[axis] : a.low[axis];
        a.high[axis] = b.high[axis] > a.high[axis] ? b.high[axis] : a.high[axis];
    }
    return a;
}

static uint32_t size_class(uint32_t octave, uint32_t median)
{
    const uint32_t above = octave > median ? (octave - median) / CLASS_OCTAVES : 0;
    return above < AB_ORDER_CLASSES - 1 ? above : AB_ORDER_CLASSES - 1;
}

// Each part may write eight points more than it has; arrays are multiples of 8 bytes long.
static size_t room_for(uint32_t count, uint32_t tasks)
{
    return ((size_t)count + AB_BLOCK) / AB_BLOCK * AB_BLOCK + (size_t)tasks * AB_BLOCK;
}

size_t ab_order_bytes(uint32_t count, uint32_t tasks)
{
    return room_for(count, tasks) * (2 * AB_CENTRE_BYTES + sizeof(uint8_t)) +
           tasks * (sizeof(ab_order_places) + sizeof(ab_order_part));
}

void ab_order_lay_out(ab_bvh_sort *s, void *block, uint32_t count)
{
    const uint32_t tasks = s->partition.tasks;
    const size_t room = room_for(count, tasks);
    s->dealt = ab_centres_in(block, room);
    s->points = ab_centres_in(s->dealt.proxy + room, room);
    s->places = (ab_order_places *)(void *)(s->points.proxy + room);
    s->parts = (ab_order_part *)(void *)(s->places + tasks);
    s->range = (uint8_t *)(void *)(s->parts + tasks);
}

// By its body's present position, which may be NaN or infinite if the pose is invalid.
static void place_by_pose(const ab_broad *broad, const ab_centres *points, uint32_t i, uint32_t *extents)
{
    const ab_record *record = &broad->proxies->record[points->proxy[i]];
    const abut_vec3 at = broad->in.poses[record->collider_key >> 8].position;
    const float extent = 2.0f * larger(record->half_x, larger(record->half_y, record->half_z));
    points->at[0][i] = within_reach(2.0f * at.x);
    points->at[1][i] = within_reach(2.0f * at.y);
    points->at[2][i] = within_reach(2.0f * at.z);
    memcpy(&extents[i], &extent, sizeof extent);
}

// Until points are dealt: by point.
static uint32_t *extents_of(const ab_bvh_sort *s)
{
    return s->dealt.proxy;
}

void ab_order_measure(const ab_broad *broad, ab_set set, ab_bvh_sort *s, uint32_t part)
{
    const uint32_t start = broad->proxies->region[set].first * AB_BLOCK + s->start;
    const size_t first = ab_partition_first(&s->partition, part), end = ab_partition_end(&s->partition, part);
    ab_order_part *p = &s->parts[part];
    *p = (ab_order_part){ .first = (uint32_t)first + part * AB_BLOCK };
    const ab_centres points = ab_centres_from(&s->points, p->first);
    uint32_t *extents = extents_of(s) + p->first;
    p->live = broad->halves->centres(broad->proxies, start + (uint32_t)first, start + (uint32_t)end, &points, extents);
    for (uint32_t i = 0; i < p->live; ++i)
    {
        if (extents[i] == AB_NO_SIZE)
        {
            place_by_pose(broad, &points, i, extents);
        }
        ++p->octaves[octave_of(extents[i])];
    }
    p->span = p->live > 0 ? broad->halves->span(&points, p->live) : no_span;
}

// The octave of the median size, by a histogram.
static uint32_t median_of(const uint32_t counts[256], uint32_t count)
{
    uint32_t octave = 0, below = counts[0];
    while (below <= count / 2 && octave < 255)
    {
        below += counts[++octave];
    }
    return octave;
}

// Small builds cut none, which takes longer and leaves no more tests.
#ifdef AB_SMALL
#define cuts_of(count) 0u
#else
static uint32_t cuts_of(uint32_t count)
{
    uint32_t cuts = 0;
    for (uint64_t side = 2 * THICK; side * side * side <= count && 4u << cuts < AB_BVH_SLABS; side *= 2)
    {
        ++cuts;
    }
    return cuts;
}
#endif

void ab_order_plan(ab_bvh_sort *s)
{
    uint32_t octaves[256];
    ab_span all = s->parts[0].span;
    memcpy(octaves, s->parts[0].octaves, sizeof octaves);
    s->count = s->parts[0].live;
    for (uint32_t i = 1; i < s->partition.tasks; ++i)
    {
        const ab_order_part *p = &s->parts[i];
        s->count += p->live;
        all = span_around(all, p->span);
        for (uint32_t octave = 0; octave < 256; ++octave)
        {
            octaves[octave] += p->octaves[octave];
        }
    }
    const float *low = all.low, *high = all.high;
    s->median = median_of(octaves, s->count);
    s->axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    s->axis = high[2] - low[2] > high[s->axis] - low[s->axis] ? 2 : s->axis;
    s->bin_bits = cuts_of(s->count) > 0 ? BIN_BITS : 0;
    const float extent = high[s->axis] - low[s->axis], bins = (float)(1u << s->bin_bits) - 0.01f;
    s->low = low[s->axis];
    s->per_metre = extent > 1.0f / AB_BEYOND ? bins / extent : 0.0f;
}

void ab_order_count(const ab_broad *broad, ab_bvh_sort *s, uint32_t part)
{
    uint32_t *counts = s->places[part].next;
    memset(counts, 0, (sizeof *counts * AB_ORDER_CLASSES) << s->bin_bits);
    const uint32_t *proxies = s->points.proxy, *extents = extents_of(s), median = s->median, bin_bits = s->bin_bits;
    const float *at = s->points.at[s->axis], low = s->low, per_metre = s->per_metre;
    uint8_t *const ranges = s->range;
    const ab_order_part *p = &s->parts[part];
    for (uint32_t i = p->first; i < p->first + p->live; ++i)
    {
        const uint32_t size = size_class(octave_of(extents[i]), median);
        const uint32_t class = broad->filters.drops ? ab_bvh_class_of(broad, proxies[i], size) : size;
        const uint32_t bin = (uint32_t)(int32_t)((at[i] - low) * per_metre);
        ranges[i] = (uint8_t)(class << bin_bits | bin);
        ++counts[class << bin_bits | bin];
    }
}

void ab_order_place(ab_bvh_sort *s)
{
    for (uint32_t range = 0, sum = 0; range < AB_ORDER_CLASSES << s->bin_bits; ++range)
    {
        for (uint32_t part = 0; part < s->partition.tasks; ++part)
        {
            const uint32_t here = s->places[part].next[range];
            s->places[part].next[range] = sum;
            sum += here;
        }
    }
}

void ab_order_deal(ab_bvh_sort *s, uint32_t part)
{
    uint32_t *next = s->places[part].next;
    const ab_centres points = s->points, dealt = s->dealt;
    const ab_order_part *p = &s->parts[part];
    for (uint32_t i = p->first; i < p->first + p->live; ++i)
    {
        const uint32_t to = next[s->range[i]]++;
        dealt.at[0][to] = points.at[0][i];
        dealt.at[1][to] = points.at[1][i];
        dealt.at[2][to] = points.at[2][i];
        dealt.proxy[to] = points.proxy[i];
    }
}

void *ab_order_scratch(const ab_bvh_sort *s, uint32_t first)
{
    return (char *)(void *)s->points.at[0] + first * AB_CENTRE_BYTES;
}

// Cuts the points [first, end), of ranges from `range` on, in two, in four…
static void cut_slabs(const ab_broad *broad, ab_bvh_sort *s, uint32_t first, uint32_t end, const uint32_t *ends,
                      uint32_t range, uint32_t cuts)
{
    if (cuts == 0)
    {
        s->slab[s->slabs++] = first;
        return;
    }
    const uint32_t middle = ab_halve_at(s->start + first, s->start + end) - s->start;
    uint32_t cut = range;
    while (ends[cut] <= middle)
    {
        ++cut;
    }
    const uint32_t low = cut > range ? ends[cut - 1] : first, high = ends[cut] < end ? ends[cut] : end;
    if (low < middle)
    {
        const ab_centres points = ab_centres_from(&s->dealt, low);
        broad->halves->halve(&points, ab_order_scratch(s, low), high - low, middle - low, s->axis);
    }
    cut_slabs(broad, s, first, middle, ends, range, cuts - 1);
    cut_slabs(broad, s, middle, end, ends, cut, cuts - 1);
}

void ab_order_cut(const ab_broad *broad, ab_bvh_sort *s)
{
    const uint32_t *ends = s->places[s->partition.tasks - 1].next; // after dealing
    s->slabs = 0;
    for (uint32_t first = 0, class = 0; class < AB_ORDER_CLASSES; ++class)
    {
        const uint32_t range = class << s->bin_bits, end = ends[range + (1u << s->bin_bits) - 1];
        if (first < end)
        {
            cut_slabs(broad, s, first, end, ends, range, cuts_of(end - first));
        }
        first = end;
    }
    s->slab[s->slabs] = s->count;
}

static void sort_by_filter(const void *context, const ab_centres *points, void *scratch, uint32_t count)
{
    const ab_broad *broad = context;
    if (!broad->filters.filters)
    {
        return;
    }
    uint64_t *words = scratch;
    for (uint32_t i = 0; i < count; ++i)
    {
        words[i] = points->proxy[i];
    }
    ab_bvh_key_by_filter(broad, words, count, KEY_SHIFT);
    words = ab_radix_sort_words(words, words + count, count, KEY_SHIFT, 32);
    for (uint32_t i = 0; i < count; ++i)
    {
        points->proxy[i] = (uint32_t)words[i]; // they are all at one spot
    }
}

const uint32_t *ab_order_slab(const ab_broad *broad, const ab_bvh_sort *s, uint32_t slab)
{
    const uint32_t first = s->slab[slab], count = s->slab[slab + 1] - first;
    const ab_centres points = ab_centres_from(&s->dealt, first);
    broad->halves->order(&points, ab_order_scratch(s, first), s->start + first, count, sort_by_filter, broad);
    return points.proxy;
}

void *ab_order_take_scratch(ab_broad *broad, ab_set set, size_t bytes)
{
    const size_t pairs = bytes / sizeof(ab_pair) + 1;
    ab_array_set_length(broad->pairs, 0);
    if (set == AB_STATIC_SET && bytes > AB_TRIM_LEAST / 2 && arrcap(broad->pairs) < pairs)
    {
        return ab_memory_take(broad->memory, bytes);
    }
    broad->borrowed = pairs;
    return ab_array_reserve(broad->pairs, broad->memory, pairs) ? broad->pairs : NULL;
}

static void give_scratch(ab_broad *broad, void *block, size_t bytes)
{
    if (block != broad->pairs)
    {
        ab_memory_give(broad->memory, block, bytes);
    }
}

abut_status ab_bvh_order(ab_broad *broad, ab_set set, uint32_t start)
{
    const uint32_t span = broad->proxies->region[set].tail - start;
    const size_t sorting = ab_order_bytes(span, 1),
                 permuting = room_for(span, 1) * AB_CENTRE_BYTES + ab_proxies_permute_bytes(set, span);
    const size_t bytes = sorting > permuting ? sorting : permuting;
    char *block = ab_order_take_scratch(broad, set, bytes);
    if (!block)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_bvh_sort sort = { .start = start, .partition = { span, span, 1 } };
    ab_order_lay_out(&sort, block, span);
    ab_order_measure(broad, set, &sort, 0);
    ab_order_plan(&sort);
    ab_order_count(broad, &sort, 0);
    ab_order_place(&sort);
    ab_order_deal(&sort, 0);
    ab_order_cut(broad, &sort);
    for (uint32_t slab = 0; slab < sort.slabs; ++slab)
    {
        ab_order_slab(broad, &sort, slab);
    }
    ab_proxies_permute(broad->proxies, set, start, sort.dealt.proxy, sort.count, ab_order_scratch(&sort, 0));
    give_scratch(broad, block, bytes);
    return ABUT_OK;
}
