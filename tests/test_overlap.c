// What overlaps a box, a shape, a point or half-spaces in a world: what a loop over all colliders finds, on every broad
// phase and instruction set.
#include "ray_crowd.h"

#include <float.h>

enum
{
    ASKED = 120
};

static abut_shape random_asker(random_source *random, const crowd *c)
{
    const double size = random_scale(random, 0.05, 4.0);
    if (c->is_2d)
    {
        return random_shape_2d(random, &stock, random_kind_2d(random), size);
    }
    const uint32_t kind = random_below(random, 4);
    const float r = (float)size, x = (float)(size * random_unit(random)), y = (float)(size * random_unit(random));
    return kind == 0   ? abut_shape_sphere(r)
           : kind == 1 ? abut_shape_aabb(r, x, y)
           : kind == 2 ? abut_shape_obb(r, x, y)
                       : abut_shape_capsule(r, x);
}

// Body slots, in order, and what a call gave.
typedef struct answers
{
    uint32_t expected[BODIES], count;
    abut_found found[BODIES];
} answers;

static answers a;

static void expect_body(const crowd *c, uint32_t i)
{
    uint32_t at = a.count++;
    for (; at > 0 && a.expected[at - 1] > c->body[i].slot; --at)
    {
        a.expected[at] = a.expected[at - 1];
    }
    a.expected[at] = c->body[i].slot;
}

static void same_found(const crowd *c, abut_status status, uint32_t told, uint32_t room)
{
    assert_int_equal(status, ABUT_OK);
    if (told != a.count)
    {
        fail_msg("%u found, should be %u", told, a.count);
    }
    for (uint32_t k = 0; k < told && k < room; ++k)
    {
        assert_int_equal(a.found[k].body.slot, a.expected[k]);
        assert_true(abut_body_valid(c->world, a.found[k].body));
        assert_true(abut_collider_valid(c->world, a.found[k].collider));
        assert_int_equal(a.found[k].child, 0);
    }
}

static bool overlap(const crowd *c, const abut_placed_shape *asker, uint32_t i)
{
    bool overlapping;
    const abut_status status =
        c->is_2d ? abut_overlap_2d(&asker->shape, &asker->pose, &c->shape[i], &c->pose[i], &overlapping)
                 : abut_overlap(&asker->shape, &asker->pose, &c->shape[i], &c->pose[i], &overlapping);
    assert_int_equal(status, ABUT_OK);
    return overlapping;
}

static void expect_shapes(const crowd *c, uint64_t seed, uint32_t asked)
{
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < asked; ++i)
    {
        const abut_placed_shape asker = { random_asker(&random, c), crowd_pose(&random, c) };
        uint32_t told;
        a.count = 0;
        for (uint32_t k = 0; k < c->count; ++k)
        {
            if (overlap(c, &asker, k))
            {
                expect_body(c, k);
            }
        }
        abut_status status = abut_world_overlap_shape(c->world, &asker, NULL, a.found, BODIES, &told);
        same_found(c, status, told, BODIES);
        const uint32_t room = told / 2;
        memset(a.found, 0xa5, sizeof a.found);
        status = abut_world_overlap_shape(c->world, &asker, NULL, a.found, room, &told);
        same_found(c, status, told, room);
        assert_int_equal(a.found[room].child, 0xa5a5a5a5);
        bool any;
        assert_int_equal(abut_world_overlap_shape_any(c->world, &asker, NULL, &any), ABUT_OK);
        assert_int_equal(any, a.count > 0);
    }
}

static abut_aabb random_box(random_source *random, const crowd *c)
{
    const dvec3 p = random_in_box(random, c->side), size = random_in_box(random, random_scale(random, 0.01, 4.0));
    return (abut_aabb){ random_narrow(p),
                        random_narrow(dvec3_make(p.x + fabs(size.x), p.y + fabs(size.y), p.z + fabs(size.z))) };
}

