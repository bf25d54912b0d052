// Filters candidate pairs and sorts them into bins by pair type: computes each pair's type key, counts the bins, lays
// them out, scatters the pairs.
#include "pairs/pair_stream.h"

#include "base/array.h"
#include "shape/shape_table.h"

#include <string.h>

_Static_assert(AB_TYPE_KEYS <= AB_TYPE_KEY_ROOM, "a row of buckets has room");

// Motion kinds, plus AB_MOTION_SENSOR for sensors.
static bool motions_collide(const ab_pair_rules *rules, uint32_t a, uint32_t b)
{
    const uint32_t motion_a = a & 3u, motion_b = b & 3u, sensors = (a & AB_MOTION_SENSOR) + (b & AB_MOTION_SENSOR);
    if (motion_a >= ABUT_MOTION_COUNT || motion_b >= ABUT_MOTION_COUNT || sensors > AB_MOTION_SENSOR)
    {
        return false;
    }
    return sensors > 0 ? motion_a != ABUT_STATIC || motion_b != ABUT_STATIC
                       : rules->motions_collide[motion_a][motion_b];
}

static bool only_answers(uint32_t kind)
{
    const ab_shape_row *row = ab_shape_row_for((abut_shape_kind)kind);
    return AB_HAS_CHILDREN && row && ab_row_only_answers(row);
}

// The bin of two kinds; two meshes do not collide.
static uint32_t bin_of_kinds(uint32_t a, uint32_t b)
{
    if (only_answers(a) && only_answers(b))
    {
        return AB_BIN_FILTERED;
    }
    return a < b ? ab_pair_type_index(a, b) : ab_pair_type_index(b, a);
}

static void rebuild_motion_sets(ab_pair_rules *rules)
{
    rules->collides[0] = 0;
    for (uint32_t a = 0; 1u << a < AB_MOTION_SETS; ++a)
    {
        uint8_t own = 0;
        for (uint32_t b = 0; 1u << b < AB_MOTION_SETS; ++b)
        {
            own = (uint8_t)(own | (motions_collide(rules, a, b) ? 1u << b : 0u));
        }
        for (uint32_t below = 0; below < 1u << a; ++below) // the sets of which this motion is the last
        {
            rules->collides[1u << a | below] = rules->collides[below] | own;
        }
    }
}

static void rebuild(ab_pair_rules *rules)
{
    rebuild_motion_sets(rules);
    for (uint32_t a = 0; a < AB_TYPE_KEYS; ++a)
    {
        for (uint32_t b = 0; b < AB_TYPE_KEY_ROOM; ++b)
        {
            rules->bin[a][b] = AB_BIN_FILTERED;
        }
    }
    for (uint32_t a = 4; a < AB_TYPE_KEYS; ++a)
    {
        for (uint32_t b = 4; b < AB_TYPE_KEYS; ++b)
        {
            const uint32_t kind_a = a >> 2, kind_b = b >> 2, motion_a = a & 3, motion_b = b & 3;
            if (motion_a < ABUT_MOTION_COUNT && motion_b < ABUT_MOTION_COUNT &&
                rules->motions_collide[motion_a][motion_b])
            {
                rules->bin[a][b] = bin_of_kinds(kind_a, kind_b);
            }
        }
    }
}

void ab_pair_rules_open(ab_pair_rules *rules)
{
    for (uint32_t motion = 0; motion < ABUT_MOTION_COUNT; ++motion)
    {
        for (uint32_t other = 0; other < ABUT_MOTION_COUNT; ++other)
        {
            rules->motions_collide[motion][other] = motion == ABUT_DYNAMIC || other == ABUT_DYNAMIC;
        }
    }
    rebuild(rules);
}

void ab_pair_rules_close(ab_pair_rules *rules)
{
    ab_exclusions_close(&rules->exclusions);
}

void ab_pair_rules_set(ab_pair_rules *rules, abut_motion a, abut_motion b, bool collides)
{
    rules->motions_collide[a][b] = rules->motions_collide[b][a] = collides;
    rebuild(rules);
}

