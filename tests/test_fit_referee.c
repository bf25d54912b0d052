// Fitted boxes against answers found another way: principal axes by Jacobi's rotations, the smallest box by trying very
// many rotations. ABUT_FIT_CLOUDS and ABUT_FIT_ROTATIONS say how many; 200 and 100000 take some minutes.
#include "fit_clouds.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

static uint32_t number_from(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

typedef struct decomposition
{
    double value[3];
    dvec3 axis[3]; // falling values
} decomposition;

static void covariance_of(const cloud *c, double m[3][3])
{
    double mean[3] = { 0 };
    for (uint32_t i = 0; i < c->count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            mean[k] += (double)c->xyz[3 * i + (uint32_t)k] / c->count;
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        for (int j = 0; j < 3; ++j)
        {
            m[k][j] = 0.0;
            for (uint32_t i = 0; i < c->count; ++i)
            {
                m[k][j] += ((double)c->xyz[3 * i + (uint32_t)k] - mean[k]) *
                           ((double)c->xyz[3 * i + (uint32_t)j] - mean[j]) / c->count;
            }
        }
    }
}

// One rotation in the plane of axes p and q that makes m[p][q] zero; v collects them.
static void rotate(double m[3][3], double v[3][3], int p, int q)
{
    if (m[p][q] == 0.0)
    {
        return;
    }
    const double angle = 0.5 * atan2(2.0 * m[p][q], m[q][q] - m[p][p]), c = cos(angle), s = sin(angle);
    for (int k = 0; k < 3; ++k)
    {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; ++k)
    {
        const double a = m[p][k], b = m[q][k], x = v[k][p], y = v[k][q];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

static decomposition decompose(double m[3][3])
{
    double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int sweep = 0; sweep < 60; ++sweep)
    {
        rotate(m, v, 0, 1);
        rotate(m, v, 0, 2);
        rotate(m, v, 1, 2);
    }
    decomposition d;
    bool taken[3] = { false };
    for (int k = 0; k < 3; ++k)
    {
        int most = -1;
        for (int j = 0; j < 3; ++j)
        {
            most = !taken[j] && (most < 0 || m[j][j] > m[most][most]) ? j : most;
        }
        taken[most] = true;
        d.value[k] = m[most][most];
        d.axis[k] = dvec3_make(v[0][most], v[1][most], v[2][most]);
    }
    return d;
}

// Where two variances are within a thousandth of each other their axes may be any two in a plane, and are not compared.
static void principal_boxes_are_those_of_another_decomposition(void **state)
{
    (void)state;
    uint32_t compared = 0;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const cloud c = cloud_random(seed);
        const double size = cloud_diagonal(&c);
        abut_placed_shape box;
        double m[3][3];
        assert_int_equal(abut_fit_obb_pca(c.xyz, c.count, 0, &box), ABUT_OK);
        covariance_of(&c, m);
        const decomposition d = decompose(m);
        const double gap = 1e-3 * d.value[0];
        if (!(d.value[0] - d.value[1] > gap && d.value[1] - d.value[2] > gap) || cloud_granularity(&c) > 1e-7 * size)
        {
            continue;
        }
        ++compared;
        const abut_mat3 axes = abut_mat3_from_quat(box.pose.rotation);
        const abut_vec3 axis[3] = { axes.x, axes.y, axes.z }, h = box.shape.box.half_extents;
        const double half[3] = { (double)h.x, (double)h.y, (double)h.z };
        for (int k = 0; k < 3; ++k)
        {
            const dvec3 ours = { (double)axis[k].x, (double)axis[k].y, (double)axis[k].z };
            const double off = dvec3_length(dvec3_cross(ours, d.axis[k]));
            const double aabb = 0.5 * cloud_extent(&c, d.axis[k]);
            if (!(off < 1e-5 && fabs(half[k] - aabb) < 1e-5 * size))
            {
                fail_msg("seed %llu: axis %d is off by %g, half extent %.9g instead of %.9g", (unsigned long long)seed,
                         k, off, half[k], aabb);
            }
        }
    }
    assert_true(compared > 1000 || !random_seeds_all());
}

// Extents below this count as this, so that flat clouds are compared by area.
static double least_extent(const cloud *c)
{
    return 2.0 * (cloud_diagonal(c) * 0x1p-20 + 4.0 * cloud_granularity(c));
}

static double volume_at(const cloud *c, dquat q, double least)
{
    const dvec3 x = dquat_rotate(q, dvec3_make(1, 0, 0)), y = dquat_rotate(q, dvec3_make(0, 1, 0));
    return fmax(cloud_extent(c, x), least) * fmax(cloud_extent(c, y), least) *
           fmax(cloud_extent(c, dvec3_cross(x, y)), least);
}

static void the_smallest_box_is_within_a_hundredth_of_the_best_of_many(void **state)
{
    (void)state;
    const uint32_t rotations = number_from("ABUT_FIT_ROTATIONS", 4000);
    const random_seeds seeds = random_seeds_of(number_from("ABUT_FIT_CLOUDS", 40));
    double worst = 0.0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 3000000);
        const cloud c = cloud_random(seed);
        const double least = least_extent(&c);
        abut_placed_shape box;
        assert_int_equal(abut_fit_obb(c.xyz, c.count, 0, &box), ABUT_OK);
        const abut_vec3 h = box.shape.box.half_extents;
        const double small =
            fmax(2.0 * (double)h.x, least) * fmax(2.0 * (double)h.y, least) * fmax(2.0 * (double)h.z, least);
        double best = HUGE_VAL;
        for (uint32_t k = 0; k < rotations; ++k)
        {
            best = fmin(best, volume_at(&c, random_rotation(&random), least));
        }
        worst = fmax(worst, small / best);
        if (!(small <= 1.01 * best))
        {
            fail_msg("seed %llu: %.9g, and the best of %u rotations has %.9g", (unsigned long long)seed, small,
                     rotations, best);
        }
    }
    print_message("%llu clouds, %u rotations each: at most %.4f of the best\n",
                  (unsigned long long)(seeds.end - seeds.first), rotations, worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(principal_boxes_are_those_of_another_decomposition),
        cmocka_unit_test(the_smallest_box_is_within_a_hundredth_of_the_best_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
