#include "pairs/pair_stream.h"

#include "base/array.h"

#include <string.h>

_Static_assert(AB_CLASSES <= AB_CLASS_ROOM, "a row of buckets has room");

static void rebuild(ab_pair_rules *rules)
{
    for (uint32_t a = 0; a < AB_CLASSES; ++a)
    {
        for (uint32_t b = 0; b < AB_CLASS_ROOM; ++b)
        {
            rules->bucket[a][b] = AB_REFUSED;
        }
    }
    for (uint32_t a = 4; a < AB_CLASSES; ++a)
    {
        for (uint32_t b = 4; b < AB_CLASSES; ++b)
        {
            const uint32_t kind_a = a >> 2, kind_b = b >> 2, motion_a = a & 3, motion_b = b & 3;
            if (motion_a < ABUT_MOTION_COUNT && motion_b < ABUT_MOTION_COUNT && rules->meets[motion_a][motion_b])
            {
                rules->bucket[a][b] = (kind_a < kind_b ? ab_cell_of(kind_a, kind_b) : ab_cell_of(kind_b, kind_a));
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
            rules->meets[motion][other] = motion == ABUT_DYNAMIC || other == ABUT_DYNAMIC;
        }
    }
    rebuild(rules);
}

void ab_pair_rules_close(ab_pair_rules *rules)
{
    ab_exclusions_close(&rules->exclusions);
}

void ab_pair_rules_set(ab_pair_rules *rules, abut_motion a, abut_motion b, bool meets)
{
    rules->meets[a][b] = rules->meets[b][a] = meets;
    rebuild(rules);
}

bool ab_filters_meet(const abut_filter *a, const abut_filter *b)
{
    if (a->group != 0 && a->group == b->group)
    {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// What the classes of a pair do not tell: sensors, filters of their own, exclusions. `bucket` is the pair's by its classes.
static uint32_t bucket_by_all(const ab_pair_rules *rules, const ab_leaves *leaves, const abut_filter *filters,
                              ab_pair pair, uint32_t bucket)
{
    const uint32_t traits_a = leaves->traits[pair.a], traits_b = leaves->traits[pair.b];
    if ((traits_a | traits_b) & AB_TRAIT_SENSOR)
    {
        const uint32_t kind_a = (traits_a & AB_TRAIT_CLASS) >> 2, kind_b = (traits_b & AB_TRAIT_CLASS) >> 2;
        const bool static_both = (traits_a & 3u) == ABUT_STATIC && (traits_b & 3u) == ABUT_STATIC;
        const bool sensor_both = (traits_a & traits_b & AB_TRAIT_SENSOR) != 0;
        const uint32_t cell = kind_a < kind_b ? ab_cell_of(kind_a, kind_b) : ab_cell_of(kind_b, kind_a);
        bucket = static_both || sensor_both ? AB_REFUSED : AB_CELLS + cell;
    }
    if ((traits_a | traits_b) & AB_TRAIT_FILTERED)
    {
        const bool meet = ab_filters_meet(&filters[leaves->collider[pair.a]], &filters[leaves->collider[pair.b]]);
        bucket = meet ? bucket : AB_REFUSED;
    }
    if (traits_a & traits_b & AB_TRAIT_EXCLUDED)
    {
        const uint32_t body_a = leaves->order[pair.a] >> 8, body_b = leaves->order[pair.b] >> 8;
        bucket = ab_exclusions_times(&rules->exclusions, body_a, body_b) > 0 ? AB_REFUSED : bucket;
    }
    return bucket;
}

uint32_t ab_pair_code(const ab_pair_rules *rules, const ab_leaves *leaves, const abut_filter *filters, ab_pair pair)
{
    const uint32_t code = ab_pair_class_code(rules, leaves, pair), bucket = code & AB_CODE_BUCKET;
    return code & AB_CODE_ASK ? bucket_by_all(rules, leaves, filters, pair, bucket) | (code & AB_CODE_SWAP) : code;
}

// Counts are kept in several sets in turn, so that one pair's count does not wait for the last one's.
#define COUNT_SETS 4u

// Asks about each pair of a span that classes do not tell, and counts the buckets.
static void count_codes(const ab_pair_pass *pass, const ab_span *span, uint32_t counts[AB_FATES])
{
    uint32_t sets[COUNT_SETS][AB_FATES] = { { 0 } };
    uint32_t *const codes = pass->stream->code;
    for (size_t i = span->first; i < span->first + span->count; ++i)
    {
        if (codes[i] & AB_CODE_ASK)
        {
            codes[i] = ab_pair_code(pass->rules, pass->broad->leaves, pass->filters, pass->broad->pairs[i]);
        }
        ++sets[i % COUNT_SETS][codes[i] & AB_CODE_BUCKET];
    }
    for (uint32_t bucket = 0; bucket < AB_FATES; ++bucket)
    {
        counts[bucket] += sets[0][bucket] + sets[1][bucket] + sets[2][bucket] + sets[3][bucket];
    }
}

// Finds each pair's code and counts the buckets.
static void classify(const ab_pair_pass *pass, const ab_span *span, uint32_t counts[AB_FATES])
{
    const ab_pair *pairs = pass->broad->pairs + span->first;
    uint32_t *codes = pass->stream->code + span->first;
    pass->kernels->encode(pass->rules, pass->broad->leaves, pairs, span->count, codes);
    if (pass->settle)
    {
        pass->settle(&pass->settled, pass->broad->leaves->order, pairs, span->count, AB_SETTLED, codes);
    }
    count_codes(pass, span, counts);
}

// Some thousands of candidates each.
static bool make_parts(ab_pair_pass *pass)
{
    const ab_span *spans = pass->broad->spans;
    const size_t count = arrlenu(spans), all = arrlenu(pass->broad->pairs);
    const size_t least = all <= pass->grain.whole ? all : 2 * (size_t)pass->grain.chunk;
    size_t parts = 0;
    if (!ab_array_resize(pass->parts, pass->memory, least > 0 ? all / least + 1 : 1))
    {
        return false;
    }
    for (size_t i = 0; i < count; ++parts)
    {
        ab_pair_part part = { .first_span = i };
        for (size_t taken = 0; i < count && taken < least; ++i)
        {
            taken += spans[i].count;
        }
        part.spans = i - part.first_span;
        pass->parts[parts] = part;
    }
    ab_array_set_length(pass->parts, parts);
    return true;
}

static abut_status prepare_codes(void *given, uint32_t *tasks)
{
    ab_pair_pass *pass = given;
    const size_t count = arrlenu(pass->broad->pairs);
    _Static_assert(UINT32_MAX - AB_MOST_PAIRS > AB_BUCKETS * (AB_WIDEST + 1),
                   "all pairs and their padding are counted");
    if (!ab_array_resize(pass->stream->code, pass->memory, count) || !make_parts(pass))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *tasks = (uint32_t)arrlenu(pass->parts);
    return ABUT_OK;
}

static void find_codes(void *given, uint32_t task)
{
    const ab_pair_pass *pass = given;
    ab_pair_part *part = &pass->parts[task];
    uint32_t counts[AB_FATES] = { 0 };
    for (size_t i = 0; i < part->spans; ++i)
    {
        classify(pass, &pass->broad->spans[part->first_span + i], counts);
    }
    memcpy(part->next, counts, sizeof counts);
}

// Where each bucket begins, and within it each part; the whole length with padding.
static size_t lay_out(const ab_pair_pass *pass)
{
    ab_pair_stream *stream = pass->stream;
    const size_t parts = arrlenu(pass->parts);
    size_t next = 0;
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        stream->first[bucket] = (uint32_t)next;
        for (size_t i = 0; i < parts; ++i)
        {
            const uint32_t here = pass->parts[i].next[bucket];
            pass->parts[i].next[bucket] = (uint32_t)next;
            next += here;
            pass->parts[i].end[bucket] = (uint32_t)next;
        }
        stream->count[bucket] = (uint32_t)next - stream->first[bucket];
        next += stream->count[bucket] ? AB_WIDEST : 0;
    }
    stream->refused = 0;
    for (size_t i = 0; i < parts; ++i)
    {
        stream->refused += pass->parts[i].next[AB_REFUSED];
    }
    return next;
}

static abut_status prepare_buckets(void *given, uint32_t *tasks)
{
    ab_pair_pass *pass = given;
    const size_t length = lay_out(pass);
    *tasks = (uint32_t)arrlenu(pass->parts);
    const bool made = ab_array_resize(pass->stream->a, pass->memory, length) &&
                      ab_array_resize(pass->stream->b, pass->memory, length);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void fill_buckets(void *given, uint32_t task)
{
    const ab_pair_pass *pass = given;
    ab_pair_part *part = &pass->parts[task];
    for (size_t i = 0; i < part->spans; ++i)
    {
        const ab_span *span = &pass->broad->spans[part->first_span + i];
        pass->kernels->scatter(pass->stream, pass->broad->pairs, span->first, span->count, part);
    }
}

static void pad(ab_pair_stream *stream)
{
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        const uint32_t first = stream->first[bucket], end = first + stream->count[bucket];
        for (uint32_t i = 0; i < AB_WIDEST && end != first; ++i)
        {
            stream->a[end + i] = stream->a[first];
            stream->b[end + i] = stream->b[first];
        }
    }
}

static abut_status pad_buckets(void *given, uint32_t *tasks)
{
    const ab_pair_pass *pass = given;
    (void)tasks;
    pad(pass->stream);
    return ABUT_OK;
}

const ab_phase ab_pair_phases[] = {
    { prepare_codes, find_codes }, { prepare_buckets, fill_buckets }, { pad_buckets, NULL }, { NULL, NULL }
};

void ab_pair_pass_close(ab_pair_pass *pass)
{
    arrfree(pass->parts);
}

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return &ab_pair_kernels_##name;
#define DECLARE_(name, isa) extern const ab_pair_kernels ab_pair_kernels_##name;
AB_FOR_EACH_ISA(DECLARE_)

const ab_pair_kernels *ab_pair_kernels_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
