// Sorts proxies into the order of the tree: by size class, so that a few large AABBs do not inflate the nodes of many
// small ones, then by position on a Hilbert curve. While pairs are dropped, sensors are classes of their own, so that
// few nodes hold both sensors and others, and filters can separate nodes. Where many share a cell, as when one body is
// far from all others, sorts the cell again by a finer curve of its own, so the order does not depend on how evenly
// bodies are spread.
#include "base/array.h"
#include "base/platform.h"
#include "base/radix.h"
#include "broad/bvh.h"

#include <string.h>

#define CLASS_OCTAVES 3u // doublings per size class
#define CLASS_BITS    2u
#define PLACE_BITS    30u      // below the class in a key
#define CROWDED       AB_BLOCK // proxies of one key that need no finer curve: they fit a block
#define FINEST        8u       // nested curves: each divides lengths by 1024, so floats are exhausted sooner
#define BEYOND        1.0e30f

// A word to sort: the key in the upper half, the proxy in the lower.
#define KEY_SHIFT 32u

// Twice the centre of a proxy, and its largest extent.
typedef struct ab_sort_point
{
    float centre[3];
    float size;
} point;

typedef ab_curve_cells cells;
typedef ab_order_part part;

typedef struct sorting
{
    const ab_proxies *proxies;
    const abut_pose *poses; // by body slot
    const ab_hilbert *curve;
    uint32_t median; // octave of the median size
    const ab_broad *broad;
} sorting;

static sorting sorting_by(const ab_broad *broad)
{
    const ab_bvh *bvh = broad->state;
    return (sorting){ broad->proxies, broad->in.poses, &bvh->curve, bvh->sort.median, broad };
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// A proxy without an AABB, before its first bounds pass, uses its body's present position. An invalid pose may leave
// NaN or infinity, which give some valid cell.
AB_INLINE point point_of(const ab_proxies *proxies, const abut_pose *poses, uint32_t proxy)
{
    const ab_aabb8 *b = &proxies->block[proxy / AB_BLOCK];
    const uint32_t k = proxy % AB_BLOCK;
    if (b->min_x[k] == AB_EMPTY_BOX)
    {
        const ab_record *record = &proxies->record[proxy];
        const abut_vec3 position = poses[record->collider_key >> 8].position;
        return (point){ { 2.0f * position.x, 2.0f * position.y, 2.0f * position.z },
                        2.0f * larger(record->half_x, larger(record->half_y, record->half_z)) };
    }
    return (point){ { b->min_x[k] + b->max_x[k], b->min_y[k] + b->max_y[k], b->min_z[k] + b->max_z[k] },
                    larger(b->max_x[k] - b->min_x[k], larger(b->max_y[k] - b->min_y[k], b->max_z[k] - b->min_z[k])) };
}

static uint32_t octave_of(float size)
{
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return bits >> 23 & 0xffu;
}

static uint32_t class_of(float size, uint32_t median)
{
    const uint32_t octave = octave_of(size);
    const uint32_t above = octave > median ? (octave - median) / CLASS_OCTAVES : 0;
    const uint32_t most = (1u << CLASS_BITS) - 1;
    return above < most ? above : most;
}

static uint32_t proxy_of_word(uint64_t word)
{
    return (uint32_t)word;
}

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

static const part empty_part = { .low = { BEYOND, BEYOND, BEYOND }, .high = { -BEYOND, -BEYOND, -BEYOND } };

static cells cells_between(const float low[3], const float high[3], uint32_t count)
{
    const float longest = larger(high[0] - low[0], larger(high[1] - low[1], high[2] - low[2]));
    cells c = { .low = { low[0], low[1], low[2] }, .bits = bits_for(count) };
    c.scale = longest > 0.0f ? (float)(1u << c.bits) / longest : 0.0f;
    return c;
}

static cells cells_around(const point *points, uint32_t count)
{
    float low_x = BEYOND, low_y = BEYOND, low_z = BEYOND, high_x = -BEYOND, high_y = -BEYOND, high_z = -BEYOND;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float x = points[i].centre[0], y = points[i].centre[1], z = points[i].centre[2];
        low_x = x < low_x ? x : low_x, high_x = x > high_x ? x : high_x;
        low_y = y < low_y ? y : low_y, high_y = y > high_y ? y : high_y;
        low_z = z < low_z ? z : low_z, high_z = z > high_z ? z : high_z;
    }
    const float low[3] = { low_x, low_y, low_z }, high[3] = { high_x, high_y, high_z };
    return cells_between(low, high, count);
}

