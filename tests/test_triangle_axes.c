// The axes that lanes leave out of the test of a box and a triangle, and the triangles that are passed over: on every
// instruction set alike, and without a change to any bit of what is found.
#include "base/kernels.h"
#include "every_isa.h"
#include "shape/mesh_ray_kernels.h"
#include "triangle_couples.h"

#include <abut/shape.h>
#include <stdio.h>

enum
{
    PAIRS = 500000
};

// A row with the triangle at a random entry among others. Returns the entry.
static uint32_t fill_row(random_source *random, const couple *c, ab_axes_row *row)
{
    const uint32_t entry = random_below(random, AB_AXES_ROW), triangle = 0;
    ab_axes_row alone;
    ab_axes_row_of(c->pair.mesh, &triangle, 1, &alone);
    for (int j = 0; j < 3; ++j)
    {
        for (int k = 0; k < 3; ++k)
        {
            for (uint32_t i = 0; i < AB_AXES_ROW; ++i)
            {
                row->corner[j][k][i] = (float)random_between(random, -c->of, c->of);
            }
            row->corner[j][k][entry] = alone.corner[j][k][0];
        }
    }
    return entry;
}

// The axes of all instruction sets, which agree.
static uint32_t axes_of(random_source *random, const couple *c, double limit)
{
    ab_axes_row row;
    ab_axes_box box;
    uint32_t scalar[AB_AXES_ROW], axes[AB_AXES_ROW];
    const uint32_t entry = fill_row(random, c, &row), count = entry + 1 + random_below(random, AB_AXES_ROW - entry);
    assert_true(ab_axes_box_of(&c->pair, limit, &box));
    ab_kernels_for(AB_SINGLE_ISA)->triangles->axes(&box, &row, count, scalar);
    EVERY_ISA(isa)
    {
        ab_kernels_for(isa)->triangles->axes(&box, &row, count, axes);
        assert_memory_equal(axes, scalar, count * sizeof *axes);
    }
    return scalar[entry];
}

// What is left out along axes changes no bit of what is measured, and what is said to be beyond is.
static void axes_that_are_left_out_change_nothing(void **state)
{
    (void)state;
    uint64_t some = 0, none = 0, tried = 0, beside = 0;
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double scale = random_below(&random, 4) == 0 ? random_scale(&random, 1e-6, 1e6) : 1.0;
        const double size = scale * random_scale(&random, 0.01, 100.0),
                     thin = random_below(&random, 4) == 0 ? 0.01 : 1.0;
        const abut_shape box = abut_shape_obb((float)size, (float)(size * random_between(&random, 0.1, 1.0)),
                                              (float)(size * thin * random_between(&random, 0.1, 1.0)));
        couple c;
        ab_convex_contact all = { .separation = 0.0 }, few = { .separation = 0.0 };
        couple_open(&c, &random, &box, size);
        const double limit = random_below(&random, 2) == 0 ? 0.0 : 0.2 * size;
        const uint32_t axes = axes_of(&random, &c, limit);
        const ab_triangle_gap gap = ab_triangle_measure(&c.pair, &c.corners, AB_AXES_ALL, limit, &all);
        if (axes == 0)
        {
            double to[3], radius = 0.0;
            ab_sub(c.pair.centre, c.corners.at[0], to);
            for (int k = 0; k < 3; ++k)
            {
                radius += c.pair.convex.core.half[k] * fabs(ab_dot(c.pair.axis + 3 * k, c.corners.normal));
            }
            assert_true(gap == AB_GAP_BEYOND ||
                        (!c.pair.mesh->two_sided && ab_dot(to, c.corners.normal) + radius < 0.0));
            ++none;
        }
        else
        {
            assert_int_equal(ab_triangle_measure(&c.pair, &c.corners, axes, limit, &few), gap);
            assert_true(gap != AB_GAP_FOUND || (few.separation == all.separation && few.overlap == all.overlap &&
                                                memcmp(few.normal, all.normal, sizeof few.normal) == 0 &&
                                                memcmp(few.on_a, all.on_a, sizeof few.on_a) == 0 &&
                                                memcmp(few.on_b, all.on_b, sizeof few.on_b) == 0));
            ++some;
            beside += (axes & AB_AXES_BESIDE) != 0;
            for (uint32_t left = axes & AB_AXES_ALL; left != 0; left &= left - 1)
            {
                ++tried;
            }
        }
        abut_geometry_release(c.geometry);
    }
    printf("%llu triangles left out, %llu kept along %.2f axes each, %llu of them beside the box\n",
           (unsigned long long)none, (unsigned long long)some, (double)tried / (double)some,
           (unsigned long long)beside);
    assert_true(3 * tried < 13 * some);
}

