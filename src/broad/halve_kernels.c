// Centres of proxies, wide, and their halves: those below two coordinates at a time are counted until few lie between
// the two (as in R. W. Floyd and R. L. Rivest, Expected Time Bounds for Selection, 1975), the cut is at one of these,
// and what is below it moves to the front. Axes are chosen by the points' bounds, which are measured for every third
// cut, a level of the tree, and cut between. The order is the same on every instruction set.
#define AB_LANES_EIGHT_AT_MOST // the last ranges have sixteen points or fewer

#include "broad/halve.h"

#include "base/isa.h"
#include "math/lanes.h"

#include <math.h>
#include <string.h>

#define FEW      8u       // are compared with one another
#define GUESSES  3u       // in a row; then the range of numbers is halved
#define SMALLEST 1.0e-30f // extent: less is one spot

AB_INLINE uint32_t *words_of(float *floats)
{
    return (uint32_t *)(void *)floats; // moved as bits
}

// Twice the middle, as bits.
AB_INLINE u32w twice_middle(const float *min, const float *max)
{
    return bitsw(minw(maxw(addw(loadw(min), loadw(max)), splatw(-AB_BEYOND)), splatw(AB_BEYOND)));
}

AB_INLINE f32w extent_of(const float *min, const float *max)
{
    return subw(loadw(max), loadw(min));
}

static uint32_t centres(const ab_proxies *proxies, uint32_t first, uint32_t end, const ab_centres *out,
                        uint32_t *extents)
{
    uint32_t found = 0;
    for (uint32_t at = first / LANES * LANES; at < end; at += LANES)
    {
        const ab_aabb8 *b = &proxies->block[at / AB_BLOCK];
        const uint32_t k = at % AB_BLOCK;
        const u32w proxy = addu(splatu(at), lane_indices());
        const maskw within = andm(gtu(splatu(end), proxy), notm(gtu(splatu(first), proxy)));
        const maskw live = andnotm(within, equ(loadu(proxies->collider + at), splatu(ABUT_NONE)));
        const f32w extent = maxw(extent_of(b->min_x + k, b->max_x + k),
                                 maxw(extent_of(b->min_y + k, b->max_y + k), extent_of(b->min_z + k, b->max_z + k)));
        const maskw has_none = eqw(loadw(b->min_x + k), splatw(AB_EMPTY_BOX));
        appendu(words_of(out->at[0]) + found, twice_middle(b->min_x + k, b->max_x + k), live);
        appendu(words_of(out->at[1]) + found, twice_middle(b->min_y + k, b->max_y + k), live);
        appendu(words_of(out->at[2]) + found, twice_middle(b->min_z + k, b->max_z + k), live);
        appendu(extents + found, picku(has_none, splatu(AB_NO_SIZE), bitsw(extent)), live);
        found += appendu(out->proxy + found, proxy, live);
    }
    return found;
}

// The least and the most of all lanes.
static void reduce(f32w lows, f32w highs, float *least, float *most)
{
    float lanes[2][LANES];
    storew(lanes[0], negw(mostw(negw(lows))));
    storew(lanes[1], mostw(highs));
    *least = lanes[0][0], *most = lanes[1][0];
}

static void span_along(const float *at, uint32_t count, float *low, float *high)
{
    float least = at[0], most = at[0];
    uint32_t i = 0;
    if (count >= LANES)
    {
        f32w lows = loadw(at), highs = lows;
        for (i = LANES; i + LANES <= count; i += LANES)
        {
            lows = minw(lows, loadw(at + i));
            highs = maxw(highs, loadw(at + i));
        }
        reduce(lows, highs, &least, &most);
    }
    for (; i < count; ++i)
    {
        least = at[i] < least ? at[i] : least;
        most = at[i] > most ? at[i] : most;
    }
    *low = least, *high = most;
}

static ab_span span(const ab_centres *points, uint32_t count)
{
    ab_span b;
    for (uint32_t axis = 0; axis < AB_AXES; ++axis)
    {
        span_along(points->at[axis], count, &b.low[axis], &b.high[axis]);
    }
    return b;
}

// AB_AXES: they are all at one spot.
static uint32_t longest_axis(const ab_span *b)
{
    uint32_t longest = AB_AXES;
    float most = SMALLEST;
    for (uint32_t axis = 0; axis < AB_AXES; ++axis)
    {
        const float extent = b->high[axis] - b->low[axis];
        longest = extent > most ? axis : longest;
        most = extent > most ? extent : most;
    }
    return longest;
}

// Floats in their order as integers, and back.
static int32_t rank_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (bits >> 31 & 0x7fffffff);
}

