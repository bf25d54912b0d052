// A small world for tests, and what is expected of its next detect.
#ifndef SMALL_WORLD_H
#define SMALL_WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <abut/abut.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// A world's last error and the number of errors; of a world with note_error and this as its context.
typedef struct error_note
{
    uint32_t times, index;
    abut_status status;
    const char *sentence;
} error_note;

static inline void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)call;
    error_note *r = context;
    *r = (error_note){ r->times + 1, index, status, sentence };
}

static inline abut_world *open_world(const abut_world_def *def)
{
    abut_world *world = NULL;
    assert_int_equal(abut_world_create(def, &world), ABUT_OK);
    assert_non_null(world);
    return world;
}

static inline abut_body add(abut_world *world, abut_shape shape, float x, float y, float z, abut_motion motion)
{
    abut_body body = { 0 };
    const abut_body_def def = { .pose.position = { x, y, z }, .motion = motion, .collider.shape = shape };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static inline abut_body ball(abut_world *world, float x)
{
    return add(world, abut_shape_sphere(0.5f), x, 0, 0, ABUT_DYNAMIC);
}

// The body's first collider.
static inline abut_collider first_collider(abut_world *world, abut_body body)
{
    abut_collider collider = { 0 };
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_true(count >= 1);
    return collider;
}

static inline void detect(abut_world *world)
{
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
}

// Contact `i` of a set, in order.
static inline const abut_contact *contact_at(abut_world *world, abut_contact_set set, uint32_t i)
{
    const abut_contacts all = abut_world_contacts(world, set);
    assert_true(i < all.count);
    return abut_contact_at(&all, i);
}

// The impulses of that contact, one for each of its points.
static inline abut_impulse *impulses_at(abut_world *world, abut_contact_set set, uint32_t i)
{
    const abut_contacts all = abut_world_contacts(world, set);
    assert_true(i < all.count);
    return abut_impulses_of(&all, abut_contact_at(&all, i));
}

static inline bool same_id(abut_contact_id a, abut_contact_id b)
{
    return a.slot == b.slot && a.generation == b.generation;
}

static inline uint32_t touching(abut_world *world)
{
    return abut_world_contacts(world, ABUT_AWAKE).count;
}

static inline void expect(abut_world *world, uint32_t contacts, uint32_t begun, uint32_t ended)
{
    detect(world);
    assert_int_equal(touching(world), contacts);
    assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, begun);
    assert_int_equal(abut_world_events(world, ABUT_END).count, ended);
}

// What was found is what every pair tried by itself gives.
static inline void expect_sound(abut_world *world)
{
    abut_audit found;
    assert_int_equal(abut_world_audit(world, &found), ABUT_OK);
    if (found.what)
    {
        fail_msg("%s (%u and %u)", found.what, found.a.slot, found.b.slot);
    }
}

static inline uint32_t asleep(abut_world *world)
{
    return abut_world_contacts(world, ABUT_ASLEEP).count;
}

// Contacts of the last detect that were reused.
static inline uint64_t recycled(const abut_world *world)
{
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    return statistics.recycled;
}

// A hash over the results of so many steps; if audited, every fourth one's are also held against every pair by itself.
static inline uint64_t hash_of_results(abut_world *world, uint32_t frames, bool audited)
{
    uint64_t hash = 0;
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        assert_int_equal(abut_world_step(world, 1.0f / 60.0f), ABUT_OK);
        hash = hash * 31 + abut_world_results_hash(world);
        if (audited && frame % 4 == 0)
        {
            expect_sound(world);
        }
    }
    return hash;
}

#endif
