// Lays out records for kernels, and pairs up those of one kind.
#include "query/beside.h"

#include <string.h>

void ab_beside_lay(ab_beside *out, const abut_world *world, const ab_record *asker, const abut_shape *shape,
                   const uint32_t *proxies, uint32_t count)
{
    const ab_proxies *all = &world->cache.proxies;
    out->record[0] = *asker;
    out->shape[0] = *shape;
    out->offset[0] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    out->own[0] = 0;
    memset(out->count, 0, sizeof out->count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxies[i];
        out->record[i + 1] = all->record[proxy];
        out->record[i + 1].collider_key = i + 1;
        const abut_shape *own = ab_query_shape(world, proxy, &out->shape[i + 1]);
        if (own != &out->shape[i + 1])
        {
            out->shape[i + 1] = *own;
        }
        out->offset[i + 1] = all->offset ? all->offset[proxy] : out->offset[0];
        out->own[i + 1] = i + 1;
        const abut_shape_kind kind = out->shape[i + 1].kind;
        out->of_kind[kind][out->count[kind]++] = (uint8_t)(i + 1);
    }
}

const ab_pair_type *ab_beside_pair_up(ab_beside *beside, const abut_world *world, abut_shape_kind kind, ab_batch *out)
{
    const abut_shape_kind own = beside->shape[0].kind;
    const uint32_t pairs = beside->count[kind];
    uint32_t *const proxies = own > kind ? beside->a : beside->b, *const asker = own > kind ? beside->b : beside->a;
    for (uint32_t i = 0; i < pairs + AB_WIDEST; ++i)
    {
        proxies[i] = beside->of_kind[kind][i < pairs ? i : 0];
        asker[i] = 0;
    }
    *out = (ab_batch){ .records = beside->record,
                       .offsets = world->cache.proxies.offset ? beside->offset : NULL,
                       .colliders = beside->own,
                       .shapes = beside->shape,
                       .kinds = &world->state.kind_set,
                       .a = beside->a,
                       .b = beside->b,
                       .count = pairs,
                       .is_2d = world->state.is_2d };
    return own < kind ? &world->table->type[own][kind] : &world->table->type[kind][own];
}
