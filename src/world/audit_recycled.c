// Audits contacts with reused manifolds: they must be close to what their kernel computes now.
#include "world/audit.h"

#include <math.h>

#define LIKE_AXES 0x1p-9f // of the shapes' size: more than the hysteresis of any kernel

// Of the separation of disjoint boxes: SAT may report the distance or 1 / sqrt 3 of it, and so differ by sqrt 3 - 1 of
// the lesser.
#define AXES_APART 0.75f

static float size_of(const ab_record *record)
{
    return record->half_x + record->half_y + record->half_z;
}

// Whether the pair touches at a margin wider by `slack`.
static bool nearly_touches(const abut_world *world, uint32_t proxy_a, uint32_t proxy_b, float slack)
{
    const ab_pair pair = { proxy_a, proxy_b };
    const uint32_t code =
        ab_pair_key_exact(&world->state.rules, &world->cache.proxies, world->state.colliders.filter, pair);
    if ((code & AB_KEY_BIN) >= AB_PAIR_TYPES)
    {
        return false;
    }
    uint32_t a[AB_WIDEST], b[AB_WIDEST], touching[1 + AB_WIDEST];
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        a[i] = code & AB_KEY_SWAP ? proxy_b : proxy_a;
        b[i] = code & AB_KEY_SWAP ? proxy_a : proxy_b;
    }
    ab_batch batch = ab_world_batch(world, a, b, 1);
    batch.margin += slack;
    return ab_pair_type_of(world->table, code & AB_KEY_BIN)->touching(&batch, touching) != 0;
}

bool ab_audit_recycled(const abut_world *world, const abut_contact *there, const abut_contact *exact)
{
    const uint32_t proxy_a = world->cache.proxies.proxy_of[there->collider_a.slot];
    const uint32_t proxy_b = world->cache.proxies.proxy_of[there->collider_b.slot];
    const float slack = 2.0f * world->state.recycle_distance;
    if (proxy_a == ABUT_NONE || proxy_b == ABUT_NONE)
    {
        return false; // edited since
    }
    if (!exact)
    {
        return nearly_touches(world, proxy_a, proxy_b, slack + AXES_APART * fmaxf(0.0f, there->separation));
    }
    const ab_record *record = world->cache.proxies.record;
    const float size = size_of(&record[proxy_a]) + size_of(&record[proxy_b]);
    const float apart = fmaxf(0.0f, fminf(there->separation, exact->separation));
    return fabsf(there->separation - exact->separation) <= slack + LIKE_AXES * size + AXES_APART * apart;
}
