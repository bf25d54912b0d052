// Sorts proxies into the order of the tree: by size class, so that a few large AABBs do not inflate the nodes of many
// small ones, then by position on a Hilbert curve. While pairs are dropped, sensors are classes of their own, so that
// few nodes hold both sensors and others, and filters can separate nodes. Where many share a cell, as when one body is
// far from all others, sorts the cell again by a finer curve of its own, so the order does not depend on how evenly
// bodies are spread; and what is at one spot by filter.
#include "broad/bvh_order.h"

#include "base/array.h"
#include "base/radix.h"

#define CROWDED AB_BLOCK // proxies of one key that need no finer curve: they fit a block
#define FINEST  8u       // nested curves: each divides lengths by 1024, so floats are exhausted sooner

// The bits of a curve that separate `count` evenly spread proxies: about two cells per proxy.
static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 4;
    while (bits < AB_HILBERT_MOST_BITS && (uint64_t)count << 1 > (uint64_t)1 << 3 * bits)
    {
        bits += 2;
    }
    return bits;
}

ab_curve_cells ab_cells_between(const float low[3], const float high[3], uint32_t count)
{
    const float longest = ab_larger(high[0] - low[0], ab_larger(high[1] - low[1], high[2] - low[2]));
    ab_curve_cells c = { .low = { low[0], low[1], low[2] }, .bits = bits_for(count) };
    c.scale = longest > 0.0f ? (float)(1u << c.bits) / longest : 0.0f;
    return c;
}

static ab_curve_cells cells_around(const ab_sort_point *points, uint32_t count)
{
    float low_x = AB_BEYOND, low_y = AB_BEYOND, low_z = AB_BEYOND, high_x = -AB_BEYOND, high_y = -AB_BEYOND,
          high_z = -AB_BEYOND;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float x = points[i].centre[0], y = points[i].centre[1], z = points[i].centre[2];
        low_x = x < low_x ? x : low_x, high_x = x > high_x ? x : high_x;
        low_y = y < low_y ? y : low_y, high_y = y > high_y ? y : high_y;
        low_z = z < low_z ? z : low_z, high_z = z > high_z ? z : high_z;
    }
    const float low[3] = { low_x, low_y, low_z }, high[3] = { high_x, high_y, high_z };
    return ab_cells_between(low, high, count);
}

uint32_t ab_median_of(const uint32_t counts[256], uint32_t count)
{
    uint32_t octave = 0, below = counts[0];
    while (below <= count / 2 && octave < 255)
    {
        below += counts[++octave];
    }
    return octave;
}

static uint32_t median_octave(const ab_sort_point *points, uint32_t count)
{
    uint32_t counts[256] = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        ++counts[ab_octave_of(points[i].size)];
    }
    return ab_median_of(counts, count);
}

static void insertion_sort(uint64_t *words, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const uint64_t moved = words[i];
        uint32_t j = i;
        for (; j > 0 && words[j - 1] >> AB_KEY_SHIFT > moved >> AB_KEY_SHIFT; --j)
        {
            words[j] = words[j - 1];
        }
        words[j] = moved;
    }
}

// Sorts words in place.
static void sort_words(uint64_t *words, uint64_t *scratch, uint32_t count, uint32_t bits)
{
    if (count <= 64)
    {
        insertion_sort(words, count);
        return;
    }
    // Keys of few bits end in zeros.
    const unsigned zeros = AB_PLACE_BITS - 3 * bits;
    const uint64_t *sorted = ab_radix_sort_words(words, scratch, count, AB_KEY_SHIFT + zeros, 3 * bits + AB_CLASS_BITS);
    if (sorted != words)
    {
        memcpy(words, sorted, count * sizeof *words);
    }
}

static void sort_range(ab_sorting *sort, uint64_t *words, ab_sort_point *scratch, uint32_t count, uint32_t depth);

