// The colliders of a crowd's model in canonical order, as the referee sees them.
#ifndef RANDOM_LINEUP_H
#define RANDOM_LINEUP_H

#include "random_world.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

// Fails the test, with the seed and the frame that bring the failure back.
#define DEMAND(holds, ...)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(holds))                                                                                                  \
        {                                                                                                              \
            print_error("ABUT_SEED=%llu frame %u: ", (unsigned long long)seed, frame);                                 \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

// The model's colliders in canonical order.
typedef struct lineup
{
    referee_collider collider[CROWD_BODIES * CROWD_COLLIDERS * 2];
    abut_collider handle[CROWD_BODIES * CROWD_COLLIDERS * 2];
    abut_body body[CROWD_BODIES * CROWD_COLLIDERS * 2];
    const crowd_body *owner[CROWD_BODIES * CROWD_COLLIDERS * 2];
    uint32_t count;
} lineup;

static inline bool same_body(abut_body a, abut_body b)
{
    return a.slot == b.slot && a.generation == b.generation;
}

static inline bool same_collider(abut_collider a, abut_collider b)
{
    return a.slot == b.slot && a.generation == b.generation;
}

static inline int by_slot(const void *a, const void *b)
{
    const crowd_body *const *one = a, *const *other = b;
    return (*one)->handle.slot < (*other)->handle.slot ? -1 : (*one)->handle.slot > (*other)->handle.slot;
}

static inline const crowd_collider *collider_of(const crowd_body *body, abut_collider handle)
{
    for (uint32_t k = 0; k < body->colliders; ++k)
    {
        if (same_collider(body->collider[k].handle, handle))
        {
            return &body->collider[k];
        }
    }
    return NULL;
}

// What the world says of a body is what the model knows.
static inline void body_is_known(const crowd *c, const crowd_body *body, uint64_t seed, uint32_t frame)
{
    abut_motion motion;
    bool enabled, awake;
    uint64_t user_data;
    DEMAND(abut_body_valid(c->world, body->handle), "a body of the model is not there");
    DEMAND(abut_body_motion(c->world, body->handle, &motion) == ABUT_OK && motion == body->motion, "another motion");
    DEMAND(abut_body_enabled(c->world, body->handle, &enabled) == ABUT_OK && enabled != body->disabled,
           "not enabled alike");
    DEMAND(abut_body_awake(c->world, body->handle, &awake) == ABUT_OK && awake != body->asleep, "not awake alike");
    DEMAND(abut_body_user_data(c->world, body->handle, &user_data) == ABUT_OK && user_data == body->user_data,
           "other user data");
}

static inline void line_up(const crowd *c, lineup *out, uint64_t seed, uint32_t frame)
{
    const crowd_body *sorted[2 * CROWD_BODIES];
    uint32_t bodies = 0;
    for (uint32_t k = 0; k < c->bodies; ++k)
    {
        sorted[bodies] = &c->body[k];
        bodies += !c->body[k].gone;
    }
    qsort(sorted, bodies, sizeof *sorted, by_slot);
    out->count = 0;
    for (uint32_t k = 0; k < bodies; ++k)
    {
        const crowd_body *body = sorted[k];
        body_is_known(c, body, seed, frame);
        abut_collider handles[CROWD_COLLIDERS + 1];
        uint32_t count = 0;
        abut_pose pose;
        DEMAND(abut_body_colliders(c->world, body->handle, handles, CROWD_COLLIDERS + 1, &count) == ABUT_OK &&
                   abut_body_pose(c->world, body->handle, &pose) == ABUT_OK,
               "a body of the model fails");
        DEMAND(count == body->colliders, "a body has %u colliders, not %u", count, body->colliders);
        for (uint32_t n = 0; n < count; ++n)
        {
            const crowd_collider *collider = collider_of(body, handles[n]);
            DEMAND(collider, "a collider that was never attached");
            uint32_t at = out->count++;
            out->collider[at] = (referee_collider){ .shape = collider->def.shape,
                                                    .pose = pose,
                                                    .local = collider->def.local,
                                                    .motion = body->motion,
                                                    .filter = collider->def.filter,
                                                    .flags = collider->def.flags,
                                                    .body = body->handle.slot,
                                                    .disabled = body->disabled };
            out->handle[at] = handles[n];
            out->body[at] = body->handle;
            out->owner[at] = body;
        }
    }
}

static inline uint32_t place_of(const lineup *all, abut_collider handle)
{
    for (uint32_t k = 0; k < all->count; ++k)
    {
        if (same_collider(all->handle[k], handle))
        {
            return k;
        }
    }
    return ABUT_NONE;
}

static const lineup *compared; // by in_order

// Canonical: body a, body b, then the colliders' ordinals.
static inline int in_order(const void *one, const void *other)
{
    const referee_pair *x = one, *y = other;
    const uint32_t keys[4][2] = { { compared->body[x->a].slot, compared->body[y->a].slot },
                                  { compared->body[x->b].slot, compared->body[y->b].slot },
                                  { x->a, y->a },
                                  { x->b, y->b } };
    for (int k = 0; k < 4; ++k)
    {
        if (keys[k][0] != keys[k][1])
        {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

static inline void tell(const lineup *all, const referee_pair *pair)
{
    const uint32_t both[2] = { pair->a, pair->b };
    for (int k = 0; k < 2; ++k)
    {
        const referee_collider *one = &all->collider[both[k]];
        const abut_vec3 *p = &one->pose.position, *h = &one->shape.box.half_extents, *o = &one->local.position;
        print_error("\n  body %u collider %u: %s, motion %d, position %a %a %a, offset %g %g %g, size %g %g %g",
                    one->body, all->handle[both[k]].slot, abut_shape_kind_name(one->shape.kind), one->motion,
                    (double)p->x, (double)p->y, (double)p->z, (double)o->x, (double)o->y, (double)o->z, (double)h->x,
                    (double)h->y, (double)h->z);
    }
    referee_solid a =
        referee_solid_of(&all->collider[pair->a].shape, &all->collider[pair->a].pose, &all->collider[pair->a].local);
    referee_solid b =
        referee_solid_of(&all->collider[pair->b].shape, &all->collider[pair->b].pose, &all->collider[pair->b].local);
    print_error("\n  separation %.9g\n", referee_collide(&a, &b).separation);
}

#endif
