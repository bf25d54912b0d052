// Follows contacts to the present poses, a vector of them at a time. Sums in the order of ab_follow_manifold: both give
// the same bits.
#include "narrow/follow.h"

#include "base/kernels.h"
#include "base/platform.h"
#include "bounds/transpose4.h"
#include "math/lanes.h"

#include <string.h>

#define AHEAD 32u // contacts

// Small builds have one body for all lanes.
#ifdef AB_SMALL
#define EACH_LANE
#define FOLLOW_BODY static AB_APART
#else
#define EACH_LANE   AB_UNROLL
#define FOLLOW_BODY AB_INLINE
#endif

typedef union four
{
    f32w column[4];
    struct
    {
        v3w v;
        f32w rest;
    };
    struct
    {
        f32w state;
        v3w normal;
    };
} four;

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

// How the bodies of the lanes have moved.
typedef struct shiftsw
{
    four way_a, way_b, turn_a, turn_b;
} shiftsw;

// Columns of rows so many bytes apart, from so many bytes into them on.
#define GATHER(rows, index, stride, bytes, out)                                                                        \
    do                                                                                                                 \
    {                                                                                                                  \
        const float *at[LANES];                                                                                        \
        EACH_LANE                                                                                                      \
        for (uint32_t k = 0; k < LANES; ++k)                                                                           \
        {                                                                                                              \
            at[k] = (const float *)(const void *)((const char *)(rows) + (index) * (stride) + (bytes));                \
        }                                                                                                              \
        gather_transpose4(at, (out)->column);                                                                          \
        AB_IN_ORDER();                                                                                                 \
    } while (0)

FOLLOW_BODY void open_shifts(const ab_shift *shifts, const uint64_t *keys, shiftsw *s)
{
    GATHER(shifts, body_a(keys[k]), sizeof *shifts, offsetof(ab_shift, way), &s->way_a);
    GATHER(shifts, body_a(keys[k]), sizeof *shifts, offsetof(ab_shift, turn), &s->turn_a);
    GATHER(shifts, body_b(keys[k]), sizeof *shifts, offsetof(ab_shift, way), &s->way_b);
    GATHER(shifts, body_b(keys[k]), sizeof *shifts, offsetof(ab_shift, turn), &s->turn_b);
}

// What the lanes read of contacts.
typedef struct group
{
    four head;                 // how many points, with flags above them; and the normal
    four point[AB_MAX_POINTS]; // offset
    four gap, between;         // at the anchors; the latter with the separation
} group;

_Static_assert(offsetof(abut_contact, flags) == offsetof(abut_contact, point_count) + 2 &&
                   offsetof(abut_contact, normal) == offsetof(abut_contact, point_count) + 4,
               "a word has a contact's flags above the number of its points, and the normal follows");

AB_INLINE void open_group(const ab_follow_in *in, const uint32_t *slots, group *g)
{
    const size_t wide = sizeof *in->contacts, narrow = sizeof *in->anchored;
    GATHER(in->contacts, (size_t)slots[k], wide, offsetof(abut_contact, point_count), &g->head);
    EACH_LANE
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        GATHER(in->contacts, (size_t)slots[k], wide, offsetof(abut_contact, points) + p * sizeof(abut_point),
               &g->point[p]);
    }
    GATHER(in->anchored, (size_t)slots[k], narrow, offsetof(ab_anchored, gap), &g->gap);
    GATHER(in->anchored, (size_t)slots[k], narrow, offsetof(ab_anchored, between), &g->between);
}

AB_INLINE void look_ahead(const ab_follow_in *in, uint32_t i, uint32_t end)
{
    const uint32_t *const ahead = in->slots + i + AHEAD;
    for (uint32_t k = 0; AB_PREFETCHES && end - i >= AHEAD + LANES && k < LANES; ++k)
    {
        const size_t slot = ahead[k];
        AB_PREFETCH_TO_AT(in->contacts, slot);
        AB_PREFETCH_TO_AT((const char *)in->contacts, slot * sizeof *in->contacts + AB_CACHE_LINE);
        AB_PREFETCH_AT(in->anchored, slot);
    }
}

// Which contacts stand: neither body is anchored anew, and one of them may move.
AB_INLINE maskw find_standing(const shiftsw *s)
{
    const u32w a = bitsw(s->way_a.rest), b = bitsw(s->way_b.rest);
    const u32w moved = andu(oru(a, b), splatu(AB_ANCHOR_MOVED)),
               immobile = andu(andu(a, b), splatu(AB_ANCHOR_IMMOBILE));
    return equ(oru(moved, immobile), splatu(0));
}

