// Laws of moving and of looking ahead: bodies go where their velocities take them, bounds hold what they are for, and
// what will touch within the horizon is reported before it does.
#include "random_lineup.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    FRAMES = 20,
    INSTANTS = 24 // at which the referee looks within a horizon
};

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static dquat widen_rotation(abut_quat q)
{
    return (dquat){ (double)q.w, (double)q.x, (double)q.y, (double)q.z };
}

// Where a body is after `time` at constant velocity.
static void moved(const abut_pose *pose, const abut_velocity *velocity, double time, dvec3 *position, dquat *rotation)
{
    dvec3 spin = widen(velocity->angular);
    double rate = dvec3_length(spin);
    dquat turn = rate > 0.0 ? dquat_turn(dvec3_scale(spin, 1.0 / rate), rate * time) : (dquat){ 1, 0, 0, 0 };
    *position = dvec3_along(widen(pose->position), time, widen(velocity->linear));
    *rotation = dquat_mul(turn, widen_rotation(pose->rotation));
}

// The angle between two rotations.
static double angle_between(dquat a, dquat b)
{
    dquat d = dquat_mul(a, dquat_conjugate(b));
    double imaginary = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return 2.0 * atan2(imaginary, fabs(d.w));
}

static crowd *open_crowd(uint64_t seed)
{
    crowd *c = malloc(sizeof *c);
    assert_non_null(c);
    assert_int_equal(crowd_open(c, seed, (abut_world_def){ 0 }), ABUT_OK);
    return c;
}

static void close_crowd(crowd *c)
{
    abut_world_destroy(c->world);
    free(c);
}

// Edits, a detect, and the destroyed forgotten.
static void shuffle(crowd *c, uint64_t seed, uint32_t frame)
{
    double dt;
    DEMAND(crowd_frame(c, &dt) >= 0.0, "a call failed");
    crowd_bury(c);
}

static void bodies_go_where_their_velocities_take_them(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *c = open_crowd(seed);
        static abut_pose before[2 * CROWD_BODIES];
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            shuffle(c, seed, frame);
            abut_bodies all = abut_world_bodies(c->world);
            assert_true(all.count <= 2 * CROWD_BODIES);
            if (all.count)
            {
                memcpy(before, all.poses, all.count * sizeof *all.poses);
            }
            float dt = (float)random_between(&c->random, -0.2, 0.5);
            DEMAND(abut_world_move(c->world, dt) == ABUT_OK, "move failed");
            all = abut_world_bodies(c->world);
            for (uint32_t k = 0; k < c->bodies; ++k)
            {
                const crowd_body *body = &c->body[k];
                uint32_t slot = body->handle.slot;
                if (crowd_stays(body) || body->disabled)
                {
                    DEMAND(memcmp(&before[slot], &all.poses[slot], sizeof *before) == 0, "body %u should have stayed",
                           slot);
                    continue;
                }
                dvec3 position;
                dquat rotation;
                moved(&before[slot], &all.velocities[slot], (double)dt, &position, &rotation);
                double off = dvec3_length(dvec3_sub(position, widen(all.poses[slot].position)));
                double turned = angle_between(rotation, widen_rotation(all.poses[slot].rotation));
                DEMAND(off <= 2e-7 * (dvec3_length(position) + 1.0), "body %u is %g away from where it should be", slot,
                       off);
                DEMAND(turned <= 1e-6, "body %u is turned by %g too much", slot, turned);
            }
        }
        close_crowd(c);
    }
}

