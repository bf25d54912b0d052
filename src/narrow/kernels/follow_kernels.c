// Follows contacts to the present poses, a vector of them at a time. Sums in the order of ab_follow_manifold: both give the
// same bits.
#include "narrow/follow.h"

#include "base/kernels.h"
#include "base/platform.h"
#include "bounds/transpose4.h"
#include "math/lanes.h"

#include <string.h>

#define AHEAD 16u // contacts

// Small builds have one body for all lanes.
#ifdef AB_SMALL
#define EACH_LANE
#else
#define EACH_LANE AB_UNROLL
#endif

typedef union four
{
    f32w column[4];
    struct
    {
        v3w v;
        f32w rest;
    };
} four;

// Rows of four floats, by lane.
typedef struct rows
{
    const float *lane[LANES];
} rows;

// Columns of the rows so many bytes further on.
AB_INLINE four gather(const rows *from, size_t bytes)
{
    const float *at[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        at[k] = from->lane[k] + bytes / sizeof(float);
    }
    four out;
    gather_transpose4(at, out.column);
    return out;
}

// What the lanes read of contacts and bodies.
typedef struct group
{
    abut_contact *contact[LANES];
    four normal;               // and separation
    four point[AB_MAX_POINTS]; // offset and separation
    four gap, between;         // at the anchors; the latter with the separation
    four way_a, way_b, turn_a, turn_b;
} group;

AB_INLINE f32w dot(v3w a, v3w b)
{
    return addw(addw(mulw(a.x, b.x), mulw(a.y, b.y)), mulw(a.z, b.z));
}

AB_INLINE v3w cross(v3w a, v3w b)
{
    return v3w_make(subw(mulw(a.y, b.z), mulw(a.z, b.y)), subw(mulw(a.z, b.x), mulw(a.x, b.z)),
                    subw(mulw(a.x, b.y), mulw(a.y, b.x)));
}

AB_INLINE f32w least(const f32w gap[AB_MAX_POINTS])
{
    return minw(gap[3], minw(gap[2], minw(gap[1], gap[0])));
}

static inline uint32_t body_a(uint64_t key)
{
    return (uint32_t)(key >> 40);
}

static inline uint32_t body_b(uint64_t key)
{
    return (uint32_t)(key >> 16) & 0xffffffu;
}

AB_INLINE void open_group(const ab_follow_in *in, const uint64_t *keys, const uint32_t *slots, group *g)
{
    rows contact, at, a, b;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        g->contact[k] = &in->contacts[slots[k]];
        contact.lane[k] = (const float *)(const void *)g->contact[k];
        at.lane[k] = (const float *)(const void *)&in->anchored[slots[k]];
        a.lane[k] = (const float *)(const void *)&in->shifts[body_a(keys[k])];
        b.lane[k] = (const float *)(const void *)&in->shifts[body_b(keys[k])];
    }
    g->way_a = gather(&a, offsetof(ab_shift, way));
    g->turn_a = gather(&a, offsetof(ab_shift, turn));
    g->way_b = gather(&b, offsetof(ab_shift, way));
    g->turn_b = gather(&b, offsetof(ab_shift, turn));
    g->gap = gather(&at, offsetof(ab_anchored, gap));
    g->between = gather(&at, offsetof(ab_anchored, between));
    g->normal = gather(&contact, offsetof(abut_contact, normal));
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        g->point[p] = gather(&contact, offsetof(abut_contact, points) + p * sizeof(abut_point));
    }
}

AB_INLINE void look_ahead(const ab_follow_in *in, uint32_t i, uint32_t end)
{
    for (uint32_t k = 0; AB_PREFETCHES && end - i >= AHEAD + LANES && k < LANES; ++k)
    {
        const uint32_t slot = in->slots[i + AHEAD + k];
        AB_PREFETCH_TO_AT(in->contacts, slot);
        AB_PREFETCH_TO_AT((const char *)in->contacts, (size_t)slot * sizeof *in->contacts + AB_CACHE_LINE);
        AB_PREFETCH_AT(in->anchored, slot);
    }
}

