// Overlaps in worlds of many kinds and at any scale, judged in double precision by trying everything:
// nothing is missed, nothing is found that is not there, the order is exact, and other broad phases, instruction sets
// and threads, in batches, give the same bits.
#include "judged_answers.h"

static void judge_found(const plain_solid *asker, const abut_found *found, uint32_t count)
{
    static bool listed[JUDGED_BODIES];
    const plain_sphere around = plain_around(asker);
    memset(listed, 0, sizeof listed);
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = found[k].body.slot;
        JUDGE(i < JUDGED_BODIES && (k == 0 || found[k - 1].body.slot < i));
        listed[i] = true;
    }
    for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
    {
        const double band = BAND * (size_of(&w.body[i]) + around.radius), gap = apart(asker, &w.body[i], band);
        JUDGE(listed[i] ? gap <= band : gap >= -band);
        decided += fabs(gap) > band;
    }
    found_by += count;
}

static void ask_shapes(random_source *random)
{
    static abut_placed_shape shape[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        plain_solid solid;
        uint32_t count;
        judged_question = q;
        shape[q] = random_asker(random, &solid);
        assert_int_equal(
            abut_world_overlap_shape(w.copy[0], &shape[q], NULL, judged.found + judged.total, MOST, &count), ABUT_OK);
        assert_int_equal(abut_world_overlap_shape_any(w.copy[0], &shape[q], NULL, &judged.any[q]), ABUT_OK);
        assert_true(judged.any[q] == (count > 0));
        judge_found(&solid, judged.found + judged.total, count);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        assert_int_equal(abut_world_overlap_shape_many(w.copy[k], shape, ASKED, NULL, other.range, other.found,
                                                       COUNT(other.found), &other.total),
                         ABUT_OK);
        same_lists(judged.found, other.found, sizeof *other.found);
        assert_int_equal(abut_world_overlap_shape_any_many(w.copy[k], shape, ASKED, NULL, other.any), ABUT_OK);
        assert_memory_equal(judged.any, other.any, sizeof judged.any);
    }
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        abut_geometry_release(judged_geometry(&shape[q].shape));
    }
    asked += 2 * ASKED;
}

static void ask_boxes(random_source *random)
{
    static abut_aabb box[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        const abut_vec3 middle = random_narrow(random_place(random));
        const double size = w.scale * random_scale(random, 0.1, 3.0);
        const abut_vec3 half = { judged_size(random, size), judged_size(random, size), judged_size(random, size) };
        uint32_t count;
        judged_question = q;
        box[q] = abut_aabb_from_centre(middle, half);
        const dvec3 low = judged_widen(box[q].min), high = judged_widen(box[q].max),
                    wide = dvec3_scale(dvec3_sub(high, low), 0.5);
        plain_solid own = plain_box(wide.x, wide.y, wide.z), solid;
        plain_place(&own, (dquat){ 1, 0, 0, 0 }, dvec3_scale(dvec3_add(low, high), 0.5), &solid);
        assert_int_equal(abut_world_overlap_aabb(w.copy[0], &box[q], NULL, judged.found + judged.total, MOST, &count),
                         ABUT_OK);
        judge_found(&solid, judged.found + judged.total, count);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        assert_int_equal(abut_world_overlap_aabb_many(w.copy[k], box, ASKED, NULL, other.range, other.found,
                                                      COUNT(other.found), &other.total),
                         ABUT_OK);
        same_lists(judged.found, other.found, sizeof *other.found);
    }
    asked += ASKED;
}