static void expect_boxes(const crowd *c, uint64_t seed, uint32_t asked)
{
    static const abut_query_filter bounds = { .flags = ABUT_QUERY_BOUNDS };
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < asked; ++i)
    {
        const abut_aabb box = random_box(&random, c);
        const abut_vec3 half = abut_aabb_half_extents(&box);
        abut_placed_shape asker = { abut_shape_aabb(half.x, half.y, half.z), abut_pose_identity() };
        uint32_t told;
        asker.pose.position = abut_aabb_centre(&box);
        asker.pose.position.z = c->is_2d ? 0.0f : asker.pose.position.z;
        a.count = 0;
        for (uint32_t k = 0; k < c->count; ++k)
        {
            if (overlap(c, &asker, k))
            {
                expect_body(c, k);
            }
        }
        abut_status status = abut_world_overlap_aabb(c->world, &box, NULL, a.found, BODIES, &told);
        same_found(c, status, told, BODIES);
        a.count = 0;
        for (uint32_t k = 0; k < c->count; ++k)
        {
            abut_aabb other;
            assert_int_equal(abut_collider_bounds(c->world, first_collider(c->world, c->body[k]), &other), ABUT_OK);
            other.min.z = c->is_2d ? box.min.z : other.min.z;
            other.max.z = c->is_2d ? box.max.z : other.max.z;
            if (abut_aabb_overlaps(&box, &other))
            {
                expect_body(c, k);
            }
        }
        status = abut_world_overlap_aabb(c->world, &box, &bounds, a.found, BODIES, &told);
        same_found(c, status, told, BODIES);
    }
}

static void expect_points(const crowd *c, uint64_t seed, uint32_t asked)
{
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < asked; ++i)
    {
        const abut_vec3 point = crowd_pose(&random, c).position;
        const abut_ray ray = { .origin = point };
        uint32_t told;
        a.count = 0;
        for (uint32_t k = 0; k < c->count; ++k)
        {
            abut_ray_hit hit;
            const abut_status status = c->is_2d ? abut_ray_shape_2d(&ray, &c->shape[k], &c->pose[k], 0, &hit)
                                                : abut_ray_shape(&ray, &c->shape[k], &c->pose[k], 0, &hit);
            assert_int_equal(status, ABUT_OK);
            if (hit.hit)
            {
                expect_body(c, k);
            }
        }
        const abut_status status = abut_world_overlap_point(c->world, &point, NULL, a.found, BODIES, &told);
        same_found(c, status, told, BODIES);
    }
}

static void overlaps_are_what_a_loop_over_all_colliders_finds(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        EVERY_BROAD(kind)
        {
            EVERY_ISA(isa)
            {
                const abut_world_def def = { .broad = kind, .isa = isa, .dimension = dimension, .margin = 0.1f };
                crowd_open(&c, 50 + dimension, &def, BODIES);
                update(c.world);
                expect_shapes(&c, isa, ASKED / 8);
                detect(c.world);
                detect(c.world);
                expect_shapes(&c, isa + 1, ASKED / 8);
                expect_boxes(&c, isa, ASKED / 8);
                expect_points(&c, isa, ASKED / 8);
                abut_world_destroy(c.world);
            }
        }
    }
}

// How far the body reaches into the half-space, in metres; negative: not at all.
static double depth_in(const crowd *c, uint32_t i, dvec3 normal, double offset)
{
    const abut_shape *s = &c->shape[i];
    const abut_quat q = c->pose[i].rotation;
    const bool upright = s->kind == ABUT_SPHERE || s->kind == ABUT_AABB;
    const dquat turn =
        upright ? (dquat){ 1, 0, 0, 0 } : (dquat){ ray_widen(q.w), ray_widen(q.x), ray_widen(q.y), ray_widen(q.z) };
    const dvec3 n = dquat_rotate(dquat_conjugate(turn), normal);
    const dvec3 h = ray_widen3(s->box.half_extents);
    const double reach = s->kind == ABUT_SPHERE ? ray_widen(s->sphere.radius)
                         : s->kind == ABUT_CAPSULE
                             ? ray_widen(s->capsule.radius) + fabs(n.y) * ray_widen(s->capsule.half_height)
                             : fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z;
    return offset - (dvec3_dot(normal, ray_widen3(c->pose[i].position)) - reach);
}

