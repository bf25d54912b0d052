// The nearest colliders in worlds of many kinds and at any scale, judged in double precision by trying everything:
// nothing is missed, nothing is found that is not there, distances are right,
// the order is exact, and other broad phases, instruction sets and threads, in batches, give the same bits.
#include "judged_answers.h"

static void judge_near(const plain_solid *asker, double within, const abut_near *near, uint32_t count, uint32_t most)
{
    static bool listed[JUDGED_BODIES];
    const plain_sphere around = plain_around(asker);
    const double last = count == most ? (double)near[count - 1].distance : within;
    memset(listed, 0, sizeof listed);
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = near[k].body.slot;
        const double band = BAND * (size_of(&w.body[i]) + around.radius + (double)near[k].distance);
        JUDGE(i < JUDGED_BODIES && !listed[i]);
        JUDGE(k == 0 || near[k - 1].distance < near[k].distance ||
              (near[k - 1].distance == near[k].distance && near[k - 1].body.slot < i));
        JUDGE(fabs(fmax(apart(asker, &w.body[i], HUGE_VAL), 0.0) - (double)near[k].distance) <= band);
        const dvec3 here = dvec3_sub(judged_widen(near[k].on_collider), judged_widen(near[k].on_query));
        JUDGE(fabs(dvec3_length(here) - (double)near[k].distance) <= band);
        listed[i] = true;
    }
    for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
    {
        const double band = BAND * (size_of(&w.body[i]) + around.radius + last);
        JUDGE(listed[i] || fmax(apart(asker, &w.body[i], last), 0.0) >= last - band);
    }
    decided += JUDGED_BODIES;
    found_by += count;
}

static void ask_nearest(random_source *random, bool shapes)
{
    static abut_placed_shape shape[ASKED];
    static abut_vec3 point[ASKED];
    const uint32_t most = 1 + random_below(random, NEAREST);
    const double within = w.side * random_scale(random, 0.1, 3.0);
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        plain_solid solid;
        uint32_t count;
        abut_near *near = judged.near + judged.total;
        if (shapes)
        {
            shape[q] = random_asker(random, &solid);
            assert_int_equal(abut_world_nearest_shape(w.copy[0], &shape[q], (float)within, NULL, near, most, &count),
                             ABUT_OK);
        }
        else
        {
            point[q] = random_narrow(random_place(random));
            solid = plain_segment(judged_widen(point[q]), judged_widen(point[q]));
            assert_int_equal(abut_world_nearest(w.copy[0], &point[q], (float)within, NULL, near, most, &count),
                             ABUT_OK);
        }
        judged_question = q;
        judge_near(&solid, (double)(float)within, near, count, most);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        const abut_status status =
            shapes ? abut_world_nearest_shape_many(w.copy[k], shape, ASKED, (float)within, most, NULL, other.range,
                                                   other.near, COUNT(other.near), &other.total)
                   : abut_world_nearest_many(w.copy[k], point, ASKED, (float)within, most, NULL, other.range,
                                             other.near, COUNT(other.near), &other.total);
        assert_int_equal(status, ABUT_OK);
        same_lists(judged.near, other.near, sizeof *other.near);
    }
    for (uint32_t q = 0; shapes && q < ASKED; ++q)
    {
        abut_geometry_release(judged_geometry(&shape[q].shape));
    }
    asked += ASKED;
}
static void ask_points(random_source *random)
{
    ask_nearest(random, false);
}

static void ask_shapes(random_source *random)
{
    ask_nearest(random, true);
}

static void what_is_nearest_to_points_is_right(void **state)
{
    (void)state;
    judged_run(ask_points, 20, 1.0);
}

static void what_is_nearest_to_shapes_is_right(void **state)
{
    (void)state;
    judged_run(ask_shapes, 20, 1.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_nearest_to_points_is_right),
        cmocka_unit_test(what_is_nearest_to_shapes_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
