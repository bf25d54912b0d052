// Calls the callers' pair functions with groups of pairs of a batch, and validates the manifolds that they return.
#include "narrow/pair_functions.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

enum
{
    GROUP = 32 // pairs per call
};

typedef struct group
{
    uint32_t index[GROUP]; // in the batch
    bool turned[GROUP];    // the function's a is the canonical b
    abut_shape shape_a[GROUP], shape_b[GROUP];
    abut_pose pose_a[GROUP], pose_b[GROUP];
    float margin[GROUP];
    abut_manifold manifold[GROUP];
    uint32_t count;
} group;

ab_proxy_pair ab_batch_pair(const ab_batch *batch, uint32_t i)
{
    const uint32_t a = batch->a[i], b = batch->b[i];
    return batch->records[a].collider_key <= batch->records[b].collider_key ? (ab_proxy_pair){ a, b }
                                                                            : (ab_proxy_pair){ b, a };
}

const abut_shape *ab_batch_shape(const ab_batch *batch, uint32_t proxy)
{
    return &batch->shapes[batch->colliders[proxy]];
}

float ab_batch_limit(const ab_batch *batch, uint32_t i)
{
    return batch->reach ? batch->margin + (batch->reach[batch->a[i]] + batch->reach[batch->b[i]]) : batch->margin;
}

uint32_t ab_kind_number(const abut_shape *shape)
{
    return shape->kind == ABUT_CUSTOM ? shape->custom.kind : (uint32_t)shape->kind;
}

uint32_t ab_pair_function_index(const ab_pair_functions *functions, uint64_t key)
{
    uint32_t low = 0, high = functions->count;
    while (low < high)
    {
        const uint32_t middle = (low + high) / 2;
        if (functions->data[middle].key < key)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

bool ab_pair_functions_mark(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK])
{
    const ab_pair_functions *functions = batch->functions;
    const bool some = functions && functions->count > 0;
    bool found = false;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        own[i] = NULL;
        if (some)
        {
            const uint64_t key = ab_pair_function_key(ab_kind_number(ab_batch_shape(batch, batch->a[i])),
                                                      ab_kind_number(ab_batch_shape(batch, batch->b[i])));
            const uint32_t at = ab_pair_function_index(functions, key);
            own[i] = at < functions->count && functions->data[at].key == key ? &functions->data[at] : NULL;
        }
        found = found || own[i];
    }
    return found;
}

// The pose of a proxy's shape, relative to the position of `origin`'s body.
static abut_pose pose_of(const ab_batch *batch, uint32_t proxy, uint32_t origin)
{
    const ab_record *record = &batch->records[proxy], *from = &batch->records[origin];
    const abut_vec3 offset = batch->offsets ? batch->offsets[proxy] : abut_vec3_make(0.0f, 0.0f, 0.0f);
    double axis[9];
    for (int k = 0; k < 9; ++k)
    {
        axis[k] = (double)record->axis[k];
    }
    abut_pose pose = { .rotation = ab_quat_from_axes(axis) };
    pose.position.x = (record->position[0] - from->position[0]) + offset.x;
    pose.position.y = (record->position[1] - from->position[1]) + offset.y;
    pose.position.z = (record->position[2] - from->position[2]) + offset.z;
    return pose;
}

static void add(group *g, const ab_batch *batch, uint32_t i, const ab_pair_function *function)
{
    const ab_proxy_pair pair = ab_batch_pair(batch, i);
    const uint32_t number_a = ab_kind_number(ab_batch_shape(batch, pair.a));
    const uint32_t number_b = ab_kind_number(ab_batch_shape(batch, pair.b));
    const bool turned = function->turned ? number_a < number_b : number_b < number_a;
    const uint32_t a = turned ? pair.b : pair.a, b = turned ? pair.a : pair.b;
    const uint32_t k = g->count++;
    g->index[k] = i;
    g->turned[k] = turned;
    g->shape_a[k] = *ab_batch_shape(batch, a);
    g->shape_b[k] = *ab_batch_shape(batch, b);
    g->pose_a[k] = pose_of(batch, a, pair.a);
    g->pose_b[k] = pose_of(batch, b, pair.a);
    g->margin[k] = ab_batch_limit(batch, i);
    memset(&g->manifold[k], 0, sizeof g->manifold[k]);
}

static bool finite_vec3(abut_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// In 2D also that it lies in the plane.
static bool is_manifold(const abut_manifold *m, bool is_2d)
{
    const float square = abut_vec3_dot(m->normal, m->normal);
    bool sound = m->point_count <= AB_MAX_POINTS && fabsf(square - 1.0f) <= 1e-3f && isfinite(m->separation) &&
                 !(is_2d && m->normal.z != 0.0f);
    for (uint32_t i = 0; sound && i < m->point_count; ++i)
    {
        sound = finite_vec3(m->points[i].offset) && isfinite(m->points[i].separation) &&
                !(is_2d && m->points[i].offset.z != 0.0f);
    }
    return sound;
}

// Of an invalid pair's proxy and one found before (or ABUT_NONE), the one of the lower collider key.
static uint32_t lower_proxy(const ab_batch *batch, uint32_t invalid, uint32_t proxy)
{
    return invalid == ABUT_NONE || batch->records[proxy].collider_key < batch->records[invalid].collider_key ? proxy
                                                                                                             : invalid;
}

// Calls the function for the group and keeps the manifolds that touch. Returns the proxy of the lowest collider key
// among pairs with an invalid manifold, or ABUT_NONE.
static uint32_t hand_over(group *g, const ab_batch *batch, const ab_pair_function *function, ab_keep_manifold *keep,
                          void *to)
{
    const abut_pair_batch pairs = { g->count, g->shape_a, g->shape_b, g->pose_a, g->pose_b, g->margin };
    uint32_t invalid = ABUT_NONE;
    function->call(function->context, &pairs, g->manifold);
    for (uint32_t k = 0; k < g->count; ++k)
    {
        abut_manifold *m = &g->manifold[k];
        if (m->point_count == 0)
        {
            continue;
        }
        if (!is_manifold(m, batch->is_2d))
        {
            invalid = lower_proxy(batch, invalid, batch->a[g->index[k]]);
        }
        else if (m->separation <= g->margin[k])
        {
            m->normal = g->turned[k] ? abut_vec3_scale(m->normal, -1.0f) : m->normal;
            keep(to, batch, g->index[k], m);
        }
    }
    return invalid;
}

uint32_t ab_pair_functions_run(const ab_batch *batch, const ab_pair_function *own[AB_CHUNK], ab_keep_manifold *keep,
                               void *to)
{
    uint32_t invalid_of_all = ABUT_NONE;
    for (uint32_t first = 0; first < batch->count; ++first)
    {
        const ab_pair_function *function = own[first];
        for (uint32_t next = first; function && next < batch->count;)
        {
            group g = { .count = 0 };
            for (; next < batch->count && g.count < GROUP; ++next)
            {
                if (own[next] == function)
                {
                    own[next] = NULL;
                    add(&g, batch, next, function);
                }
            }
            const uint32_t invalid = g.count ? hand_over(&g, batch, function, keep, to) : ABUT_NONE;
            if (invalid != ABUT_NONE)
            {
                invalid_of_all = lower_proxy(batch, invalid_of_all, invalid);
            }
        }
    }
    return invalid_of_all;
}
