// What overlaps a line where it bends or ends has a contact with one of the segments there, whichever of them leaves it
// to another. Overlaps are the 2D referee's: each segment is a capsule without a radius.
#include "plain_chain.h"
#include "random_2d.h"

#include <stdio.h>

enum
{
    SCENES = 60000
};

#define CLEAR 1e-3 // metres: shapes that overlap by less may as well be apart

// From right to left, bent by any angle at the origin; its ends are out of reach.
static plain_chain bent(random_source *random)
{
    const double angle = random_between(random, -1.2, 1.2), right = random_between(random, 3.0, 9.0),
                 left = random_between(random, 3.0, 9.0);
    return (plain_chain){ .point = { { (float)right, 0.0f },
                                     { 0.0f, 0.0f },
                                     { (float)(-left * cos(angle)), (float)(left * sin(angle)) } },
                          .count = 3,
                          .two_sided = random_chance(random, 0.5) };
}

static solid_2d segment_solid(const plain_chain *chain, uint32_t i)
{
    double p[2], q[2];
    plain_segment(chain, i, p, q);
    const double x = q[0] - p[0], y = q[1] - p[1];
    const abut_shape shape = abut_shape_capsule(0.0f, (float)(0.5 * hypot(x, y)));
    const abut_pose pose = abut_pose_2d((float)(0.5 * (p[0] + q[0])), (float)(0.5 * (p[1] + q[1])),
                                        (float)(atan2(y, x) - 0.5 * 3.14159265358979));
    return solid_2d_of(&shape, &pose, NULL);
}

// Whether a shape overlaps the line for sure, with its middle in front of both segments for sure if there is one side.
static bool overlaps(const plain_chain *chain, const solid_2d *shape)
{
    double middle[2] = { 0.0, 0.0 };
    bool before = true, found = false;
    for (int i = 0; i < shape->count; ++i)
    {
        middle[0] += shape->corner[i].x / shape->count;
        middle[1] += shape->corner[i].y / shape->count;
    }
    for (uint32_t i = 0; i + 1 < chain->count; ++i)
    {
        double p[2], q[2];
        const solid_2d segment = segment_solid(chain, i);
        plain_segment(chain, i, p, q);
        before = before && plain_front(p, q, middle) > CLEAR;
        found = found || collide_2d(shape, &segment).depth > CLEAR;
    }
    return found && (before || chain->two_sided);
}

// Of one to three segments from right to left, touched from both sides.
static plain_chain ending(random_source *random)
{
    plain_chain out = { .count = 2 + random_below(random, 3), .two_sided = true };
    for (uint32_t i = 0; i < out.count; ++i)
    {
        out.point[i] = (abut_vec2){ (float)(3.0 - 2.0 * i + random_between(random, -0.3, 0.3)),
                                    (float)random_between(random, -0.6, 0.6) };
    }
    return out;
}

// Near a point of a line, somehow turned.
static abut_pose near_point(random_source *random, abut_vec2 point)
{
    const double x = (double)point.x + random_between(random, -1.0, 1.0),
                 y = (double)point.y + random_between(random, -1.0, 1.0);
    return abut_pose_2d((float)x, (float)y, (float)random_between(random, -3.14, 3.14));
}

// The same, nearly along a segment that ends at the point.
static abut_pose along_line(random_source *random, const plain_chain *chain, uint32_t point)
{
    double p[2], q[2];
    plain_segment(chain, point > 0 ? point - 1 : 0, p, q);
    const double angle = atan2(q[1] - p[1], q[0] - p[0]), way = random_between(random, -1.0, 1.0),
                 beside = random_between(random, -0.02, 0.02);
    const double x = (double)chain->point[point].x + way * cos(angle) - beside * sin(angle),
                 y = (double)chain->point[point].y + way * sin(angle) + beside * cos(angle);
    const double turn = angle + 0.5 * 3.14159265358979 + random_between(random, -0.05, 0.05);
    return abut_pose_2d((float)x, (float)y, (float)turn);
}

// Moved as far as its contact says, the shape is off the only segment of the line.
static void expect_way_out(const abut_contact *contact, const plain_chain *chain, const abut_shape *shape,
                           abut_pose pose)
{
    const solid_2d segment = segment_solid(chain, 0);
    const float way = contact->separation; // negative: from b to a; the line is a
    pose.position.x -= way * contact->normal.x;
    pose.position.y -= way * contact->normal.y;
    const solid_2d moved = solid_2d_of(shape, &pose, NULL);
    const contact_2d left = collide_2d(&moved, &segment);
    assert_true(left.depth <= 1e-4 * left.size);
}

