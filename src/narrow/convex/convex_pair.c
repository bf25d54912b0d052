// The kernels of pair types with a custom shape: the caller's pair function if there is one, else the generic convex
// contact, pair by pair. Plain double arithmetic, compiled once, so that no instruction set can differ.
#include "narrow/convex/convex.h"
#include "narrow/kernels/pair_by_pair.h"

// Rounds once, so that a pair and its manifold are decided by the same number.
static bool near_enough(const ab_convex_contact *contact, float limit)
{
    return (float)contact->separation <= limit;
}

bool ab_convex_pair_manifold(const ab_batch *batch, uint32_t i, abut_manifold *m)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    const float limit = ab_batch_limit(batch, i);
    ab_convex_pair pair;
    ab_convex_contact contact;
    ab_convex_pair_of(&pair, batch, proxies.a, proxies.b);
    ab_convex_collide(&pair, (double)limit, &contact);
    if (!near_enough(&contact, limit))
    {
        return false;
    }
    const double *n = contact.normal;
    m->normal = abut_vec3_make((float)n[0], (float)n[1], (float)n[2]);
    m->separation = (float)contact.separation;
    m->point_count = ab_convex_points(&pair, &contact, (double)limit, m->points);
    return true;
}

static void collide_pair(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    abut_manifold m;
    if (ab_convex_pair_manifold(batch, i, &m))
    {
        ab_manifolds_append(out, batch, proxies.a, proxies.b, &m);
    }
}

void ab_convex_kernel(const ab_batch *batch, ab_manifolds *out)
{
    ab_collide_each(batch, out, collide_pair);
}

// The same test without EPA: an overlap is never past the limit.
static bool touches(const ab_batch *batch, uint32_t i)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    const float limit = ab_batch_limit(batch, i);
    ab_convex_pair pair;
    ab_convex_contact contact;
    ab_convex_pair_of(&pair, batch, proxies.a, proxies.b);
    const double roundings = pair.a.core.rounding + pair.b.core.rounding;
    if (!ab_convex_gap(&pair, (double)limit + roundings, &contact))
    {
        return true;
    }
    contact.separation -= roundings;
    return near_enough(&contact, limit);
}

uint32_t ab_convex_touching(const ab_batch *batch, uint32_t *out)
{
    return ab_touch_each(batch, out, touches);
}

#ifdef AB_HULLS
void ab_convex_collide_pair(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    collide_pair(batch, i, out);
}

bool ab_convex_pair_touches(const ab_batch *batch, uint32_t i)
{
    return touches(batch, i);
}
#endif
