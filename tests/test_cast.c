// Casts of shapes: of one shape judged by distances along the way; through worlds what a loop over all shapes finds.
#include "ray_crowd.h"

enum
{
    CASTS = 3000,
    SAMPLES = 24
};

static const abut_pose identity = { .rotation = { 0, 0, 0, 1 } };

static abut_shape random_traveller(random_source *random, bool is_2d)
{
    const double size = random_scale(random, 0.05, 1.0);
    const float a = (float)size, b = (float)(size * random_between(random, 0.2, 1.0));
    const uint32_t kind = random_below(random, 4);
    return is_2d       ? random_shape_2d(random, &stock, random_kind_2d(random), size)
           : kind == 0 ? abut_shape_sphere(a)
           : kind == 1 ? abut_shape_aabb(a, b, b)
           : kind == 2 ? abut_shape_obb(a, b, a)
                       : abut_shape_capsule(a, b);
}

static abut_cast random_cast(random_source *random, const crowd *c, double side)
{
    abut_cast cast = { random_traveller(random, c->is_2d), crowd_pose(random, c), { 0, 0, 0 }, { 0, 0, 0 } };
    const dvec3 way = random_in_box(random, random_chance(random, 0.3) ? 4.0 * side : side);
    cast.translation = random_narrow(way);
    if (random_chance(random, 0.3))
    {
        cast.rotation = random_narrow(random_in_box(random, 3.0));
    }
    if (c->is_2d)
    {
        cast.translation.z = cast.rotation.x = cast.rotation.y = 0.0f;
    }
    return cast;
}

// Where the cast is after a fraction of its way.
static abut_pose pose_at(const abut_cast *cast, float fraction)
{
    abut_pose pose = cast->pose;
    const abut_velocity velocity = { cast->translation, cast->rotation };
    assert_true(abut_pose_move(&pose, &velocity, fraction));
    return pose;
}

static double size_of(const abut_shape *shape)
{
    return (double)abut_shape_bounding_radius(shape);
}

// The shapes come near at the hit and do not overlap before; they never overlap where there is none.
static void judge(const abut_cast *cast, const abut_shape *shape, const abut_pose *pose, const abut_ray_hit *hit,
                  uint32_t i)
{
    const double band = 1e-4 * (size_of(&cast->shape) + size_of(shape)) + 1e-5;
    const float end = hit->hit ? hit->fraction : 1.0f;
    abut_manifold m;
    for (uint32_t k = 0; k <= SAMPLES; ++k)
    {
        const abut_pose there = pose_at(cast, end * (float)k / SAMPLES);
        assert_int_equal(abut_collide(&cast->shape, &there, shape, pose, 0.0f, &m), ABUT_OK);
        const bool inside = m.point_count > 0 && (double)m.separation < -band;
        if (inside != (hit->flags == ABUT_HIT_INSIDE && k == 0) && !(hit->flags == ABUT_HIT_INSIDE))
        {
            fail_msg("cast %u overlaps by %g on its way, at %u of %u; hit %d", i, (double)-m.separation, k, SAMPLES,
                     hit->hit);
        }
    }
    if (!hit->hit)
    {
        assert_true(hit->fraction == 1.0f && hit->flags == 0 && hit->depth == 0.0f);
        return;
    }
    const abut_pose there = pose_at(cast, hit->fraction);
    const abut_vec3 at = abut_vec3_add(cast->pose.position, hit->offset);
    abut_vec3 nearest;
    float distance;
    assert_int_equal(abut_distance(&cast->shape, &there, shape, pose, &distance), ABUT_OK);
    assert_int_equal(abut_shape_closest_point(shape, pose, at, &nearest), ABUT_OK);
    assert_true((double)distance < band);
    assert_true((double)abut_vec3_length(abut_vec3_sub(nearest, at)) < band);
    assert_true(fabsf(abut_vec3_length(hit->normal) - 1.0f) < 1e-5f);
    if (hit->flags == ABUT_HIT_INSIDE)
    {
        abut_pose out = cast->pose;
        out.position = abut_vec3_add(out.position, abut_vec3_scale(hit->normal, hit->depth * 1.001f + (float)band));
        assert_true(hit->fraction == 0.0f && hit->depth > 0.0f);
        assert_int_equal(abut_collide(&cast->shape, &out, shape, pose, 0.0f, &m), ABUT_OK);
        assert_true(m.point_count == 0);
        return;
    }
    assert_true(hit->flags == 0 && hit->depth == 0.0f);
}

