// Follows contacts to the present poses, a vector of them at a time. Sums in the order of ab_follow_manifold: both give the
// same bits.
#include "narrow/follow.h"

#include "base/kernels.h"
#include "base/platform.h"
#include "bounds/transpose4.h"
#include "math/lanes.h"

#include <string.h>

#define AHEAD 16u // contacts

// What rows of contacts and bodies the lanes read.
typedef struct group
{
    uint32_t index[LANES];
    abut_contact *contact[LANES];
    const ab_anchored *at[LANES];
    const ab_shift *a[LANES], *b[LANES];
} group;

typedef union four
{
    f32w column[4];
    struct
    {
        v3w v;
        f32w rest;
    };
} four;

// Four columns of rows that begin at member `first` of each structure.
#define GATHER(out, structures, first)                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        const float *rows_[LANES];                                                                                     \
        for (uint32_t k_ = 0; k_ < LANES; ++k_)                                                                        \
        {                                                                                                              \
            rows_[k_] = &(structures)[k_]->first;                                                                      \
        }                                                                                                              \
        f32w columns_[4];                                                                                              \
        gather_transpose4(rows_, columns_);                                                                            \
        (out) = (four){ .column = { columns_[0], columns_[1], columns_[2], columns_[3] } };                            \
    } while (0)

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

// Lanes past the last repeat it.
AB_INLINE void open_group(const ab_follow_in *in, const uint32_t *indices, uint32_t i, uint32_t count, group *g)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const uint32_t index = indices[i + k < count ? i + k : count - 1], slot = in->slots[index];
        g->index[k] = index;
        g->contact[k] = &in->contacts[slot];
        g->at[k] = &in->anchored[slot];
        g->a[k] = &in->shifts[g->contact[k]->a.slot];
        g->b[k] = &in->shifts[g->contact[k]->b.slot];
    }
}

AB_INLINE void look_ahead(const ab_follow_in *in, const uint32_t *indices, uint32_t i, uint32_t count)
{
    for (uint32_t k = 0; k < LANES && i + AHEAD + k < count; ++k)
    {
        const uint32_t slot = in->slots[indices[i + AHEAD + k]];
        AB_PREFETCH_TO_AT(in->contacts, slot);
        AB_PREFETCH_TO_AT((const char *)in->contacts, (size_t)slot * sizeof *in->contacts + AB_CACHE_LINE);
        AB_PREFETCH_AT(in->anchored, slot);
    }
}

// What all points share: how far body b has moved from body a along the normal, at the position of a, and how that
// changes with the offset.
AB_INLINE void find_motion(const group *g, v3w normal, v3w between, f32w *all, v3w *lean)
{
    four way_a, way_b, turn_a, turn_b;
    GATHER(way_a, g->a, way[0]);
    GATHER(way_b, g->b, way[0]);
    GATHER(turn_a, g->a, turn[0]);
    GATHER(turn_b, g->b, turn[0]);
    const v3w way = v3w_sub(v3w_sub(way_b.v, way_a.v), cross(turn_b.v, between));
    *lean = cross(normal, v3w_sub(turn_b.v, turn_a.v));
    *all = dot(normal, way);
}

typedef struct gapsw
{
    f32w gap[AB_MAX_POINTS];
    f32w separation;
} gapsw;

AB_INLINE void spread(const gapsw *in, float gaps[LANES][AB_MAX_POINTS], float separations[LANES])
{
    scatter_transpose4(&gaps[0][0], AB_MAX_POINTS, in->gap);
    storew(separations, in->separation);
}

// Writes the first `count` lanes. Returns the number of their points.
AB_INLINE uint32_t write_group(const group *g, uint32_t count, const gapsw *was, const gapsw *is, float margin,
                               ab_followed_from *before, uint8_t *touching)
{
    float old[LANES][AB_MAX_POINTS], old_separation[LANES], now[LANES][AB_MAX_POINTS], separation[LANES];
    spread(was, old, old_separation);
    spread(is, now, separation);
    const uint32_t near = bitsm(lew(is->separation, splatw(margin)));
    uint32_t points = 0;
    for (uint32_t k = 0; k < LANES && k < count; ++k)
    {
        ab_followed_from *from = &before[g->index[k]];
        abut_contact *contact = g->contact[k];
        memcpy(from->separations.gap, old[k], sizeof old[k]);
        from->separations.separation = old_separation[k];
        from->flags = contact->flags;
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            contact->points[p].separation = now[k][p];
        }
        contact->separation = separation[k];
        contact->flags = (uint16_t)(ABUT_CONTACT_RECYCLED | (near >> k & 1u ? 0u : ABUT_CONTACT_SPECULATIVE));
        touching[g->index[k]] = near >> k & 1u;
        points += contact->point_count;
    }
    return points;
}

static uint64_t follow(const ab_follow_in *given, const uint32_t *indices, uint32_t count, ab_followed_from *before,
                       uint8_t *touching)
{
    const ab_follow_in in = *given;
    uint64_t points = 0;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        group g;
        four normal, gap, between;
        gapsw was, is;
        f32w all;
        v3w lean;
        look_ahead(&in, indices, i, count);
        open_group(&in, indices, i, count, &g);
        GATHER(normal, g.contact, normal.x);
        GATHER(gap, g.at, gap[0]);
        GATHER(between, g.at, between[0]);
        find_motion(&g, normal.v, between.v, &all, &lean);
        was.separation = normal.rest;
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            four point;
            GATHER(point, g.contact, points[p].offset.x);
            was.gap[p] = point.rest;
            const f32w now = addw(gap.column[p], addw(all, dot(lean, point.v))); // of no point: any number
            is.gap[p] = pickw(gew(gap.column[p], splatw(AB_NO_POINT)), gap.column[p], now);
        }
        is.separation = addw(between.rest, subw(least(is.gap), least(gap.column)));
        points += write_group(&g, count - i, &was, &is, in.margin, before, touching);
    }
    return points;
}

const ab_follow_kernels AB_ISA_NAME(ab_follow_kernels) = { follow };