// A field of a mesh or a heightfield.
static abut_geometry *any_field(random_source *random)
{
    bumps high = { random, random_scale(random, 0.01, 0.7) };
    if (random_chance(random, 0.5))
    {
        mesh_maker m = { 0 };
        mesh_field(&m, random, 6, 6, 3.0, 3.0, random_between(random, 0.0, 0.2), bump, &high);
        return mesh_made(&m);
    }
    float heights[49];
    for (uint32_t i = 0; i < 49; ++i)
    {
        heights[i] = (float)bump(&high, 0.0, 0.0);
    }
    const abut_heightfield_def def = { .heights = heights,
                                       .columns = 7,
                                       .rows = 7,
                                       .step_x = 1.0f,
                                       .step_z = 1.0f,
                                       .two_sided = random_chance(random, 0.2) };
    abut_geometry *out = NULL;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

typedef struct outcomes
{
    uint64_t left_out, passed_over, touching, others;
    uint64_t sure, behind, nowhere; // of the triangles alone
    uint64_t in_rows;               // contacts of triangles laid out together
} outcomes;

// One triangle: the answer with all axes is the same.
static void judge_triangle(const ab_triangle_pair *p, uint32_t triangle, uint32_t axes, double limit, outcomes *seen)
{
    abut_manifold all, few;
    ab_triangle_cut cut_all, cut_few;
    const ab_triangle_answer answer =
        ab_triangle_collide(p, triangle, AB_AXES_ALL | AB_AXES_CORNERS, limit, &all, &cut_all);
    if (axes == 0)
    {
        assert_int_equal(answer, AB_TRIANGLE_APART);
        ++seen->left_out;
        return;
    }
    ab_triangle_at at = { .which = triangle, .axes = axes };
    ab_triangle_corners_of(p->mesh, triangle, &at.corners);
    if (ab_triangle_is_passed_over(p, &at))
    {
        assert_false(ab_triangle_has_contact(answer));
        ++seen->passed_over;
        return;
    }
    const uint32_t corners = p->convex.row->box_core ? 0 : AB_AXES_CORNERS; // others' are not those of the box
    assert_int_equal(ab_triangle_collide(p, triangle, axes | corners, limit, &few, &cut_few), answer);
    if (ab_triangle_has_contact(answer))
    {
        assert_int_equal(few.point_count, all.point_count);
        assert_memory_equal(&few.normal, &all.normal, sizeof few.normal);
        assert_memory_equal(few.points, all.points, all.point_count * sizeof *all.points);
        assert_true(few.separation == all.separation);
    }
    assert_true(!ab_triangle_is_cut(answer) || (cut_few.low == cut_all.low && cut_few.elsewhere == cut_all.elsewhere &&
                                                cut_few.separation == cut_all.separation));
    seen->touching += answer == AB_TRIANGLE_TOUCHES;
    seen->others += answer != AB_TRIANGLE_TOUCHES;
}

// Triangles of a row with a box: laid out on every instruction set that does so, each one's answer is as without.
static void judge_row(const ab_triangle_pair *p, const uint32_t *triangle, uint32_t count, double limit, outcomes *seen)
{
    ab_triangle_row row;
    ab_triangle_at at[AB_TRIANGLE_ROW];
    memset(&row, 0, sizeof row);
    for (uint32_t i = 0; i < count; ++i)
    {
        at[i] =
            (ab_triangle_at){ .which = triangle[i], .axes = AB_AXES_ALL | AB_AXES_CORNERS, .place = i, .row = &row };
        ab_triangle_corners_of(p->mesh, triangle[i], &at[i].corners);
        for (int j = 0; j < 9; ++j)
        {
            row.corner[j / 3][j % 3][i] = at[i].corners.at[j / 3][j % 3];
        }
    }
    EVERY_ISA(isa)
    {
        ab_triangle_row_kernel *const lay = ab_kernels_for(isa)->triangles->row;
        if (lay)
        {
            lay(p, &row);
        }
        for (uint32_t i = 0; i < count && lay; ++i)
        {
            abut_manifold alone, here;
            ab_triangle_cut cut_alone, cut_here;
            for (int k = 0; k < 3; ++k)
            {
                assert_memory_equal(&row.normal[k][i], &at[i].corners.normal[k], sizeof(double));
            }
            const ab_triangle_answer answer =
                ab_triangle_collide(p, triangle[i], at[i].axes, limit, &alone, &cut_alone);
            assert_int_equal(ab_triangle_collide_at(p, &at[i], limit, &here, &cut_here), answer);
            if (ab_triangle_has_contact(answer))
            {
                assert_int_equal(here.point_count, alone.point_count);
                assert_memory_equal(&here.normal, &alone.normal, sizeof here.normal);
                assert_memory_equal(here.points, alone.points, alone.point_count * sizeof *alone.points);
                assert_true(here.separation == alone.separation);
            }
            assert_true(!ab_triangle_is_cut(answer) ||
                        (cut_here.low == cut_alone.low && cut_here.separation == cut_alone.separation));
            seen->in_rows += ab_triangle_has_contact(answer);
        }
    }
}

// What is said of a triangle alone when only an overlap is asked for.
static void judge_touch(const ab_triangle_pair *p, const ab_axes_box *box, uint32_t triangle, double limit,
                        outcomes *seen)
{
    const double *half = p->convex.core.half;
    const bool exact = ab_triangle_is_of_box(p) || (half[0] == 0.0 && half[1] == 0.0 && half[2] == 0.0);
    ab_axes_row row;
    uint32_t axes[AB_AXES_ROW];
    abut_manifold all;
    ab_triangle_cut cut;
    const ab_triangle_answer answer = ab_triangle_collide(p, triangle, AB_AXES_ALL, limit, &all, &cut);
    memset(&row, 0, sizeof row);
    ab_axes_row_of(p->mesh, &triangle, 1, &row);
    if (ab_kernels_for(AB_SINGLE_ISA)->triangles->touch(box, &row, 1, exact, axes))
    {
        assert_true(exact && answer != AB_TRIANGLE_APART);
        ++seen->sure;
        return;
    }
    const bool behind = exact && (axes[0] & AB_AXES_BEHIND) != 0,
               nowhere = behind && ab_triangle_leads_nowhere(p, triangle, AB_AXES_AHEAD(axes[0]));
    assert_true((axes[0] != 0 && !nowhere) || answer == AB_TRIANGLE_APART);
    seen->behind += behind;
    seen->nowhere += nowhere;
}

// On all instruction sets alike.
static void compare_touches(const ab_axes_box *box, const ab_axes_row *row, uint32_t count, bool exact)
{
    uint32_t scalar[AB_AXES_ROW], axes[AB_AXES_ROW];
    const bool touches = ab_kernels_for(AB_SINGLE_ISA)->triangles->touch(box, row, count, exact, scalar);
    EVERY_ISA(isa)
    {
        assert_int_equal(ab_kernels_for(isa)->triangles->touch(box, row, count, exact, axes), touches);
        assert_true(touches || memcmp(axes, scalar, count * sizeof *axes) == 0);
    }
}

static void judge_shape(const ab_triangle_pair *p, double limit, outcomes *seen)
{
    ab_axes_box box;
    assert_true(ab_axes_box_of(p, limit, &box));
    for (uint32_t first = 0, count; first < p->mesh->triangle_count; first += count)
    {
        ab_axes_row row;
        uint32_t triangle[AB_AXES_ROW], axes[AB_AXES_ROW];
        const uint32_t left = p->mesh->triangle_count - first;
        count = left < AB_AXES_ROW ? left : AB_AXES_ROW;
        memset(&row, 0, sizeof row);
        for (uint32_t i = 0; i < count; ++i)
        {
            triangle[i] = first + i;
        }
        ab_axes_row_of(p->mesh, triangle, count, &row);
        ab_kernels_for(AB_SINGLE_ISA)->triangles->axes(&box, &row, count, axes);
        compare_touches(&box, &row, count < AB_MESH_WIDTH ? count : AB_MESH_WIDTH, ab_triangle_is_of_box(p));
        for (uint32_t i = 0; i < count; ++i)
        {
            judge_touch(p, &box, triangle[i], limit, seen);
            judge_triangle(p, triangle[i], axes[i], limit, seen);
        }
        for (uint32_t i = 0; i < count && ab_triangle_is_of_box(p); i += AB_TRIANGLE_ROW)
        {
            judge_row(p, triangle + i, count - i < AB_TRIANGLE_ROW ? count - i : AB_TRIANGLE_ROW, limit, seen);
        }
    }
}

static abut_geometry *any_hull(random_source *random)
{
    abut_vec3 points[12];
    abut_geometry *out = NULL;
    for (uint32_t i = 0; i < 12; ++i)
    {
        points[i] = abut_vec3_make((float)random_between(random, -0.7, 0.7), (float)random_between(random, -0.7, 0.7),
                                   (float)random_between(random, -0.7, 0.7));
    }
    const abut_status status = abut_geometry_create_hull(points, 12, 0, NULL, &out);
    assert_true(status == ABUT_OK || status == ABUT_UNSUPPORTED);
    return out;
}

static abut_shape some_shape(random_source *random, const abut_geometry *hull)
{
    const float a = (float)random_between(random, 0.1, 1.0), b = (float)random_between(random, 0.1, 1.0),
                c = (float)random_between(random, 0.1, 1.0);
    const uint32_t kind = random_below(random, 8);
    return kind == 0          ? abut_shape_sphere(a)
           : kind == 1        ? abut_shape_capsule(0.5f * a, b)
           : kind < 4 && hull ? abut_shape_hull(hull)
                              : abut_shape_obb(a, b, c);
}

// A ball has no axes: every instruction set leaves out the same triangles, and those are beyond the limit.
static void triangles_left_out_are_beyond_a_ball(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS);
    uint64_t none = 0, within = 0, missed = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-5, 1e5), limit = random_below(&random, 2) == 0 ? 0.0 : 0.2 * size;
        const abut_shape ball = abut_shape_sphere((float)size);
        couple c;
        double on[3], away[3];
        couple_open(&c, &random, &ball, size);
        const uint32_t axes = axes_of(&random, &c, limit);
        ab_mesh_nearest_on(c.corners.at, c.pair.centre, on);
        ab_sub(c.pair.centre, on, away);
        const bool beyond = sqrt(ab_dot(away, away)) - c.pair.convex.core.rounding > limit;
        assert_true(beyond || axes != 0);
        none += axes == 0;
        within += !beyond;
        missed += beyond && axes != 0;
        abut_geometry_release(c.geometry);
    }
    printf("%llu triangles left out, %llu within the limit, %llu kept that are beyond\n", (unsigned long long)none,
           (unsigned long long)within, (unsigned long long)missed);
    assert_true(missed < none);
}