static void bounds_hold_the_shape_and_half_the_margin(void **state)
{
    (void)state;
    const dvec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    uint32_t seen = 0;
    random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *c = open_crowd(seed);
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            shuffle(c, seed, frame);
            DEMAND(abut_world_detect(c->world, 0.0f) == ABUT_OK, "detect failed");
            for (uint32_t k = 0; k < c->bodies; ++k)
            {
                const crowd_body *body = &c->body[k];
                abut_pose pose;
                DEMAND(abut_body_pose(c->world, body->handle, &pose) == ABUT_OK, "no pose");
                for (uint32_t n = 0; n < body->colliders; ++n)
                {
                    const crowd_collider *collider = &body->collider[n];
                    abut_aabb box;
                    bool present = !body->disabled && !(collider->def.flags & ABUT_COLLIDER_COLLIDES_WITH_NOTHING);
                    if (abut_collider_bounds(c->world, collider->handle, &box) != ABUT_OK)
                    {
                        DEMAND(!present, "a collider has no bounds");
                        continue;
                    }
                    if (!present)
                    {
                        continue;
                    }
                    ++seen;
                    referee_solid solid = referee_solid_of(&collider->def.shape, &pose, &collider->def.local);
                    const double low[3] = { (double)box.min.x, (double)box.min.y, (double)box.min.z };
                    const double high[3] = { (double)box.max.x, (double)box.max.y, (double)box.max.z };
                    for (int i = 0; i < 3; ++i)
                    {
                        double centre = dvec3_dot(solid.centre, axes[i]);
                        double reach = referee_extent(&solid, axes[i]) + 0.5 * c->rules.margin;
                        double blur = 1e-7 * solid.reach;
                        double waste = c->rules.margin + 1e-5 * (solid.reach + dvec3_length(solid.centre) + reach);
                        DEMAND(low[i] <= centre - reach + blur && centre + reach - blur <= high[i],
                               "bounds do not hold the shape: %.9g %.9g, should be %.9g %.9g", low[i], high[i],
                               centre - reach, centre + reach);
                        DEMAND(low[i] >= centre - reach - waste && centre + reach + waste >= high[i],
                               "bounds are wide: %.9g %.9g, need be %.9g %.9g", low[i], high[i], centre - reach,
                               centre + reach);
                    }
                }
            }
        }
        close_crowd(c);
    }
    assert_true(!random_seeds_all() || seen > 1000);
}

// A collider at an instant.
static referee_solid solid_at(const crowd *c, const crowd_body *body, const crowd_collider *collider, double time)
{
    abut_pose pose;
    abut_velocity velocity;
    assert_int_equal(abut_body_pose(c->world, body->handle, &pose), ABUT_OK);
    assert_int_equal(abut_body_velocity(c->world, body->handle, &velocity), ABUT_OK);
    const abut_pose *local = &collider->def.local;
    bool placed = widen_rotation(local->rotation).w != 0.0 || local->rotation.x != 0.0f;
    dvec3 position = widen(pose.position);
    dquat rotation = widen_rotation(pose.rotation);
    if (!crowd_stays(body))
    {
        moved(&pose, &velocity, time, &position, &rotation);
    }
    dvec3 centre = dvec3_add(position, dquat_rotate(rotation, widen(local->position)));
    dquat turn = placed ? dquat_mul(rotation, widen_rotation(local->rotation)) : rotation;
    double offset = dvec3_length(widen(local->position));
    referee_solid solid;
    if (collider->def.shape.kind == ABUT_SPHERE)
    {
        solid = referee_ball(centre, (double)collider->def.shape.sphere.radius);
    }
    else if (collider->def.shape.kind == ABUT_CAPSULE)
    {
        const abut_capsule *pill = &collider->def.shape.capsule;
        solid = referee_capsule(centre, turn, (double)pill->radius, (double)pill->half_height);
    }
    else
    {
        bool aligned = collider->def.shape.kind == ABUT_AABB;
        solid =
            referee_box(centre, aligned ? (dquat){ 1, 0, 0, 0 } : turn, widen(collider->def.shape.box.half_extents));
    }
    solid.reach += offset;
    return solid;
}

static bool reported(const crowd *c, abut_collider a, abut_collider b)
{
    for (int set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        abut_contacts contacts = abut_world_contacts(c->world, (abut_contact_set)set);
        for (uint32_t k = 0; k < contacts.count; ++k)
        {
            abut_contact_colliders own = contacts.colliders[contacts.order[k]];
            abut_collider x = own.a, y = own.b;
            if ((x.slot == a.slot && y.slot == b.slot) || (x.slot == b.slot && y.slot == a.slot))
            {
                return true;
            }
        }
    }
    return false;
}

static referee_collider as_referee_sees(const crowd_body *body, const crowd_collider *collider)
{
    return (referee_collider){ .shape = collider->def.shape,
                               .motion = body->motion,
                               .filter = collider->def.filter,
                               .flags = collider->def.flags,
                               .body = body->handle.slot,
                               .disabled = body->disabled };
}