static void bodies_in_a_region_reach_into_each_half_space(void **state)
{
    (void)state;
    enum
    {
        MOST_PLANES = 6
    };
    static crowd c;
    random_source random = random_start(31);
    uint32_t found_in_all = 0;
    EVERY_BROAD(kind)
    {
        crowd_open(&c, 7, &(abut_world_def){ .broad = kind }, BODIES);
        detect(c.world);
        for (uint32_t i = 0; i < ASKED; ++i)
        {
            abut_plane planes[MOST_PLANES];
            dvec3 normal[MOST_PLANES];
            const uint32_t count = random_below(&random, MOST_PLANES + 1);
            for (uint32_t k = 0; k < count; ++k)
            {
                const double length = random_scale(&random, 0.01, 100.0);
                normal[k] =
                    random_chance(&random, 0.3) ? dvec3_make(0, random_sign(&random), 0) : random_direction(&random);
                planes[k].normal = random_narrow(dvec3_scale(normal[k], length));
                planes[k].offset = (float)(length * random_between(&random, -0.5, 1.0) * c.side);
            }
            bool is_found[BODIES] = { false };
            uint32_t told;
            const abut_region region = { planes, count };
            assert_int_equal(abut_world_overlap_region(c.world, &region, NULL, a.found, BODIES, &told), ABUT_OK);
            for (uint32_t k = 0; k < told; ++k)
            {
                assert_true(k == 0 || a.found[k - 1].body.slot < a.found[k].body.slot);
                is_found[a.found[k].body.slot] = true;
            }
            for (uint32_t body = 0; body < c.count; ++body)
            {
                double least = DBL_MAX;
                for (uint32_t k = 0; k < count; ++k)
                {
                    const dvec3 n = ray_widen3(planes[k].normal);
                    const double length = dvec3_length(n);
                    least = fmin(
                        least, depth_in(&c, body, dvec3_scale(n, 1.0 / length), ray_widen(planes[k].offset) / length));
                }
                assert_true(is_found[c.body[body].slot] ? least > -1e-5 : least < 1e-5);
            }
            found_in_all += told;
        }
        abut_world_destroy(c.world);
    }
    assert_true(found_in_all > 10 * ASKED);
}

static void many_overlaps_are_the_single_ones_one_after_the_other(void **state)
{
    (void)state;
    enum
    {
        MANY = 40,
        ROOM = 15
    };
    static crowd c;
    static abut_placed_shape shapes[MANY];
    static abut_aabb boxes[MANY];
    static abut_vec3 points[MANY];
    static abut_plane planes[MANY];
    static abut_region regions[MANY];
    static abut_found all[ROOM];
    abut_range ranges[4][MANY];
    uint64_t total[4];
    crowd_open(&c, 12, &(abut_world_def){ 0 }, BODIES);
    detect(c.world);
    random_source random = random_start(12);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        shapes[i] = (abut_placed_shape){ random_asker(&random, &c), crowd_pose(&random, &c) };
        boxes[i] = random_box(&random, &c);
        points[i] = crowd_pose(&random, &c).position;
        planes[i] = (abut_plane){ random_narrow(random_direction(&random)), -4.0f };
        regions[i] = (abut_region){ &planes[i], 1 };
    }
    for (uint32_t what = 0; what < 4; ++what)
    {
        uint64_t first = 0;
        const abut_status status =
            what == 0   ? abut_world_overlap_shape_many(c.world, shapes, MANY, NULL, ranges[0], all, ROOM, &total[0])
            : what == 1 ? abut_world_overlap_aabb_many(c.world, boxes, MANY, NULL, ranges[1], all, ROOM, &total[1])
            : what == 2 ? abut_world_overlap_point_many(c.world, points, MANY, NULL, ranges[2], all, ROOM, &total[2])
                        : abut_world_overlap_region_many(c.world, regions, MANY, NULL, ranges[3], all, ROOM, &total[3]);
        assert_int_equal(status, ABUT_OK);
        for (uint32_t i = 0; i < MANY; ++i)
        {
            uint32_t told;
            const abut_status one =
                what == 0   ? abut_world_overlap_shape(c.world, &shapes[i], NULL, a.found, BODIES, &told)
                : what == 1 ? abut_world_overlap_aabb(c.world, &boxes[i], NULL, a.found, BODIES, &told)
                : what == 2 ? abut_world_overlap_point(c.world, &points[i], NULL, a.found, BODIES, &told)
                            : abut_world_overlap_region(c.world, &regions[i], NULL, a.found, BODIES, &told);
            assert_int_equal(one, ABUT_OK);
            assert_true(ranges[what][i].first == first && ranges[what][i].count == told);
            for (uint32_t k = 0; k < told && first + k < ROOM; ++k)
            {
                assert_memory_equal(&all[first + k], &a.found[k], sizeof *all);
            }
            first += told;
        }
        assert_int_equal(total[what], first);
    }
    assert_true(total[0] > ROOM);
    abut_world_destroy(c.world);
}

