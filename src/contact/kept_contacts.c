// Chooses the contacts whose manifolds stand, and follows the separations of all to the present poses.
#include "contact/kept_contacts.h"

#include "base/array.h"
#include "base/platform.h"
#include "bounds/anchors.h"

#include <string.h>

#define AHEAD 8u // contacts

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static float least_of(const float gap[AB_MAX_POINTS], uint32_t count)
{
    float least = gap[0];
    for (uint32_t k = 1; k < count; ++k)
    {
        least = gap[k] < least ? gap[k] : least;
    }
    return least;
}

// A manifold at its anchors.
typedef struct anchored
{
    const float *normal, *between;
    const float *offset[AB_MAX_POINTS]; // from the position of body a; past the points: anything
    const float *gap;
    float separation;
    uint32_t body_a, body_b, count;
} anchored;

// n . (way_b - way_a - turn_b x between) + (n x (turn_b - turn_a)) . r
AB_INLINE void follow(const anchored *m, const ab_shift *shifts, ab_separations *out)
{
    const ab_shift *a = &shifts[m->body_a], *b = &shifts[m->body_b];
    const float turn[3] = { b->turn[0] - a->turn[0], b->turn[1] - a->turn[1], b->turn[2] - a->turn[2] };
    float around[3], lean[3];
    cross(b->turn, m->between, around);
    cross(m->normal, turn, lean);
    const float way[3] = { b->way[0] - a->way[0] - around[0], b->way[1] - a->way[1] - around[1],
                           b->way[2] - a->way[2] - around[2] };
    const float all = dot(m->normal, way);
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        out->gap[k] = m->gap[k] + (all + dot(lean, m->offset[k]));
    }
    out->separation = m->separation + (least_of(out->gap, m->count) - least_of(m->gap, m->count));
}

static anchored kept_manifold(const ab_contact_pool *pool, uint32_t slot)
{
    const abut_contact *contact = &pool->contacts[slot];
    const ab_anchored *at = &pool->anchored[slot];
    anchored m = { .normal = &contact->normal.x,
                   .between = at->between,
                   .gap = at->gap,
                   .separation = at->separation,
                   .body_a = contact->a.slot,
                   .body_b = contact->b.slot,
                   .count = contact->point_count };
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        m.offset[k] = &contact->points[k].offset.x;
    }
    return m;
}

void ab_separations_of(const ab_packed_manifold *packed, uint32_t count, const ab_contact_names *names,
                       ab_anchored *at, ab_separations *out)
{
    const ab_record *const records = names->proxies->record;
    const ab_record *a = &records[packed->proxy_a], *b = &records[packed->proxy_b];
    *at = (ab_anchored){ .between = { b->position[0] - a->position[0], b->position[1] - a->position[1],
                                      b->position[2] - a->position[2] },
                         .separation = packed->separation };
    anchored m = { .normal = packed->normal,
                   .between = at->between,
                   .gap = at->gap,
                   .separation = packed->separation,
                   .body_a = a->collider_key >> 8,
                   .body_b = b->collider_key >> 8,
                   .count = count };
    for (uint32_t k = 0; k < AB_MAX_POINTS; ++k)
    {
        const ab_point_geometry *point = ab_packed_manifold_geometry(packed, k < count ? k : 0);
        at->gap[k] = point->separation;
        m.offset[k] = point->offset;
    }
    follow(&m, names->shifts, out);
}

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    const size_t count = ab_contact_list_count(pass->last);
    *out = (ab_kept){ 0 };
    if (!pass->known || count == 0)
    {
        return ABUT_OK;
    }
    pass->partition = ab_partition_into(&pass->granularity, count, 1);
    pass->parts = ab_arena_take(pass->arena, pass->partition.tasks * sizeof *pass->parts);
    out->contacts = ab_arena_take(pass->arena, count * sizeof *out->contacts);
    out->separations = ab_arena_take(pass->arena, count * sizeof *out->separations);
    out->touching = ab_arena_take(pass->arena, count);
    *tasks = pass->partition.tasks;
    return pass->parts && out->contacts && out->separations && out->touching ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Without branches, because the choice is unpredictable. Returns how many there are.
static uint32_t choose(const ab_kept_pass *pass, uint32_t first, uint32_t end, uint32_t *out)
{
    const uint64_t *const keys = pass->last->keys;
    const uint8_t *const known = pass->known;
    uint32_t count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t a = known[keys[i] >> 40], b = known[keys[i] >> 16 & 0xffffffu];
        out[count] = i;
        count += ab_anchors_stand(a, b) & ((a & b & AB_ANCHOR_IMMOBILE) == 0);
    }
    return count;
}

AB_INLINE void look_ahead(const ab_contact_pool *pool, uint32_t slot)
{
    AB_PREFETCH_AT(pool->contacts, slot);
    AB_PREFETCH_AT((const char *)pool->contacts, (size_t)slot * sizeof *pool->contacts + AB_CACHE_LINE);
    AB_PREFETCH_AT(pool->anchored, slot);
}

static void choose_range(void *given, uint32_t task)
{
    const ab_kept_pass *pass = given;
    const ab_contact_pool pool = *pass->pool;
    const uint32_t *const slots = pass->last->slots;
    const uint32_t first = (uint32_t)ab_partition_first(&pass->partition, task),
                   end = (uint32_t)ab_partition_end(&pass->partition, task);
    uint32_t *const own = pass->out.contacts + first;
    const uint32_t count = choose(pass, first, end, own);
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = own[k];
        const anchored m = kept_manifold(&pool, slots[i]);
        look_ahead(&pool, slots[own[k + AHEAD < count ? k + AHEAD : k]]);
        follow(&m, pass->shifts, &pass->out.separations[i]);
        pass->out.touching[i] = pass->out.separations[i].separation <= pass->margin;
    }
    pass->parts[task] = (ab_kept_part){ .first = first, .count = count };
}

// Joins the lists of the parts.
static abut_status gather(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    (void)tasks;
    for (uint32_t i = 0; out->contacts && i < pass->partition.tasks; ++i)
    {
        const ab_kept_part *part = &pass->parts[i];
        memmove(out->contacts + out->count, out->contacts + part->first, part->count * sizeof *out->contacts);
        out->count += part->count;
    }
    return ABUT_OK;
}

const ab_phase ab_kept_phases[] = { { prepare_parts, choose_range }, { gather, NULL }, { NULL, NULL } };

ab_contacts_written ab_kept_write(const ab_kept *given, const ab_contact_list *last, const ab_contact_pool *to,
                                  uint32_t first, uint32_t end)
{
    const ab_kept kept = *given;
    const ab_contact_pool pool = *to;
    const uint32_t *const slots = last->slots;
    ab_contacts_written written = { 0 };
    for (uint32_t k = first; k < end; ++k)
    {
        const uint32_t i = kept.contacts[k];
        const ab_separations *now = &kept.separations[i];
        abut_contact *contact = &pool.contacts[slots[i]];
        look_ahead(&pool, slots[kept.contacts[k + AHEAD < end ? k + AHEAD : k]]);
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            contact->points[p].separation = now->gap[p];
        }
        contact->separation = now->separation;
        contact->flags = (uint16_t)(ABUT_CONTACT_RECYCLED | (kept.touching[i] ? 0u : ABUT_CONTACT_SPECULATIVE));
        written.speculative += kept.touching[i] == 0;
        written.points += contact->point_count;
    }
    return written;
}