// Decides what type keys cannot: sensors, the colliders' filters, exclusions. `bin` is the pair's by its type keys.
static uint32_t bin_by_all(const ab_pair_rules *rules, const ab_proxies *proxies, const abut_filter *filters,
                           ab_pair pair, uint32_t bin)
{
    const uint32_t flags_a = proxies->proxy_flags[pair.a], flags_b = proxies->proxy_flags[pair.b];
    if ((flags_a | flags_b) & AB_PROXY_SENSOR)
    {
        const uint32_t kind_a = (flags_a & AB_PROXY_TYPE_KEY) >> 2, kind_b = (flags_b & AB_PROXY_TYPE_KEY) >> 2;
        const bool static_both = (flags_a & 3u) == ABUT_STATIC && (flags_b & 3u) == ABUT_STATIC;
        const bool sensor_both = (flags_a & flags_b & AB_PROXY_SENSOR) != 0;
        const uint32_t type = bin_of_kinds(kind_a, kind_b);
        bin = static_both || sensor_both || type == AB_BIN_FILTERED ? AB_BIN_FILTERED : AB_PAIR_TYPES + type;
    }
    if ((flags_a | flags_b) & AB_PROXY_FILTERED)
    {
        const bool collides =
            ab_filters_collide(&filters[proxies->collider[pair.a]], &filters[proxies->collider[pair.b]]);
        bin = collides ? bin : AB_BIN_FILTERED;
    }
    if (flags_a & flags_b & AB_PROXY_EXCLUDED)
    {
        const uint32_t body_a = proxies->collider_key[pair.a] >> 8, body_b = proxies->collider_key[pair.b] >> 8;
        bin = ab_exclusions_times(&rules->exclusions, body_a, body_b) > 0 ? AB_BIN_FILTERED : bin;
    }
    return bin;
}

uint32_t ab_pair_key_exact(const ab_pair_rules *rules, const ab_proxies *proxies, const abut_filter *filters,
                           ab_pair pair)
{
    const uint32_t type_key = ab_pair_type_key(rules, proxies, pair), bin = type_key & AB_KEY_BIN;
    return type_key & AB_KEY_ASK ? bin_by_all(rules, proxies, filters, pair, bin) | (type_key & AB_KEY_SWAP) : type_key;
}

// Several sets of counters in turn: a count need not wait for the one before it.
#define COUNT_SETS 4u

// Decides the pairs of a range whose type keys do not suffice, and counts the bins.
static void count_codes(const ab_pair_pass *pass, const ab_range *range, uint32_t counts[AB_BINS_ALL])
{
    uint32_t sets[COUNT_SETS][AB_BINS_ALL] = { { 0 } };
    uint32_t *const type_keys = pass->stream->type_key;
    for (size_t i = range->first; i < range->first + range->count; ++i)
    {
        if (type_keys[i] & AB_KEY_ASK)
        {
            type_keys[i] = ab_pair_key_exact(pass->rules, pass->broad->proxies, pass->filters, pass->broad->pairs[i]);
        }
        ++sets[i % COUNT_SETS][type_keys[i] & AB_KEY_BIN];
    }
    for (uint32_t bin = 0; bin < AB_BINS_ALL; ++bin)
    {
        counts[bin] += sets[0][bin] + sets[1][bin] + sets[2][bin] + sets[3][bin];
    }
}

// Leaves out the pairs of which neither body was anchored anew.
static void leave_standing(const ab_pair_pass *pass, const ab_pair *pairs, size_t count, uint32_t *type_keys)
{
    const uint32_t *const keys = pass->broad->proxies->collider_key;
    const uint8_t *const known = pass->known;
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t a = known[keys[pairs[i].a] >> 8], b = known[keys[pairs[i].b] >> 8];
        type_keys[i] = ab_anchors_stand(a, b) ? AB_BIN_STANDS : type_keys[i];
    }
}

// Finds each pair's type key and counts the bins.
static void classify(const ab_pair_pass *pass, const ab_range *range, uint32_t counts[AB_BINS_ALL])
{
    const ab_pair *pairs = pass->broad->pairs + range->first;
    uint32_t *type_keys = pass->stream->type_key + range->first;
#ifdef AB_COUNTS_ALIKE
    if (pass->kernels->encode(pass->rules, pass->broad->proxies, pairs, range->count, type_keys) && !pass->known)
    {
        counts[type_keys[0] & AB_KEY_BIN] += range->count;
        return;
    }
#else
    pass->kernels->encode(pass->rules, pass->broad->proxies, pairs, range->count, type_keys);
#endif
    if (pass->known)
    {
        leave_standing(pass, pairs, range->count, type_keys);
    }
    count_codes(pass, range, counts);
}

#ifdef AB_COUNTS_ALIKE
#define AT_ONCE 1024u // pairs: so many are often of one bin
#else
#define AT_ONCE UINT32_MAX
#endif

static void classify_by_parts(const ab_pair_pass *pass, const ab_range *range, uint32_t counts[AB_BINS_ALL])
{
    ab_range part = *range;
    for (uint32_t left = range->count; left > 0; left -= part.count, part.first += part.count)
    {
        part.count = left < AT_ONCE ? left : AT_ONCE;
        classify(pass, &part, counts);
    }
}