static void casts_stop_where_shapes_come_near(void **state)
{
    (void)state;
    random_source random = random_start(61);
    const crowd space = { .side = 1.5 };
    uint32_t hits = 0, inside = 0;
    for (uint32_t i = 0; i < CASTS; ++i)
    {
        const abut_shape shape = random_traveller(&random, false);
        const abut_pose pose = crowd_pose(&random, &space);
        abut_cast cast = random_cast(&random, &space, 2.0);
        if (random_chance(&random, 0.5)) // towards it
        {
            cast.translation = abut_vec3_scale(abut_vec3_sub(pose.position, cast.pose.position), 1.5f);
        }
        abut_ray_hit hit;
        assert_int_equal(abut_cast_shape(&cast, &shape, &pose, 0, &hit), ABUT_OK);
        judge(&cast, &shape, &pose, &hit, i);
        hits += hit.hit;
        inside += hit.flags == ABUT_HIT_INSIDE;
        abut_ray_hit skips;
        assert_int_equal(abut_cast_shape(&cast, &shape, &pose, ABUT_QUERY_SKIP_INSIDE, &skips), ABUT_OK);
        assert_int_equal(skips.hit, hit.hit && hit.flags == 0);
    }
    assert_true(hits > CASTS / 3 && inside > CASTS / 20);
}

// A ball against a ball is a ray against a larger one.
static void a_cast_ball_is_a_ray_against_a_larger_ball(void **state)
{
    (void)state;
    random_source random = random_start(62);
    const crowd space = { .side = 2.0 };
    for (uint32_t i = 0; i < CASTS; ++i)
    {
        abut_cast cast = random_cast(&random, &space, 4.0);
        const abut_pose pose = crowd_pose(&random, &space);
        cast.shape = abut_shape_sphere(0.25f);
        const abut_shape ball = abut_shape_sphere(0.5f), both = abut_shape_sphere(0.75f);
        const abut_ray ray = { cast.pose.position, cast.translation };
        abut_ray_hit hit, other;
        assert_int_equal(abut_cast_shape(&cast, &ball, &pose, 0, &hit), ABUT_OK);
        assert_int_equal(abut_ray_shape(&ray, &both, &pose, 0, &other), ABUT_OK);
        const double closing = -(double)abut_vec3_dot(other.normal, cast.translation);
        const bool sure = !other.hit || other.flags == 0 ? closing > 0.1 : true; // and does not graze
        if (other.hit && sure)
        {
            assert_true(hit.hit);
            assert_true(fabs((double)(hit.fraction - other.fraction)) * fmax(closing, 0.1) < 2e-5);
        }
        assert_true(other.hit || !hit.hit || closing < 0.1);
    }
}

typedef struct one_hit
{
    uint32_t body;
    abut_ray_hit hit;
} one_hit;

// The deeper of two that are overlapped at the start comes first.
static bool comes_before(const abut_ray_hit *a, const abut_ray_hit *b)
{
    return a->fraction < b->fraction || (a->fraction == b->fraction && a->depth > b->depth);
}

static uint32_t cast_at_all(const crowd *c, const abut_cast *cast, one_hit out[MOST_HITS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        one_hit h = { .body = i };
        const abut_status status = c->is_2d ? abut_cast_shape_2d(cast, &c->shape[i], &c->pose[i], 0, &h.hit)
                                            : abut_cast_shape(cast, &c->shape[i], &c->pose[i], 0, &h.hit);
        assert_int_equal(status, ABUT_OK);
        uint32_t at = count;
        for (; h.hit.hit && at > 0 && comes_before(&h.hit, &out[at - 1].hit); --at)
        {
            out[at] = out[at - 1];
        }
        if (h.hit.hit)
        {
            out[at] = h;
            ++count;
        }
    }
    return count;
}

static void same(const crowd *c, const abut_hit *hit, const one_hit *expected, uint32_t i)
{
    const abut_ray_hit *e = &expected->hit;
    if (hit->body.slot != c->body[expected->body].slot || hit->fraction != e->fraction || hit->flags != e->flags ||
        hit->depth != e->depth || memcmp(&hit->offset, &e->offset, sizeof hit->offset) != 0 ||
        memcmp(&hit->normal, &e->normal, sizeof hit->normal) != 0)
    {
        fail_msg("cast %u hits body %u at %a, should be %u at %a", i, hit->body.slot, (double)hit->fraction,
                 c->body[expected->body].slot, (double)e->fraction);
    }
}

