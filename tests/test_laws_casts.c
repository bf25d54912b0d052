// Casts of shapes, straight and turning, in worlds of many kinds and at any scale, judged in double precision by trying
// everything: nothing is missed, nothing is found that is not there, shapes are near where they stop,
// the order is exact, and other broad phases, instruction sets and threads, in batches, give the same bits.
#include "judged_answers.h"

enum
{
    TURNS = 24 // places along a turning cast
};

#define DEPTH 1e-4 // of the smaller size: how well depths are known

typedef struct traveller
{
    plain_solid own; // in its own frame
    abut_cast cast;
    double size, length;
} traveller;

static plain_solid at_fraction(const traveller *r, double t)
{
    const dvec3 turn = judged_widen(r->cast.rotation);
    const double angle = dvec3_length(turn);
    dquat rotation = judged_rotation(r->cast.pose.rotation);
    plain_solid out;
    if (angle > 0.0)
    {
        rotation = dquat_mul(dquat_turn(dvec3_scale(turn, 1.0 / angle), t * angle), rotation);
    }
    plain_place(&r->own, rotation,
                dvec3_along(judged_widen(r->cast.pose.position), t, judged_widen(r->cast.translation)), &out);
    return out;
}

static double apart_at(const traveller *r, const plain_solid *s, double t)
{
    const plain_solid there = at_fraction(r, t);
    return plain_apart(&there, s);
}

// The least that a traveller is apart from a piece on its way up to a fraction: on a straight way convex, otherwise at
// some places.
static double least_on_way(const traveller *r, const plain_solid *s, double until)
{
    double low = 0.0, high = until, least = fmin(apart_at(r, s, 0.0), apart_at(r, s, until));
    const bool turns = dvec3_length(judged_widen(r->cast.rotation)) > 0.0;
    for (int i = 1; turns && i < TURNS; ++i)
    {
        least = fmin(least, apart_at(r, s, until * i / TURNS));
    }
    for (int i = 0; !turns && i < STEPS && high - low > 1e-9; ++i)
    {
        const double a = low + 0.45 * (high - low), b = low + 0.55 * (high - low), x = apart_at(r, s, a),
                     y = apart_at(r, s, b);
        least = fmin(least, fmin(x, y));
        high = x < y ? b : high;
        low = x < y ? low : a;
    }
    return least;
}

// Whether a piece may be met at all.
static bool may_meet(const traveller *r, const plain_sphere *around)
{
    const dvec3 from = judged_widen(r->cast.pose.position), to = dvec3_add(from, judged_widen(r->cast.translation));
    return plain_point_segment(around->centre, from, to) <= 1.01 * (around->radius + r->size);
}

// That nothing of a body is met before a fraction.
static void judge_way(const traveller *r, double until, uint32_t i)
{
    const judged_body *b = &w.body[i];
    const double band = BAND * (size_of(b) + r->size + r->length);
    for (uint32_t k = 0; k < b->pieces; ++k)
    {
        if (may_meet(r, &b->around[k]))
        {
            JUDGE(least_on_way(r, &b->piece[k], until) >= -band);
        }
    }
    ++decided;
}

static void judge_cast_hit(const traveller *r, const abut_hit *hit)
{
    const uint32_t i = hit->body.slot;
    const judged_body *b = &w.body[i];
    const double t = (double)hit->fraction;
    // the tolerance of times of impact, of the larger of both
    const double band = BAND * (size_of(b) + r->size + r->length),
                 tolerance = 1.2e-5 * fmax(size_of(b), r->size) + 1e-9;
    const plain_solid there = at_fraction(r, t);
    const double gap = apart(&there, b, tolerance + band);
    JUDGE(gap <= tolerance + band);
    if ((hit->flags & ABUT_HIT_INSIDE) != 0)
    {
        JUDGE(t == 0.0);
        // solids of the plane are as thick as they are wide, and may come out through that
        JUDGE(b->pieces > 1 || w.is_2d || fabs((double)hit->depth + gap) <= band + DEPTH * fmin(size_of(b), r->size));
    }
    else if ((hit->flags & ABUT_HIT_BOUND) == 0)
    {
        judge_way(r, t, i);
    }
}

