// All hits of a ray through a world by triangles and parts: each collider's are those of abut_ray_shape_all, which has
// tests of its own; and they are in order.
#include "every_isa.h"
#include "mesh_makers.h"
#include "random_compound.h"
#include "random_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SCENES = 60,
    RAYS = 40, // in each
    BODIES = 10,
    MOST = 4000 // hits of a ray
};

static const uint32_t children = ABUT_QUERY_CHILDREN;

// Bodies with the same pose and shape have hits at equal fractions; so have several colliders of one body.
typedef struct scene
{
    abut_world *world;
    abut_geometry *soup, *ground, *field, *compound;
    abut_body body[BODIES];
    uint32_t count;
} scene;

static double wave(void *context, double x, double z)
{
    (void)context;
    return 0.6 * (sin(3.5 * x) + cos(4.5 * z));
}

static abut_shape some_shape(const scene *s, random_source *random)
{
    switch (random_below(random, 6))
    {
    case 0:
        return abut_shape_mesh(s->soup);
    case 1:
        return abut_shape_mesh(s->ground);
    case 2:
        return abut_shape_mesh(s->field);
    case 3:
        return abut_shape_compound(s->compound);
    case 4:
        return abut_shape_sphere((float)random_between(random, 0.3, 1.0));
    default:
        return abut_shape_obb(0.5f, (float)random_between(random, 0.3, 1.0), 0.7f);
    }
}

static abut_isa some_isa(random_source *random)
{
    abut_isa all[ABUT_ISA_COUNT];
    uint32_t count = 0;
    EVERY_ISA(isa)
    {
        all[count++] = isa;
    }
    return all[random_below(random, count)];
}

static void open_scene(scene *s, random_source *random)
{
    mesh_maker soup = { 0 }, ground = { 0 };
    abut_placed_shape parts[COMPOUND_MOST];
    mesh_soup(&soup, random, 40 + random_below(random, 120), 2.0);
    for (uint32_t i = 0; i < 30; ++i) // sheets: these have a triangle from behind where they have one from the front
    {
        mesh_triangle(&soup, soup.indices[3 * i], soup.indices[3 * i + 2], soup.indices[3 * i + 1]);
    }
    mesh_field(&ground, random, 12, 12, 2.0, 2.0, 0.0, wave, NULL);
    field f = random_field(random);
    *s = (scene){ .soup = mesh_made(&soup), .ground = mesh_made(&ground), .field = field_made(&f) };
    s->compound = compound_of(parts, random_parts(random, 2.0, true, NULL, parts));
    const abut_world_def def = { .broad = (abut_broad_kind)random_below(random, ABUT_BROAD_COUNT),
                                 .isa = some_isa(random),
                                 .threads = 1 + random_below(random, 2) };
    s->world = open_world(&def);
    abut_body_def body = { .pose = abut_pose_identity() };
    for (s->count = 0; s->count < BODIES; ++s->count)
    {
        if (s->count == 0 || random_chance(random, 0.6))
        {
            body.pose.position = random_narrow(random_in_box(random, 1.0));
            body.pose.rotation =
                random_chance(random, 0.5) ? random_narrow_rotation(random_rotation(random)) : abut_quat_identity();
            body.collider.shape = some_shape(s, random);
        }
        abut_body *own = &s->body[s->count];
        assert_int_equal(abut_body_create(s->world, &body, own), ABUT_OK);
        for (uint32_t more = random_below(random, 3); more > 0; --more)
        {
            const abut_collider_def second = { .shape = random_chance(random, 0.5) ? body.collider.shape
                                                                                   : some_shape(s, random) };
            abut_collider collider;
            assert_int_equal(abut_collider_attach(s->world, *own, &second, &collider), ABUT_OK);
        }
    }
    assert_int_equal(abut_world_update(s->world), ABUT_OK);
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->soup);
    abut_geometry_release(s->ground);
    abut_geometry_release(s->field);
    abut_geometry_release(s->compound);
}

// Many go along the lines of the grid, so that they meet its edges and corners.
static abut_ray some_ray(const scene *s, random_source *random)
{
    const dvec3 a = random_in_box(random, 3.0), b = random_in_box(random, 3.0);
    abut_vec3 from = random_narrow(a), to = random_narrow(b);
    abut_pose pose;
    if (random_chance(random, 0.4))
    {
        const float step = 4.0f / 12.0f;
        assert_int_equal(abut_body_pose(s->world, s->body[random_below(random, s->count)], &pose), ABUT_OK);
        const abut_vec3 up = abut_vec3_make(step * roundf(from.x), 4.0f, step * roundf(from.z));
        from = abut_vec3_add(pose.position, up);
        to = abut_vec3_sub(from, abut_vec3_make(random_chance(random, 0.3) ? step : 0.0f, 8.0f, 0.0f));
    }
    return (abut_ray){ from, abut_vec3_sub(to, from) };
}

