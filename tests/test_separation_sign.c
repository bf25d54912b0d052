// The sign of a separation agrees with abut_overlap, however wide the margin: for disjoint shapes neither the manifold
// nor a point of it reports an overlap, whichever axis names the contact.
#include "random_2d.h"
#include "random_judged.h"

enum
{
    CASES = 31300 // pairs within the margin
};

typedef struct signs
{
    uint32_t tried, apart;
    failures wrong;
} signs;

static void judge(signs *s, uint64_t seed, bool overlaps, const abut_manifold *m)
{
    float least = m->separation;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        least = fminf(least, m->points[k].separation);
    }
    const bool right = overlaps ? m->separation <= 0.0f : least > 0.0f;
    ++s->tried;
    s->apart += !overlaps;
    if (!right && s->wrong.count++ < 8)
    {
        print_error("ABUT_SEED=%llu: %s, separation %g, least of a point %g\n", (unsigned long long)seed,
                    overlaps ? "overlap" : "apart", (double)m->separation, (double)least);
    }
}

static void conclude(const signs *s)
{
    print_message("%u pairs, %u apart, %u wrong\n", s->tried, s->apart, s->wrong.count);
    assert_true(s->apart > 5000 && s->tried - s->apart > 5000);
    none(&s->wrong);
}

static void in_space_the_sign_says_whether_boxes_overlap(void **state)
{
    (void)state;
    for (int widest = 0; widest < 2; ++widest)
    {
        signs s = { 0 };
        for (uint64_t seed = 1; s.tried < CASES; ++seed)
        {
            random_source random;
            random_pair m = pair_of_seed(seed, &random);
            m.margin = 0.0f;
            m.margin = (float)((widest ? 1.0 : 0.1) * scale_of(&m));
            const abut_manifold found = collide(&m);
            if (found.point_count > 0 && m.a.kind != ABUT_SPHERE && m.b.kind != ABUT_SPHERE)
            {
                judge(&s, seed, overlap(&m), &found);
            }
        }
        conclude(&s);
    }
}

static void in_2d_the_sign_says_whether_rectangles_overlap(void **state)
{
    (void)state;
    stock_2d none_needed = { 0 };
    signs s = { 0 };
    for (uint64_t seed = 1; s.tried < CASES; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = random_chance(&random, 0.5) ? ABUT_AABB : ABUT_OBB;
        const abut_shape_kind kind_b = random_chance(&random, 0.5) ? ABUT_AABB : ABUT_OBB;
        const pair_2d p = random_pair_2d(&random, &none_needed, kind_a, kind_b);
        abut_manifold found;
        bool overlaps;
        assert_int_equal(abut_collide_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, 10.0f, &found), ABUT_OK);
        assert_int_equal(abut_overlap_2d(&p.a, &p.pose_a, &p.b, &p.pose_b, &overlaps), ABUT_OK);
        if (found.point_count > 0)
        {
            judge(&s, seed, overlaps, &found);
        }
    }
    conclude(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_space_the_sign_says_whether_boxes_overlap),
        cmocka_unit_test(in_2d_the_sign_says_whether_rectangles_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