// What all points share: how far body b has moved from body a along the normal, at the position of a, and how that
// changes with the offset. The first is no negative zero, and so is no separation: those of bodies that have not moved
// are what ab_follow_none says.
AB_INLINE void find_motion(const shiftsw *s, v3w normal, v3w between, f32w *all, v3w *lean)
{
    const v3w way = v3w_sub(v3w_sub(s->way_b.v, s->way_a.v), cross(s->turn_b.v, between));
    *lean = cross(normal, v3w_sub(s->turn_b.v, s->turn_a.v));
    *all = addw(dot(normal, way), splatw(0.0f));
}

// Sums by lane of what stands.
typedef struct tally
{
    u32w points, speculative; // contacts; each counts ABUT_CONTACT_SPECULATIVE
} tally;

_Static_assert(ABUT_CONTACT_SPECULATIVE == 1, "a sum of such flags counts contacts");

typedef struct gapsw
{
    f32w gap[AB_MAX_POINTS];
    f32w separation;
} gapsw;

_Static_assert(LANES <= AB_FOLLOW_MOST, "there is room for one group more");

// The contacts of the lanes in `standing`, a bit each; `whole`: of all lanes.
typedef struct targets
{
    abut_contact *contacts;
    const uint32_t *slots;
    uint32_t standing;
    bool whole;
} targets;

AB_INLINE bool is_target(const targets *to, uint32_t k)
{
    return to->whole || (to->standing >> k & 1u) != 0;
}

FOLLOW_BODY void write_separations(const targets *to, const gapsw *in)
{
    float gaps[LANES][AB_MAX_POINTS], separations[LANES];
    scatter_transpose4(&gaps[0][0], AB_MAX_POINTS, in->gap);
    storew(separations, in->separation);
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        if (is_target(to, k))
        {
            abut_contact *contact = &to->contacts[to->slots[k]];
            contact->separation = separations[k];
            contact->points[0].separation = gaps[k][0];
            contact->points[1].separation = gaps[k][1];
            contact->points[2].separation = gaps[k][2];
            contact->points[3].separation = gaps[k][3];
        }
    }
}

// Writes flags, and notes those before.
AB_INLINE void write_flags(const targets *to, u32w flags, u32w before, uint8_t *flags_before)
{
    uint32_t now[LANES], was[LANES];
    storeu(now, flags);
    storeu(was, before);
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        if (is_target(to, k))
        {
            to->contacts[to->slots[k]].flags = (uint16_t)now[k];
            flags_before[k] = (uint8_t)was[k];
        }
    }
}

_Static_assert((ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED | ABUT_CONTACT_NEW) <= UINT8_MAX,
               "flags are noted in a byte");

// The separations of a group after these shifts.
AB_INLINE void find_gaps(const shiftsw *s, const group *g, gapsw *is)
{
    f32w all;
    v3w lean;
    find_motion(s, g->head.normal, g->between.v, &all, &lean);
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        const f32w gap = g->gap.column[p],
                   now = addw(gap, addw(all, dot(lean, g->point[p].v))); // of no point: any number
        is->gap[p] = pickw(gew(gap, splatw(AB_NO_POINT)), gap, now);
    }
    is->separation = addw(g->between.rest, subw(least(is->gap), least(g->gap.column)));
}

static AB_APART void note_separations(const abut_contact *contacts, const uint32_t *slots, float *before)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const abut_contact *contact = &contacts[slots[k]];
        before[k] = contact->separation;
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            before[(p + 1) * (size_t)LANES + k] = contact->points[p].separation;
        }
    }
}

// Follows the contacts of a group, and notes their flags. Returns which touch and did not, or the other way about.
AB_INLINE uint32_t follow_group(const ab_follow_in *in, const shiftsw *s, const group *g, const targets *to,
                                maskw standing, uint8_t *flags_before, tally *t)
{
    gapsw is;
    find_gaps(s, g, &is);
    write_separations(to, &is);
    const maskw near = lew(is.separation, splatw(in->margin));
    const u32w state = bitsw(g->head.state), was = shru(state, 16), speculative = splatu(ABUT_CONTACT_SPECULATIVE);
    const u32w apart = picku(near, splatu(0), speculative);
    write_flags(to, oru(apart, splatu(ABUT_CONTACT_RECYCLED)), was, flags_before);
    t->points = addu(t->points, picku(standing, andu(state, splatu(UINT16_MAX)), splatu(0)));
    t->speculative = addu(t->speculative, picku(standing, apart, splatu(0)));
    return bitsm(andnotm(standing, equ(andu(was, speculative), apart)));
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
    uint32_t inside; // how many
    uint64_t last_keys[LANES];
    uint32_t last_slots[LANES];
} window;

