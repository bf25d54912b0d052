// Follows contacts to the present poses, a vector of them at a time. Sums in the order of ab_follow_manifold: both give
// the same bits.
#include "narrow/follow.h"

#include "base/kernels.h"
#include "base/platform.h"
#include "bounds/transpose4.h"
#include "math/lanes.h"

#include <string.h>

#define AHEAD 48u // contacts

// Small builds have one body for all lanes.
#ifdef AB_SMALL
#define EACH_LANE
#define FOLLOW_BODY static AB_APART
#else
#define EACH_LANE   AB_UNROLL
#define FOLLOW_BODY AB_INLINE
#endif

AB_INLINE v3w first_three(const f32w *columns)
{
    return v3w_make(columns[0], columns[1], columns[2]);
}

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

// Columns of four floats of each lane's row, so many floats into it.
FOLLOW_BODY void gather(const float *const rows[], ptrdiff_t floats, f32w out[4])
{
    const float *at[LANES];
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        at[k] = rows[k] + floats;
    }
    gather_transpose4(at, out);
    AB_IN_ORDER();
}

// How the bodies of the lanes have moved: b less a, and b. The turns with AB_SHIFT_….
typedef struct shiftsw
{
    f32w way[4], turn[4], turn_b[4];
} shiftsw;

#if LANES == 8

// Columns of b's rows of eight floats less a's.
AB_INLINE void subtract_rows(const float *const a[], const float *const b[], shiftsw *s)
{
    f32w row[LANES];
    AB_UNROLL
    for (uint32_t k = 0; k < LANES; ++k)
    {
        row[k] = subw(loadw(b[k]), loadw(a[k]));
    }
    columns_of_eight(row, s->way, s->turn);
}

// Columns of rows of eight floats.
AB_INLINE void gather_rows(const float *const rows[], f32w low[4], f32w high[4])
{
    f32w row[LANES];
    AB_UNROLL
    for (uint32_t k = 0; k < LANES; ++k)
    {
        row[k] = loadw(rows[k]);
    }
    columns_of_eight(row, low, high);
    AB_IN_ORDER();
}

#else

AB_INLINE void gather_rows(const float *const rows[], f32w low[4], f32w high[4])
{
    gather(rows, 0, low);
    gather(rows, 4, high);
}

AB_INLINE void subtract_rows(const float *const a[], const float *const b[], shiftsw *s)
{
    f32w way_a[4], turn_a[4];
    gather_rows(a, way_a, turn_a);
    gather_rows(b, s->way, s->turn);
    for (uint32_t c = 0; c < 4; ++c)
    {
        s->way[c] = subw(s->way[c], way_a[c]);
        s->turn[c] = subw(s->turn[c], turn_a[c]);
    }
}

#endif

_Static_assert(sizeof(ab_shift) == 8 * sizeof(float) && sizeof(ab_anchored) == 8 * sizeof(float) &&
                   offsetof(ab_shift, turn) == 4 * sizeof(float) && offsetof(ab_anchored, between) == 4 * sizeof(float),
               "they are rows of eight floats");

FOLLOW_BODY void open_shifts(const ab_shift *shifts, const uint64_t *keys, shiftsw *s)
{
    const float *a[LANES], *b[LANES];
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        a[k] = shifts[body_a(keys[k])].way;
        b[k] = shifts[body_b(keys[k])].way;
    }
    subtract_rows(a, b, s);
    gather(b, 4, s->turn_b);
}

// The contacts of the lanes, which are read and written several times.
typedef struct contactsw
{
    abut_contact *own[LANES];
    const float *normal[LANES];   // of those
    const float *anchored[LANES]; // what is kept of their manifolds
} contactsw;

FOLLOW_BODY void open_contacts(const ab_follow_in *in, const uint32_t *slots, contactsw *c)
{
    EACH_LANE
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const size_t slot = slots[k];
        c->own[k] = &in->contacts[slot];
        c->normal[k] = &c->own[k]->normal.x;
        c->anchored[k] = in->anchored[slot].gap;
    }
}

// Where a point of a contact is, in floats from its normal.
#define TO_POINT(p)                                                                                                    \
    (ptrdiff_t)((offsetof(abut_contact, points) + (p) * sizeof(abut_point) - offsetof(abut_contact, normal)) /         \
                sizeof(float))

_Static_assert(offsetof(abut_contact, flags) == offsetof(abut_contact, point_count) + 2 &&
                   offsetof(abut_contact, normal) == offsetof(abut_contact, point_count) + 4,
               "a word has a contact's flags above the number of its points, and the normal follows");

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

// Which contacts stand: neither body is anchored anew, and one of them may move. No other difference is a number.
AB_INLINE maskw find_standing(const shiftsw *s)
{
    return eqw(s->turn[3], s->turn[3]);
}

