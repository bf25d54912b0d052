// The brute-force referee: tests every collider against every other with the kernels alone, and compares the result
// with the last detect's. It finds whatever AABBs, trees, bins or the merge lost, invented or changed.
#include "world/audit.h"
#include "base/array.h"
#include "base/platform.h"
#include "narrow/compound/compound_pairs.h"
#include "narrow/pair_functions.h"

// Pairs for one bin's kernel.
typedef struct waiting
{
    uint32_t a[AB_CHUNK + AB_WIDEST], b[AB_CHUNK + AB_WIDEST];
    uint32_t count;
    float more; // metres within which they are listed, besides the margin
} waiting;

typedef struct audit
{
    abut_world *world;
    waiting *bin;                  // AB_BINS
    ab_packed_manifolds manifolds; // of all touching pairs
    ab_sort_entry *overlaps;       // growable: of all touching pairs with a sensor
    ab_cached_axes cached; // those of the contacts under audit: an axis that hysteresis kept must be one that it may
                           // keep
    uint64_t pairs;
} audit;

static bool run_kernel(audit *a, const ab_pair_type *pair_type, const ab_batch *batch)
{
    ab_manifold_room room;
    ab_manifolds found = ab_manifolds_in(&room);
    pair_type->kernel(batch, &found);
    return ab_packed_manifolds_append(&a->manifolds, &a->world->memory, &found);
}

#ifdef AB_MESHES
// Whether a shape has a triangle or segment of this number.
static bool has_child(const abut_shape *shape, uint32_t part)
{
    const ab_mesh *mesh = ab_mesh_of(shape);
    return !mesh || ab_mesh_is_triangle(mesh, part);
}

// Every pair with each of its mesh's triangles or chain's segments, without their tree.
static bool find_children(audit *a, const ab_pair_type *pair_type, const ab_batch *pairs)
{
    uint32_t proxy_a[AB_CHUNK], proxy_b[AB_CHUNK], parts[AB_CHUNK];
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        const abut_shape *shape = ab_batch_shape(pairs, pairs->b[i]);
        const ab_mesh *mesh = ab_mesh_of(shape);
        const uint32_t count = mesh ? mesh->triangle_count : ab_child_count(shape);
        ab_batch batch = *pairs;
        batch.a = proxy_a;
        batch.b = proxy_b;
        batch.parts = parts;
        for (uint32_t part = 0; part < count;)
        {
            for (batch.count = 0; batch.count < AB_CHUNK && part < count; ++part)
            {
                proxy_a[batch.count] = pairs->a[i];
                proxy_b[batch.count] = pairs->b[i];
                parts[batch.count] = part;
                batch.count += has_child(shape, part);
            }
            if (!run_kernel(a, pair_type, &batch))
            {
                return false;
            }
        }
    }
    return true;
}
#endif

#ifdef AB_MESHES
// A pair with a compound, and its children for one run of the kernel.
typedef struct compound_pair
{
    audit *a;
    const ab_pair_type *pair_type;
    ab_batch batch; // of the one pair
    uint32_t proxy_a[AB_CHUNK], proxy_b[AB_CHUNK], parts[AB_CHUNK];
    uint32_t count;
    bool made;
} compound_pair;

static void run_children(compound_pair *p)
{
    ab_batch batch = p->batch;
    batch.a = p->proxy_a;
    batch.b = p->proxy_b;
    batch.parts = p->parts;
    batch.count = p->count;
    p->made = p->made && run_kernel(p->a, p->pair_type, &batch);
    p->count = 0;
}

static bool take_children(void *context, uint32_t of_a, uint32_t of_b)
{
    compound_pair *p = context;
    p->proxy_a[p->count] = p->batch.a[0];
    p->proxy_b[p->count] = p->batch.b[0];
    p->parts[p->count++] = ab_children_join(&p->batch, 0, of_a, of_b);
    if (p->count == AB_CHUNK)
    {
        run_children(p);
    }
    return p->made;
}

