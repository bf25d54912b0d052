// Rays in worlds of many kinds and at any scale, judged in double precision by trying everything:
// nothing is missed, nothing is found that is not there, fractions are right,
// the order is exact, and other broad phases, instruction sets and threads, in batches, give the same bits.
// ABUT_SHARE=4000 asks 240,000.
#include "judged_answers.h"

static uint64_t measured; // fractions

static dvec3 at(const abut_ray *ray, double t)
{
    return dvec3_along(judged_widen(ray->origin), t, judged_widen(ray->translation));
}

static abut_ray random_ray(random_source *random)
{
    const dvec3 from = random_place(random);
    dvec3 way = random_way(random, from);
    way = random_chance(random, 0.02) ? dvec3_make(0, 0, 0) : way;
    way.y = random_chance(random, 0.05) ? 0.0 : way.y;
    return (abut_ray){ random_narrow(from), random_narrow(way) };
}

// The fraction at which a ray reaches a solid that it goes deep into, by search; negative if it only just does.
static double reaches(const abut_ray *ray, const plain_solid *s, double band)
{
    double low = 0.0, high = 1.0;
    const double length = dvec3_length(judged_widen(ray->translation));
    if (plain_is_flat(s))
    {
        const dvec3 n = dvec3_normalise(plain_face_normal(s, 0));
        const double from = dvec3_dot(dvec3_sub(at(ray, 0.0), s->point[0]), n),
                     to = dvec3_dot(dvec3_sub(at(ray, 1.0), s->point[0]), n);
        return fabs(from - to) > 0.05 * length ? from / (from - to) : -1.0;
    }
    for (int i = 0; i < STEPS; ++i)
    {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        const plain_solid p = plain_segment(at(ray, a), at(ray, a)), q = plain_segment(at(ray, b), at(ray, b));
        const bool first = plain_apart(&p, s) < plain_apart(&q, s);
        high = first ? b : high;
        low = first ? low : a;
    }
    const plain_solid deepest = plain_segment(at(ray, high), at(ray, high));
    const double deep = -plain_apart(&deepest, s), farthest = high;
    low = 0.0;
    for (int i = 0; i < STEPS; ++i)
    {
        const double middle = 0.5 * (low + high);
        const plain_solid p = plain_segment(at(ray, middle), at(ray, middle));
        const bool in = plain_apart(&p, s) <= 0.0;
        high = in ? middle : high;
        low = in ? low : middle;
    }
    // how steeply it goes in tells how well the fraction is known
    return deep > fmax(100.0 * band, 0.2 * (farthest - high) * length) ? high : -1.0;
}

// That the ray is at the surface there, and that no piece is met before.
static void judge_hit(const abut_ray *ray, const abut_hit *hit, uint32_t i)
{
    const judged_body *b = &w.body[i];
    const double t = (double)hit->fraction, length = dvec3_length(judged_widen(ray->translation));
    const double band = BAND * (size_of(b) + length);
    const plain_solid here = plain_segment(at(ray, t), at(ray, t)), before = plain_segment(at(ray, 0.0), at(ray, t));
    const double there = apart(&here, b, band), deepest = apart(&before, b, band);
    const bool inside = (hit->flags & ABUT_HIT_INSIDE) != 0;
    JUDGE(there <= band);
    JUDGE(inside ? t == 0.0 : there >= -band && deepest >= -band);
    for (uint32_t k = 0; k < b->pieces && !inside && b->pieces == 1; ++k)
    {
        const double expected = reaches(ray, &b->piece[k], band);
        JUDGE(expected < 0.0 || fabs(expected - t) <= 1e-6 + 20.0 * band / length);
        measured += expected >= 0.0;
    }
}
static void judge_ray(const abut_ray *ray, abut_hit *all, uint32_t *count, abut_hit *first, bool *any)
{
    static bool listed[JUDGED_BODIES];
    const plain_solid way = plain_segment(at(ray, 0.0), at(ray, 1.0));
    const double length = dvec3_length(judged_widen(ray->translation));
    memset(listed, 0, sizeof listed);
    assert_int_equal(abut_world_ray_all(w.copy[0], ray, NULL, all, MOST, count), ABUT_OK);
    assert_int_equal(abut_world_ray_closest(w.copy[0], ray, NULL, first), ABUT_OK);
    assert_int_equal(abut_world_ray_any(w.copy[0], ray, NULL, any), ABUT_OK);
    for (uint32_t k = 0; k < *count; ++k)
    {
        const uint32_t i = all[k].body.slot;
        JUDGE(i < JUDGED_BODIES && !listed[i]);
        JUDGE(k == 0 || in_order(&all[k - 1], &all[k]));
        listed[i] = true;
        judge_hit(ray, &all[k], i);
    }
    for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
    {
        const double band = BAND * (size_of(&w.body[i]) + length), gap = apart(&way, &w.body[i], band);
        JUDGE(listed[i] ? gap <= band : gap >= -band);
        decided += fabs(gap) > band;
    }
    const uint32_t i = 0;
    JUDGE(*any == (*count > 0));
    JUDGE(*count > 0 ? memcmp(first, all, sizeof *first) == 0
                     : first->collider.generation == 0 && first->fraction == 1.0f);
    found_by += *count;
}

static void ask_rays(random_source *random)
{
    static abut_ray ray[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        uint32_t count;
        judged_question = q;
        ray[q] = random_ray(random);
        judge_ray(&ray[q], judged.hit + judged.total, &count, &judged.first[q], &judged.any[q]);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        const abut_world *world = w.copy[k];
        assert_int_equal(
            abut_world_ray_all_many(world, ray, ASKED, NULL, other.range, other.hit, COUNT(other.hit), &other.total),
            ABUT_OK);
        same_lists(judged.hit, other.hit, sizeof *other.hit);
        assert_int_equal(abut_world_ray_closest_many(world, ray, ASKED, NULL, other.first), ABUT_OK);
        same_firsts();
        assert_int_equal(abut_world_ray_any_many(world, ray, ASKED, NULL, other.any), ABUT_OK);
        assert_memory_equal(judged.any, other.any, sizeof judged.any);
    }
    asked += 3 * ASKED;
}

static void rays_are_right(void **state)
{
    (void)state;
    judged_run(ask_rays, 20, 0.2);
    assert_true(!random_seeds_all() || measured > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