static void ask_points(random_source *random)
{
    static abut_vec3 point[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        uint32_t count;
        judged_question = q;
        point[q] = random_narrow(random_place(random));
        const plain_solid solid = plain_segment(judged_widen(point[q]), judged_widen(point[q]));
        assert_int_equal(
            abut_world_overlap_point(w.copy[0], &point[q], NULL, judged.found + judged.total, MOST, &count), ABUT_OK);
        judge_found(&solid, judged.found + judged.total, count);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        assert_int_equal(abut_world_overlap_point_many(w.copy[k], point, ASKED, NULL, other.range, other.found,
                                                       COUNT(other.found), &other.total),
                         ABUT_OK);
        same_lists(judged.found, other.found, sizeof *other.found);
    }
    asked += ASKED;
}

// How far a body stays out of a region, of the half-space that it reaches into least; negative: how far into all.
static double out_of(const judged_body *b, const abut_region *region)
{
    double most = -HUGE_VAL;
    for (uint32_t k = 0; k < region->plane_count; ++k)
    {
        const dvec3 normal = judged_widen(region->planes[k].normal);
        const double length = dvec3_length(normal);
        const dvec3 unit = dvec3_scale(normal, 1.0 / length);
        double low = HUGE_VAL;
        for (uint32_t i = 0; i < b->pieces && !is_half_space(b); ++i)
        {
            low = fmin(low, plain_span_of(&b->piece[i], unit).low);
        }
        most = fmax(most, is_half_space(b) ? -HUGE_VAL : low - (double)region->planes[k].offset / length);
    }
    return most;
}

static void ask_regions(random_source *random)
{
    enum
    {
        PLANES = 6
    };
    static abut_plane plane[ASKED][PLANES];
    static abut_region region[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        const dvec3 middle = random_place(random);
        uint32_t count;
        judged_question = q;
        region[q] = (abut_region){ plane[q], random_below(random, PLANES + 1) };
        for (uint32_t k = 0; k < region[q].plane_count; ++k)
        {
            dvec3 n = dvec3_scale(random_direction(random), random_scale(random, 0.01, 100.0));
            n.z = w.is_2d ? 0.0 : n.z;
            plane[q][k].normal = random_narrow(n);
            plane[q][k].offset =
                (float)(dvec3_dot(n, middle) + dvec3_length(n) * w.side * random_between(random, 0.0, 0.7));
        }
        assert_int_equal(
            abut_world_overlap_region(w.copy[0], &region[q], NULL, judged.found + judged.total, MOST, &count), ABUT_OK);
        uint32_t seen = 0;
        for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
        {
            const bool listed = seen < count && judged.found[judged.total + seen].body.slot == i;
            // a body is judged as a whole: a piece may reach into one half-space and another into the next
            const double band = BAND * (size_of(&w.body[i]) + 2.0 * w.side), gap = out_of(&w.body[i], &region[q]);
            const bool whole = w.body[i].pieces == 1 && !is_half_space(&w.body[i]);
            JUDGE(region[q].plane_count == 0 ? listed : listed ? gap <= band : !whole || gap >= -band);
            decided += fabs(gap) > band;
            seen += listed;
        }
        assert_int_equal(seen, count);
        found_by += count;
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        assert_int_equal(abut_world_overlap_region_many(w.copy[k], region, ASKED, NULL, other.range, other.found,
                                                        COUNT(other.found), &other.total),
                         ABUT_OK);
        same_lists(judged.found, other.found, sizeof *other.found);
    }
    asked += ASKED;
}

static void overlaps_of_shapes_are_right(void **state)
{
    (void)state;
    judged_run(ask_shapes, 20, 1.0);
}

static void overlaps_of_boxes_are_right(void **state)
{
    (void)state;
    judged_run(ask_boxes, 20, 1.0);
}

static void overlaps_of_points_are_right(void **state)
{
    (void)state;
    judged_run(ask_points, 20, 0.1);
}

static void overlaps_of_regions_are_right(void **state)
{
    (void)state;
    judged_run(ask_regions, 20, 10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_of_shapes_are_right),
        cmocka_unit_test(overlaps_of_boxes_are_right),
        cmocka_unit_test(overlaps_of_points_are_right),
        cmocka_unit_test(overlaps_of_regions_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
