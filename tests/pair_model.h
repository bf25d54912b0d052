// A model of pairs, by the plainest route: tries every two colliders with the calls without a world, and keeps the last
// detect's answers in a table of all pairs. It knows nothing of AABBs, trees, bins, merging or sleep.
#ifndef PAIR_MODEL_H
#define PAIR_MODEL_H

#include "random.h"

#include <abut/abut.h>

#include <string.h>

enum
{
    MODEL_BODIES = 96,    // slots
    MODEL_COLLIDERS = 192 // slots
};

typedef struct model_collider
{
    abut_collider handle; // generation zero: none
    abut_collider_def def;
    abut_body body;
    bool ended;      // since the last detect
    bool refiltered; // its filter was changed since the last detect
} model_collider;

typedef struct model_body
{
    abut_body handle; // generation zero: none
    abut_motion motion;
    bool disabled, asleep, ended;
    uint64_t user_data;
} model_body;

// Of two colliders, by the lower slot and the higher.
typedef struct model_pair
{
    bool touching; // are a contact, not a speculative one
    bool touched;  // before
    bool listed;   // are a contact
    bool sensed;
    uint32_t sensor; // then which of them is one
    bool vetoed;     // touch
    bool asked, answer;
    abut_filter low, high; // when they were vetoed
    uint32_t begun, ended;
} model_pair;

typedef struct model
{
    model_body body[MODEL_BODIES];
    model_collider collider[MODEL_COLLIDERS];
    model_pair pair[MODEL_COLLIDERS][MODEL_COLLIDERS];
    uint32_t excluded[MODEL_BODIES][MODEL_BODIES]; // both ways
    bool meets[ABUT_MOTION_COUNT][ABUT_MOTION_COUNT];
    float margin;
    bool vetoes;
} model;

static inline model_pair *model_pair_of(model *m, uint32_t one, uint32_t other)
{
    return one < other ? &m->pair[one][other] : &m->pair[other][one];
}

static inline abut_filter model_filter(const abut_filter *asked)
{
    return (abut_filter){ asked->category ? asked->category : 1, asked->mask ? asked->mask : UINT32_MAX, asked->group };
}

static inline bool model_same_filter(abut_filter x, abut_filter y)
{
    return x.category == y.category && x.mask == y.mask && x.group == y.group;
}

static inline void model_refilter(model_collider *collider, const abut_filter *filter)
{
    collider->refiltered |= !model_same_filter(model_filter(&collider->def.filter), model_filter(filter));
    collider->def.filter = *filter;
}

static inline bool model_filters_agree(const model_collider *one, const model_collider *other)
{
    const abut_filter x = model_filter(&one->def.filter), y = model_filter(&other->def.filter);
    if (x.group != 0 && x.group == y.group)
    {
        return x.group > 0;
    }
    return (x.category & y.mask) != 0 && (y.category & x.mask) != 0;
}

// Whether two colliders may have anything to do with each other.
static inline bool model_may(const model *m, uint32_t one, uint32_t other)
{
    const model_collider *x = &m->collider[one], *y = &m->collider[other];
    const model_body *a = &m->body[x->body.slot], *b = &m->body[y->body.slot];
    const uint32_t flags = x->def.flags | y->def.flags;
    return x->handle.generation && y->handle.generation && !x->ended && !y->ended && x->body.slot != y->body.slot &&
           !a->disabled && !b->disabled && (flags & ABUT_COLLIDER_COLLIDES_WITH_NOTHING) == 0 &&
           model_filters_agree(x, y) && m->excluded[x->body.slot][y->body.slot] == 0;
}

static inline bool model_may_touch(const model *m, uint32_t one, uint32_t other)
{
    const model_collider *x = &m->collider[one], *y = &m->collider[other];
    return ((x->def.flags | y->def.flags) & ABUT_COLLIDER_SENSOR) == 0 &&
           m->meets[m->body[x->body.slot].motion][m->body[y->body.slot].motion] && model_may(m, one, other);
}

static inline bool model_may_sense(const model *m, uint32_t one, uint32_t other)
{
    const model_collider *x = &m->collider[one], *y = &m->collider[other];
    const bool static_both = m->body[x->body.slot].motion == ABUT_STATIC && m->body[y->body.slot].motion == ABUT_STATIC;
    return ((x->def.flags ^ y->def.flags) & ABUT_COLLIDER_SENSOR) != 0 && !static_both && model_may(m, one, other);
}

// Whether two shapes touch, by the calls without a world.
static inline bool model_touch(const model *m, abut_world *world, uint32_t one, uint32_t other)
{
    const model_collider *x = &m->collider[one], *y = &m->collider[other];
    abut_pose here, there;
    abut_manifold manifold;
    bool overlapping = false;
    abut_status status = abut_body_pose(world, x->body, &here);
    status = status == ABUT_OK ? abut_body_pose(world, y->body, &there) : status;
    if (status == ABUT_OK && m->margin == 0.0f)
    {
        status = abut_overlap(&x->def.shape, &here, &y->def.shape, &there, &overlapping);
    }
    else if (status == ABUT_OK)
    {
        status = abut_collide(&x->def.shape, &here, &y->def.shape, &there, m->margin, &manifold);
        overlapping = status == ABUT_OK && manifold.point_count > 0;
    }
    return status == ABUT_OK && overlapping;
}

#endif