// A hit, and where its collider is in order.
typedef struct listed
{
    abut_hit hit;
    uint32_t body, ordinal;
} listed;

static int in_order(const void *left, const void *right)
{
    const listed *a = left, *b = right;
    const uint32_t back_a = a->hit.flags & ABUT_HIT_BACK, back_b = b->hit.flags & ABUT_HIT_BACK;
    if (a->hit.fraction != b->hit.fraction)
    {
        return a->hit.fraction < b->hit.fraction ? -1 : 1;
    }
    if (a->body != b->body)
    {
        return a->body < b->body ? -1 : 1;
    }
    if (a->ordinal != b->ordinal)
    {
        return a->ordinal < b->ordinal ? -1 : 1;
    }
    return back_a != back_b ? (back_a < back_b ? -1 : 1)
                            : (a->hit.child > b->hit.child) - (a->hit.child < b->hit.child);
}

// The hits of a collider, unsorted. Returns their number, and the first one's fraction.
static uint32_t hits_of(const scene *s, abut_body body, abut_collider collider, const abut_ray *ray, uint32_t flags,
                        listed *out, float *first)
{
    static abut_ray_hit hits[MOST];
    abut_collider_def def;
    abut_pose pose;
    uint32_t count;
    assert_int_equal(abut_collider_get(s->world, collider, &def, NULL), ABUT_OK);
    assert_int_equal(abut_body_pose(s->world, body, &pose), ABUT_OK);
    assert_int_equal(abut_ray_shape_all(ray, &def.shape, &pose, flags, hits, MOST, &count), ABUT_OK);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_ray_hit *h = &hits[i];
        out[i].hit = (abut_hit){ .body = body,
                                 .collider = collider,
                                 .fraction = h->fraction,
                                 .offset = h->offset,
                                 .normal = h->normal,
                                 .depth = h->depth,
                                 .child = h->child,
                                 .flags = h->flags };
    }
    *first = count > 0 ? hits[0].fraction : 2.0f;
    return count;
}

static uint32_t expect_hits(const scene *s, const abut_ray *ray, uint32_t flags, listed *out)
{
    const uint32_t own = flags & (ABUT_QUERY_HOLLOW | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_BACK_FACES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        abut_collider colliders[4];
        uint32_t some, before = count;
        float nearest = 2.0f;
        assert_int_equal(abut_body_colliders(s->world, s->body[i], colliders, 4, &some), ABUT_OK);
        for (uint32_t k = 0; k < some; ++k)
        {
            const bool first_only = (flags & ABUT_QUERY_ONE_PER_BODY) != 0;
            float first;
            listed *to = &out[first_only ? before : count];
            static listed apart[MOST];
            const uint32_t hits = hits_of(s, s->body[i], colliders[k], ray, own, apart, &first);
            if (first_only && !(first < nearest))
            {
                continue;
            }
            nearest = first;
            for (uint32_t h = 0; h < hits; ++h)
            {
                to[h] = apart[h];
                to[h].body = s->body[i].slot;
                to[h].ordinal = k;
            }
            count = (first_only ? before : count) + hits;
        }
    }
    qsort(out, count, sizeof *out, in_order);
    return count;
}

static void assert_hit_equal(const abut_hit *a, const abut_hit *b)
{
    assert_true(a->fraction == b->fraction && a->child == b->child && a->flags == b->flags && a->depth == b->depth);
    assert_true(a->body.slot == b->body.slot && a->body.generation == b->body.generation);
    assert_true(a->collider.slot == b->collider.slot && a->collider.generation == b->collider.generation);
    assert_memory_equal(&a->offset, &b->offset, sizeof a->offset);
    assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
}

typedef struct counts
{
    uint64_t hits, backs, equal, full, many;
} counts;

static void judge(const listed *wanted, uint32_t all, const abut_hit *got, uint64_t room, counts *seen)
{
    for (uint32_t i = 0; i < all && i < room; ++i)
    {
        assert_hit_equal(&got[i], &wanted[i].hit);
        seen->backs += (got[i].flags & ABUT_HIT_BACK) != 0;
        seen->equal +=
            i > 0 && got[i].fraction == got[i - 1].fraction && got[i].collider.slot == got[i - 1].collider.slot;
    }
    seen->hits += all;
    seen->many += all > 64;
    seen->full += all > room;
}

// Of the first hit the flag changes nothing.
static void expect_first(const scene *s, const abut_ray *ray, const abut_query_filter *filter)
{
    abut_query_filter whole = *filter;
    abut_hit first, same;
    bool any;
    whole.flags &= ~children;
    assert_int_equal(abut_world_ray_closest(s->world, ray, &whole, &first), ABUT_OK);
    assert_int_equal(abut_world_ray_closest(s->world, ray, filter, &same), ABUT_OK);
    assert_hit_equal(&same, &first);
    assert_int_equal(abut_world_ray_closest_many(s->world, ray, 1, filter, &same), ABUT_OK);
    assert_hit_equal(&same, &first);
    assert_int_equal(abut_world_ray_any(s->world, ray, filter, &any), ABUT_OK);
    assert_true(any == (first.collider.generation != 0));
}