// Whether anything is there, by every filter: where overlaps are counted. From nothing but its own body to a crowd.
static void something_overlaps_where_overlaps_are_counted(void **state)
{
    (void)state;
    enum
    {
        MANY = 300
    };
    static crowd c;
    static abut_placed_shape shapes[MANY];
    static abut_body own[MANY];
    static uint32_t masks[MANY];
    static bool any[MANY];
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        for (uint32_t threads = 1; threads <= 3; threads += 2)
        {
            uint32_t some = 0;
            crowd_open(&c, 80 + dimension, &(abut_world_def){ .dimension = dimension, .threads = threads }, BODIES);
            random_source random = random_start(80 + threads);
            for (uint32_t i = 0; i < c.count; ++i)
            {
                const abut_filter filter = { .category = 1u << random_below(&random, 3) };
                const abut_collider collider = first_collider(c.world, c.body[i]);
                const uint32_t flags = random_chance(&random, 0.3) ? (uint32_t)ABUT_COLLIDER_SENSOR : 0u;
                assert_int_equal(abut_collider_set_filter(c.world, collider, &filter), ABUT_OK);
                assert_int_equal(abut_collider_set_flags(c.world, collider, flags), ABUT_OK);
            }
            detect(c.world);
            for (uint32_t i = 0; i < MANY; ++i)
            {
                const uint32_t near = random_below(&random, c.count);
                shapes[i] = (abut_placed_shape){ random_asker(&random, &c), crowd_pose(&random, &c) };
                shapes[i].pose = random_chance(&random, 0.5) ? c.pose[near] : shapes[i].pose;
                own[i] = c.body[near];
                masks[i] = random_below(&random, 8);
            }
            const abut_query_filter filters[] = { { 0 },
                                                  { .ignore_each = own },
                                                  { .mask_each = masks, .ignore_each = own },
                                                  { .mask = 2, .flags = ABUT_QUERY_SENSORS },
                                                  { .motions = 1u << ABUT_STATIC, .flags = ABUT_QUERY_ONE_PER_BODY } };
            for (uint32_t k = 0; k < COUNT(filters); ++k)
            {
                assert_int_equal(abut_world_overlap_shape_any_many(c.world, shapes, MANY, &filters[k], any), ABUT_OK);
                for (uint32_t i = 0; i < MANY; ++i)
                {
                    abut_query_filter alone = filters[k];
                    uint32_t count;
                    bool one;
                    alone.ignore_each = filters[k].ignore_each ? &own[i] : NULL;
                    alone.mask_each = filters[k].mask_each ? &masks[i] : NULL;
                    assert_int_equal(abut_world_overlap_shape(c.world, &shapes[i], &alone, NULL, 0, &count), ABUT_OK);
                    assert_int_equal(abut_world_overlap_shape_any(c.world, &shapes[i], &alone, &one), ABUT_OK);
                    assert_int_equal(one, count > 0);
                    assert_int_equal(any[i], count > 0);
                    some += one;
                }
            }
            assert_true(some >= MANY / 2 && some <= COUNT(filters) * MANY - MANY / 2);
            abut_world_destroy(c.world);
        }
    }
}

static void a_body_of_many_colliders_is_found_once_if_asked(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body first = ball(world, 0), second = ball(world, 3);
    for (uint32_t k = 0; k < 5; ++k)
    {
        const abut_collider_def part = { .shape = abut_shape_obb(0.5f, 0.5f, 0.5f),
                                         .local.position = { 0, (float)k, 0 } };
        abut_collider collider;
        assert_int_equal(abut_collider_attach(world, k % 2 ? first : second, &part, &collider), ABUT_OK);
    }
    update(world);
    const abut_aabb above = { { -5, 0.6f, -5 }, { 5, 9, 5 } }; // not the balls
    const abut_query_filter once = { .flags = ABUT_QUERY_ONE_PER_BODY };
    abut_found found[8];
    uint32_t count;
    assert_int_equal(abut_world_overlap_aabb(world, &above, NULL, found, 8, &count), ABUT_OK);
    assert_int_equal(count, 4);
    assert_int_equal(abut_world_overlap_aabb(world, &above, &once, found, 8, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].body.slot, first.slot);
    assert_int_equal(found[1].body.slot, second.slot);
    const abut_query_filter others = { .ignore = &first, .ignore_count = 1 };
    assert_int_equal(abut_world_overlap_aabb(world, &above, &others, found, 8, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].body.slot, second.slot);
    abut_world_destroy(world);
}

