// The loop of kernels that take one pair at a time: pairs with a caller's pair function go there, all others to the
// kernel's own function.
#ifndef AB_PAIR_BY_PAIR_H
#define AB_PAIR_BY_PAIR_H

#include "base/assert.h"
#include "narrow/pair_functions.h"

// Appends the manifold of pair i if it touches.
typedef void ab_collide_pair(const ab_batch *batch, uint32_t i, ab_manifolds *out);
typedef bool ab_pair_touches(const ab_batch *batch, uint32_t i);

static inline void ab_keep_found(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *m)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    ab_manifolds_append(to, batch, proxies.a, proxies.b, m);
}

static inline void ab_keep_touching(void *to, const ab_batch *batch, uint32_t i, const abut_manifold *m)
{
    (void)batch, (void)m;
    ((bool *)to)[i] = true;
}

// Runs the callers' functions of the marked pairs.
static inline void ab_collide_own(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK], ab_manifolds *out)
{
    const uint32_t invalid = ab_pair_functions_run(batch, own, ab_keep_found, out);
    if (invalid != ABUT_NONE)
    {
        out->invalid = true;
        out->invalid_proxy = invalid;
    }
}

static inline void ab_collide_each(const ab_batch *batch, ab_manifolds *out, ab_collide_pair *collide)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    const bool some = ab_pair_functions_mark(batch, own);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (!own[i])
        {
            collide(batch, i, out);
        }
    }
    if (some)
    {
        ab_collide_own(batch, own, out);
    }
}

// Runs the callers' functions of the marked pairs, if there are some, and lists the pairs that touch. `kept`: the
// others that do.
static inline uint32_t ab_list_touching(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK], bool some,
                                        bool kept[AB_CHUNK], uint32_t *out)
{
    const uint32_t invalid = some ? ab_pair_functions_run(batch, own, ab_keep_touching, kept) : ABUT_NONE;
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

static inline uint32_t ab_touch_each(const ab_batch *batch, uint32_t *out, ab_pair_touches *touches)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    bool kept[AB_CHUNK];
    const bool some = ab_pair_functions_mark(batch, own);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        kept[i] = !own[i] && touches(batch, i);
    }
    return ab_list_touching(batch, own, some, kept, out);
}

// The generic convex contact of pair i, whatever its shapes.
ab_collide_pair ab_convex_collide_pair;
ab_pair_touches ab_convex_pair_touches;

// Its manifold. False: they are apart by more than the limit.
bool ab_convex_pair_manifold(const ab_batch *batch, uint32_t i, abut_manifold *out);

#endif
