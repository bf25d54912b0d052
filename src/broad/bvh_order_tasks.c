// Sorts the proxies of the active set into the order of the tree in tasks: each measures a part of them, makes their
// keys, deals them into ranges of keys, sorts a range, and puts its proxies down. Of little it makes no tasks.
#include "broad/bvh_order.h"

static const ab_order_part empty_part = { .low = { AB_BEYOND, AB_BEYOND, AB_BEYOND },
                                          .high = { -AB_BEYOND, -AB_BEYOND, -AB_BEYOND } };

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

// Behind the points there is one for each word.
static ab_contact_name *names_at(const ab_bvh_sort *s, uint32_t place)
{
    const ptrdiff_t words = s->radix.to - s->radix.from;
    return (ab_contact_name *)(void *)(s->points + words) + place;
}

// Lays out the memory: words before and after, points, names, radix places and parts.
static bool divide(ab_broad *broad, uint32_t count)
{
    ab_bvh_sort *s = sort_of(broad);
    const size_t words = ((size_t)count + AB_BLOCK) / AB_BLOCK * AB_BLOCK, tasks = s->partition.tasks;
    const size_t bytes = words * (2 * sizeof(uint64_t) + sizeof(ab_sort_point) + sizeof(ab_contact_name)) +
                         tasks * sizeof *s->radix.places;
    char *block = ab_order_take_scratch(broad, AB_ACTIVE, bytes + tasks * sizeof *s->parts);
    if (!block)
    {
        return false;
    }
    s->radix = (ab_radix){ .width = 1, .parts = s->partition.tasks, .chunk = (uint32_t)s->partition.chunk };
    s->radix.from = (uint64_t *)(void *)block;
    s->radix.to = s->radix.from + words;
    s->points = (ab_sort_point *)(void *)(s->radix.to + words);
    s->radix.places = (ab_radix_places *)(void *)(names_at(s, 0) + words);
    s->parts = (ab_order_part *)(void *)(s->radix.places + tasks);
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

static void widen(ab_order_part *p, const float low[3], const float high[3])
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
    ab_order_part p = empty_part;
    for (size_t i = ab_partition_first(&s->partition, task); i < end; ++i)
    {
        const uint32_t proxy = proxy_at(broad, i);
        if (broad->proxies->collider[proxy] != ABUT_NONE)
        {
            s->points[i] = ab_sort_point_of(broad->proxies, broad->in.poses, proxy);
            widen(&p, s->points[i].centre, s->points[i].centre);
            ++p.octaves[ab_octave_of(s->points[i].size)];
            ++p.live;
        }
    }
    s->parts[task] = p;
}

abut_status ab_bvh_order_prepare_keys(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    ab_order_part all = empty_part;
    if (!is_divided(s))
    {
        return ABUT_OK;
    }
    for (uint32_t i = 0; i < s->partition.tasks; ++i)
    {
        ab_order_part *p = &s->parts[i];
        p->first = all.live;
        all.live += p->live;
        widen(&all, p->low, p->high);
        for (uint32_t octave = 0; octave < 256; ++octave)
        {
            all.octaves[octave] += p->octaves[octave];
        }
    }
    s->count = all.live;
    s->cells = ab_cells_between(all.low, all.high, all.live);
    s->median = ab_median_of(all.octaves, all.live);
    s->radix.bits = 3 * s->cells.bits + AB_CLASS_BITS;
    s->radix.shift = AB_KEY_SHIFT + AB_PLACE_BITS - 3 * s->cells.bits;
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
    const ab_sorting sort = ab_sorting_by(broad);
    const size_t end = ab_partition_end(&s->partition, task), first = s->parts[task].first;
    size_t to = first;
    for (size_t i = ab_partition_first(&s->partition, task); i < end; ++i)
    {
        const uint32_t proxy = proxy_at(broad, i);
        if (broad->proxies->collider[proxy] != ABUT_NONE)
        {
            s->radix.from[to++] = (uint64_t)ab_sort_key(&sort, &s->cells, &s->points[i]) << AB_KEY_SHIFT | proxy;
        }
    }
    ab_bvh_set_sensors_apart(broad, s->radix.from + first, to - first, AB_KEY_SHIFT + AB_PLACE_BITS);
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
    const ab_order_part *p = &s->parts[task];
    ab_radix_deal(&s->radix, task, p->first, (size_t)p->first + p->live);
}

abut_status ab_bvh_order_prepare_ranges(void *pass, uint32_t *tasks)
{
    const ab_bvh_sort *s = sort_of(pass);
    *tasks = is_divided(s) ? s->radix.tasks : 0;
    return ABUT_OK;
}

// Reuses memory: moved proxies replace a range's points, their names its input words.
static ab_proxies_taken taken_at(const ab_bvh_sort *s, uint32_t place)
{
    _Static_assert(sizeof(ab_proxy_moved) == sizeof(ab_sort_point), "one takes the place of the other");
    _Static_assert(sizeof(ab_proxy_naming) == sizeof(uint64_t), "one takes the place of the other");
    return (ab_proxies_taken){ (ab_proxy_moved *)(void *)(s->points + place),
                               (ab_proxy_naming *)(void *)(s->radix.from + place), names_at(s, place) };
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
    ab_sorting sort = ab_sorting_by(broad);
    const uint32_t first = s->radix.first[task], count = s->radix.first[task + 1] - first;
    uint64_t *words = s->radix.to + first;
    ab_radix_finish(&s->radix, task);
    ab_order_refine(&sort, words, s->points + first, count, s->count, 0);
    const ab_proxies_taken taken = taken_at(s, first);
    ab_proxies_take_up(broad->proxies, ab_strip_keys(words, count), count, &taken);
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
    const ab_proxies_taken taken = taken_at(s, first);
    ab_proxies_put_down(broad->proxies, s->start + first, count, &taken);
}

void ab_bvh_order_end(ab_broad *broad)
{
    const ab_bvh_sort *s = sort_of(broad);
    if (is_divided(s))
    {
        ab_proxies_end_permute(broad->proxies, AB_ACTIVE, s->start, s->count);
    }
}
