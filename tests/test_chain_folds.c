// Two-sided chains that fold sharply: what is on or near one has a contact, whichever side of whichever segment it is
// on. Judged by the distance of the shapes.
#include "own_world.h"
#include "plain_chain.h"

enum
{
    SCENES = 40000
};

// A line whose every segment turns back from the one before it, by up to `most` radians beside straight back.
static plain_chain folded(random_source *random, double most)
{
    plain_chain out = { .count = 3 + random_below(random, 3), .two_sided = true };
    double x = 0.0, y = 0.0, angle = random_between(random, -3.14, 3.14);
    out.loop = out.count > 3 && random_chance(random, 0.2);
    for (uint32_t i = 0; i < out.count; ++i)
    {
        const double length = random_between(random, 0.3, 3.0);
        out.point[i] = (abut_vec2){ (float)x, (float)y };
        x += length * cos(angle);
        y += length * sin(angle);
        angle += 3.14159 - random_between(random, -most, most);
    }
    return out;
}

// A regular polygon.
static abut_geometry *regular(uint32_t count, float size)
{
    abut_vec2 point[8];
    abut_geometry *out = NULL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double angle = 6.2831853 * (double)i / (double)count;
        point[i] = (abut_vec2){ size * (float)cos(angle), size * (float)sin(angle) };
    }
    assert_int_equal(abut_geometry_create_polygon(point, count, NULL, &out), ABUT_OK);
    return out;
}

// A shape and the same a hundredth smaller: what that one touches, this one is in beyond all rounding.
typedef struct body
{
    abut_shape shape, smaller;
    abut_geometry *polygon[2];
    float size;
    abut_pose pose;
} body;

static abut_shape shape_of(uint32_t kind, float x, float y, const abut_geometry *polygon)
{
    return kind == 0   ? abut_shape_sphere(x)
           : kind == 1 ? abut_shape_obb(x, y, 0)
           : kind == 2 ? abut_shape_capsule(x, y)
           : kind == 3 ? abut_shape_polygon(polygon)
                       : abut_shape_aabb(x, y, 0);
}

static void open_body(random_source *random, const plain_chain *chain, body *out)
{
    const float x = (float)random_between(random, 0.05, 2.0), y = (float)random_between(random, 0.05, 2.0);
    const uint32_t kind = random_below(random, 5), sides = 3 + random_below(random, 5);
    *out = (body){ .size = kind == 0 || kind == 3 ? x : x + y };
    for (uint32_t i = 0; i < 2; ++i)
    {
        const float scale = i == 0 ? 1.0f : 0.99f;
        out->polygon[i] = kind == 3 ? regular(sides, scale * x) : NULL;
        *(i == 0 ? &out->shape : &out->smaller) = shape_of(kind, scale * x, scale * y, out->polygon[i]);
    }
    const abut_vec2 near = chain->point[random_below(random, chain->count)];
    const double away = random_between(random, 0.0, 1.2) * (double)out->size, way = random_between(random, -3.14, 3.14);
    out->pose = abut_pose_2d((float)((double)near.x + away * cos(way)), (float)((double)near.y + away * sin(way)),
                             kind == 4 ? 0.0f : (float)random_between(random, -3.14, 3.14));
}

static void close_body(body *b)
{
    abut_geometry_release(b->polygon[0]);
    abut_geometry_release(b->polygon[1]);
}

static float distance_of(const abut_geometry *chain, const abut_shape *shape, const abut_pose *pose)
{
    const abut_shape line = abut_shape_chain(chain);
    const abut_pose zero = abut_pose_2d(0, 0, 0);
    float out = -1.0f;
    assert_int_equal(abut_distance_2d(&line, &zero, shape, pose, &out), ABUT_OK);
    return out;
}

static uint32_t contacts_of(const abut_geometry *chain, const abut_shape *shape, const abut_pose *pose, float margin)
{
    abut_world *world = open_world(&(abut_world_def){ .dimension = 2, .margin = margin });
    const abut_body_def ground = { .motion = ABUT_STATIC, .collider.shape = abut_shape_chain(chain) };
    const abut_body_def other = { .pose = *pose, .collider.shape = *shape };
    abut_body unused;
    assert_int_equal(abut_body_create(world, &ground, &unused), ABUT_OK);
    assert_int_equal(abut_body_create(world, &other, &unused), ABUT_OK);
    detect(world);
    const uint32_t count = abut_world_contacts(world, ABUT_AWAKE).count;
    abut_world_destroy(world);
    return count;
}

static void expect_contact(uint64_t seed, const abut_geometry *chain, const body *b, float margin)
{
    if (contacts_of(chain, &b->shape, &b->pose, margin) == 0)
    {
        fail_msg("seed %u: no contact at a margin of %g", (unsigned)seed, (double)margin);
    }
}

// What is in the line without a margin, and what is within a margin of it.
static void what_is_at_a_fold_has_a_contact(void **state)
{
    (void)state;
    const float margin = 0.2f;
    uint32_t within = 0, near = 0;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain line = folded(&random, random_chance(&random, 0.5) ? 0.5 : 3.0);
        abut_geometry *chain = made_chain(&line);
        body b;
        open_body(&random, &line, &b);
        const float distance = distance_of(chain, &b.shape, &b.pose);
        if (distance == 0.0f && distance_of(chain, &b.smaller, &b.pose) == 0.0f)
        {
            ++within;
            expect_contact(seed, chain, &b, 0.0f);
        }
        if (distance > 0.01f && distance < 0.95f * margin)
        {
            ++near;
            expect_contact(seed, chain, &b, margin);
        }
        close_body(&b);
        abut_geometry_release(chain);
    }
    assert_true(!random_seeds_all() || (within > SCENES / 3 && near > SCENES / 20));
}

// A ball on the long side of a fold, past the end of the short one: it is in front of no other segment there.
static void a_ball_larger_than_a_fold_touches_it(void **state)
{
    (void)state;
    const plain_chain line = { .point = { { 0.0f, 0.0f }, { -0.5f, 0.34f }, { 1.64f, -0.98f } },
                               .count = 3,
                               .two_sided = true };
    abut_geometry *chain = made_chain(&line);
    const abut_shape ball = abut_shape_sphere(1.6f);
    const abut_pose pose = abut_pose_2d(0.1f, -1.75f, 0);
    assert_true(distance_of(chain, &ball, &pose) == 0.0f);
    assert_int_equal(contacts_of(chain, &ball, &pose, 0.0f), 1);
    abut_geometry_release(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_at_a_fold_has_a_contact),
        cmocka_unit_test(a_ball_larger_than_a_fold_touches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
