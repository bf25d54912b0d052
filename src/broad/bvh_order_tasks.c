// Sorts the proxies of the active set into the order of the tree in tasks: each measures a part of them, counts them by
// range, deals them, halves a few ranges, and puts their proxies down. Of little it makes no tasks.
#include "broad/bvh_order.h"

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

static bool divide(ab_broad *broad, uint32_t count)
{
    ab_bvh_sort *s = sort_of(broad);
    const size_t bytes = (ab_order_bytes(count, s->partition.tasks) + 7) / 8 * 8;
    char *block = ab_order_take_scratch(broad, AB_ACTIVE, bytes + count * (sizeof *s->names + sizeof *s->naming));
    if (!block)
    {
        return false;
    }
    ab_order_lay_out(s, block, count);
    s->names = (ab_contact_name *)(void *)(block + bytes);
    s->naming = (ab_proxy_naming *)(void *)(s->names + count);
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

void ab_bvh_order_measure(void *pass, uint32_t task)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_measure(pass, AB_ACTIVE, s, task);
    }
}

abut_status ab_bvh_order_prepare_ranges(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_plan(s);
        *tasks = s->partition.tasks;
    }
    return ABUT_OK;
}

void ab_bvh_order_count(void *pass, uint32_t task)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_count(pass, s, task);
    }
}

abut_status ab_bvh_order_prepare_deal(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_place(s);
        *tasks = s->partition.tasks;
    }
    return ABUT_OK;
}

void ab_bvh_order_deal(void *pass, uint32_t task)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_deal(s, task);
    }
}

abut_status ab_bvh_order_prepare_halves(void *pass, uint32_t *tasks)
{
    ab_bvh_sort *s = sort_of(pass);
    if (is_divided(s))
    {
        ab_order_cut(pass, s);
        *tasks = s->slabs;
    }
    return ABUT_OK;
}

static ab_proxies_taken taken_at(const ab_bvh_sort *s, uint32_t first)
{
    _Static_assert(sizeof(ab_proxy_moved) == AB_CENTRE_BYTES, "one takes the place of the other");
    return (ab_proxies_taken){ ab_order_scratch(s, first), s->naming + first, s->names + first };
}

void ab_bvh_order_halve(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    const uint32_t first = s->slab[task], count = s->slab[task + 1] - first;
    const uint32_t *order = ab_order_slab(broad, s, task);
    const ab_proxies_taken taken = taken_at(s, first);
    ab_proxies_take_up(broad->proxies, order, count, &taken);
}

abut_status ab_bvh_order_prepare_put(void *pass, uint32_t *tasks)
{
    const ab_bvh_sort *s = sort_of(pass);
    *tasks = is_divided(s) ? s->slabs : 0;
    return ABUT_OK;
}

void ab_bvh_order_put(void *pass, uint32_t task)
{
    const ab_broad *broad = pass;
    const ab_bvh_sort *s = sort_of(broad);
    if (!is_divided(s))
    {
        return;
    }
    const uint32_t first = s->slab[task], count = s->slab[task + 1] - first;
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
