// Two boxes alone in a world, near a border between two axes of theirs, and which of the axes names their contact. An
// axis goes by its code, the high byte of a feature: 0 to 2 of a, 3 to 5 of b, from 6 on a pair of edges.
#ifndef COUPLE_H
#define COUPLE_H

#include "borders.h"
#include "small_world.h"

enum
{
    NO_AXIS = 99 // is no code
};

typedef struct couple
{
    abut_world *world;
    abut_body a, b;
    bool swapped; // b was created first
} couple;

// Boxes that are alone in a world.
static inline couple single_threaded(const border *p, bool swapped)
{
    couple c = { .world = open_world(&(abut_world_def){ .broad = ABUT_BROAD_BRUTE }), .swapped = swapped };
    const abut_body_def def_a = { .pose = p->pose_a, .collider.shape = p->a };
    const abut_body_def def_b = { .pose = p->pose_b, .collider.shape = p->b };
    assert_int_equal(abut_body_create(c.world, swapped ? &def_b : &def_a, swapped ? &c.b : &c.a), ABUT_OK);
    assert_int_equal(abut_body_create(c.world, swapped ? &def_a : &def_b, swapped ? &c.a : &c.b), ABUT_OK);
    return c;
}

// The same axis where the other box comes first.
static inline uint32_t turned(uint32_t code)
{
    return code < 3 ? code + 3 : code < 6 ? code - 3 : 6 + 3 * ((code - 6) % 3) + (code - 6) / 3;
}

static inline const abut_contact *contact_of(const couple *c, abut_contact_set set)
{
    assert_int_equal(abut_world_contacts(c->world, set).count, 1);
    return contact_at(c->world, set, 0);
}

// Of the contact as it is with `a` first.
static inline uint32_t axis_in(const couple *c, abut_contact_set set)
{
    const uint32_t code = contact_of(c, set)->points[0].feature >> 8;
    return c->swapped ? turned(code) : code;
}

// Puts b there and detects.
static inline uint32_t axis_at(couple *c, abut_pose pose)
{
    assert_int_equal(abut_body_set_pose(c->world, c->b, &pose), ABUT_OK);
    detect(c->world);
    return axis_in(c, ABUT_AWAKE);
}

static inline void sound(abut_world *world, uint64_t seed)
{
    abut_audit audit;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    if (audit.what)
    {
        fail_msg("seed %llu: %s", (unsigned long long)seed, audit.what);
    }
}

static inline abut_pose trembling(const border *p, random_source *random, double most)
{
    return border_moved(p->pose_b, random_direction(random), random_between(random, 0.0, most));
}

#endif
