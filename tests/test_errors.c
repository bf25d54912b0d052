// Every call with every fault that its arguments can have. One table lists the calls and what each takes, another the
// faults; whatever the pair, the answer is the documented status, `on_error` is called once, outputs and the world stay
// as they were.
#include "errors_bench.h"

typedef struct number_fault
{
    uint32_t takes;
    size_t field, stride; // of the element at fault in `arguments`
    uint32_t wrong;
    const char *name;
} number_fault;

#define AT(field)          offsetof(arguments, field), 0
#define EACH(array, field) offsetof(arguments, array[0].field), sizeof(((arguments *)0)->array[0])
#define VECTOR(takes, place, field, wrong)                                                                             \
    { takes, place(field.x), wrong, #field ".x" }, { takes, place(field.y), wrong, #field ".y" },                      \
    {                                                                                                                  \
        takes, place(field.z), wrong, #field ".z"                                                                      \
    }
#define EACH_VECTOR(takes, array, field, wrong)                                                                        \
    { takes, EACH(array, field.x), wrong, #array "." #field ".x" },                                                    \
        { takes, EACH(array, field.y), wrong, #array "." #field ".y" },                                                \
    {                                                                                                                  \
        takes, EACH(array, field.z), wrong, #array "." #field ".z"                                                     \
    }

static const number_fault number_faults[] = {
    EACH_VECTOR(POSE, pose, position, NOT_FINITE | PAST),
    EACH_VECTOR(POSE, pose, rotation, NOT_FINITE),
    { POSE, EACH(pose, rotation.w), NOT_FINITE, "pose.rotation.w" },
    EACH_VECTOR(VELOCITY, velocity, linear, NOT_FINITE | PAST),
    EACH_VECTOR(VELOCITY, velocity, angular, NOT_FINITE | PAST),
    VECTOR(LOCAL, AT, local.position, NOT_FINITE | PAST),
    VECTOR(LOCAL, AT, local.rotation, NOT_FINITE),
    { LOCAL, AT(local.rotation.w), NOT_FINITE, "local.rotation.w" },
    VECTOR(SHAPE, AT, shape.box.half_extents, NOT_FINITE | PAST | NEGATIVE),
    { COLLIDER_DEF, AT(collider_def.shape.sphere.radius), NOT_FINITE | PAST | NEGATIVE, "radius" },
    VECTOR(COLLIDER_DEF, AT, collider_def.local.position, NOT_FINITE | PAST),
    VECTOR(COLLIDER_DEF, AT, collider_def.local.rotation, NOT_FINITE),
    { COLLIDER_DEF, AT(collider_def.local.rotation.w), NOT_FINITE, "collider_def.local.rotation.w" },
    EACH_VECTOR(BODY_DEF, body_def, pose.position, NOT_FINITE | PAST),
    EACH_VECTOR(BODY_DEF, body_def, pose.rotation, NOT_FINITE),
    { BODY_DEF, EACH(body_def, pose.rotation.w), NOT_FINITE, "body_def.pose.rotation.w" },
    EACH_VECTOR(BODY_DEF, body_def, velocity.linear, NOT_FINITE | PAST),
    EACH_VECTOR(BODY_DEF, body_def, velocity.angular, NOT_FINITE | PAST),
    EACH_VECTOR(BODY_DEF, body_def, collider.shape.box.half_extents, NOT_FINITE | PAST | NEGATIVE),
    EACH_VECTOR(BODY_DEF, body_def, collider.local.position, NOT_FINITE | PAST),
    EACH_VECTOR(BODY_DEF, body_def, collider.local.rotation, NOT_FINITE),
    { BODY_DEF, EACH(body_def, collider.local.rotation.w), NOT_FINITE, "body_def.collider.local.rotation.w" },
    { TIME, AT(time), NOT_FINITE, "time" },
    { DURATION, AT(range), NOT_FINITE | NEGATIVE, "span" },
    { HORIZON, AT(horizon), NOT_FINITE | PAST | NEGATIVE, "horizon or margin" },
};

static uint32_t element_at_fault(const call *c)
{
    return c->takes & BULK ? MANY - 1 : 0;
}

static uint32_t try_numbers(bench *b, const call *c)
{
    uint32_t tried = 0;
    for (uint32_t f = 0; f < COUNT(number_faults); ++f)
    {
        const number_fault *fault = &number_faults[f];
        for (uint32_t w = 0; (c->takes & fault->takes) && w < COUNT(wrong_number); ++w)
        {
            arguments a = b->good;
            float *at = (float *)(void *)((char *)&a + fault->field + element_at_fault(c) * fault->stride);
            *at = wrong_number[w].value;
            if (fault->wrong >> w & 1u)
            {
                expect_error(b, c, &a, ABUT_INVALID_ARGUMENT, element_at_fault(c), fault->name);
                ++tried;
            }
        }
    }
    return tried;
}

// Faults that are not one wrong number; `e` is the element at fault, `b` lends handles.
#define FAULT(name, statement)                                                                                         \
    static void fault_##name(arguments *a, const bench *b, uint32_t e)                                                 \
    {                                                                                                                  \
        (void)b;                                                                                                       \
        (void)e;                                                                                                       \
        statement;                                                                                                     \
    }

FAULT(no_world, a->world = NULL)
FAULT(no_in, a->no_in = true)
FAULT(no_other_in, a->no_other_in = true)
FAULT(no_out, a->no_out = true)
FAULT(no_handles, a->no_handles = true)
FAULT(stale_body, a->body[e] = b->stale)
FAULT(foreign_body, a->body[e] = b->foreign)
FAULT(zero_body, a->body[e] = (abut_body){ 0 })
FAULT(body_past_the_end, a->body[e].slot = 1u << 30)
FAULT(next_generation_of_a_body, a->body[e].generation += 256)
FAULT(doubled_body, a->body[e] = a->body[0])
FAULT(one_body, a->body[1] = a->body[0])
FAULT(stale_other_body, a->body[1] = b->stale)
FAULT(no_time, a->range = 0.0f)
FAULT(too_short_a_time, a->range = 1.0e-12f)
FAULT(no_such_set, a->set = (abut_contact_set)(ABUT_ASLEEP + 1))
FAULT(stale_collider, a->collider = b->stale_collider)
FAULT(foreign_collider, a->collider = b->foreign_collider)
FAULT(zero_collider, a->collider = (abut_collider){ 0 })
FAULT(collider_past_the_end, a->collider.slot = 1u << 30)
FAULT(zero_rotation, memset(&a->pose[e].rotation, 0, sizeof a->pose[e].rotation))
FAULT(zero_local_rotation, memset(&a->local.rotation, 0, sizeof a->local.rotation))
FAULT(no_such_motion, a->motion = ABUT_MOTION_COUNT)
FAULT(negative_motion, a->motion = (abut_motion)-1)
FAULT(no_such_other_motion, a->other_motion = ABUT_MOTION_COUNT)
FAULT(too_much_room, a->room = ABUT_MAX_BODIES + 1)
FAULT(no_such_shape, a->shape.kind = ABUT_SHAPE_KIND_COUNT)
FAULT(shape_without_geometry, a->shape = abut_shape_polygon(NULL))
FAULT(no_shape, a->shape.kind = ABUT_SHAPE_NONE)
FAULT(collider_of_no_such_shape, a->collider_def.shape.kind = (abut_shape_kind)-1)
FAULT(collider_of_no_shape, a->collider_def.shape.kind = ABUT_SHAPE_NONE)
FAULT(collider_flags, a->collider_def.flags = 4)
FAULT(body_def_motion, a->body_def[e].motion = (abut_motion)7)
FAULT(body_def_flags, a->body_def[e].flags = 1u << 30)
FAULT(body_def_shape, a->body_def[e].collider.shape.kind = ABUT_SHAPE_KIND_COUNT)
FAULT(body_def_collider_flags, a->body_def[e].collider.flags = 1u << 31)

enum
{
    FIRST, // reported as element 0
    LAST   // reported as the element at fault
};

#define WRONG(name, takes, status, index)                                                                              \
    {                                                                                                                  \
#name, fault_##name, takes, ABUT_##status, index                                                               \
    }

static const struct
{
    const char *name;
    void (*apply)(arguments *a, const bench *b, uint32_t e);
    uint32_t takes;
    abut_status status;
    int index;
} faults[] = {
    WRONG(no_world, WORLD, INVALID_ARGUMENT, FIRST),
    WRONG(no_in, IN, INVALID_ARGUMENT, FIRST),
    WRONG(no_other_in, OTHER_IN, INVALID_ARGUMENT, FIRST),
    WRONG(no_out, OUT, INVALID_ARGUMENT, FIRST),
    WRONG(no_handles, HANDLES, INVALID_ARGUMENT, FIRST),
    WRONG(stale_body, BODY, STALE_HANDLE, LAST),
    WRONG(foreign_body, BODY, STALE_HANDLE, LAST),
    WRONG(zero_body, BODY, STALE_HANDLE, LAST),
    WRONG(body_past_the_end, BODY, STALE_HANDLE, LAST),
    WRONG(next_generation_of_a_body, BODY, STALE_HANDLE, LAST),
    WRONG(doubled_body, DISTINCT, STALE_HANDLE, LAST),
    WRONG(one_body, PAIR, INVALID_ARGUMENT, FIRST),
    WRONG(stale_other_body, PAIR, STALE_HANDLE, FIRST),
    WRONG(no_time, DURATION, INVALID_ARGUMENT, FIRST),
    WRONG(too_short_a_time, DURATION, INVALID_ARGUMENT, FIRST),
    WRONG(no_such_set, SET, INVALID_ARGUMENT, FIRST),
    WRONG(stale_collider, COLLIDER, STALE_HANDLE, FIRST),
    WRONG(foreign_collider, COLLIDER, STALE_HANDLE, FIRST),
    WRONG(zero_collider, COLLIDER, STALE_HANDLE, FIRST),
    WRONG(collider_past_the_end, COLLIDER, STALE_HANDLE, FIRST),
    WRONG(zero_rotation, POSE, INVALID_ARGUMENT, LAST),
    WRONG(zero_local_rotation, LOCAL, INVALID_ARGUMENT, FIRST),
    WRONG(no_such_motion, MOTION, INVALID_ARGUMENT, FIRST),
    WRONG(negative_motion, MOTION, INVALID_ARGUMENT, FIRST),
    WRONG(no_such_other_motion, OTHER_MOTION, INVALID_ARGUMENT, FIRST),
    WRONG(too_much_room, ROOM, LIMIT, FIRST),
    WRONG(no_such_shape, SHAPE, INVALID_ARGUMENT, FIRST),
    WRONG(shape_without_geometry, SHAPE, INVALID_ARGUMENT, FIRST),
    WRONG(no_shape, SHAPE, INVALID_ARGUMENT, FIRST),
    WRONG(collider_of_no_such_shape, COLLIDER_DEF, INVALID_ARGUMENT, FIRST),
    WRONG(collider_of_no_shape, COLLIDER_DEF, INVALID_ARGUMENT, FIRST),
    WRONG(collider_flags, COLLIDER_DEF, INVALID_ARGUMENT, FIRST),
    WRONG(body_def_motion, BODY_DEF, INVALID_ARGUMENT, LAST),
    WRONG(body_def_flags, BODY_DEF, INVALID_ARGUMENT, LAST),
    WRONG(body_def_shape, BODY_DEF, INVALID_ARGUMENT, LAST),
    WRONG(body_def_collider_flags, BODY_DEF, INVALID_ARGUMENT, LAST),
};

static uint32_t try_faults(bench *b, const call *c)
{
    uint32_t tried = 0;
    for (uint32_t f = 0; f < COUNT(faults); ++f)
    {
        if (c->takes & faults[f].takes)
        {
            arguments a = b->good;
            const uint32_t e = element_at_fault(c);
            faults[f].apply(&a, b, e);
            expect_error(b, c, &a, faults[f].status, faults[f].index == LAST ? e : 0, faults[f].name);
            ++tried;
        }
    }
    return tried;
}

// Good arguments are accepted, which shows that the fault is the cause of failure; and the world that got so much
// invalid input gives the bits of one that did not.
static void every_fault_of_every_call_fails_and_changes_nothing(void **state)
{
    (void)state;
    for (abut_broad_kind broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
    {
        uint32_t tried = 0;
        for (uint32_t i = 0; i < COUNT(calls); ++i)
        {
            bench asked, spared;
            open_bench(&asked, broad);
            open_bench(&spared, broad);
            tried += try_numbers(&asked, &calls[i]) + try_faults(&asked, &calls[i]);
            assert_int_equal(calls[i].make(&asked.good), ABUT_OK);
            assert_int_equal(calls[i].make(&spared.good), ABUT_OK);
            for (uint32_t k = 0; k < 3; ++k)
            {
                assert_int_equal(abut_world_step(asked.world, 0.02f), ABUT_OK);
                assert_int_equal(abut_world_step(spared.world, 0.02f), ABUT_OK);
                assert_true(abut_world_hash(asked.world) == abut_world_hash(spared.world));
            }
            close_bench(&asked);
            close_bench(&spared);
        }
        print_message("%s: %u errors of %zu calls\n", abut_broad_name(broad), tried, COUNT(calls));
        assert_true(tried > 600);
    }
}

static void every_call_from_inside_the_callback_is_busy(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, ABUT_BROAD_BVH);
    for (uint32_t i = 0; i < COUNT(calls); ++i)
    {
        for (uint32_t f = 1; (calls[i].takes & WORLD) && f < COUNT(faults); ++f)
        {
            if (calls[i].takes & faults[f].takes)
            {
                arguments a = b.good;
                faults[f].apply(&a, &b, element_at_fault(&calls[i]));
                b.ask_back = true;
                const uint64_t before = abut_world_hash(b.world);
                assert_int_equal(calls[i].make(&a), faults[f].status);
                assert_true(abut_world_hash(b.world) == before);
                break;
            }
        }
    }
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_of_every_call_fails_and_changes_nothing),
        cmocka_unit_test(every_call_from_inside_the_callback_is_busy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