// Every pair with all its children, without the compounds' trees. Pairs with too many fail a detect, and are left out.
static bool find_compound_children(audit *a, const ab_pair_type *pair_type, const ab_batch *pairs)
{
    compound_pair p = { .a = a, .pair_type = pair_type, .batch = *pairs, .made = true };
    for (uint32_t i = 0; i < pairs->count && p.made; ++i)
    {
        p.batch.a = pairs->a + i;
        p.batch.b = pairs->b + i;
        if (ab_children_fit(ab_batch_shape(pairs, pairs->a[i]), ab_batch_shape(pairs, pairs->b[i])))
        {
            (void)ab_compound_each(&p.batch, 0, take_children, &p);
            run_children(&p);
        }
    }
    return p.made;
}
#endif

static bool find_contacts(audit *a, const ab_pair_type *pair_type, const ab_batch *batch)
{
#ifdef AB_MESHES
    if (pair_type->has_parts)
    {
        const bool compounds =
            ab_compound_of(ab_batch_shape(batch, batch->b[0])) || ab_compound_of(ab_batch_shape(batch, batch->a[0]));
        return (compounds ? find_compound_children : find_children)(a, pair_type, batch);
    }
#endif
    return run_kernel(a, pair_type, batch);
}

// An invalid manifold from a pair function makes a detect fail; the audit skips it.
static bool find_overlaps(audit *a, const ab_pair_type *pair_type, const ab_batch *batch)
{
    const size_t had = arrlenu(a->overlaps);
    uint32_t invalid;
    if (!ab_array_reserve(a->overlaps, &a->world->memory, had + batch->count))
    {
        return false;
    }
    ab_array_set_length(a->overlaps,
                        had + ab_sense_batch(a->world, pair_type->touching, batch, a->overlaps + had, &invalid));
    return true;
}

static bool flush(audit *a, uint32_t bin)
{
    waiting *w = &a->bin[bin];
    if (w->count == 0)
    {
        return true;
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        w->a[w->count + i] = w->a[0];
        w->b[w->count + i] = w->b[0];
    }
    ab_batch batch = ab_world_batch(a->world, w->a, w->b, w->count);
    batch.cached = a->cached;
    batch.margin += bin < AB_PAIR_TYPES ? w->more : 0.0f;
    const ab_pair_type *pair_type = ab_pair_type_of(a->world->table, bin % AB_PAIR_TYPES);
    const bool made = bin < AB_PAIR_TYPES ? find_contacts(a, pair_type, &batch) : find_overlaps(a, pair_type, &batch);
    w->count = 0;
    return made;
}

// Pairs that came to rest were computed by a detect that was anchored: see decide in anchors.c.
static float recycle_distance_of(const abut_world *world, uint32_t proxy_a, uint32_t proxy_b)
{
    const ab_proxies *proxies = &world->cache.proxies;
    const bool rest =
        ab_proxies_set_of(proxies, proxy_a) == AB_STATIC_SET && ab_proxies_set_of(proxies, proxy_b) == AB_STATIC_SET;
    return rest || ab_world_is_anchored(world) ? world->state.recycle_distance : 0.0f;
}

static bool take_pair(audit *a, uint32_t proxy_a, uint32_t proxy_b)
{
    const abut_world *world = a->world;
    const uint32_t type_key = ab_pair_key_exact(&world->state.rules, &world->cache.proxies,
                                                world->state.colliders.filter, (ab_pair){ proxy_a, proxy_b });
    const uint32_t bin = type_key & AB_KEY_BIN;
    ++a->pairs;
    if (bin == AB_BIN_FILTERED)
    {
        return true;
    }
    waiting *w = &a->bin[bin];
    const float more = recycle_distance_of(world, proxy_a, proxy_b);
    if (more != w->more && !flush(a, bin))
    {
        return false;
    }
    w->more = more;
    w->a[w->count] = type_key & AB_KEY_SWAP ? proxy_b : proxy_a;
    w->b[w->count] = type_key & AB_KEY_SWAP ? proxy_a : proxy_b;
    return ++w->count < AB_CHUNK || flush(a, bin);
}