// What all points share: how far body b has moved from body a along the normal, at the position of a, and how that
// changes with the offset. The first is no negative zero, and so is no separation: those of bodies that have not moved
// are what ab_follow_none says.
AB_INLINE void find_motion(const shiftsw *s, v3w normal, v3w between, f32w *all, v3w *lean)
{
    const v3w way = v3w_sub(first_three(s->way), cross(first_three(s->turn_b), between));
    *lean = cross(normal, first_three(s->turn));
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
    const contactsw *contacts;
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
            abut_contact *contact = to->contacts->own[k];
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
            to->contacts->own[k]->flags = (uint16_t)now[k];
            flags_before[k] = (uint8_t)was[k];
        }
    }
}

_Static_assert((ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED | ABUT_CONTACT_NEW) <= UINT8_MAX,
               "flags are noted in a byte");

// The separations of contacts after these shifts. Gets how many points they have, with flags above them. What is read
// is used before the next is read: there are few registers.
AB_INLINE void find_gaps(const contactsw *c, const shiftsw *s, u32w *state, gapsw *is)
{
    f32w head[4], between[4], gap[AB_MAX_POINTS], all;
    v3w lean;
    gather(c->normal, -1, head);
    gather_rows(c->anchored, gap, between);
    find_motion(s, first_three(head + 1), first_three(between), &all, &lean);
    AB_IN_ORDER();
    EACH_LANE
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        f32w point[4]; // its offset
        gather(c->normal, TO_POINT(p), point);
        const f32w now = addw(gap[p], addw(all, dot(lean, first_three(point)))); // of no point: any number
        is->gap[p] = pickw(gew(gap[p], splatw(AB_NO_POINT)), gap[p], now);
    }
    is->separation = addw(between[3], subw(least(is->gap), least(gap)));
    *state = bitsw(head[0]);
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

// Follows contacts, and notes their flags. Returns which touch and did not, or the other way about.
AB_INLINE uint32_t follow_group(float margin, const shiftsw *s, const targets *to, maskw standing,
                                uint8_t *flags_before, tally *t)
{
    gapsw is;
    u32w state;
    find_gaps(to->contacts, s, &state, &is);
    write_separations(to, &is);
    const maskw near = lew(is.separation, splatw(margin));
    const u32w was = shru(state, 16), speculative = splatu(ABUT_CONTACT_SPECULATIVE);
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
        if (!AB_KEEPS_SHIFTS || out.before)
        {
            note_separations(in.contacts, w.slots, out.before + (size_t)AB_FOLLOW_BEFORE * (i - first));
        }
        contactsw c;
        open_contacts(&in, w.slots, &c);
        targets all = { &c, bits, false };
        uint32_t changed;
#ifndef AB_SMALL
        if (AB_LIKELY(bits == LANES_ALL))
        {
            all.whole = true;
            changed = follow_group(in.margin, &s, &all, standing, out.flags_before + i, &sums);
        }
        else
#endif
        {
            changed = follow_group(in.margin, &s, &all, standing, out.flags_before + i, &sums);
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

// The separations that the contacts of a window had.
AB_INLINE void find_gaps_before(const ab_follow_in *in, const window *w, const contactsw *c, const float *noted,
                                const uint8_t *flags, gapsw *was)
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
    shiftsw s;
    u32w state;
    f32w gap[AB_MAX_POINTS], between[4];
    uint32_t recycled[LANES];
    for (uint32_t k = 0; k < LANES; ++k)
    {
        recycled[k] = k < w->inside ? flags[k] & (uint32_t)ABUT_CONTACT_RECYCLED : 0;
    }
    open_shifts(in->shifts_before, w->keys, &s);
    find_gaps(c, &s, &state, was);
    gather_rows(c->anchored, gap, between);
    // Those that had not moved since they were anchored had what ab_follow_none gives.
    const maskw moved = gtu(loadu(recycled), splatu(0));
    was->separation = pickw(moved, was->separation, addw(between[3], splatw(0.0f)));
    for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
    {
        was->gap[p] = pickw(moved, was->gap[p], addw(gap[p], splatw(0.0f)));
    }
}

static void undo(const ab_follow_in *in, uint32_t first, uint32_t end, const ab_follow_out *out)
{
    for (uint32_t i = first; i < end; i += LANES)
    {
        window w;
        shiftsw s;
        contactsw c;
        gapsw was;
        open_window(in, i, end, &w);
        open_shifts(in->shifts, w.keys, &s);
        open_contacts(in, w.slots, &c);
        const targets all = { &c, bitsm(andm(find_standing(&s), first_lanes(w.inside))), false };
        if (all.standing == 0) // nothing was written
        {
            continue;
        }
        find_gaps_before(in, &w, &c, out->before ? out->before + (size_t)AB_FOLLOW_BEFORE * (i - first) : NULL,
                         out->flags_before + i, &was);
        write_separations(&all, &was);
        for (uint32_t k = 0; k < w.inside; ++k)
        {
            if (is_target(&all, k))
            {
                c.own[k]->flags = out->flags_before[i + k];
            }
        }
    }
}

const ab_follow_kernels AB_ISA_NAME(ab_follow_kernels) = { follow, undo };
