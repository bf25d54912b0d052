// Contacts with chains, judged in double: over a straight line of any division there is no normal but its own and the
// depth is that of the line; over a rough one, no normal that the line has not, and a ball touches where it is nearest.
#include "own_world.h"
#include "plain_chain.h"

enum
{
    SCENES = 4000
};

// A shape, its pose, and how deep it is below the x axis.
typedef struct body
{
    abut_shape shape;
    abut_geometry *polygon;
    abut_pose pose;
    double depth, thickness;
} body;

static abut_vec3 support(const abut_shape *shape, const abut_pose *pose, float x, float y)
{
    abut_vec3 out;
    assert_int_equal(abut_shape_support(shape, pose, abut_vec3_make(x, y, 0), &out), ABUT_OK);
    return out;
}

// A regular polygon without sharp corners: a tip may be below one segment while its polygon goes through another one.
static abut_geometry *regular(random_source *random, double size)
{
    abut_vec2 points[8];
    abut_geometry *out = NULL;
    const uint32_t count = 4 + random_below(random, 5);
    for (uint32_t i = 0; i < count; ++i)
    {
        const double angle = 6.2831853 * (double)i / (double)count;
        points[i] = (abut_vec2){ (float)(size * cos(angle)), (float)(size * sin(angle)) };
    }
    assert_int_equal(abut_geometry_create_polygon(points, count, NULL, &out), ABUT_OK);
    return out;
}

static void random_body(random_source *random, body *out)
{
    const float x = (float)random_between(random, 0.1, 1.0), y = (float)random_between(random, 0.1, 1.0);
    const uint32_t kind = random_below(random, 5);
    const float angle = random_chance(random, 0.3) ? 0.0f : (float)random_between(random, -3.14, 3.14);
    *out = (body){ .pose = abut_pose_2d(0, 0, angle) };
    out->polygon = kind == 3 ? regular(random, (double)x) : NULL;
    out->thickness = 0.9 * (double)(kind == 2 ? 0.5f * x : kind == 3 ? 0.7f * x : kind == 0 ? x : x < y ? x : y);
    out->shape = kind == 0   ? abut_shape_sphere(x)
                 : kind == 1 ? abut_shape_obb(x, y, 0)
                 : kind == 2 ? abut_shape_capsule(0.5f * x, y)
                 : kind == 3 ? abut_shape_polygon(out->polygon)
                             : abut_shape_aabb(x, y, 0);
}

// Puts a body somewhere above the x axis and some way into it, its middle still in front.
static void put_into(random_source *random, body *b, double reach)
{
    const abut_vec3 low = support(&b->shape, &b->pose, 0, -1), high = support(&b->shape, &b->pose, 0, 1);
    const double height = (double)high.y - (double)low.y;
    // no deeper than it is thick: what leans deeper has a tip below segments that nothing of it goes through
    const double most = fmin(0.45 * height, b->thickness);
    b->depth = random_between(random, -0.02 * height, most);
    b->pose.position.x = (float)random_between(random, -reach, reach);
    b->pose.position.y = (float)(-(double)low.y - b->depth);
}

static void close_body(body *b)
{
    abut_geometry_release(b->polygon);
}

typedef struct scene
{
    abut_geometry *chain;
    abut_world *world;
    abut_pose pose; // of the chain, turned with all
} scene;

static void open_scene(scene *s, const plain_chain *chain, float angle, float margin)
{
    const abut_world_def def = { .dimension = 2, .margin = margin };
    abut_body unused;
    s->chain = made_chain(chain);
    s->world = open_world(&def);
    s->pose = abut_pose_2d(0, 0, angle);
    const abut_body_def ground = { .motion = ABUT_STATIC,
                                   .pose = s->pose,
                                   .collider.shape = abut_shape_chain(s->chain) };
    assert_int_equal(abut_body_create(s->world, &ground, &unused), ABUT_OK);
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->chain);
}

static void add_body(const scene *s, const body *b)
{
    abut_body unused;
    abut_body_def def = { .collider.shape = b->shape };
    def.pose.position = abut_quat_rotate(s->pose.rotation, b->pose.position);
    def.pose.rotation =
        b->shape.kind == ABUT_AABB ? abut_quat_identity() : abut_quat_mul(s->pose.rotation, b->pose.rotation);
    assert_int_equal(abut_body_create(s->world, &def, &unused), ABUT_OK);
    detect(s->world);
    expect_sound(s->world);
}