static void expect_casts(const crowd *c, uint64_t seed, uint32_t casts)
{
    static one_hit expected[MOST_HITS];
    static abut_hit hits[MOST_HITS];
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < casts; ++i)
    {
        const abut_cast cast = random_cast(&random, c, c->side);
        const uint32_t count = cast_at_all(c, &cast, expected);
        abut_hit hit;
        bool any;
        uint32_t told;
        assert_int_equal(abut_world_cast_closest(c->world, &cast, NULL, &hit), ABUT_OK);
        assert_int_equal(abut_world_cast_any(c->world, &cast, NULL, &any), ABUT_OK);
        assert_int_equal(abut_world_cast_all(c->world, &cast, NULL, hits, MOST_HITS, &told), ABUT_OK);
        assert_int_equal(told, count);
        assert_int_equal(any, count > 0);
        if (count == 0)
        {
            const abut_hit none = { .fraction = 1.0f };
            assert_memory_equal(&hit, &none, sizeof none);
        }
        else
        {
            same(c, &hit, &expected[0], i);
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            same(c, &hits[k], &expected[k], i);
        }
    }
}

static void casts_through_worlds_find_what_a_loop_over_all_shapes_finds(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        EVERY_BROAD(kind)
        {
            EVERY_ISA(isa)
            {
                const abut_world_def def = { .broad = kind, .isa = isa, .dimension = dimension, .margin = 0.05f };
                crowd_open(&c, 80 + dimension, &def, 150);
                update(c.world);
                expect_casts(&c, isa, 4);
                detect(c.world);
                detect(c.world);
                expect_casts(&c, 7, 6);
                abut_world_destroy(c.world);
            }
        }
    }
}

static void many_casts_are_the_single_ones_one_after_the_other(void **state)
{
    (void)state;
    enum
    {
        MANY = 60,
        ROOM = 100
    };
    static crowd c;
    static abut_cast casts[MANY];
    static abut_hit closest[MANY], all[ROOM], one[MOST_HITS];
    bool any[MANY];
    abut_range ranges[MANY];
    uint64_t total, first = 0;
    crowd_open(&c, 5, &(abut_world_def){ 0 }, 300);
    detect(c.world);
    random_source random = random_start(5);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        casts[i] = random_cast(&random, &c, c.side);
    }
    assert_int_equal(abut_world_cast_closest_many(c.world, casts, MANY, NULL, closest), ABUT_OK);
    assert_int_equal(abut_world_cast_any_many(c.world, casts, MANY, NULL, any), ABUT_OK);
    assert_int_equal(abut_world_cast_all_many(c.world, casts, MANY, NULL, ranges, all, ROOM, &total), ABUT_OK);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        abut_hit hit;
        uint32_t count;
        assert_int_equal(abut_world_cast_closest(c.world, &casts[i], NULL, &hit), ABUT_OK);
        assert_memory_equal(&hit, &closest[i], sizeof hit);
        assert_int_equal(abut_world_cast_all(c.world, &casts[i], NULL, one, MOST_HITS, &count), ABUT_OK);
        assert_true(any[i] == (count > 0) && ranges[i].first == first && ranges[i].count == count);
        for (uint32_t k = 0; k < count && first + k < ROOM; ++k)
        {
            assert_memory_equal(&all[first + k], &one[k], sizeof *one);
        }
        first += count;
    }
    assert_int_equal(total, first);
    abut_world_destroy(c.world);
}

static abut_hit cast_in(const abut_world *world, abut_cast cast, uint32_t flags)
{
    const abut_query_filter filter = { .flags = flags };
    abut_hit hit;
    assert_int_equal(abut_world_cast_closest(world, &cast, &filter, &hit), ABUT_OK);
    return hit;
}

