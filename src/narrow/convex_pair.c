// The kernels of pair types with a custom shape: the caller's pair function if there is one, else the generic convex
// contact, pair by pair. Plain double arithmetic, compiled once, so that no instruction set can differ.
#include "base/assert.h"
#include "narrow/convex.h"
#include "narrow/pair_functions.h"

static void keep_manifold(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *m)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    ab_manifolds_append(to, batch, proxies.a, proxies.b, m);
}

static void keep_place(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *m)
{
    (void)batch, (void)m;
    ((bool *)to)[i] = true;
}

// Rounds once, so that a pair and its manifold are decided by the same number.
static bool near_enough(const ab_convex_contact *contact, float limit)
{
    return (float)contact->separation <= limit;
}

static void collide_pair(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    const float limit = ab_batch_limit(batch, i);
    ab_convex_pair pair;
    ab_convex_contact contact;
    ab_convex_pair_of(&pair, batch, proxies.a, proxies.b);
    ab_convex_collide(&pair, (double)limit, &contact);
    if (near_enough(&contact, limit))
    {
        const double *n = contact.normal;
        abut_manifold m;
        m.normal = abut_vec3_make((float)n[0], (float)n[1], (float)n[2]);
        m.separation = (float)contact.separation;
        m.point_count = ab_convex_points(&pair, &contact, (double)limit, m.points);
        ab_manifolds_append(out, batch, proxies.a, proxies.b, &m);
    }
}

void ab_convex_kernel(const ab_batch *batch, ab_manifolds *out)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    const bool some = ab_pair_functions_mark(batch, own);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (!own[i])
        {
            collide_pair(batch, i, out);
        }
    }
    const uint32_t invalid = some ? ab_pair_functions_run(batch, own, keep_manifold, out) : ABUT_NONE;
    if (invalid != ABUT_NONE)
    {
        out->invalid = true;
        out->invalid_proxy = invalid;
    }
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
    if (!ab_gjk(&pair, (double)limit + roundings, &contact))
    {
        return true;
    }
    contact.separation -= roundings;
    return near_enough(&contact, limit);
}

uint32_t ab_convex_touching(const ab_batch *batch, uint32_t *out)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    bool kept[AB_CHUNK];
    const bool some = ab_pair_functions_mark(batch, own);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        kept[i] = !own[i] && touches(batch, i);
    }
    const uint32_t invalid = some ? ab_pair_functions_run(batch, own, keep_place, kept) : ABUT_NONE;
    if (batch->invalid)
    {
        *batch->invalid = invalid;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        out[count] = i;
        count += kept[i];
    }
    return count;
}