// Whether the shape overlaps the line for sure; then it has a contact.
static bool touches_if_it_overlaps(const plain_chain *chain, abut_shape shape, abut_pose pose, uint64_t seed)
{
    const solid_2d solid = solid_2d_of(&shape, &pose, NULL);
    if (!overlaps(chain, &solid))
    {
        return false;
    }
    abut_geometry *geometry = made_chain(chain);
    const abut_world_def def = chain_world_def();
    abut_world *world = open_world(&def);
    const abut_body_def own = { .pose = pose, .collider.shape = shape };
    abut_body unused;
    (void)add(world, abut_shape_chain(geometry), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_body_create(world, &own, &unused), ABUT_OK);
    detect(world);
    if (touching(world) == 0)
    {
        fail_msg("seed %u: a shape of kind %d has no contact", (unsigned)seed, (int)shape.kind);
    }
    if (chain->count == 2)
    {
        expect_way_out(contact_at(world, ABUT_AWAKE, 0), chain, &shape, pose);
    }
    expect_sound(world);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
    return true;
}

// Whether the scene of a seed is one to judge; then it is judged.
typedef bool judge_scene(random_source *random, const stock_2d *stock, uint64_t seed);

static void judge_scenes(judge_scene *judge, const char *what)
{
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t judged = 0;
    stock_2d stock;
    stock_2d_open(&stock);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        judged += judge(&random, &stock, seed);
    }
    stock_2d_close(&stock);
    printf("%u shapes that %s\n", judged, what);
    assert_true(!random_seeds_all() || judged > 1000);
}

static bool judge_bend(random_source *random, const stock_2d *stock, uint64_t seed)
{
    const plain_chain chain = bent(random);
    const abut_shape shape = random_shape_2d(random, stock, random_kind_2d(random), random_between(random, 0.1, 1.2));
    return touches_if_it_overlaps(&chain, shape, near_point(random, chain.point[1]), seed);
}

static void what_overlaps_a_bend_touches_it(void **state)
{
    (void)state;
    judge_scenes(judge_bend, "overlap a bend");
}

static bool judge_end(random_source *random, const stock_2d *stock, uint64_t seed)
{
    const plain_chain chain = ending(random);
    const abut_shape_kind kind = random_chance(random, 0.5) ? ABUT_POLYGON : random_kind_2d(random);
    const abut_shape shape = random_shape_2d(random, stock, kind, random_between(random, 0.1, 1.2));
    const uint32_t point = random_below(random, chain.count);
    const abut_pose pose =
        random_chance(random, 0.3) ? along_line(random, &chain, point) : near_point(random, chain.point[point]);
    return touches_if_it_overlaps(&chain, shape, pose, seed);
}

static void what_overlaps_an_end_touches_it(void **state)
{
    (void)state;
    judge_scenes(judge_end, "overlap a line near its ends");
}

// The least separation of a shape beside a line, in a world with this margin.
static double least_separation(const plain_chain *chain, abut_shape shape, abut_pose pose, float margin)
{
    abut_geometry *geometry = made_chain(chain);
    abut_world_def def = chain_world_def();
    def.margin = margin;
    abut_world *world = open_world(&def);
    const abut_body_def own = { .pose = pose, .collider.shape = shape };
    abut_body unused;
    double least = HUGE_VAL;
    (void)add(world, abut_shape_chain(geometry), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_body_create(world, &own, &unused), ABUT_OK);
    detect(world);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        least = fmin(least, (double)abut_contact_at(&all, i)->separation);
    }
    abut_world_destroy(world);
    abut_geometry_release(geometry);
    return least;
}

#define MARGIN 0.3

static bool judge_apart(random_source *random, const stock_2d *stock, uint64_t seed)
{
    const plain_chain chain = ending(random);
    const abut_shape shape = random_shape_2d(random, stock, random_kind_2d(random), random_between(random, 0.1, 1.2));
    const abut_pose pose = near_point(random, chain.point[random_below(random, chain.count)]);
    const solid_2d solid = solid_2d_of(&shape, &pose, NULL);
    double distance = HUGE_VAL, size = 0.0;
    for (uint32_t i = 0; i + 1 < chain.count; ++i)
    {
        const solid_2d segment = segment_solid(&chain, i);
        const contact_2d apart = collide_2d(&solid, &segment);
        distance = fmin(distance, apart.distance);
        size = fmax(size, apart.size);
    }
    if (distance < CLEAR || distance > MARGIN - CLEAR)
    {
        return false;
    }
    const double least = least_separation(&chain, shape, pose, (float)MARGIN);
    if (!(fabs(least - distance) <= 2e-4 * distance + 1.2e-4 * size))
    {
        fail_msg("seed %u: a shape of kind %d is %g away, and its contact says %g", (unsigned)seed, (int)shape.kind,
                 distance, least);
    }
    return true;
}

// Of shapes that are apart the separation is the distance, also where the nearest corner is just past the line's end.
static void what_is_apart_is_as_far_as_its_contact_says(void **state)
{
    (void)state;
    judge_scenes(judge_apart, "are near a line");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_overlaps_a_bend_touches_it),
        cmocka_unit_test(what_overlaps_an_end_touches_it),
        cmocka_unit_test(what_is_apart_is_as_far_as_its_contact_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