// What is left out or passed over has no contact, and what has one has the same one.
static void no_contact_is_left_out_or_passed_over(void **state)
{
    (void)state;
    outcomes seen = { 0 };
    const random_seeds seeds = random_seeds_of(4000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *geometry = any_field(&random), *hull = any_hull(&random);
        const abut_shape field = abut_shape_mesh(geometry);
        for (uint32_t i = 0; i < 8; ++i)
        {
            const abut_shape shape = some_shape(&random, hull);
            const double at[3] = { random_between(&random, -3.0, 3.0), random_between(&random, -0.3, 1.2),
                                   random_between(&random, -3.0, 3.0) },
                         here[3] = { 0.0, 0.0, 0.0 };
            ab_triangle_pair p = { .mesh = ab_mesh_of_geometry(geometry) };
            place(&p.placed, &field, here, abut_quat_identity());
            place(&p.convex, &shape, at, any_turn(&random));
            ab_triangle_pair_up(&p);
            judge_shape(&p, random_chance(&random, 0.5) ? 0.0 : 0.1, &seen);
        }
        abut_geometry_release(hull);
        abut_geometry_release(geometry);
    }
    printf("%llu triangles left out, %llu passed over, %llu with contacts, %llu others\n",
           (unsigned long long)seen.left_out, (unsigned long long)seen.passed_over, (unsigned long long)seen.touching,
           (unsigned long long)seen.others);
    printf("%llu triangles that surely touch, %llu with the shape behind, %llu of them no way out\n",
           (unsigned long long)seen.sure, (unsigned long long)seen.behind, (unsigned long long)seen.nowhere);
    assert_true(!random_seeds_all() || (seen.sure > 1000 && 2 * seen.nowhere > seen.behind && seen.behind > 1000));
    assert_true(!random_seeds_all() || !abut_isa_available(ABUT_ISA_AVX2) || seen.in_rows > 1000);
    assert_true(!random_seeds_all() || (seen.passed_over > 1000 && seen.touching > 1000 && seen.others > 1000));
}

