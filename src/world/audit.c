// The slow, obvious answer: every collider against every other, judged by the kernels alone, compared with what the last detect
// said. What was lost, invented or changed on the way through boxes, trees, buckets and the merge shows here.
#include "base/array.h"
#include "base/platform.h"
#include "world/world.h"

#include <string.h>

// Pairs waiting for their kernel, one set a cell.
typedef struct waiting
{
    uint32_t a[AB_CHUNK + AB_WIDEST], b[AB_CHUNK + AB_WIDEST];
    uint32_t count;
} waiting;

typedef struct audit
{
    abut_world *world;
    waiting *cell;          // AB_CELLS
    ab_manifolds manifolds; // of all pairs that touch
    uint64_t pairs;
} audit;

static const ab_meeting *meeting_of(const abut_world *world, uint32_t cell)
{
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower)
        {
            if (ab_cell_of(lower, higher) == cell)
            {
                return &world->table->cell[lower][higher];
            }
        }
    }
    return NULL;
}

static bool flush(audit *a, uint32_t cell)
{
    waiting *w = &a->cell[cell];
    if (w->count == 0)
    {
        return true;
    }
    if (!ab_manifolds_reserve(&a->manifolds, &a->world->memory, w->count))
    {
        return false;
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        w->a[w->count + i] = w->a[0];
        w->b[w->count + i] = w->b[0];
    }
    const ab_batch batch = ab_world_batch(a->world, w->a, w->b, w->count);
    a->world->busy = true;
    meeting_of(a->world, cell)->kernel(&batch, &a->manifolds);
    a->world->busy = false;
    w->count = 0;
    return true;
}

static bool take_pair(audit *a, uint32_t leaf_a, uint32_t leaf_b)
{
    const abut_world *world = a->world;
    const uint32_t code =
        ab_pair_code(&world->rules, &world->leaves, world->colliders.filter, (ab_pair){ leaf_a, leaf_b });
    const uint32_t cell = code & AB_CODE_BUCKET;
    ++a->pairs;
    if (cell == AB_REFUSED)
    {
        return true;
    }
    waiting *w = &a->cell[cell];
    w->a[w->count] = code & AB_CODE_SWAP ? leaf_b : leaf_a;
    w->b[w->count] = code & AB_CODE_SWAP ? leaf_a : leaf_b;
    return ++w->count < AB_CHUNK || flush(a, cell);
}

static bool find_all(audit *a)
{
    const abut_world *world = a->world;
    const uint32_t slots = (uint32_t)arrlenu(world->colliders.life);
    for (uint32_t i = 0; i < slots; ++i)
    {
        const uint32_t leaf_i = world->colliders.life[i] ? world->leaves.leaf_of[i] : ABUT_NONE;
        for (uint32_t j = i + 1; j < slots && leaf_i != ABUT_NONE; ++j)
        {
            const uint32_t leaf_j = world->colliders.life[j] ? world->leaves.leaf_of[j] : ABUT_NONE;
            if (leaf_j != ABUT_NONE && !take_pair(a, leaf_i, leaf_j))
            {
                return false;
            }
        }
    }
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        if (!flush(a, cell))
        {
            return false;
        }
    }
    return true;
}

static void name(abut_audit *out, const abut_contact *contact)
{
    out->a = contact->a;
    out->b = contact->b;
    out->collider_a = contact->collider_a;
    out->collider_b = contact->collider_b;
}

// Bits, not values: kernels owe the same bits.
static bool same_bits(const void *x, const void *y, size_t size)
{
    return memcmp(x, y, size) == 0;
}

static bool same_contact(const ab_results *x, uint32_t i, const ab_results *y, uint32_t j)
{
    const abut_contact *c = &x->contacts[i], *d = &y->contacts[j];
    return same_bits(&c->normal, &d->normal, sizeof c->normal) && c->separation == d->separation &&
           c->point_count == d->point_count && c->flags == d->flags &&
           same_bits(&x->points[c->first_point], &y->points[d->first_point], c->point_count * sizeof *x->points);
}

static uint64_t key_at(const ab_results *results, uint32_t i)
{
    return i < arrlenu(results->keys) ? results->keys[i] : AB_NO_KEY;
}

// The first difference between what is there, awake and resting together, and what was found.
static void compare(abut_audit *out, const ab_results *awake, const ab_results *resting, const ab_results *found)
{
    uint32_t in_awake = 0, in_resting = 0;
    for (uint32_t i = 0;; ++i)
    {
        const uint64_t key_awake = key_at(awake, in_awake), key_resting = key_at(resting, in_resting);
        const bool from_awake = key_awake <= key_resting;
        const ab_results *there = from_awake ? awake : resting;
        const uint32_t at = from_awake ? in_awake : in_resting;
        const uint64_t key = from_awake ? key_awake : key_resting, expected = key_at(found, i);
        if (key == AB_NO_KEY && expected == AB_NO_KEY)
        {
            return;
        }
        if (expected < key)
        {
            out->what = "a pair that touches is not among the contacts";
            name(out, &found->contacts[i]);
            return;
        }
        if (key < expected || !same_contact(there, at, found, i))
        {
            out->what = key < expected ? "a contact is of a pair that does not touch"
                                       : "a contact's manifold is not what its kernel gives";
            name(out, &there->contacts[at]);
            return;
        }
        in_awake += from_awake;
        in_resting += !from_awake;
    }
}

// A detect that was refused since the last one may have left records of other poses: they are made again.
static abut_status run(audit *a, abut_audit *out)
{
    abut_world *world = a->world;
    const abut_status found = ab_world_find_bounds(world);
    if (found != ABUT_OK)
    {
        return found;
    }
    a->cell = ab_arena_take(&world->arena, AB_CELLS * sizeof *a->cell);
    if (!a->cell)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        a->cell[cell].count = 0;
    }
    if (!find_all(a))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_contact_store fresh = { 0 };
    const ab_contact_names names = ab_world_names(world);
    const abut_status status = ab_contact_store_update(&fresh, &world->memory, &world->arena, &a->manifolds, &names);
    if (status == ABUT_OK)
    {
        ab_contact_store_publish(&fresh);
        *out = (abut_audit){ .pairs = a->pairs };
        compare(out, &world->store.results[world->store.published], ab_resting_sorted(&world->store.resting),
                &fresh.results[fresh.published]);
    }
    ab_contact_store_close(&fresh);
    return status;
}

abut_status abut_world_audit(abut_world *world, abut_audit *out)
{
    static const char *const call = "abut_world_audit";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!out)
    {
        return ab_refuse(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    const uint64_t mode = ab_platform_float_enter();
    ab_arena_empty(&world->arena);
    audit a = { .world = world };
    const abut_status status = run(&a, out);
    arrfree(a.manifolds.data);
    arrfree(a.manifolds.points);
    ab_platform_float_leave(mode);
    return status == ABUT_OK ? ABUT_OK : ab_refuse(world, status, call, 0, abut_status_text(status));
}