static void ask(const scene *s, random_source *random, counts *seen)
{
    static listed wanted[MOST];
    static abut_hit got[MOST];
    const abut_ray ray = some_ray(s, random);
    const uint32_t flags = random_below(random, 16);
    const abut_query_filter filter = { .flags = children | (flags & 1 ? ABUT_QUERY_HOLLOW : 0u) |
                                                (flags & 2 ? ABUT_QUERY_SKIP_INSIDE : 0u) |
                                                (flags & 4 ? ABUT_QUERY_BACK_FACES : 0u) |
                                                (flags & 8 ? ABUT_QUERY_ONE_PER_BODY : 0u) };
    const uint32_t all = expect_hits(s, &ray, filter.flags, wanted);
    const uint32_t room = random_chance(random, 0.5) ? MOST : random_below(random, all + 2);
    uint32_t count;
    memset(got, 0x5a, sizeof got);
    assert_int_equal(abut_world_ray_all(s->world, &ray, &filter, room > 0 ? got : NULL, room, &count), ABUT_OK);
    assert_int_equal(count, all);
    judge(wanted, all, got, room, seen);
    expect_first(s, &ray, &filter);
    for (size_t i = (all < room ? all : room) * sizeof *got; i < sizeof got; ++i)
    {
        assert_int_equal(((const unsigned char *)got)[i], 0x5a);
    }
}

static void each_triangle_and_part_is_a_hit(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        scene s;
        open_scene(&s, &random);
        for (int i = 0; i < RAYS; ++i)
        {
            ask(&s, &random, &seen);
        }
        close_scene(&s);
    }
    printf("%llu hits, %llu from behind, %llu at one fraction of one collider; %llu rays with more than 64, %llu with "
           "more "
           "than there is room for\n",
           (unsigned long long)seen.hits, (unsigned long long)seen.backs, (unsigned long long)seen.equal,
           (unsigned long long)seen.many, (unsigned long long)seen.full);
    assert_true(seen.hits > 0 && seen.backs > 0);
    assert_true(!random_seeds_all() || (seen.equal > 100 && seen.many > 100 && seen.full > 100));
}

static void batches_have_the_bits_of_single_calls(void **state)
{
    (void)state;
    static abut_hit many[RAYS * MOST], one[MOST];
    const random_seeds seeds = random_seeds_of(SCENES / 6);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(1000 + seed);
        const abut_query_filter filter = { .flags = children | (seed & 1 ? ABUT_QUERY_BACK_FACES : 0u) };
        abut_ray rays[RAYS];
        abut_range ranges[RAYS];
        uint64_t total, before = 0;
        scene s;
        open_scene(&s, &random);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            rays[i] = some_ray(&s, &random);
        }
        assert_int_equal(abut_world_ray_all_many(s.world, rays, RAYS, &filter, ranges, many, COUNT(many), &total),
                         ABUT_OK);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            uint32_t count;
            assert_int_equal(abut_world_ray_all(s.world, &rays[i], &filter, one, MOST, &count), ABUT_OK);
            assert_true(ranges[i].first == before && ranges[i].count == count);
            for (uint32_t k = 0; k < count; ++k)
            {
                assert_hit_equal(&many[before + k], &one[k]);
            }
            before += count;
        }
        assert_int_equal(total, before);
        close_scene(&s);
    }
}

static void it_is_a_flag_of_rays_and_not_of_casts(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_query_filter filter = { .flags = children };
    const abut_ray ray = { .translation = { 1, 0, 0 } };
    const abut_cast cast = { .shape = abut_shape_sphere(1), .pose = abut_pose_identity(), .translation = { 1, 0, 0 } };
    abut_hit hit;
    bool any;
    uint32_t count;
    (void)ball(world, 0.5f);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    assert_int_equal(abut_world_ray_closest(world, &ray, &filter, &hit), ABUT_OK);
    assert_true(hit.fraction == 0.0f && hit.flags == ABUT_HIT_INSIDE);
    assert_int_equal(abut_world_ray_any(world, &ray, &filter, &any), ABUT_OK);
    assert_true(any);
    assert_int_equal(abut_world_cast_all(world, &cast, &filter, &hit, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_ray_all(world, &ray, &filter, &hit, 1, &count), ABUT_OK);
    assert_true(count == 1 && hit.child == 0 && hit.flags == ABUT_HIT_INSIDE);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_triangle_and_part_is_a_hit),
        cmocka_unit_test(batches_have_the_bits_of_single_calls),
        cmocka_unit_test(it_is_a_flag_of_rays_and_not_of_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