#ifndef AB_SMALL
// Whether no body of these contacts was anchored anew and all may move: so it mostly is.
AB_INLINE bool all_stand(const ab_follow_in *in, const uint64_t *keys)
{
    uint32_t any = 0;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        any |= in->known[body_a(keys[k])] | in->known[body_b(keys[k])];
    }
    return (any & (AB_ANCHOR_MOVED | AB_ANCHOR_IMMOBILE)) == 0;
}
#endif

// The lanes whose contacts stand, a bit each.
AB_INLINE uint32_t find_standing(const ab_follow_in *in, const uint64_t *keys)
{
    uint32_t standing = 0;
#ifndef AB_SMALL
    if (AB_LIKELY(all_stand(in, keys)))
    {
        return LANES_ALL;
    }
#endif
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const uint32_t a = in->known[body_a(keys[k])], b = in->known[body_b(keys[k])];
        standing |= (uint32_t)(ab_anchors_stand(a, b) & ((a & b & AB_ANCHOR_IMMOBILE) == 0)) << k;
    }
    return standing;
}

// What all points share: how far body b has moved from body a along the normal, at the position of a, and how that
// changes with the offset.
AB_INLINE void find_motion(const group *g, v3w normal, v3w between, f32w *all, v3w *lean)
{
    const v3w way = v3w_sub(v3w_sub(g->way_b.v, g->way_a.v), cross(g->turn_b.v, between));
    *lean = cross(normal, v3w_sub(g->turn_b.v, g->turn_a.v));
    *all = dot(normal, way);
}

typedef struct gapsw
{
    f32w gap[AB_MAX_POINTS];
    f32w separation;
} gapsw;

_Static_assert(LANES <= AB_FOLLOW_MOST, "there is room for one group more");

// Writes the separations of the lanes in `standing`.
AB_INLINE void write_separations(const group *g, uint32_t standing, const gapsw *in)
{
    float gaps[LANES][AB_MAX_POINTS], separations[LANES];
    scatter_transpose4(&gaps[0][0], AB_MAX_POINTS, in->gap);
    storew(separations, in->separation);
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        if ((standing >> k & 1u) != 0)
        {
            abut_contact *contact = g->contact[k];
            contact->separation = separations[k];
            contact->points[0].separation = gaps[k][0];
            contact->points[1].separation = gaps[k][1];
            contact->points[2].separation = gaps[k][2];
            contact->points[3].separation = gaps[k][3];
        }
    }
}

// Writes the flags of the lanes in `standing`, the first of which is contact `i` of the list: those in `near` touch.
// Returns which of them touched; other bits are set.
AB_INLINE uint32_t write_flags(const group *g, uint32_t standing, uint32_t near, uint32_t i, const ab_follow_out *out,
                               ab_follow_counts *counts)
{
    uint32_t were_apart = 0, points = 0, speculative = 0;
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        if ((standing >> k & 1u) != 0)
        {
            abut_contact *contact = g->contact[k];
            const uint32_t before = contact->flags,
                           flags = ABUT_CONTACT_RECYCLED | (near >> k & 1u ? 0u : ABUT_CONTACT_SPECULATIVE);
            points += contact->point_count;
            speculative += flags & ABUT_CONTACT_SPECULATIVE;
            were_apart |= (before & ABUT_CONTACT_SPECULATIVE) << k;
            contact->flags = (uint16_t)flags;
            out->flags[i + k] = (uint8_t)flags;
            out->flags_before[i + k] = (uint8_t)before;
        }
    }
    counts->points += points;
    counts->speculative += speculative;
    return ~were_apart;
}

_Static_assert(ABUT_CONTACT_SPECULATIVE == 1, "the lowest bit says that a contact does not touch");
_Static_assert((ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED | ABUT_CONTACT_NEW) <= UINT8_MAX,
               "flags are noted in a byte");