// A line from right to left along the x axis, of segments of any length down to a thousandth of the body's.
static plain_chain straight(random_source *random)
{
    plain_chain out = { .count = CHAIN_MOST };
    const double ratio = random_scale(random, 1.0, 1e3);
    double length[CHAIN_MOST], all = 0.0, x = 6.0;
    for (uint32_t i = 0; i < out.count; ++i)
    {
        length[i] = random_scale(random, 1.0, ratio);
        all += length[i];
    }
    for (uint32_t i = 0; i < out.count; ++i)
    {
        out.point[i] = (abut_vec2){ (float)x, 0.0f };
        x -= 12.0 * length[i] / all;
    }
    return out;
}

static void a_straight_line_has_one_normal(void **state)
{
    (void)state;
    uint64_t contacts = 0;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = straight(&random);
        scene s;
        body b;
        random_body(&random, &b);
        const float angle =
            b.shape.kind == ABUT_AABB || random_chance(&random, 0.3) ? 0.0f : (float)random_between(&random, -3, 3);
        put_into(&random, &b, 3.0);
        if (b.shape.kind == ABUT_AABB)
        {
            b.pose.rotation = abut_quat_identity();
            b.pose.position.y = (float)((double)b.shape.box.half_extents.y - b.depth);
        }
        open_scene(&s, &chain, angle, 0.0f);
        add_body(&s, &b);
        const abut_vec3 up = abut_quat_rotate(s.pose.rotation, abut_vec3_make(0, 1, 0));
        const abut_contacts all = abut_world_contacts(s.world, ABUT_AWAKE);
        float least = 1.0f;
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&all, i);
            least = c->separation < least ? c->separation : least;
            if (abut_vec3_dot(c->normal, up) < 0.999999f)
            {
                fail_msg("seed %u: a normal of %g, %g", (unsigned)seed, (double)c->normal.x, (double)c->normal.y);
            }
        }
        if ((all.count > 0) != (b.depth >= 0.0) && fabs(b.depth) > 1e-5)
        {
            fail_msg("seed %u: %u contacts at a depth of %g", (unsigned)seed, all.count, b.depth);
        }
        if (all.count > 0 && fabs((double)least + b.depth) > 2e-5)
        {
            fail_msg("seed %u: %g deep, expected %g", (unsigned)seed, -(double)least, b.depth);
        }
        contacts += all.count;
        close_scene(&s);
        close_body(&b);
    }
    assert_true(!random_seeds_all() || contacts > SCENES);
}

// Whether the line has a normal, up to a hair: one of a segment's, or between those of two that bend back.
static bool has_normal(const plain_chain *chain, double x, double y)
{
    double before_x = 0.0, before_y = 0.0;
    for (uint32_t i = 0; i < plain_segments(chain); ++i)
    {
        double p[2], q[2];
        plain_segment(chain, i, p, q);
        const double length = hypot(q[0] - p[0], q[1] - p[1]), n_x = (q[1] - p[1]) / length,
                     n_y = -(q[0] - p[0]) / length;
        const bool bends_back = i > 0 && before_x * n_y - before_y * n_x > 0.0;
        const bool between = before_x * y - before_y * x >= -2e-3 && x * n_y - y * n_x >= -2e-3;
        if (hypot(n_x - x, n_y - y) < 2e-2 ||
            (bends_back && between && x * (n_x + before_x) + y * (n_y + before_y) > 0.0))
        {
            return true;
        }
        before_x = n_x;
        before_y = n_y;
    }
    return false;
}