// How many of the pairs of these two bodies' colliders come to touch within the horizon; each must be reported.
static uint32_t pairs_of(const crowd *c, const crowd_body *x, const crowd_body *y, double horizon, uint64_t seed,
                         uint32_t frame)
{
    uint32_t met = 0;
    for (uint32_t m = 0; m < x->colliders; ++m)
    {
        for (uint32_t n = 0; n < y->colliders; ++n)
        {
            referee_collider a = as_referee_sees(x, &x->collider[m]), b = as_referee_sees(y, &y->collider[n]);
            bool touching = false;
            for (int instant = 0; instant <= INSTANTS && !touching && referee_may_collide(&c->rules, &a, &b); ++instant)
            {
                double time = horizon * instant / INSTANTS;
                referee_solid solid_a = solid_at(c, x, &x->collider[m], time);
                referee_solid solid_b = solid_at(c, y, &y->collider[n], time);
                touching = referee_decide(&solid_a, &solid_b, c->rules.margin) == REFEREE_TOUCHING;
            }
            DEMAND(!touching || reported(c, x->collider[m].handle, y->collider[n].handle),
                   "bodies %u and %u will touch within %g s and are not reported", x->handle.slot, y->handle.slot,
                   horizon);
            met += touching;
        }
    }
    return met;
}

static void what_will_touch_within_the_horizon_is_reported(void **state)
{
    (void)state;
    uint32_t met = 0;
    random_seeds seeds = random_seeds_of(40);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *c = open_crowd(seed);
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            shuffle(c, seed, frame);
            double horizon = (double)(float)random_scale(&c->random, 0.01, 1.0);
            DEMAND(abut_world_detect(c->world, (float)horizon) == ABUT_OK, "detect failed");
            for (uint32_t i = 0; i < c->bodies; ++i)
            {
                for (uint32_t j = i + 1; j < c->bodies; ++j)
                {
                    met += pairs_of(c, &c->body[i], &c->body[j], horizon, seed, frame);
                }
            }
        }
        close_crowd(c);
    }
    assert_true(!random_seeds_all() || met > 1000);
}

// Two boxes that touch almost along a face, in a world whose margin lies between the separation along their contact's
// normal and the one that decides. Whether they touch must not depend on looking ahead.
static void looking_ahead_changes_no_event(void **state)
{
    (void)state;
    const uint32_t frame = 0;
    uint32_t tried = 0;
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_pair m = random_pair_of(&random, ABUT_OBB, ABUT_OBB, (random_layout)(seed % RANDOM_LAYOUT_COUNT));
        referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL), b = referee_solid_of(&m.b, &m.pose_b, NULL);
        double best = referee_collide(&a, &b).separation, scale = a.reach + b.reach;
        abut_manifold out;
        DEMAND(abut_collide(&m.a, &m.pose_a, &m.b, &m.pose_b, (float)(0.3 * scale), &out) == ABUT_OK,
               "the call failed");
        double along = (double)out.separation;
        if (out.point_count == 0 || along < 0.0 || best - along < 1e-4 * scale || best > 0.3 * scale)
        {
            continue;
        }
        ++tried;
        abut_world *world;
        abut_world_def def = { .margin = (float)(0.5 * (best + along)) };
        abut_body bodies[2];
        float speed = (float)scale;
        abut_body_def defs[2] = { { .pose = m.pose_a, .collider.shape = m.a },
                                  { .pose = m.pose_b, .collider.shape = m.b, .velocity.linear = { speed, 0, 0 } } };
        DEMAND(abut_world_create(&def, &world) == ABUT_OK, "no world");
        DEMAND(abut_body_create_many(world, defs, 2, bodies) == ABUT_OK, "no bodies");
        DEMAND(abut_world_detect(world, 0.0f) == ABUT_OK, "detect failed");
        uint32_t touching = abut_world_contacts(world, ABUT_AWAKE).count;
        DEMAND(abut_world_detect(world, 1.0f) == ABUT_OK, "detect failed");
        abut_contacts ahead = abut_world_contacts(world, ABUT_AWAKE);
        uint32_t still = ahead.count == 1 && (abut_contact_at(&ahead, 0)->flags & ABUT_CONTACT_SPECULATIVE) == 0;
        uint32_t begun = abut_world_events(world, ABUT_BEGIN).count, ended = abut_world_events(world, ABUT_END).count;
        abut_world_destroy(world);
        DEMAND(touching == still && begun == 0 && ended == 0,
               "%u contact becomes %u by looking ahead: %.9g along, %.9g", touching, still, along, best);
    }
    assert_true(!random_seeds_all() || tried > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_go_where_their_velocities_take_them),
        cmocka_unit_test(bounds_hold_the_shape_and_half_the_margin),
        cmocka_unit_test(looking_ahead_changes_no_event),
        cmocka_unit_test(what_will_touch_within_the_horizon_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