static void what_touches_and_slides_or_recedes_does_not_hit(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body floor_body = add(world, abut_shape_aabb(50, 1, 50), 0, -1, 0, ABUT_STATIC);
    const abut_body wall = add(world, abut_shape_aabb(1, 10, 10), 6, 0, 0, ABUT_STATIC);
    update(world);
    abut_cast cast = { abut_shape_aabb(0.5f, 0.5f, 0.5f), identity, { 10, 0, 0 }, { 0, 0, 0 } };
    cast.pose.position = abut_vec3_make(0, 0.5f, 0); // on the floor
    abut_hit hit = cast_in(world, cast, 0);          // slides to the wall
    assert_true(hit.body.slot == wall.slot && fabsf(hit.fraction - 0.45f) < 1e-4f && hit.normal.x == -1.0f);
    cast.translation = abut_vec3_make(0, 3, 0); // recedes
    assert_int_equal(cast_in(world, cast, 0).collider.generation, 0);
    cast.translation = abut_vec3_make(0, -1, 0); // comes closer
    hit = cast_in(world, cast, 0);
    assert_true(hit.body.slot == floor_body.slot && hit.fraction == 0.0f && hit.flags == 0 && hit.normal.y == 1.0f);
    cast.pose.position.y = 0.3f; // begins inside
    hit = cast_in(world, cast, 0);
    assert_true(hit.body.slot == floor_body.slot && hit.fraction == 0.0f && hit.flags == ABUT_HIT_INSIDE);
    assert_true(fabsf(hit.depth - 0.2f) < 1e-5f && hit.normal.y == 1.0f);
    cast.translation = abut_vec3_make(10, 0, 0);
    assert_int_equal(cast_in(world, cast, ABUT_QUERY_SKIP_INSIDE).body.slot, wall.slot);
    cast.translation = abut_vec3_make(0, 0, 0); // an overlap query
    assert_int_equal(cast_in(world, cast, 0).body.slot, floor_body.slot);
    abut_world_destroy(world);
}

static void a_bar_that_turns_hits_what_it_comes_round_to(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body post = add(world, abut_shape_sphere(0.25f), 0, 2, 0, ABUT_STATIC);
    update(world);
    abut_cast bar = { abut_shape_capsule(0.1f, 2.0f), identity, { 0, 0, 0 }, { 0, 0, 3 } };
    bar.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), -1.5707963f);
    const abut_hit hit = cast_in(world, bar, 0);
    assert_true(hit.body.slot == post.slot && hit.fraction > 0.4f && hit.fraction < 0.53f && hit.flags == 0);
    bar.rotation.z = -1.0f; // the other end comes near only later
    assert_int_equal(cast_in(world, bar, 0).collider.generation, 0);
    abut_world_destroy(world);
}

static void invalid_input_is_an_error(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    abut_world *flat = open_world(&(abut_world_def){ .dimension = 2 });
    const abut_cast good = { abut_shape_sphere(1.0f), identity, { 1, 0, 0 }, { 0, 0, 0 } };
    abut_cast casts[3] = { good, good, good };
    abut_hit hits[3] = { { .child = 7 } };
    uint32_t count = 7;
    bool any = false;
    casts[1].translation.x = NAN;
    assert_int_equal(abut_world_cast_closest_many(world, casts, 3, NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_true(told.times == 1 && told.index == 1 && hits[0].child == 7);
    casts[0].shape.sphere.radius = -1.0f;
    casts[1] = good;
    casts[1].pose.rotation = (abut_quat){ 0, 0, 0, 0 };
    casts[2].rotation.x = INFINITY;
    for (uint32_t i = 0; i < 3; ++i)
    {
        abut_ray_hit alone;
        assert_int_equal(abut_world_cast_closest(world, &casts[i], NULL, hits), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_cast_shape(&casts[i], &good.shape, &identity, 0, &alone), ABUT_INVALID_ARGUMENT);
    }
    abut_cast leaves = good;
    leaves.translation.z = 1.0f;
    assert_int_equal(abut_world_cast_any(flat, &leaves, NULL, &any), ABUT_INVALID_ARGUMENT);
    leaves = good;
    leaves.rotation.x = 1.0f;
    assert_int_equal(abut_world_cast_any(flat, &leaves, NULL, &any), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_any(flat, &good, NULL, &any), ABUT_OK);
    const abut_query_filter hollow = { .flags = ABUT_QUERY_HOLLOW };
    assert_int_equal(abut_world_cast_closest(world, &good, &hollow, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_closest(world, NULL, NULL, hits), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_closest(world, &good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_all(world, &good, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_all(world, &good, NULL, hits, 1, NULL), ABUT_INVALID_ARGUMENT);
    assert_true(count == 7 && !any);
    abut_world_destroy(world);
    abut_world_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_stop_where_shapes_come_near),
        cmocka_unit_test(a_cast_ball_is_a_ray_against_a_larger_ball),
        cmocka_unit_test(casts_through_worlds_find_what_a_loop_over_all_shapes_finds),
        cmocka_unit_test(many_casts_are_the_single_ones_one_after_the_other),
        cmocka_unit_test(what_touches_and_slides_or_recedes_does_not_hit),
        cmocka_unit_test(a_bar_that_turns_hits_what_it_comes_round_to),
        cmocka_unit_test(invalid_input_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