void ab_order_refine(ab_sorting *sort, uint64_t *words, ab_sort_point *scratch, uint32_t count, uint32_t whole,
                     uint32_t depth)
{
    for (uint32_t first = 0, end; first < count; first = end)
    {
        end = first + 1;
        while (end < count && words[end] >> AB_KEY_SHIFT == words[first] >> AB_KEY_SHIFT)
        {
            ++end;
        }
        if (end - first > CROWDED && end - first < whole)
        {
            sort_range(sort, words + first, scratch, end - first, depth + 1);
        }
        else if (end - first > CROWDED && sort->broad->filters.filters)
        {
            ab_bvh_key_by_filter(sort->broad, words + first, end - first, AB_KEY_SHIFT);
            sort_words(words + first, (uint64_t *)(void *)scratch, end - first, AB_PLACE_BITS / 3);
        }
    }
}

// `scratch` has room for `count` points; once the keys are computed, the sort uses it for words.
static void sort_range(ab_sorting *sort, uint64_t *words, ab_sort_point *scratch, uint32_t count, uint32_t depth)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i] = ab_sort_point_of(sort->proxies, sort->poses, ab_proxy_of_word(words[i]));
    }
    const ab_curve_cells c = cells_around(scratch, count);
    sort->median = depth == 0 ? median_octave(scratch, count) : sort->median;
    for (uint32_t i = 0; i < count; ++i)
    {
        words[i] = (uint64_t)ab_sort_key(sort, &c, &scratch[i]) << AB_KEY_SHIFT | ab_proxy_of_word(words[i]);
    }
    ab_bvh_set_sensors_apart(sort->broad, words, count, AB_KEY_SHIFT + AB_PLACE_BITS);
    sort_words(words, (uint64_t *)(void *)scratch, count, c.bits);
    if (depth < FINEST)
    {
        ab_order_refine(sort, words, scratch, count, count, depth);
    }
}

static uint32_t collect_live(const ab_proxies *proxies, uint32_t first, uint32_t end, uint64_t *words)
{
    uint32_t count = 0;
    for (uint32_t proxy = first; proxy < end; ++proxy)
    {
        words[count] = proxy;
        count += proxies->collider[proxy] != ABUT_NONE;
    }
    return count;
}

uint32_t *ab_strip_keys(uint64_t *words, uint32_t count)
{
    uint32_t *order = (uint32_t *)(void *)words;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = ab_proxy_of_word(words[i]);
        memcpy(&order[i], &proxy, sizeof proxy);
    }
    return order;
}

static void sort_and_permute(ab_broad *broad, ab_set set, uint32_t start, uint64_t *words, void *scratch)
{
    ab_proxies *proxies = broad->proxies;
    const ab_region *region = &proxies->region[set];
    const uint32_t first = region->first * AB_BLOCK;
    const uint32_t count = collect_live(proxies, first + start, first + region->tail, words);
    ab_sorting sort = ab_sorting_by(broad);
    if (count > 0)
    {
        sort_range(&sort, words, scratch, count, 0);
    }
    ab_proxies_permute(proxies, set, start, ab_strip_keys(words, count), count, scratch);
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
    const uint32_t most = broad->proxies->region[set].tail - start + 1;
    const size_t words = (size_t)(most + AB_BLOCK) / AB_BLOCK * AB_BLOCK; // a multiple of 64 bytes
    const size_t word_bytes = words * sizeof(uint64_t), point_bytes = words * sizeof(ab_sort_point);
    const size_t permuting_bytes = ab_proxies_permute_bytes(set, most);
    const size_t bytes = word_bytes + (point_bytes > permuting_bytes ? point_bytes : permuting_bytes);
    char *block = ab_order_take_scratch(broad, set, bytes);
    if (!block)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    sort_and_permute(broad, set, start, (uint64_t *)(void *)block, block + word_bytes);
    give_scratch(broad, block, bytes);
    return ABUT_OK;
}
