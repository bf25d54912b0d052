// A world driven by chance, and a plain model of what was put into it. Makes every edit that the interface knows
// through the public calls and records it in the model; the same seed makes the same calls whatever the world answers.
//
// A world's allocator may be made to fail now and then: a failed call must change nothing, and is then made again.
#ifndef RANDOM_WORLD_H
#define RANDOM_WORLD_H

#include "random_pair.h"

#include <abut/contacts.h>
#include <abut/state.h>

#include <string.h>

enum
{
    CROWD_COLLIDERS = 4, // of a body, at most
    CROWD_BODIES = 160   // at one time
};

typedef struct crowd_collider
{
    abut_collider handle;
    abut_collider_def def;
} crowd_collider;

typedef struct crowd_body
{
    abut_body handle;
    abut_motion motion;
    uint64_t user_data;
    bool disabled, asleep;
    bool gone;         // destroyed since the last detect
    uint32_t immobile; // detects since it was last edited or awake
    uint32_t colliders;
    crowd_collider collider[CROWD_COLLIDERS]; // in no order
} crowd_body;

// Fails an allocation when its counter runs out; zero: never.
typedef struct crowd_memory
{
    uint32_t countdown;
    uint32_t vetoes;
} crowd_memory;

typedef struct crowd
{
    abut_world *world;
    random_source random;
    referee_rules rules;
    crowd_body body[2 * CROWD_BODIES];
    uint32_t bodies;
    uint64_t named; // user data given out so far
    double side;    // metres: half the side of the cube they live in
    dvec3 middle;
    crowd_memory memory;
    random_source mishap; // when allocations fail: a source of its own, so that the script stays the same
    double mishaps;       // probability that an allocation in a call fails
    uint64_t before;      // the hash before a call that may fail
    bool broken;          // a call failed that should not have, or a failed one changed something
} crowd;

static inline void *crowd_allocate(void *context, size_t size, size_t alignment)
{
    crowd_memory *memory = context;
    if (memory->countdown && --memory->countdown == 0)
    {
        ++memory->vetoes;
        return NULL;
    }
    unsigned char *whole = malloc(size + alignment + sizeof(void *));
    if (!whole)
    {
        return NULL;
    }
    uintptr_t at = ((uintptr_t)whole + sizeof(void *) + alignment - 1) & ~(uintptr_t)(alignment - 1);
    memcpy((void *)(at - sizeof(void *)), &whole, sizeof whole);
    return (void *)at;
}

static inline void crowd_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    void *whole;
    memcpy(&whole, (unsigned char *)block - sizeof whole, sizeof whole);
    free(whole);
}

// Makes a call, in which an allocation may fail; a failure must keep the hash, and the call is made again. Returns the
// last status.
#define CROWD_TRY(c, call) (crowd_arm(c), crowd_sleep((c), (call)) ? (call) : ABUT_OK)

static inline void crowd_arm(crowd *c)
{
    c->memory.countdown = random_chance(&c->mishap, c->mishaps) ? 1 + random_below(&c->mishap, 4) : 0;
    c->before = c->memory.countdown ? abut_world_hash(c->world) : 0;
}

// True when the call is to be made again.
static inline bool crowd_sleep(crowd *c, abut_status status)
{
    bool armed = c->before != 0;
    c->memory.countdown = 0;
    c->broken = c->broken || (status != ABUT_OK && !(armed && status == ABUT_OUT_OF_MEMORY));
    c->broken = c->broken || (status != ABUT_OK && abut_world_hash(c->world) != c->before);
    return status == ABUT_OUT_OF_MEMORY;
}

static inline abut_shape crowd_shape(random_source *random)
{
    abut_shape_kind kind = random_kind(random_below(random, RANDOM_KINDS));
    return random_shape(random, kind, random_scale(random, 0.2, 1.0));
}

static inline abut_filter crowd_filter(random_source *random)
{
    abut_filter filter = { 0, 0, 0 };
    if (random_chance(random, 0.3))
    {
        filter.category = random_below(random, 8);
        filter.mask = random_below(random, 8);
        filter.group = random_chance(random, 0.5) ? (int32_t)random_below(random, 5) - 2 : 0;
    }
    return filter;
}

static inline abut_pose crowd_local(random_source *random)
{
    abut_pose local = { .position = { 0, 0, 0 } };
    if (random_chance(random, 0.4))
    {
        local.position = random_narrow(random_in_box(random, 1.0));
        local.rotation = random_narrow_rotation(random_rotation(random));
    }
    return local;
}