static void invalid_input_is_an_error(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    abut_world *flat = open_world(&(abut_world_def){ .dimension = 2 });
    abut_found found[1] = { { .child = 7 } };
    abut_range ranges[2];
    uint32_t count = 7;
    uint64_t total = 7;
    const abut_aabb boxes[] = { { { 0, 0, 0 }, { 1, 1, 1 } }, { { 0, 2, 0 }, { 1, 1, 1 } } };
    const abut_aabb wrong[] = { { { NAN, 0, 0 }, { 1, 1, 1 } }, { { 0, 0, 0 }, { 1, 1, INFINITY } } };
    const abut_placed_shape placed = { abut_shape_sphere(-1.0f), abut_pose_identity() };
    const abut_placed_shape turned = { abut_shape_sphere(1.0f), { .position = { 0, 0, 0 } } };
    const abut_vec3 point = { 0, NAN, 0 }, off = { 0, 0, 1 };
    const abut_plane planes[] = { { { 0, 0, 0 }, 1 }, { { 1, 0, 0 }, NAN }, { { NAN, 0, 0 }, 1 }, { { 0, 0, 1 }, 1 } };
    assert_int_equal(abut_world_overlap_aabb_many(world, boxes, 2, NULL, ranges, found, 1, &total),
                     ABUT_INVALID_ARGUMENT);
    assert_true(told.times == 1 && told.index == 1);
    assert_int_equal(abut_world_overlap_aabb(world, &wrong[0], NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_aabb(world, &wrong[1], NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape(world, &placed, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape(world, &turned, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_point(world, &point, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_point(flat, &off, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const abut_region region = { &planes[i], 1 };
        assert_int_equal(abut_world_overlap_region(world, &region, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    }
    const abut_region leaves = { &planes[3], 1 }, null = { NULL, 1 }, everything = { 0 };
    assert_int_equal(abut_world_overlap_region(flat, &leaves, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_region(world, &null, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    const abut_query_filter hollow = { .flags = ABUT_QUERY_HOLLOW }, bounds = { .flags = ABUT_QUERY_BOUNDS };
    assert_int_equal(abut_world_overlap_aabb(world, &boxes[0], &hollow, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_region(world, &everything, &bounds, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_aabb(NULL, &boxes[0], NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_aabb(world, NULL, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_aabb(world, &boxes[0], NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    bool any[2] = { true, false };
    const abut_placed_shape good = { abut_shape_sphere(1.0f), abut_pose_identity() }, pair[] = { good, turned };
    assert_int_equal(abut_world_overlap_shape_any(world, &placed, NULL, &any[0]), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape_any(world, &good, &bounds, &any[0]), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape_any(world, &good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape_any(world, NULL, NULL, &any[0]), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape_any(NULL, &good, NULL, &any[0]), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape_any_many(world, pair, 2, NULL, any), ABUT_INVALID_ARGUMENT);
    assert_true(told.index == 1 && any[0] && !any[1]);
    assert_int_equal(abut_world_overlap_shape_any_many(world, NULL, 0, NULL, NULL), ABUT_OK);
    assert_true(found[0].child == 7 && count == 7 && total == 7);
    assert_int_equal(abut_world_overlap_region(world, &everything, NULL, found, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    abut_world_destroy(world);
    abut_world_destroy(flat);
}

// Not by half-spaces either that hold even what has no box yet.
static void what_was_created_since_is_not_found(void **state)
{
    (void)state;
    const abut_plane far = { { 0, -1, 0 }, 1e35f };
    const abut_region regions[] = { { 0 }, { &far, 1 } };
    const abut_body_def def = { .collider.shape = abut_shape_sphere(1) };
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)
    {
        abut_world *world = open_world(&(abut_world_def){ .broad = kind });
        for (uint32_t bodies = 0; bodies < 20; ++bodies)
        {
            abut_body body;
            abut_found found[20];
            uint32_t count;
            assert_int_equal(abut_world_update(world), ABUT_OK);
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
            for (uint32_t i = 0; i < COUNT(regions); ++i)
            {
                assert_int_equal(abut_world_overlap_region(world, &regions[i], NULL, found, COUNT(found), &count),
                                 ABUT_OK);
                assert_int_equal(count, bodies);
            }
        }
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_what_a_loop_over_all_colliders_finds),
        cmocka_unit_test(bodies_in_a_region_reach_into_each_half_space),
        cmocka_unit_test(many_overlaps_are_the_single_ones_one_after_the_other),
        cmocka_unit_test(something_overlaps_where_overlaps_are_counted),
        cmocka_unit_test(a_body_of_many_colliders_is_found_once_if_asked),
        cmocka_unit_test(what_was_created_since_is_not_found),
        cmocka_unit_test(invalid_input_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