static bool find_all(audit *a)
{
    const abut_world *world = a->world;
    const uint32_t slots = (uint32_t)arrlenu(world->state.colliders.generation);
    for (uint32_t i = 0; i < slots; ++i)
    {
        const uint32_t proxy_i = world->state.colliders.generation[i] ? world->cache.proxies.proxy_of[i] : ABUT_NONE;
        for (uint32_t j = i + 1; j < slots && proxy_i != ABUT_NONE; ++j)
        {
            const uint32_t proxy_j =
                world->state.colliders.generation[j] ? world->cache.proxies.proxy_of[j] : ABUT_NONE;
            if (proxy_j != ABUT_NONE && !take_pair(a, proxy_i, proxy_j))
            {
                return false;
            }
        }
    }
    for (uint32_t bin = 0; bin < AB_BINS; ++bin)
    {
        if (!flush(a, bin))
        {
            return false;
        }
    }
    return true;
}

// False when out of memory.
static bool audit_sensors(const audit *a, abut_audit *out)
{
    const size_t count = arrlenu(a->overlaps);
    ab_sort_entry *scratch = ab_arena_take(&a->world->work.arena, (count + 1) * sizeof *scratch);
    if (!scratch)
    {
        return false;
    }
    const ab_sort_entry *sorted = ab_radix_sort(a->overlaps, scratch, count);
    if (!out->what)
    {
        ab_audit_overlaps(out, a->world, sorted, (uint32_t)count);
    }
    return true;
}

// A detect that failed since the last one may have left records of other poses. They are recomputed in place first, so
// that no failure below leaves them half updated.
static abut_status run(audit *a, abut_audit *out)
{
    abut_world *world = a->world;
    if (ab_phases_run(ab_anchor_phases, world) != ABUT_OK)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const abut_status found = ab_world_refresh_bounds(world);
    if (found != ABUT_OK)
    {
        return found;
    }
    a->bin = ab_arena_take(&world->work.arena, AB_BINS * sizeof *a->bin);
    if (!a->bin)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (uint32_t bin = 0; bin < AB_BINS; ++bin)
    {
        a->bin[bin].count = 0;
        a->bin[bin].more = 0.0f;
    }
    a->cached = ab_world_cached_axes(world, true);
    if (ab_phases_run(ab_cached_axis_phases, &world->cache.cached) != ABUT_OK || !find_all(a))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_contact_store found_store = { .pool = { .follows = ab_world_follows(world) } };
    ab_contact_update update = {
        .store = &found_store,
        .memory = &world->memory,
        .arena = &world->work.arena,
        .manifolds = &a->manifolds,
        .names = ab_world_names(world),
        .granularity = world->work.granularity,
        .children = ab_contact_store_has_children(&world->state.store),
    };
    update.names.margin = ab_world_recycles(world) ? world->state.margin : update.names.margin;
    const abut_status status = ab_phases_run(ab_contact_phases, &update);
    if (status == ABUT_OK)
    {
        ab_contact_store_publish(&update);
        *out = (abut_audit){ .pairs = a->pairs };
        ab_audit_contacts(out, world, &found_store);
    }
    ab_contact_store_close(&found_store);
    return status == ABUT_OK && !audit_sensors(a, out) ? ABUT_OUT_OF_MEMORY : status;
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
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    const uint64_t mode = ab_platform_float_enter();
    ab_arena_empty(&world->work.arena);
    audit a = { .world = world };
    abut_audit found = { 0 };
    world->work.busy = true; // kinds and pair functions of the caller may run
    const abut_status status = run(&a, &found);
    world->work.busy = false;
    if (status == ABUT_OK)
    {
        *out = found;
    }
    ab_packed_manifolds_close(&a.manifolds);
    arrfree(a.overlaps);
    ab_platform_float_leave(mode);
    return status == ABUT_OK ? ABUT_OK : ab_fail(world, status, call, 0, abut_status_text(status));
}
