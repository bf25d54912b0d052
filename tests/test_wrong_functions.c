// Callers' functions that are not pure, or return invalid results. The outcome is some result, or an error; memory
// stays safe.
#include "own_world.h"
#include "random.h"
#include "world/world.h"

#include <stdatomic.h>
#include <stdlib.h>

enum
{
    CRATE = ABUT_FIRST_KIND + OWN_CRATE
};

// An allocator whose memory holds nothing that could be taken for an index.
static void *take_filled(void *context, size_t size, size_t alignment)
{
    (void)context;
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    void *block = aligned_alloc(alignment, whole);
    return block ? memset(block, 0xee, whole) : NULL;
}

static void give_filled(void *context, void *block, size_t size, size_t alignment)
{
    (void)context, (void)alignment;
    free(block ? memset(block, 0xee, size) : NULL);
}

enum
{
    FICKLE = 400, // bodies
    ONLY_FIRST = 0,
    NOT_FIRST,
    MORE_POINTS,
    FEWER_POINTS,
    LONGER_FEATURES,
    AT_RANDOM,
    WRONG_LATER,
    FICKLE_MODES
};

// How often each pair was asked about in this detect.
typedef struct fickle
{
    int mode;
    atomic_uint times[FICKLE * FICKLE];
    atomic_uint asked, answered;
} fickle;

static uint32_t answer_points(int mode, uint32_t times, uint32_t chance)
{
    const uint32_t more = 1 + (times < 3 ? times : 3);
    switch (mode)
    {
    case ONLY_FIRST:
        return times == 0;
    case NOT_FIRST:
        return times > 0;
    case MORE_POINTS:
        return more;
    case FEWER_POINTS:
        return 5 - more;
    case AT_RANDOM:
        return chance % 5;
    default:
        return 1;
    }
}

static void answer_fickly(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    fickle *f = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        const uint32_t a = (uint32_t)own_size_of(pairs->shapes_a[i].custom.data).z;
        const uint32_t b = (uint32_t)own_size_of(pairs->shapes_b[i].custom.data).z;
        const uint32_t times = atomic_fetch_add(&f->times[a * FICKLE + b], 1);
        const uint32_t asked = atomic_fetch_add(&f->asked, 1),
                       count = answer_points(f->mode, times, asked * 2654435761u >> 7);
        abut_manifold *m = &out[i];
        m->point_count = count;
        m->normal.y = f->mode == WRONG_LATER && times > 0 ? 2.0f : 1.0f;
        m->separation = -0.25f;
        for (uint32_t k = 0; k < count && k < 4; ++k)
        {
            const bool is_long = f->mode == LONGER_FEATURES && times > 0;
            m->points[k] = (abut_point){ { 0, 0, 0 }, -0.25f, is_long ? 0x12345678u : k };
        }
        atomic_fetch_add(&f->answered, count > 0);
    }
}

// The others are boxes, whose pairs the library makes.
static bool is_own(uint32_t i)
{
    return i % 8 != 7;
}

static void expect_plausible(abut_world *world)
{
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i);
        assert_true(c->a.slot < c->b.slot && c->b.slot < FICKLE);
        const bool asked = is_own(c->a.slot) && is_own(c->b.slot);
        assert_true(!asked || (c->normal.y * c->normal.y == 1.0f && c->separation == -0.25f));
        assert_true(c->point_count >= 1 && c->point_count <= 4);
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            assert_true(!asked || c->points[k].separation == -0.25f);
        }
        if (i > 0)
        {
            const abut_contact *before = abut_contact_at(&all, i - 1);
            assert_true(before->a.slot < c->a.slot || (before->a.slot == c->a.slot && before->b.slot < c->b.slot));
        }
    }
}

// Whatever it answers, contacts are of pairs it was asked about and hold numbers it gave.
static void a_function_that_answers_otherwise_each_time_does_no_harm(void **state)
{
    (void)state;
    fickle *f = malloc(sizeof *f);
    assert_non_null(f);
    uint32_t found = 0, failed = 0, asked_again = 0;
    for (uint32_t round = 0; round < 8 * FICKLE_MODES; ++round)
    {
        random_source random = random_start(round + 1);
        abut_world *world = open_own_world(&(abut_world_def){
            .allocator = { take_filled, give_filled, NULL },
            .recycle_distance = round & 1 ? 0.01f : 0.0f,
            .threads = round & 2 ? 4 : 1,
        });
        f->mode = (int)(round % FICKLE_MODES);
        if (round & 2)
        {
            ab_world_set_granularity(world, (ab_granularity){ .chunk = 16 + round, .whole = 0 });
        }
        assert_int_equal(abut_world_set_pair_function(world, CRATE, CRATE, answer_fickly, f), ABUT_OK);
        for (uint32_t i = 0; i < FICKLE; ++i)
        {
            const abut_vec3 at = random_narrow(random_in_box(&random, 3.0));
            add(world, is_own(i) ? own_shape(OWN_CRATE, 0.5f, 0.5f, (float)i) : abut_shape_obb(0.5f, 0.5f, 0.5f), at.x,
                at.y, at.z, ABUT_DYNAMIC);
        }
        for (uint32_t frame = 0; frame < 4; ++frame)
        {
            const uint32_t before = f->asked;
            memset(f->times, 0, sizeof f->times);
            const abut_status status = abut_world_step(world, 0.01f);
            assert_true(status == ABUT_OK || (f->mode == WRONG_LATER && status == ABUT_INVALID_ARGUMENT));
            for (uint32_t k = 0; k < COUNT(f->times); ++k)
            {
                asked_again += f->times[k] > 1;
            }
            assert_true(f->asked > before);
            failed += status != ABUT_OK;
            expect_plausible(world);
            found += touching(world);
        }
        abut_world_destroy(world);
    }
    assert_true(found > 10000 && failed > 0 && asked_again > 10000);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_answers_otherwise_each_time_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