// What is beyond the ends is not judged: the ground is wider than the bodies' places.
static void a_rough_line_has_its_own_normals(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = random_ground(&random, random_between(&random, 0.0, 0.5));
        scene s;
        body b;
        random_body(&random, &b);
        put_into(&random, &b, 2.5);
        open_scene(&s, &chain, 0.0f, random_chance(&random, 0.5) ? 0.1f : 0.0f);
        add_body(&s, &b);
        const abut_contacts all = abut_world_contacts(s.world, ABUT_AWAKE);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&all, i);
            if (!has_normal(&chain, (double)c->normal.x, (double)c->normal.y))
            {
                fail_msg("seed %u: a normal of %g, %g", (unsigned)seed, (double)c->normal.x, (double)c->normal.y);
            }
        }
        close_scene(&s);
        close_body(&b);
    }
}

// The separation of the deepest contact; 1: there is none.
static double deepest_of(abut_world *world)
{
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    double least = 1.0;
    for (uint32_t i = 0; i < all.count; ++i)
    {
        least = fmin(least, (double)abut_contact_at(&all, i)->separation);
    }
    return least;
}

// A ball whose middle is above the line.
static void a_ball_touches_where_it_is_nearest(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain chain = random_ground(&random, random_between(&random, 0.0, 1.0));
        scene s;
        body b = { .pose = abut_pose_2d((float)random_between(&random, -4, 4), 1.0f, 0) };
        const float radius = (float)random_between(&random, 0.1, 1.0);
        b.shape = abut_shape_sphere(radius);
        open_scene(&s, &chain, 0.0f, 0.1f);
        const abut_ray down = { b.pose.position, { 0, -3, 0 } };
        abut_ray_hit hit;
        const abut_shape ground = abut_shape_chain(s.chain);
        const abut_pose level = abut_pose_identity();
        assert_int_equal(abut_ray_shape_2d(&down, &ground, &level, 0, &hit), ABUT_OK);
        b.pose.position.y += -3.0f * hit.fraction + radius * (float)random_between(&random, 0.02, 1.2);
        add_body(&s, &b);
        const double at[2] = { (double)b.pose.position.x, (double)b.pose.position.y };
        const double gap = plain_distance_to(&chain, at) - (double)radius, deepest = deepest_of(s.world);
        const bool near = gap <= 0.1;
        if (fabs(gap - 0.1) > 1e-5 && (near != (deepest < 1.0) || (near && fabs(deepest - gap) > 1e-5)))
        {
            fail_msg("seed %u: %g, expected %g", (unsigned)seed, deepest, gap);
        }
        close_scene(&s);
    }
}

// A shape of a built-in kind and the same as a kind of the caller's own, known by its supports alone: over a straight
// line as deep, along its normal, and over a rough one with normals that the line has, and wherever that has one.
static void kinds_of_the_callers_touch_alike(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const bool level = random_chance(&random, 0.5);
        const plain_chain chain = level ? straight(&random) : random_ground(&random, random_between(&random, 0.0, 0.5));
        scene s;
        body b;
        random_body(&random, &b);
        put_into(&random, &b, 2.5);
        if (b.shape.kind == ABUT_SPHERE || b.shape.kind == ABUT_OBB || b.shape.kind == ABUT_CAPSULE)
        {
            open_scene(&s, &chain, 0.0f, 0.0f);
            add_body(&s, &b);
            const double built_in = deepest_of(s.world);
            close_scene(&s);
            open_scene(&s, &chain, 0.0f, 0.0f);
            register_own_kinds(s.world);
            b.shape = own_twin(&b.shape, random_chance(&random, 0.5));
            add_body(&s, &b);
            const abut_contacts all = abut_world_contacts(s.world, ABUT_AWAKE);
            for (uint32_t i = 0; i < all.count; ++i)
            {
                const abut_contact *c = abut_contact_at(&all, i);
                if (level ? c->normal.y < 0.9999f : !has_normal(&chain, (double)c->normal.x, (double)c->normal.y))
                {
                    fail_msg("seed %u: a normal of %g, %g", (unsigned)seed, (double)c->normal.x, (double)c->normal.y);
                }
            }
            if (built_in < -1e-3 && all.count == 0)
            {
                fail_msg("seed %u: no contact, expected one of %g", (unsigned)seed, built_in);
            }
            if (level && b.depth > 1e-3 && fabs(deepest_of(s.world) + b.depth) > 1e-3)
            {
                fail_msg("seed %u: %g deep, expected %g", (unsigned)seed, -deepest_of(s.world), b.depth);
            }
            close_scene(&s);
        }
        close_body(&b);
    }
}