static float of_rank(int32_t rank)
{
    const int32_t bits = rank ^ (rank >> 31 & 0x7fffffff);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The next float. Of -0 and 0, that of the latter.
static float next_above(float x)
{
    return of_rank(rank_of(x + 0.0f) + 1);
}

typedef struct bracket
{
    float from, to;       // numbers at least, and less
    uint32_t below, upto; // numbers less than each
} bracket;

static void count_below(const float *at, uint32_t count, bracket *b)
{
    const f32w from = splatw(b->from), to = splatw(b->to);
    uint32_t i = 0, below = 0, upto = 0;
    for (; i + LANES <= count; i += LANES)
    {
        below += countm(ltw(loadw(at + i), from));
        upto += countm(ltw(loadw(at + i), to));
    }
    for (; i < count; ++i)
    {
        below += at[i] < b->from;
        upto += at[i] < b->to;
    }
    b->below = below, b->upto = upto;
}

// Narrows the bracket of the number at `place` in their order.
static void narrow(const float *at, uint32_t count, uint32_t place, bracket *known, uint32_t guess)
{
    bracket b;
    if (guess % (GUESSES + 1) == GUESSES)
    {
        const int64_t from = rank_of(known->from), to = rank_of(known->to);
        b.from = b.to = of_rank((int32_t)(from + (to - from + 1) / 2));
    }
    else
    {
        const float many = (float)(known->upto - known->below), width = (known->to - known->from) / many;
        const float middle = (float)(place - known->below) + 0.5f, margin = 1.0f + 0.5f * sqrtf(many);
        const float from = known->from + (middle - margin) * width, to = known->from + (middle + margin) * width;
        b.from = from > known->from ? from : known->from;
        b.to = to < known->to ? to : known->to;
    }
    count_below(at, count, &b);
    if (place < b.below)
    {
        known->to = b.from, known->upto = b.below;
    }
    else
    {
        known->from = b.from, known->below = b.below;
        if (place < b.upto)
        {
            known->to = b.to, known->upto = b.upto;
        }
        else
        {
            known->from = b.to, known->below = b.upto;
        }
    }
}

// Small builds need a few more passes where many coordinates are equal, and their nodes of lattices are less tight.
#ifdef AB_SMALL
#define tighten(at, count, known) (void)0
#define tied_axis(b)              ((void)(b), AB_AXES)
#else
#define tied_axis longest_axis
// Narrows a bracket to the least and the most of its numbers: where guesses fall between numbers, all may be equal.
static void tighten(const float *at, uint32_t count, bracket *known)
{
    const f32w from = splatw(known->from), to = splatw(known->to);
    f32w lows = to, highs = from;
    uint32_t i = 0;
    for (; i + LANES <= count; i += LANES)
    {
        const f32w x = loadw(at + i);
        const maskw inside = andm(gew(x, from), ltw(x, to));
        lows = minw(lows, pickw(inside, x, to));
        highs = maxw(highs, pickw(inside, x, from));
    }
    float least, most;
    reduce(lows, highs, &least, &most);
    for (; i < count; ++i)
    {
        const bool inside = at[i] >= known->from && at[i] < known->to;
        least = inside && at[i] < least ? at[i] : least;
        most = inside && at[i] > most ? at[i] : most;
    }
    known->from = least + 0.0f, known->to = next_above(most);
}
#endif

static uint32_t collect(const float *at, uint32_t count, const bracket *b, float few[FEW + LANES])
{
    const f32w from = splatw(b->from), to = splatw(b->to);
    uint32_t bits[FEW + LANES] = { 0 }, i = 0, found = 0;
    for (; i + LANES <= count; i += LANES)
    {
        const f32w x = loadw(at + i);
        found += appendu(bits + found, bitsw(x), andm(gew(x, from), ltw(x, to)));
    }
    memcpy(few, bits, sizeof bits);
    for (; i < count; ++i)
    {
        few[found] = at[i];
        found += at[i] >= b->from && at[i] < b->to;
    }
    return found;
}

// The number at `place` in the order of `count` numbers within [low, high].
static float number_at(const float *at, uint32_t count, uint32_t place, float low, float high)
{
    bracket known = { low, next_above(high), 0, count };
    for (uint32_t guess = 0; known.upto - known.below > FEW; ++guess)
    {
        if (rank_of(known.to) - 1 <= rank_of(known.from))
        {
            return known.from; // it is one float wide
        }
        const uint32_t many = known.upto - known.below;
        narrow(at, count, place, &known, guess);
        if (known.upto - known.below == many)
        {
            tighten(at, count, &known);
        }
    }
    float few[FEW + LANES];
    const uint32_t found = collect(at, count, &known, few);
    for (uint32_t i = 0; i + 1 < found; ++i)
    {
        uint32_t below = known.below, upto = known.below;
        for (uint32_t k = 0; k < found; ++k)
        {
            below += few[k] < few[i];
            upto += few[k] <= few[i];
        }
        if (below <= place && place < upto)
        {
            return few[i];
        }
    }
    return few[found - 1];
}

static void swap_points(const ab_centres *points, uint32_t i, uint32_t k)
{
    for (uint32_t axis = 0; axis < AB_AXES; ++axis)
    {
        const float moved = points->at[axis][i];
        points->at[axis][i] = points->at[axis][k], points->at[axis][k] = moved;
    }
    const uint32_t moved = points->proxy[i];
    points->proxy[i] = points->proxy[k], points->proxy[k] = moved;
}

static void part(const ab_centres *points, void *memory, uint32_t count, uint32_t front, uint32_t axis, float cut);

// Of points from `before` on, those at the cut, a layer of a lattice perhaps, are parted along another axis, so that
// neighbours in the layer stay together.
static void part_ties(const ab_centres *points, void *memory, uint32_t count, uint32_t before, uint32_t front,
                      uint32_t axis, float cut)
{
    uint32_t ties = before;
    for (uint32_t i = before; i < count; ++i)
    {
        if (points->at[axis][i] == cut)
        {
            swap_points(points, i, ties++);
        }
    }
    const ab_centres tied = ab_centres_from(points, before);
    const ab_span b = span(&tied, ties - before);
    const uint32_t other = tied_axis(&b);
    if (front < ties && other < AB_AXES)
    {
        const float next = number_at(tied.at[other], ties - before, front - before, b.low[other], b.high[other]);
        part(&tied, memory, ties - before, front - before, other, next);
    }
}

// Moves points with less than `cut` to the front, and those with as much until there are `front`.
static void part(const ab_centres *points, void *memory, uint32_t count, uint32_t front, uint32_t axis, float cut)
{
    const ab_centres scratch = ab_centres_in(memory, count);
    const float *const at = points->at[axis];
    uint32_t *const from[] = { words_of(points->at[0]), words_of(points->at[1]), words_of(points->at[2]),
                               points->proxy };
    uint32_t *const rest[] = { words_of(scratch.at[0]), words_of(scratch.at[1]), words_of(scratch.at[2]),
                               scratch.proxy };
    const f32w cuts = splatw(cut);
    uint32_t i = 0, before = 0, behind = 0;
    for (; i + LANES <= count; i += LANES)
    {
        const maskw less = ltw(loadw(at + i), cuts), more = notm(less);
        uint32_t kept = 0, left = 0;
        for (uint32_t k = 0; k < AB_AXES + 1; ++k)
        {
            const u32w words = loadu(from[k] + i);
            kept = appendu(from[k] + before, words, less);
            left = appendu(rest[k] + behind, words, more);
        }
        before += kept, behind += left;
    }
    for (; i < count; ++i)
    {
        const bool less = at[i] < cut;
        for (uint32_t k = 0; k < AB_AXES + 1; ++k)
        {
            const uint32_t word = from[k][i];
            from[k][before] = word;
            rest[k][behind] = word;
        }
        before += less, behind += !less;
    }
    for (uint32_t k = 0; k < AB_AXES + 1; ++k)
    {
        memcpy(from[k] + before, rest[k], behind * sizeof *rest[k]);
    }
    if (before < front)
    {
        part_ties(points, memory, count, before, front, axis, cut);
    }
}

// Returns the coordinate of the cut.
static float halve_between(const ab_centres *points, void *scratch, uint32_t count, uint32_t front, uint32_t axis,
                           float low, float high)
{
    const float cut = number_at(points->at[axis], count, front, low, high);
    part(points, scratch, count, front, axis, cut);
    return cut;
}

static void halve(const ab_centres *points, void *scratch, uint32_t count, uint32_t front, uint32_t axis)
{
    float low, high;
    span_along(points->at[axis], count, &low, &high);
    halve_between(points, scratch, count, front, axis, low, high);
}

typedef struct ordering
{
    void *scratch;
    ab_halve_alike *alike;
    const void *context;
} ordering;

// `cuts` since the bounds were measured. The points at hand begin at `first`.
static void order_range(const ordering *o, const ab_centres *points, uint32_t first, uint32_t end, const ab_span *known,
                        uint32_t cuts)
{
    const uint32_t count = end - first;
    if (first / AB_BLOCK == (end - 1) / AB_BLOCK)
    {
        return;
    }
    ab_span b = cuts % AB_AXES == 0 ? span(points, count) : *known;
    const uint32_t axis = longest_axis(&b);
    if (axis == AB_AXES)
    {
        if (count > AB_BLOCK)
        {
            o->alike(o->context, points, o->scratch, count);
        }
        return;
    }
    const uint32_t middle = ab_halve_at(first, end);
    const float high = b.high[axis];
    b.high[axis] = halve_between(points, o->scratch, count, middle - first, axis, b.low[axis], high);
    order_range(o, points, first, middle, &b, cuts + 1);
    b.low[axis] = b.high[axis], b.high[axis] = high;
    const ab_centres rest = ab_centres_from(points, middle - first);
    order_range(o, &rest, middle, end, &b, cuts + 1);
}

static void order(const ab_centres *points, void *scratch, uint32_t first, uint32_t count, ab_halve_alike *alike,
                  const void *context)
{
    if (count > 0)
    {
        order_range(&(ordering){ scratch, alike, context }, points, first, first + count, NULL, 0);
    }
}

const ab_halve_kernels AB_ISA_NAME(ab_halve_kernels) = {
    .centres = centres, .span = span, .halve = halve, .order = order
};