static inline abut_collider_def crowd_collider_def(crowd *c)
{
    return (abut_collider_def){ .shape = crowd_shape(&c->random),
                                .local = crowd_local(&c->random),
                                .filter = crowd_filter(&c->random),
                                .flags = random_chance(&c->random, 0.03) ? ABUT_COLLIDER_COLLIDES_WITH_NOTHING : 0,
                                .user_data = ++c->named };
}

static inline abut_pose crowd_pose(crowd *c)
{
    abut_pose pose = { .position = random_narrow(dvec3_add(c->middle, random_in_box(&c->random, c->side))),
                       .rotation = random_narrow_rotation(random_rotation(&c->random)) };
    return pose;
}

static inline abut_velocity crowd_velocity(crowd *c)
{
    return (abut_velocity){ random_narrow(random_in_box(&c->random, 2.0)),
                            random_narrow(random_in_box(&c->random, 3.0)) };
}

static inline abut_motion crowd_motion(crowd *c)
{
    uint32_t choice = random_below(&c->random, 10);
    return choice < 6 ? ABUT_DYNAMIC : choice < 8 ? ABUT_KINEMATIC : ABUT_STATIC;
}

static inline abut_body_def crowd_body_def(crowd *c)
{
    abut_body_def def = { .pose = crowd_pose(c), .velocity = crowd_velocity(c), .motion = crowd_motion(c) };
    def.flags = (random_chance(&c->random, 0.05) ? (uint32_t)ABUT_BODY_DISABLED : 0u) |
                (random_chance(&c->random, 0.2) ? (uint32_t)ABUT_BODY_ASLEEP : 0u);
    def.user_data = ++c->named;
    if (random_chance(&c->random, 0.9))
    {
        def.collider = crowd_collider_def(c);
    }
    return def;
}

// NULL when there is none.
static inline crowd_body *crowd_some(crowd *c)
{
    for (uint32_t tries = 0; tries < 8 && c->bodies; ++tries)
    {
        crowd_body *body = &c->body[random_below(&c->random, c->bodies)];
        if (!body->gone)
        {
            body->immobile = 0; // something is going to be done to it
            return body;
        }
    }
    return NULL;
}

static inline void crowd_note(crowd *c, abut_body handle, const abut_body_def *def)
{
    crowd_body *body = &c->body[c->bodies++];
    *body = (crowd_body){ .handle = handle,
                          .motion = def->motion,
                          .user_data = def->user_data,
                          .disabled = (def->flags & ABUT_BODY_DISABLED) != 0,
                          .asleep = (def->flags & ABUT_BODY_ASLEEP) != 0 };
    if (def->collider.shape.kind != ABUT_SHAPE_NONE)
    {
        uint32_t count = 0;
        body->colliders = 1;
        body->collider[0].def = def->collider;
        c->broken = c->broken ||
                    abut_body_colliders(c->world, handle, &body->collider[0].handle, 1, &count) != ABUT_OK ||
                    count != 1;
    }
}

static inline void crowd_create(crowd *c)
{
    abut_body_def defs[8];
    abut_body handles[8];
    uint32_t count = random_chance(&c->random, 0.5) ? 1 : 1 + random_below(&c->random, 8);
    if (c->bodies + count > CROWD_BODIES)
    {
        return;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        defs[k] = crowd_body_def(c);
    }
    abut_status status = count == 1 ? CROWD_TRY(c, abut_body_create(c->world, defs, handles))
                                    : CROWD_TRY(c, abut_body_create_many(c->world, defs, count, handles));
    c->broken = c->broken || status != ABUT_OK;
    for (uint32_t k = 0; k < count && !c->broken; ++k)
    {
        crowd_note(c, handles[k], &defs[k]);
    }
}

static inline void crowd_destroy(crowd *c)
{
    crowd_body *one = crowd_some(c), *other = crowd_some(c);
    if (!one)
    {
        return;
    }
    abut_body both[2] = { one->handle, other ? other->handle : one->handle };
    bool two = other && other != one && random_chance(&c->random, 0.3);
    abut_status status = two ? CROWD_TRY(c, abut_body_destroy_many(c->world, both, 2))
                             : CROWD_TRY(c, abut_body_destroy(c->world, both[0]));
    c->broken = c->broken || status != ABUT_OK;
    one->gone = true;
    if (two)
    {
        other->gone = true;
    }
}