static bool see_no_more(void *context)
{
    (void)context;
    return false;
}

static bool are_same(const ab_mesh_blocks *a, const ab_mesh_blocks *b)
{
    return a->count == b->count && memcmp(a->block, b->block, a->count * sizeof *a->block) == 0 &&
           memcmp(a->steps, b->steps, a->count * sizeof *a->steps) == 0;
}

// Boxes that go down together find what each finds by itself, or nothing where one of them meets too many.
static void judge_together(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count, uint64_t *found)
{
    ab_mesh_leaves alone[AB_MESH_TOGETHER], together[AB_MESH_TOGETHER];
    bool few = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        few = ab_mesh_find_leaves(mesh, &boxes[i], &alone[i]) && few;
    }
    EVERY_ISA(isa)
    {
        const bool all = ab_kernels_for(isa)->mesh_rays->find_all_leaves(mesh, boxes, count, together);
        assert_true(few || !all);
        for (uint32_t i = 0; i < count && all; ++i)
        {
            assert_int_equal(together[i].count, alone[i].count);
            assert_memory_equal(together[i].leaf, alone[i].leaf, alone[i].count * sizeof *alone[i].leaf);
        }
        *found += all;
    }
}

// The blocks that boxes meet are those that the tree itself finds, on every instruction set, at once or in steps.
static void blocks_are_found_in_lanes_as_by_the_tree(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t some = 0, none = 0, many = 0, stepped = 0, together = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        bumps high = { &random, random_scale(&random, 0.01, 0.7) };
        mesh_maker m = { 0 };
        const uint32_t cells = 2 + random_below(&random, 60);
        mesh_field(&m, &random, cells, cells, 3.0, 3.0, random_between(&random, 0.0, 0.2), bump, &high);
        abut_geometry *geometry = mesh_made(&m);
        const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
        ab_mesh_box last[AB_MESH_TOGETHER];
        for (uint32_t i = 0; i < 50; ++i)
        {
            const double size = random_scale(&random, 0.01, 8.0);
            ab_mesh_box box;
            for (int k = 0; k < 3; ++k)
            {
                const double at = random_between(&random, -3.2, 3.2) * (k == 1 ? 0.3 : 1.0);
                box.min[k] = (float)(at - random_between(&random, 0.0, size));
                box.max[k] = (float)(at + random_between(&random, 0.0, size));
            }
            ab_mesh_leaves leaves, leaves_found;
            ab_mesh_blocks wanted, found;
            const bool few = mesh->kernels->find_blocks(mesh, &box, &wanted, see_no_more, NULL),
                       in_steps = ab_mesh_find_leaves(mesh, &box, &leaves);
            EVERY_ISA(isa)
            {
                const ab_mesh_ray_kernels *kernels = ab_kernels_for(isa)->mesh_rays;
                assert_int_equal(kernels->find_blocks(mesh, &box, &found, see_no_more, NULL), few);
                assert_true(!few || are_same(&found, &wanted));
                assert_int_equal(kernels->find_leaves(mesh, &box, &leaves_found), in_steps);
                assert_int_equal(leaves_found.count, leaves.count);
                assert_memory_equal(leaves_found.leaf, leaves.leaf, leaves.count * sizeof *leaves.leaf);
                ab_mesh_leaves twice[2];
                const bool both = kernels->find_all_leaves(mesh, (ab_mesh_box[2]){ box, box }, 2, twice);
                assert_true(both || leaves.count >= AB_MESH_LEAVES);
                assert_true(!in_steps || kernels->blocks_of(mesh, &box, &leaves, &found) == few);
                assert_true(!in_steps || !few || are_same(&found, &wanted));
            }
            last[i % AB_MESH_TOGETHER] = box;
            judge_together(mesh, last, 1 + i % AB_MESH_TOGETHER, &together);
            stepped += in_steps && few;
            many += !few;
            none += few && wanted.count == 0;
            some += few && wanted.count > 0;
        }
        abut_geometry_release(geometry);
    }
    printf("%llu boxes that meet blocks, %llu that meet none, %llu that meet too many; %llu found in steps\n",
           (unsigned long long)some, (unsigned long long)none, (unsigned long long)many, (unsigned long long)stepped);
    assert_true(!random_seeds_all() || (some > 100 && none > 100 && many > 100 && stepped > 100 && together > 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_that_are_left_out_change_nothing),
        cmocka_unit_test(triangles_left_out_are_beyond_a_ball),
        cmocka_unit_test(no_contact_is_left_out_or_passed_over),
        cmocka_unit_test(blocks_are_found_in_lanes_as_by_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