static uint32_t cell_of(const cells *c, float coordinate, uint32_t k)
{
    const float at = (coordinate - c->low[k]) * c->scale, last = (float)((1u << c->bits) - 1);
    return (uint32_t)(at > 0.0f ? (at < last ? at : last) : 0.0f);
}

AB_INLINE uint32_t key_of(const sorting *sort, const cells *c, const point *s)
{
    const uint32_t x = cell_of(c, s->centre[0], 0), y = cell_of(c, s->centre[1], 1), z = cell_of(c, s->centre[2], 2);
    const uint32_t place = ab_hilbert_position(sort->curve, x, y, z, c->bits);
    return class_of(s->size, sort->median) << PLACE_BITS | place << (PLACE_BITS - 3 * c->bits);
}

static uint32_t median_of(const uint32_t counts[256], uint32_t count)
{
    uint32_t octave = 0, below = counts[0];
    while (below <= count / 2 && octave < 255)
    {
        below += counts[++octave];
    }
    return octave;
}

static uint32_t median_octave(const point *points, uint32_t count)
{
    uint32_t counts[256] = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        ++counts[octave_of(points[i].size)];
    }
    return median_of(counts, count);
}

static void insertion_sort(uint64_t *words, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const uint64_t moved = words[i];
        uint32_t j = i;
        for (; j > 0 && words[j - 1] >> KEY_SHIFT > moved >> KEY_SHIFT; --j)
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
    const unsigned zeros = PLACE_BITS - 3 * bits;
    const uint64_t *sorted = ab_radix_sort_words(words, scratch, count, KEY_SHIFT + zeros, 3 * bits + CLASS_BITS);
    if (sorted != words)
    {
        memcpy(words, sorted, count * sizeof *words);
    }
}

static void sort_range(sorting *sort, uint64_t *words, point *scratch, uint32_t count, uint32_t depth);

// Sorts runs of equal keys again, each by a curve of its own, unless a run has `whole` proxies.
static void refine(sorting *sort, uint64_t *words, point *scratch, uint32_t count, uint32_t whole, uint32_t depth)
{
    for (uint32_t first = 0, end; first < count; first = end)
    {
        end = first + 1;
        while (end < count && words[end] >> KEY_SHIFT == words[first] >> KEY_SHIFT)
        {
            ++end;
        }
        if (end - first > CROWDED && end - first < whole)
        {
            sort_range(sort, words + first, scratch, end - first, depth + 1);
        }
    }
}