static inline void crowd_attach(crowd *c)
{
    crowd_body *body = crowd_some(c);
    abut_collider_def def = crowd_collider_def(c);
    if (body && body->colliders < CROWD_COLLIDERS)
    {
        crowd_collider *collider = &body->collider[body->colliders++];
        collider->def = def;
        abut_status status =
            CROWD_TRY(c, abut_collider_attach(c->world, body->handle, &collider->def, &collider->handle));
        c->broken = c->broken || status != ABUT_OK;
    }
}

static inline void crowd_detach(crowd *c)
{
    crowd_body *body = crowd_some(c);
    if (body && body->colliders)
    {
        uint32_t k = random_below(&c->random, body->colliders);
        abut_status status = CROWD_TRY(c, abut_collider_detach(c->world, body->collider[k].handle));
        c->broken = c->broken || status != ABUT_OK;
        body->collider[k] = body->collider[--body->colliders];
    }
}

// Everything about a collider, or one thing.
static inline void crowd_reshape(crowd *c)
{
    crowd_body *body = crowd_some(c);
    abut_collider_def def = crowd_collider_def(c);
    uint32_t what = random_below(&c->random, 5);
    if (!body || !body->colliders)
    {
        return;
    }
    crowd_collider *collider = &body->collider[random_below(&c->random, body->colliders)];
    abut_status status = ABUT_OK;
    switch (what)
    {
    case 0:
        status = CROWD_TRY(c, abut_collider_set(c->world, collider->handle, &def));
        collider->def = def;
        break;
    case 1:
        status = CROWD_TRY(c, abut_collider_set_shape(c->world, collider->handle, &def.shape));
        collider->def.shape = def.shape;
        break;
    case 2:
        if (def.local.rotation.w == 0.0f && def.local.rotation.x == 0.0f)
        {
            def.local.rotation = abut_quat_identity(); // only definitions may leave it out
        }
        status = CROWD_TRY(c, abut_collider_set_local(c->world, collider->handle, &def.local));
        collider->def.local = def.local;
        break;
    case 3:
        status = CROWD_TRY(c, abut_collider_set_filter(c->world, collider->handle, &def.filter));
        collider->def.filter = def.filter;
        break;
    default:
        status = CROWD_TRY(c, abut_collider_set_user_data(c->world, collider->handle, def.user_data));
        collider->def.user_data = def.user_data;
        break;
    }
    c->broken = c->broken || status != ABUT_OK;
}

// Pose, velocity and user data, by call or in place.
static inline void crowd_displace(crowd *c)
{
    crowd_body *body = crowd_some(c);
    abut_pose pose = crowd_pose(c);
    abut_velocity velocity = crowd_velocity(c);
    uint64_t user_data = ++c->named;
    uint32_t what = random_below(&c->random, 4);
    if (!body)
    {
        return;
    }
    if (what == 0)
    {
        abut_bodies all = abut_world_bodies(c->world);
        all.poses[body->handle.slot] = pose;
        all.velocities[body->handle.slot] = velocity;
        all.user_data[body->handle.slot] = user_data;
        c->broken = c->broken || ((body->motion == ABUT_STATIC || body->asleep) &&
                                  CROWD_TRY(c, abut_body_mark_moved(c->world, body->handle)));
        body->user_data = user_data;
        return;
    }
    abut_status status = CROWD_TRY(c, abut_body_set_velocity(c->world, body->handle, &velocity));
    if (what == 1)
    {
        status = CROWD_TRY(c, abut_body_set_pose_many(c->world, &body->handle, 1, &pose));
    }
    else if (what == 2)
    {
        status = CROWD_TRY(c, abut_body_set_pose(c->world, body->handle, &pose));
        c->broken = c->broken || abut_body_set_user_data(c->world, body->handle, user_data) != ABUT_OK;
        body->user_data = user_data;
    }
    c->broken = c->broken || status != ABUT_OK;
}

static inline void crowd_switch(crowd *c)
{
    crowd_body *body = crowd_some(c);
    abut_motion motion = crowd_motion(c);
    bool enable = random_chance(&c->random, 0.6);
    uint32_t what = random_below(&c->random, 5);
    bool meets = random_chance(&c->random, 0.5);
    abut_status status = ABUT_OK;
    if (what == 0 && random_chance(&c->random, 0.2))
    {
        abut_motion other = crowd_motion(c);
        status = CROWD_TRY(c, abut_world_set_collides(c->world, motion, other, meets));
        c->rules.meets[motion][other] = c->rules.meets[other][motion] = meets;
        for (uint32_t k = 0; k < c->bodies; ++k)
        {
            c->body[k].immobile = 0; // all may be looked at anew
        }
    }
    else if (body && what < 3)
    {
        status = CROWD_TRY(c, abut_body_set_enabled(c->world, body->handle, enable));
        body->disabled = !enable;
    }
    else if (body)
    {
        status = CROWD_TRY(c, abut_body_set_motion(c->world, body->handle, motion));
        body->motion = motion;
    }
    c->broken = c->broken || status != ABUT_OK;
}