// A box half over the end of a ledge, and against the wall below it.
static void a_ledge_has_a_top_and_a_side(void **state)
{
    (void)state;
    const plain_chain ledge = { .point = { { 4, 0 }, { 0, 0 }, { 0, -4 } }, .count = 3 };
    scene s;
    open_scene(&s, &ledge, 0.0f, 0.0f);
    const body over = { .shape = abut_shape_obb(1, 0.5f, 0), .pose = abut_pose_2d(0.2f, 0.49f, 0) };
    add_body(&s, &over);
    assert_int_equal(touching(s.world), 1);
    const abut_contact *c = contact_at(s.world, ABUT_AWAKE, 0);
    assert_int_equal(c->child, 0);
    assert_int_equal(c->point_count, 2);
    assert_true(c->normal.y > 0.9999f && fabsf(c->separation + 0.01f) < 1e-5f);
    close_scene(&s);
    open_scene(&s, &ledge, 0.0f, 0.0f);
    const body beside = { .shape = abut_shape_obb(1, 0.5f, 0), .pose = abut_pose_2d(-0.99f, 0.3f, 0) };
    add_body(&s, &beside);
    assert_int_equal(touching(s.world), 1);
    c = contact_at(s.world, ABUT_AWAKE, 0);
    assert_int_equal(c->child, 1);
    assert_true(c->normal.x < -0.9999f && fabsf(c->separation + 0.01f) < 1e-5f);
    close_scene(&s);
}

// The points of what lies along a line of several segments reach from end to end of it, however little it is tilted.
static void what_lies_along_a_line_is_held_at_both_ends(void **state)
{
    (void)state;
    const plain_chain line = { .point = { { 4, 0 }, { 0.2f, 0 }, { -0.2f, 0 }, { -4, 0 } }, .count = 4 };
    const float tilts[] = { 0.0f, 1e-7f, 1e-5f, 1e-3f, -1e-3f, 4e-3f };
    for (size_t i = 0; i < 2 * COUNT(tilts); ++i)
    {
        const bool box = i & 1;
        scene s;
        open_scene(&s, &line, 0.0f, box ? 0.01f : 0.0f);
        const body b = { .shape = box ? abut_shape_obb(0.5f, 0.3f, 0) : abut_shape_capsule(0.3f, 0.5f),
                         .pose = abut_pose_2d(0, box ? 0.301f : 0.292f, tilts[i / 2] + (box ? 0.0f : 1.5707963f)) };
        add_body(&s, &b);
        const abut_contacts all = abut_world_contacts(s.world, ABUT_AWAKE);
        float least = 1.0f, most = -1.0f;
        for (uint32_t k = 0; k < all.count; ++k)
        {
            const abut_contact *c = abut_contact_at(&all, k);
            for (uint32_t p = 0; p < c->point_count; ++p)
            {
                least = fminf(least, c->points[p].offset.x);
                most = fmaxf(most, c->points[p].offset.x);
            }
        }
        assert_true(least < -0.49f && most > 0.49f);
        close_scene(&s);
    }
}

// The end of a platform, touched by a hair from below: no contact from behind, and of two sides one as deep as a hair.
static void an_end_is_not_deep_in_what_touches_it(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        const plain_chain platform = { .point = { { 0, 0 }, { -4, 0 } }, .count = 2, .two_sided = (k & 1) != 0 };
        const body b = { .shape = k & 2 ? abut_shape_obb(0.5f, 2, 0) : abut_shape_capsule(0.5f, 1.5f),
                         .pose = abut_pose_2d(0, 0, -0.7853982f) };
        const double away = 0.5 - 1e-4; // of the end from the axis
        scene s;
        open_scene(&s, &platform, 0.0f, 0.0f);
        body touching_it = b;
        // it leans past the end, to the right, and its middle is in front
        touching_it.pose.position.x = (float)((away + 1.0) * 0.70710678);
        touching_it.pose.position.y = (float)((1.0 - away) * 0.70710678);
        add_body(&s, &touching_it);
        const double deepest = deepest_of(s.world);
        assert_true(k & 1 ? fabs(deepest + 1e-4) < 1e-5 : deepest == 1.0);
        close_scene(&s);
    }
}