// `scratch` has room for `count` points; once the keys are computed, the sort uses it for words.
static void sort_range(sorting *sort, uint64_t *words, point *scratch, uint32_t count, uint32_t depth)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i] = point_of(sort->proxies, sort->poses, proxy_of_word(words[i]));
    }
    const cells c = cells_around(scratch, count);
    sort->median = depth == 0 ? median_octave(scratch, count) : sort->median;
    for (uint32_t i = 0; i < count; ++i)
    {
        words[i] = (uint64_t)key_of(sort, &c, &scratch[i]) << KEY_SHIFT | proxy_of_word(words[i]);
    }
    ab_bvh_set_sensors_apart(sort->broad, words, count, KEY_SHIFT + PLACE_BITS);
    sort_words(words, (uint64_t *)(void *)scratch, count, c.bits);
    if (depth < FINEST)
    {
        refine(sort, words, scratch, count, count, depth);
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

// Moves proxy numbers to the front of the words' own memory.
static uint32_t *strip_keys(uint64_t *words, uint32_t count)
{
    uint32_t *order = (uint32_t *)(void *)words;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxy_of_word(words[i]);
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
    sorting sort = sorting_by(broad);
    if (count > 0)
    {
        sort_range(&sort, words, scratch, count, 0);
    }
    ab_proxies_permute(proxies, set, start, strip_keys(words, count), count, scratch);
}

// The last run's pairs are dead, so their memory serves as scratch. The static set, which needs more and is sorted only
// after edits, allocates temporarily instead of growing it.
static void *take_scratch(ab_broad *broad, ab_set set, size_t bytes)
{
    const size_t pairs = bytes / sizeof(ab_pair) + 1;
    ab_array_set_length(broad->pairs, 0);
    if (set == AB_STATIC_SET && arrcap(broad->pairs) < pairs)
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
    const size_t word_bytes = words * sizeof(uint64_t), point_bytes = words * sizeof(point);
    const size_t permuting_bytes = ab_proxies_permute_bytes(set, most);
    const size_t bytes = word_bytes + (point_bytes > permuting_bytes ? point_bytes : permuting_bytes);
    char *block = take_scratch(broad, set, bytes);
    if (!block)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    sort_and_permute(broad, set, start, (uint64_t *)(void *)block, block + word_bytes);
    give_scratch(broad, block, bytes);
    return ABUT_OK;
}

// Sorting in tasks.

static ab_bvh_sort *sort_of(const ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    return &bvh->sort;
}

// Small builds sort bodies on one thread: to the compiler, what follows has no body there.
#ifdef AB_SMALL
#define DIVIDES false
#else
#define DIVIDES true
#endif

static inline bool is_divided(const ab_bvh_sort *s)
{
    return DIVIDES && s->divided;
}

// The proxy at an index of the range to sort.
static uint32_t proxy_at(const ab_broad *broad, size_t place)
{
    return broad->proxies->region[AB_ACTIVE].first * AB_BLOCK + sort_of(broad)->start + (uint32_t)place;
}

// Lays out the memory: words before and after, points, radix places and parts.
static bool divide(ab_broad *broad, uint32_t count)
{
    ab_bvh_sort *s = sort_of(broad);
    const size_t words = ((size_t)count + AB_BLOCK) / AB_BLOCK * AB_BLOCK, tasks = s->partition.tasks;
    const size_t bytes = words * (2 * sizeof(uint64_t) + sizeof(point)) + tasks * sizeof *s->radix.places;
    char *block = take_scratch(broad, AB_ACTIVE, bytes + tasks * sizeof *s->parts);
    if (!block)
    {
        return false;
    }
    s->radix = (ab_radix){ .width = 1, .parts = s->partition.tasks, .chunk = (uint32_t)s->partition.chunk };
    s->radix.from = (uint64_t *)(void *)block;
    s->radix.to = s->radix.from + words;
    s->points = (point *)(void *)(s->radix.to + words);
    s->radix.places = (ab_radix_places *)(void *)(s->points + words);
    s->parts = (part *)(void *)(s->radix.places + tasks);
    return true;
}

abut_status ab_bvh_order_begin(ab_broad *broad, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(broad);
    const uint32_t tail = broad->proxies->region[AB_ACTIVE].tail;
    s->partition = ab_partition_into(&broad->granularity, tail - s->start, 1);
    s->divided = DIVIDES && s->partition.tasks > 1 && !broad->single_threaded;
    if (!is_divided(s))
    {
        return s->start == tail ? ABUT_OK : ab_bvh_order(broad, AB_ACTIVE, s->start);
    }
    *tasks = s->partition.tasks;
    return divide(broad, tail - s->start) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void widen(part *p, const float low[3], const float high[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        p->low[k] = low[k] < p->low[k] ? low[k] : p->low[k];
        p->high[k] = high[k] > p->high[k] ? high[k] : p->high[k];
    }
}

void ab_bvh_order_measure(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    const size_t end = ab_partition_end(&s->partition, task);
    part p = empty_part;
    for (size_t i = ab_partition_first(&s->partition, task); i < end; ++i)
    {
        const uint32_t proxy = proxy_at(broad, i);
        if (broad->proxies->collider[proxy] != ABUT_NONE)
        {
            s->points[i] = point_of(broad->proxies, broad->in.poses, proxy);
            widen(&p, s->points[i].centre, s->points[i].centre);
            ++p.octaves[octave_of(s->points[i].size)];
            ++p.live;
        }
    }
    s->parts[task] = p;
}

abut_status ab_bvh_order_prepare_keys(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    part all = empty_part;
    if (!is_divided(s))
    {
        return ABUT_OK;
    }
    for (uint32_t i = 0; i < s->partition.tasks; ++i)
    {
        part *p = &s->parts[i];
        p->first = all.live;
        all.live += p->live;
        widen(&all, p->low, p->high);
        for (uint32_t octave = 0; octave < 256; ++octave)
        {
            all.octaves[octave] += p->octaves[octave];
        }
    }
    s->count = all.live;
    s->cells = cells_between(all.low, all.high, all.live);
    s->median = median_of(all.octaves, all.live);
    s->radix.bits = 3 * s->cells.bits + CLASS_BITS;
    s->radix.shift = KEY_SHIFT + PLACE_BITS - 3 * s->cells.bits;
    *tasks = s->partition.tasks;
    return ABUT_OK;
}

void ab_bvh_order_make_keys(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    const sorting sort = sorting_by(broad);
    const size_t end = ab_partition_end(&s->partition, task), first = s->parts[task].first;
    size_t to = first;
    for (size_t i = ab_partition_first(&s->partition, task); i < end; ++i)
    {
        const uint32_t proxy = proxy_at(broad, i);
        if (broad->proxies->collider[proxy] != ABUT_NONE)
        {
            s->radix.from[to++] = (uint64_t)key_of(&sort, &s->cells, &s->points[i]) << KEY_SHIFT | proxy;
        }
    }
    ab_bvh_set_sensors_apart(broad, s->radix.from + first, to - first, KEY_SHIFT + PLACE_BITS);
    ab_radix_count(&s->radix, task, first, to);
}

abut_status ab_bvh_order_prepare_deal(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_radix_place(&s->radix);
        *tasks = s->partition.tasks;
    }
    return ABUT_OK;
}

void ab_bvh_order_deal(void *pass, uint32_t task)
{
    const ab_bvh_sort *s = sort_of(pass);
    if (!is_divided(s))
    {
        return;
    }
    const part *p = &s->parts[task];
    ab_radix_deal(&s->radix, task, p->first, (size_t)p->first + p->live);
}

abut_status ab_bvh_order_prepare_ranges(void *pass, uint32_t *tasks)
{
    const ab_bvh_sort *s = sort_of(pass);
    *tasks = is_divided(s) ? s->radix.tasks : 0;
    return ABUT_OK;
}

// Reuses memory: moved proxies replace a range's points, their names its input words.
static ab_proxy_moved *kept_at(const ab_bvh_sort *s, uint32_t place)
{
    _Static_assert(sizeof(ab_proxy_moved) == sizeof(point), "one takes the place of the other");
    return (ab_proxy_moved *)(void *)(s->points + place);
}

static ab_proxy_naming *naming_at(const ab_bvh_sort *s, uint32_t place)
{
    _Static_assert(sizeof(ab_proxy_naming) == sizeof(uint64_t), "one takes the place of the other");
    return (ab_proxy_naming *)(void *)(s->radix.from + place);
}

// Equal keys are in one range.
void ab_bvh_order_sort_range(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    sorting sort = sorting_by(broad);
    const uint32_t first = s->radix.first[task], count = s->radix.first[task + 1] - first;
    uint64_t *words = s->radix.to + first;
    ab_radix_finish(&s->radix, task);
    refine(&sort, words, s->points + first, count, s->count, 0);
    ab_proxies_take_up(broad->proxies, strip_keys(words, count), count, kept_at(s, first), naming_at(s, first));
}

abut_status ab_bvh_order_prepare_put(void *pass, uint32_t *tasks)
{
    return ab_bvh_order_prepare_ranges(pass, tasks);
}

void ab_bvh_order_put(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    const uint32_t first = s->radix.first[task], count = s->radix.first[task + 1] - first;
    ab_proxies_put_down(broad->proxies, s->start + first, count, kept_at(s, first), naming_at(s, first));
}

void ab_bvh_order_end(ab_broad *broad)
{
    const ab_bvh_sort *s = sort_of(broad);
    if (is_divided(s))
    {
        ab_proxies_end_permute(broad->proxies, AB_ACTIVE, s->start, s->count);
    }
}