AB_INLINE void open_window(const ab_follow_in *in, uint32_t i, uint32_t end, window *w)
{
    const uint32_t left = end - i;
    w->keys = in->keys + i;
    w->slots = in->slots + i;
    w->inside = LANES;
    if (left < LANES)
    {
        for (uint32_t k = 0; k < LANES; ++k)
        {
            w->last_keys[k] = w->keys[k < left ? k : 0];
            w->last_slots[k] = w->slots[k < left ? k : 0];
        }
        w->keys = w->last_keys;
        w->slots = w->last_slots;
        w->inside = left;
    }
}

static ab_follow_counts follow(const ab_follow_in *given, uint32_t first, uint32_t end, const ab_follow_out *to)
{
    const ab_follow_in in = *given; // copies: the compiler need not assume that stores change them
    const ab_follow_out out = *to;
    ab_follow_counts counts = { 0 };
    tally sums = { splatu(0), splatu(0) };
    for (uint32_t i = first; i < end; i += LANES)
    {
        window w;
        shiftsw s;
        open_window(&in, i, end, &w);
        look_ahead(&in, i, end);
        open_shifts(in.shifts, w.keys, &s);
        const maskw standing = andm(find_standing(&s), first_lanes(w.inside));
        const uint32_t bits = bitsm(standing), others = (LANES_ALL >> (LANES - w.inside)) & ~bits;
        counts.others = append(out.others, counts.others, others, i);
        if (bits == 0)
        {
            continue;
        }
        group g;
        open_group(&in, w.slots, &g);
        if (out.before)
        {
            note_separations(in.contacts, w.slots, out.before + (size_t)AB_FOLLOW_BEFORE * (i - first));
        }
        targets all = { in.contacts, w.slots, bits, false };
        uint32_t changed;
#ifndef AB_SMALL
        if (AB_LIKELY(bits == LANES_ALL))
        {
            all.whole = true;
            changed = follow_group(&in, &s, &g, &all, standing, out.flags_before + i, &sums);
        }
        else
#endif
        {
            changed = follow_group(&in, &s, &g, &all, standing, out.flags_before + i, &sums);
        }
        counts.changed = append(out.changed, counts.changed, changed, i);
    }
    uint32_t points[LANES], speculative[LANES];
    storeu(points, sums.points);
    storeu(speculative, sums.speculative);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        counts.points += points[k];
        counts.speculative += speculative[k];
    }
    return counts;
}

// The separations that contact `i` and those after it had.
AB_INLINE void find_gaps_before(const ab_follow_in *in, const window *w, const float *noted, const uint8_t *flags,
                                gapsw *was)
{
    if (noted || !AB_KEEPS_SHIFTS)
    {
        was->separation = loadw(noted);
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            was->gap[p] = loadw(noted + (p + 1) * (size_t)LANES);
        }
        return;
    }
    group g;
    shiftsw s;
    uint32_t recycled[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        recycled[k] = k < w->inside ? flags[k] & (uint32_t)ABUT_CONTACT_RECYCLED : 0;
    }
    open_group(in, w->slots, &g);
    open_shifts(in->shifts_before, w->keys, &s);
    find_gaps(&s, &g, was);
    // Those that had not moved since they were anchored had what ab_follow_none gives.
    const maskw moved = gtu(loadu(recycled), splatu(0));
    was->separation = pickw(moved, was->separation, addw(g.between.rest, splatw(0.0f)));
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        was->gap[p] = pickw(moved, was->gap[p], addw(g.gap.column[p], splatw(0.0f)));
    }
}

static void undo(const ab_follow_in *in, uint32_t first, uint32_t end, const ab_follow_out *out)
{
    for (uint32_t i = first; i < end; i += LANES)
    {
        window w;
        shiftsw s;
        gapsw was;
        open_window(in, i, end, &w);
        open_shifts(in->shifts, w.keys, &s);
        const targets all = { in->contacts, w.slots, bitsm(andm(find_standing(&s), first_lanes(w.inside))), false };
        if (all.standing == 0) // nothing was written
        {
            continue;
        }
        find_gaps_before(in, &w, out->before ? out->before + (size_t)AB_FOLLOW_BEFORE * (i - first) : NULL,
                         out->flags_before + i, &was);
        write_separations(&all, &was);
        for (uint32_t k = 0; k < w.inside; ++k)
        {
            if (is_target(&all, k))
            {
                in->contacts[w.slots[k]].flags = out->flags_before[i + k];
            }
        }
    }
}

const ab_follow_kernels AB_ISA_NAME(ab_follow_kernels) = { follow, undo };
