// The orientation predicate: in double with a bound on its error, and where that does not decide, as an exact sum. J.
// R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997): the bound is
// his first one, the sum his expansions. A product of three floats is the sum of two exact doubles, so that the
// determinant is the sum of 48.
#include "math/orient.h"

#include <math.h>

#define ERROR_BOUND ((7.0 + 56.0 * 0x1p-53) * 0x1p-53)
#define SPLITTER                                                                                                       \
    134217729.0 // 2^27 + 1: T. J. Dekker, "A floating-point technique for extending the available precision" (1971)

enum
{
    TERMS = 48
};

// Doubles whose exact sum is the value: none overlap, and they grow in magnitude; zeros are left out.
typedef struct expansion
{
    double part[TERMS];
    int count;
} expansion;

static void add(expansion *e, double value)
{
    int kept = 0;
    for (int i = 0; i < e->count; ++i)
    {
        const double sum = value + e->part[i], from_part = sum - value;
        const double rest = (value - (sum - from_part)) + (e->part[i] - from_part);
        value = sum;
        e->part[kept] = rest;
        kept += rest != 0.0;
    }
    e->part[kept] = value;
    e->count = kept + (value != 0.0);
}

// x y is exact in a double; its halves times z are, too.
static void add_product(expansion *e, double x, double y, double z)
{
    const double product = x * y, large = SPLITTER * product;
    const double high = large - (large - product), low = product - high;
    add(e, high * z);
    add(e, low * z);
}

// Adds sign (p . (q x r)).
static void add_triple(expansion *e, double sign, abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    const double x = sign * (double)p.x, y = sign * (double)p.y, z = sign * (double)p.z;
    add_product(e, (double)q.y, (double)r.z, x);
    add_product(e, -(double)q.z, (double)r.y, x);
    add_product(e, (double)q.z, (double)r.x, y);
    add_product(e, -(double)q.x, (double)r.z, y);
    add_product(e, (double)q.x, (double)r.y, z);
    add_product(e, -(double)q.y, (double)r.x, z);
}

static int exact(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d)
{
    expansion e = { .count = 0 };
    add_triple(&e, 1.0, d, b, c);
    add_triple(&e, 1.0, d, a, b);
    add_triple(&e, 1.0, d, c, a);
    add_triple(&e, -1.0, a, b, c);
    const double largest = e.count > 0 ? e.part[e.count - 1] : 0.0;
    return (largest > 0.0) - (largest < 0.0);
}

int ab_orient(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d)
{
    const double bx = (double)b.x - a.x, by = (double)b.y - a.y, bz = (double)b.z - a.z;
    const double cx = (double)c.x - a.x, cy = (double)c.y - a.y, cz = (double)c.z - a.z;
    const double dx = (double)d.x - a.x, dy = (double)d.y - a.y, dz = (double)d.z - a.z;
    const double bycz = by * cz, bzcy = bz * cy, bzcx = bz * cx, bxcz = bx * cz, bxcy = bx * cy, bycx = by * cx;
    const double value = dx * (bycz - bzcy) + dy * (bzcx - bxcz) + dz * (bxcy - bycx);
    const double most = fabs(dx) * (fabs(bycz) + fabs(bzcy)) + fabs(dy) * (fabs(bzcx) + fabs(bxcz)) +
                        fabs(dz) * (fabs(bxcy) + fabs(bycx));
    if (fabs(value) > ERROR_BOUND * most)
    {
        return value > 0.0 ? 1 : -1;
    }
    return exact(a, b, c, d);
}