// Puts several bodies to sleep, or wakes some.
static inline void crowd_doze(crowd *c)
{
    abut_body handles[8];
    crowd_body *bodies[8];
    bool awake = random_chance(&c->random, 0.4);
    uint32_t count = 1 + random_below(&c->random, 8);
    for (uint32_t k = 0; k < count; ++k)
    {
        bodies[k] = crowd_some(c);
        if (!bodies[k])
        {
            return;
        }
        handles[k] = bodies[k]->handle;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        bodies[k]->asleep = !awake;
    }
    abut_status status = count == 1 ? CROWD_TRY(c, abut_body_set_awake(c->world, handles[0], awake))
                                    : CROWD_TRY(c, abut_body_set_awake_many(c->world, handles, count, awake));
    c->broken = c->broken || status != ABUT_OK;
}

// Creates and destroys a body between two detects.
static inline void crowd_flicker(crowd *c)
{
    abut_body_def def = crowd_body_def(c);
    abut_body handle;
    c->broken = c->broken || CROWD_TRY(c, abut_body_create(c->world, &def, &handle)) != ABUT_OK ||
                CROWD_TRY(c, abut_body_destroy(c->world, handle)) != ABUT_OK;
}

static inline void crowd_edit(crowd *c)
{
    static void (*const edits[])(crowd *) = { crowd_create,   crowd_create,   crowd_create,   crowd_destroy,
                                              crowd_destroy,  crowd_attach,   crowd_detach,   crowd_reshape,
                                              crowd_displace, crowd_displace, crowd_displace, crowd_switch,
                                              crowd_doze,     crowd_doze,     crowd_flicker };
    edits[random_below(&c->random, sizeof edits / sizeof *edits)](c);
}

// Whether a body stays where it is put.
static inline bool crowd_stays(const crowd_body *body)
{
    return body->motion == ABUT_STATIC || body->asleep;
}

// Forgets the bodies that are gone; to be called after each detect.
static inline void crowd_bury(crowd *c)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < c->bodies; ++k)
    {
        c->body[k].immobile = crowd_stays(&c->body[k]) ? c->body[k].immobile + 1 : 0;
        if (!c->body[k].gone)
        {
            c->body[kept++] = c->body[k];
        }
    }
    c->bodies = kept;
}

// What chance makes of a world's definition and of where it lies. `def` may ask for a broad phase and an instruction
// set.
static inline abut_status crowd_open(crowd *c, uint64_t seed, abut_world_def def)
{
    memset(c, 0, sizeof *c);
    c->random = random_start(seed);
    c->mishap = random_start(~seed);
    c->rules = referee_default_rules();
    def.margin = random_chance(&c->random, 0.5) ? 0.0f : (float)random_scale(&c->random, 1e-3, 1.0);
    def.allocator = (abut_allocator){ crowd_allocate, crowd_release, &c->memory };
    c->rules.margin = (double)def.margin;
    c->side = random_between(&c->random, 1.5, 5.0);
    c->middle = random_chance(&c->random, 0.6)
                    ? dvec3_make(0, 0, 0)
                    : dvec3_scale(random_direction(&c->random), random_scale(&c->random, 10.0, 1e5));
    return abut_world_create(&def, &c->world);
}

// The edits of one frame and its detect. Returns the horizon it looked ahead, or -1 when it failed.
static inline double crowd_frame(crowd *c, double *dt)
{
    uint32_t edits = random_below(&c->random, 3) ? random_below(&c->random, 12) : random_below(&c->random, 3);
    for (uint32_t k = 0; k < edits; ++k)
    {
        crowd_edit(c);
    }
    *dt = 0.0;
    uint32_t how = random_below(&c->random, 10);
    float time = (float)random_between(&c->random, 0.0, 0.1);
    abut_status status;
    if (how < 6)
    {
        *dt = (double)time;
        status = CROWD_TRY(c, abut_world_step(c->world, time));
    }
    else
    {
        status = CROWD_TRY(c, abut_world_detect(c->world, how < 8 ? 0.0f : time));
    }
    return c->broken || status != ABUT_OK ? -1.0 : how < 8 ? 0.0 : (double)time;
}

#endif