// A rod that stands near the edge of a cliff is held, deep as it may be, up to its middle.
static void a_rod_at_a_cliff_is_held(void **state)
{
    (void)state;
    const plain_chain cliff = { .point = { { 4, -4 }, { 4, 0 }, { -4, 0 }, { -4, -4 } }, .count = 4, .loop = true };
    for (int k = 0; k < 18; ++k)
    {
        const float depth = 0.05f * (float)(k / 2 + 1);
        scene s;
        open_scene(&s, &cliff, 0.0f, 0.0f);
        const body b = { .shape = k & 1 ? abut_shape_obb(0.1f, 1, 0) : abut_shape_capsule(0.1f, 0.9f),
                         .pose = abut_pose_2d(3.88f, 1.0f - depth, 0) };
        add_body(&s, &b);
        assert_true(deepest_of(s.world) < -0.04);
        close_scene(&s);
    }
}

// Behind a line with one side there is nothing; one with two sides is touched from both.
static void a_line_has_one_side_or_two(void **state)
{
    (void)state;
    for (int two_sided = 0; two_sided < 2; ++two_sided)
    {
        const plain_chain line = { .point = { { 4, 0 }, { 0, 0 }, { -4, 0 } },
                                   .count = 3,
                                   .two_sided = two_sided == 1 };
        scene s;
        open_scene(&s, &line, 0.0f, 0.0f);
        const body below = { .shape = abut_shape_capsule(0.3f, 0.5f), .pose = abut_pose_2d(1.0f, -0.28f, 1.5707963f) };
        add_body(&s, &below);
        assert_int_equal(touching(s.world), two_sided);
        if (two_sided)
        {
            const abut_contact *c = contact_at(s.world, ABUT_AWAKE, 0);
            assert_true(c->normal.y < -0.9999f && c->point_count == 2 && fabsf(c->separation + 0.02f) < 1e-5f);
        }
        close_scene(&s);
    }
}

// Two chains that go on in each other are one line.
static void a_line_goes_on_in_another(void **state)
{
    (void)state;
    const abut_vec2 right[2] = { { 4, 0 }, { 0, 0 } }, left[2] = { { 0, 0 }, { -4, 0 } };
    for (int joined = 0; joined < 2; ++joined)
    {
        const abut_chain_def defs[2] = {
            { .points = right, .point_count = 2, .after = joined ? &left[1] : NULL },
            { .points = left, .point_count = 2, .before = joined ? &right[0] : NULL },
        };
        const abut_world_def world_def = chain_world_def();
        abut_world *world = open_world(&world_def);
        for (int i = 0; i < 2; ++i)
        {
            abut_geometry *chain = NULL;
            assert_int_equal(abut_geometry_create_chain(&defs[i], NULL, &chain), ABUT_OK);
            (void)add(world, abut_shape_chain(chain), 0, 0, 0, ABUT_STATIC);
            abut_geometry_release(chain);
        }
        // deep, and barely over the left one
        (void)add(world, abut_shape_obb(0.5f, 0.5f, 0), 0.49f, 0.3f, 0, ABUT_DYNAMIC);
        detect(world);
        expect_sound(world);
        bool sideways = false;
        for (uint32_t i = 0; i < touching(world); ++i)
        {
            sideways = sideways || fabsf(contact_at(world, ABUT_AWAKE, i)->normal.y) < 0.999f;
        }
        assert_int_equal(sideways, !joined);
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_straight_line_has_one_normal),
        cmocka_unit_test(a_rough_line_has_its_own_normals),
        cmocka_unit_test(a_ball_touches_where_it_is_nearest),
        cmocka_unit_test(kinds_of_the_callers_touch_alike),
        cmocka_unit_test(a_ledge_has_a_top_and_a_side),
        cmocka_unit_test(what_lies_along_a_line_is_held_at_both_ends),
        cmocka_unit_test(an_end_is_not_deep_in_what_touches_it),
        cmocka_unit_test(a_rod_at_a_cliff_is_held),
        cmocka_unit_test(a_line_has_one_side_or_two),
        cmocka_unit_test(a_line_goes_on_in_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