// Follows the contacts of the lanes in `standing`, the first of which is contact `i` of the list. Notes their separations
// from `before` on. Returns which touch and did not, or the other way about.
AB_INLINE uint32_t follow_group(const ab_follow_in *in, const group *g, uint32_t standing, uint32_t i, float *before,
                                const ab_follow_out *out, ab_follow_counts *counts)
{
    gapsw is;
    f32w all;
    v3w lean;
    find_motion(g, g->normal.v, g->between.v, &all, &lean);
    storew(before, g->normal.rest);
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        storew(before + (p + 1) * (size_t)LANES, g->point[p].rest);
        const f32w gap = g->gap.column[p],
                   now = addw(gap, addw(all, dot(lean, g->point[p].v))); // of no point: any number
        is.gap[p] = pickw(gew(gap, splatw(AB_NO_POINT)), gap, now);
    }
    is.separation = addw(g->between.rest, subw(least(is.gap), least(g->gap.column)));
    write_separations(g, standing, &is);
    const uint32_t near = bitsm(lew(is.separation, splatw(in->margin)));
    return standing & (near ^ write_flags(g, standing, near, i, out, counts));
}

// Appends the indices of the lanes in `which`, the first of which is `i`. Returns the new length.
AB_INLINE uint32_t append(uint32_t *list, uint32_t length, uint32_t which, uint32_t i)
{
    for (; which != 0; which &= which - 1)
    {
        list[length++] = i + ab_lowest_bit(which);
    }
    return length;
}

// Keys and slots of contacts i to i + LANES, in copies where the last of them are past the end: those repeat contact i.
typedef struct window
{
    const uint64_t *keys;
    const uint32_t *slots;
    uint32_t inside; // a bit each
    uint64_t last_keys[LANES];
    uint32_t last_slots[LANES];
} window;

AB_INLINE void open_window(const ab_follow_in *in, uint32_t i, uint32_t end, window *w)
{
    const uint32_t left = end - i;
    w->keys = in->keys + i;
    w->slots = in->slots + i;
    w->inside = LANES_ALL;
    if (left < LANES)
    {
        for (uint32_t k = 0; k < LANES; ++k)
        {
            w->last_keys[k] = w->keys[k < left ? k : 0];
            w->last_slots[k] = w->slots[k < left ? k : 0];
        }
        w->keys = w->last_keys;
        w->slots = w->last_slots;
        w->inside = (1u << left) - 1u;
    }
}

static ab_follow_counts follow(const ab_follow_in *given, uint32_t first, uint32_t end, const ab_follow_out *to)
{
    const ab_follow_in in = *given; // copies: the compiler need not assume that stores change them
    const ab_follow_out out = *to;
    ab_follow_counts counts = { 0 };
    for (uint32_t i = first; i < end; i += LANES)
    {
        window w;
        open_window(&in, i, end, &w);
        look_ahead(&in, i, end);
        const uint32_t standing = find_standing(&in, w.keys) & w.inside;
        counts.others = append(out.others, counts.others, w.inside & ~standing, i);
        if (standing != 0)
        {
            group g;
            open_group(&in, w.keys, w.slots, &g);
            float *const before = out.before + (size_t)AB_FOLLOW_BEFORE * (i - first);
            const uint32_t changed = follow_group(&in, &g, standing, i, before, &out, &counts);
            counts.changed = append(out.changed, counts.changed, changed, i);
        }
    }
    return counts;
}

static void undo(const ab_follow_in *in, uint32_t first, uint32_t end, const ab_follow_out *out)
{
    for (uint32_t i = first; i < end; i += LANES)
    {
        window w;
        group g;
        open_window(in, i, end, &w);
        open_group(in, w.keys, w.slots, &g);
        const float *const before = out->before + (size_t)AB_FOLLOW_BEFORE * (i - first);
        const uint32_t standing = find_standing(in, w.keys) & w.inside;
        if (standing == 0) // nothing was noted
        {
            continue;
        }
        gapsw was;
        was.separation = loadw(before);
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            was.gap[p] = loadw(before + (p + 1) * (size_t)LANES);
        }
        write_separations(&g, standing, &was);
        for (uint32_t k = 0; k < LANES; ++k)
        {
            if ((standing >> k & 1u) != 0)
            {
                g.contact[k]->flags = out->flags_before[i + k];
            }
        }
    }
}

const ab_follow_kernels AB_ISA_NAME(ab_follow_kernels) = { follow, undo };