static traveller random_traveller(random_source *random)
{
    traveller r = { .cast.pose = judged_pose(&w, random, w.side) };
    r.cast.shape =
        judged_convex(&w, random, w.scale * random_scale(random, 0.05, 1.0), random_below(random, 4), &r.own);
    r.cast.pose.position = random_narrow(random_place(random));
    r.cast.translation = random_narrow(random_way(random, judged_widen(r.cast.pose.position)));
    if (random_chance(random, 0.2))
    {
        r.cast.rotation = random_narrow(random_in_box(random, 3.0));
        r.cast.rotation = w.is_2d ? abut_vec3_make(0, 0, r.cast.rotation.z) : r.cast.rotation;
    }
    const plain_sphere around = plain_around(&r.own);
    r.size = around.radius + dvec3_length(around.centre);
    r.length = dvec3_length(judged_widen(r.cast.translation));
    return r;
}

static void judge_cast(const traveller *r, const abut_hit *all, uint32_t count, const abut_hit *first)
{
    static bool listed[JUDGED_BODIES];
    const uint32_t i = 0;
    memset(listed, 0, sizeof listed);
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t slot = all[k].body.slot;
        const bool inside = k > 0 && (all[k].flags & all[k - 1].flags & ABUT_HIT_INSIDE) != 0;
        JUDGE(slot < JUDGED_BODIES && !listed[slot]);
        JUDGE(k == 0 || inside || in_order(&all[k - 1], &all[k]));
        JUDGE(!inside || all[k - 1].depth >= all[k].depth);
        listed[slot] = true;
        judge_cast_hit(r, &all[k]);
    }
    for (uint32_t slot = 0; slot < JUDGED_BODIES; ++slot)
    {
        if (!listed[slot])
        {
            judge_way(r, 1.0, slot);
        }
    }
    JUDGE(count > 0 ? memcmp(first, all, sizeof *first) == 0 : first->collider.generation == 0);
    found_by += count;
}

static void ask_casts(random_source *random)
{
    static traveller way[ASKED];
    static abut_cast cast[ASKED];
    judged.total = 0;
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        uint32_t count;
        abut_hit *all = judged.hit + judged.total;
        way[q] = random_traveller(random);
        cast[q] = way[q].cast;
        judged_question = q;
        assert_int_equal(abut_world_cast_all(w.copy[0], &cast[q], NULL, all, MOST, &count), ABUT_OK);
        assert_int_equal(abut_world_cast_closest(w.copy[0], &cast[q], NULL, &judged.first[q]), ABUT_OK);
        assert_int_equal(abut_world_cast_any(w.copy[0], &cast[q], NULL, &judged.any[q]), ABUT_OK);
        assert_true(judged.any[q] == (count > 0));
        judge_cast(&way[q], all, count, &judged.first[q]);
        put_range(q, count);
    }
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        const abut_world *world = w.copy[k];
        assert_int_equal(
            abut_world_cast_all_many(world, cast, ASKED, NULL, other.range, other.hit, COUNT(other.hit), &other.total),
            ABUT_OK);
        same_lists(judged.hit, other.hit, sizeof *other.hit);
        assert_int_equal(abut_world_cast_closest_many(world, cast, ASKED, NULL, other.first), ABUT_OK);
        same_firsts();
        assert_int_equal(abut_world_cast_any_many(world, cast, ASKED, NULL, other.any), ABUT_OK);
        assert_memory_equal(judged.any, other.any, sizeof judged.any);
    }
    for (uint32_t q = 0; q < ASKED; ++q)
    {
        abut_geometry_release(judged_geometry(&cast[q].shape));
    }
    asked += 3 * ASKED;
}
static void casts_are_right(void **state)
{
    (void)state;
    judged_run(ask_casts, 4, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