// Each part has at least two chunks' worth of candidates, unless there are too few for tasks.
static bool make_parts(ab_pair_pass *pass)
{
    const ab_range *ranges = pass->broad->ranges;
    const size_t count = arrlenu(ranges), all = arrlenu(pass->broad->pairs);
    const size_t least = all <= pass->granularity.whole ? all : 2 * (size_t)pass->granularity.chunk;
    size_t parts = 0;
    if (!ab_array_resize(pass->parts, pass->memory, least > 0 ? all / least + 1 : 1))
    {
        return false;
    }
    for (size_t i = 0; i < count; ++parts)
    {
        ab_pair_part part = { .first_range = i };
        for (size_t taken = 0; i < count && taken < least; ++i)
        {
            taken += ranges[i].count;
        }
        part.ranges = i - part.first_range;
        pass->parts[parts] = part;
    }
    ab_array_set_length(pass->parts, parts);
    return true;
}

static abut_status prepare_type_keys(void *given, uint32_t *tasks)
{
    ab_pair_pass *pass = given;
    const size_t count = arrlenu(pass->broad->pairs);
    _Static_assert(UINT32_MAX - AB_MOST_PAIRS > AB_BINS * (AB_WIDEST + 1), "all pairs and their padding are counted");
    pass->stream->type_key = ab_arena_take(pass->arena, count * sizeof *pass->stream->type_key);
    if (!pass->stream->type_key || !make_parts(pass))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *tasks = (uint32_t)arrlenu(pass->parts);
    return ABUT_OK;
}

static void find_type_keys(void *given, uint32_t task)
{
    const ab_pair_pass *pass = given;
    ab_pair_part *part = &pass->parts[task];
    uint32_t counts[AB_BINS_ALL] = { 0 };
    for (size_t i = 0; i < part->ranges; ++i)
    {
        classify_by_parts(pass, &pass->broad->ranges[part->first_range + i], counts);
    }
    memcpy(part->next, counts, sizeof counts);
}

// Lays out the bins, and within each the parts. Returns the length with padding.
static size_t lay_out(const ab_pair_pass *pass)
{
    ab_pair_stream *stream = pass->stream;
    const size_t parts = arrlenu(pass->parts);
    size_t next = 0;
    for (uint32_t bin = 0; bin < AB_BINS; ++bin)
    {
        stream->first[bin] = (uint32_t)next;
        for (size_t i = 0; i < parts; ++i)
        {
            const uint32_t here = pass->parts[i].next[bin];
            if (here > 0) // else the part has no use for them
            {
                pass->parts[i].next[bin] = (uint32_t)next;
                next += here;
                pass->parts[i].end[bin] = (uint32_t)next;
            }
        }
        stream->count[bin] = (uint32_t)next - stream->first[bin];
        next += stream->count[bin] ? AB_WIDEST : 0;
    }
    stream->filtered = 0;
    for (size_t i = 0; i < parts; ++i)
    {
        stream->filtered += pass->parts[i].next[AB_BIN_FILTERED];
    }
    return next;
}

static abut_status prepare_bins(void *given, uint32_t *tasks)
{
    ab_pair_pass *pass = given;
    const size_t length = lay_out(pass);
    *tasks = (uint32_t)arrlenu(pass->parts);
    pass->stream->a = ab_arena_take(pass->arena, length * sizeof *pass->stream->a);
    pass->stream->b = ab_arena_take(pass->arena, length * sizeof *pass->stream->b);
    return pass->stream->a && pass->stream->b ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void fill_bins(void *given, uint32_t task)
{
    const ab_pair_pass *pass = given;
    ab_pair_part *part = &pass->parts[task];
    for (size_t i = 0; i < part->ranges; ++i)
    {
        const ab_range *range = &pass->broad->ranges[part->first_range + i];
        pass->kernels->scatter(pass->stream, pass->broad->pairs, range->first, range->count, part);
    }
}

static void pad(ab_pair_stream *stream)
{
    for (uint32_t bin = 0; bin < AB_BINS; ++bin)
    {
        if (stream->count[bin] == 0)
        {
            continue;
        }
        const uint32_t first = stream->first[bin], end = first + stream->count[bin];
        for (uint32_t i = 0; i < AB_WIDEST; ++i)
        {
            stream->a[end + i] = stream->a[first];
            stream->b[end + i] = stream->b[first];
        }
    }
}

static abut_status pad_bins(void *given, uint32_t *tasks)
{
    const ab_pair_pass *pass = given;
    (void)tasks;
    pad(pass->stream);
    return ABUT_OK;
}

const ab_phase ab_pair_phases[] = {
    { prepare_type_keys, find_type_keys }, { prepare_bins, fill_bins }, { pad_bins, NULL }, { NULL, NULL }
};

void ab_pair_pass_close(ab_pair_pass *pass)
{
    arrfree(pass->parts);
}

void ab_pair_pass_trim(ab_pair_pass *pass)
{
    ab_array_trim(pass->parts, pass->memory, 0);
}
