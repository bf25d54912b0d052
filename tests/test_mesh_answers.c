// What meshes and heightfields answer against plain geometry in double over all their triangles: overlaps, distances,
// casts, contacts and rays, of balls, capsules, boxes, hulls and kinds of the caller's own.
#include "ghost_sliders.h"

#include <stdio.h>

enum
{
    SURFACES = 40,
    PLACES = 20, // of each of the shapes, and rays for each, over each surface
    STEPS = 8,   // along a cast
    MOST = 256   // contacts of a shape that are looked at
};

// Shares of the size.
#define BAND  1e-5 // of distances
#define SHORT 1e-3 // of what is left to go where a cast hits

typedef struct counts
{
    uint64_t pairs, overlaps, contacts, ways_out, casts, hits, rays, ray_hits, aimed;
} counts;

typedef struct scene
{
    uint64_t seed;
    random_source random;
    surface on;
    abut_world *world;
    abut_pose pose; // of the surface
    abut_body ground;
    slider sliders[SLIDER_SHAPES];
    counts *seen;
} scene;

static dvec3 into_surface(const scene *s, dvec3 point)
{
    return dquat_rotate(dquat_conjugate(turn_of(s->pose.rotation)), dvec3_sub(point, wide(s->pose.position)));
}

static dvec3 out_of_surface(const scene *s, dvec3 point)
{
    return dvec3_add(wide(s->pose.position), dquat_rotate(turn_of(s->pose.rotation), point));
}

static void open_scene(scene *s, uint64_t seed, counts *seen)
{
    *s = (scene){ .seed = seed, .random = random_start(seed), .seen = seen };
    random_source *random = &s->random;
    surface_make(&s->on, (surface_kind)(seed % SURFACE_KINDS), random, random_scale(random, 0.01, 100.0));
    const dvec3 at = random_in_box(random, s->on.scale);
    s->pose = (abut_pose){ .position = random_narrow(at), .rotation = random_narrow_rotation(random_rotation(random)) };
    s->world = open_world(NULL);
    for (uint32_t i = 0; i < OWN_KINDS; ++i)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(s->world, &own_kind[i], &id), ABUT_OK);
    }
    const abut_body_def ground = { .pose = s->pose,
                                   .motion = ABUT_STATIC,
                                   .collider.shape = abut_shape_mesh(s->on.geometry) };
    assert_int_equal(abut_body_create(s->world, &ground, &s->ground), ABUT_OK);
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        slider *one = &s->sliders[i];
        slider_make(one, random, i, &s->on);
        const abut_body_def def = { .pose = abut_pose_identity(),
                                    .collider = { .shape = one->shape[0], .filter = { .category = 2, .mask = 1 } } };
        assert_int_equal(abut_body_create(s->world, &def, &one->body), ABUT_OK);
    }
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        abut_geometry_release(s->sliders[i].hull);
    }
    surface_close(&s->on);
}

static void judge(bool right, const scene *s, uint32_t which, const char *what, double is, double wanted)
{
    if (!right)
    {
        fail_msg("seed %llu, surface %d%s, shape %u: %s: %.9g, not %.9g (size %g)", (unsigned long long)s->seed,
                 (int)s->on.kind, s->on.two_sided ? ", two sides" : "", which, what, is, wanted,
                 s->sliders[which].size);
    }
}

// A point of a triangle: a corner, on an edge, or anywhere.
static dvec3 point_of(random_source *random, const plain_triangle *t, bool *corner, bool *edge)
{
    *corner = random_chance(random, 0.3);
    *edge = !*corner && random_chance(random, 0.5);
    const double u = *corner ? 0.0 : random_unit(random), v = *corner || *edge ? 0.0 : (1.0 - u) * random_unit(random);
    const dvec3 at = dvec3_along(t->corner[0], u, dvec3_sub(t->corner[1], t->corner[0]));
    return dvec3_along(at, v, dvec3_sub(t->corner[2], t->corner[0]));
}

static const plain_triangle *some_triangle(scene *s, uint32_t *which)
{
    *which = random_below(&s->random, s->on.made.triangle_count);
    return &s->on.triangles[*which];
}

static abut_pose place(scene *s, const slider *one)
{
    bool corner, edge;
    uint32_t which;
    const dvec3 on = point_of(&s->random, some_triangle(s, &which), &corner, &edge);
    const double far = one->size * random_scale(&s->random, 1e-4, 3.0);
    const dvec3 at = out_of_surface(s, dvec3_along(on, far, random_direction(&s->random)));
    const abut_quat turn = random_narrow_rotation(random_rotation(&s->random));
    return (abut_pose){ .position = random_narrow(at),
                        .rotation = one->turns == TURN_NONE ? abut_quat_identity() : turn };
}

// A shape in the surface's frame.
static plain_solid solid_at(const scene *s, const slider *one, abut_pose pose, dvec3 moved)
{
    plain_solid out;
    const dquat back = dquat_conjugate(turn_of(s->pose.rotation));
    plain_place(&one->solid[0], dquat_mul(back, turn_of(pose.rotation)),
                into_surface(s, dvec3_add(wide(pose.position), moved)), &out);
    return out;
}

// The nearest of all triangles, and those that are overlapped more than half from in front.
typedef struct nearest
{
    double distance, front;
} nearest;

static nearest nearest_of(const scene *s, const plain_solid *solid, double band)
{
    const dvec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    nearest n = { HUGE_VAL, HUGE_VAL };
    plain_span span[3];
    for (int k = 0; k < 3; ++k)
    {
        span[k] = plain_span_of(solid, axis[k]);
    }
    for (uint32_t i = 0; i < s->on.made.triangle_count; ++i)
    {
        const plain_triangle *t = &s->on.triangles[i];
        double apart = -HUGE_VAL;
        for (int k = 0; k < 3; ++k)
        {
            const plain_span other = plain_triangle_span(t, axis[k]);
            apart = fmax(apart, fmax(span[k].low - other.high, other.low - span[k].high));
        }
        if (apart > 0.0 && apart > n.distance)
        {
            continue;
        }
        const double distance = plain_distance(solid, t);
        const plain_span height = plain_span_of(solid, t->normal);
        const double middle = 0.5 * (height.low + height.high) - dvec3_dot(t->normal, t->corner[0]);
        n.distance = fmin(n.distance, distance);
        if (s->on.two_sided ? fabs(middle) > band : middle > band)
        {
            n.front = fmin(n.front, distance);
        }
    }
    return n;
}

static double band_of(const scene *s, const slider *one)
{
    return BAND * one->size + 4.0 * s->on.round + 2.0 * (double)FLT_EPSILON * dvec3_length(wide(s->pose.position));
}

// Where the shape overlaps the surface so that they have a contact, the cast begins in it, else it goes on.
static void judge_cast(scene *s, uint32_t i, abut_pose pose, nearest start, bool overlaps)
{
    const slider *one = &s->sliders[i];
    const double band = band_of(s, one);
    const dvec3 way = dvec3_scale(random_direction(&s->random), one->size * random_scale(&s->random, 0.1, 10.0));
    const abut_cast cast = { .shape = one->shape[0], .pose = pose, .translation = random_narrow(way) };
    const abut_query_filter ground = { .mask = 1 };
    abut_hit hit;
    assert_int_equal(abut_world_cast_closest(s->world, &cast, &ground, &hit), ABUT_OK);
    const bool hits = hit.body.generation != 0;
    ++s->seen->casts;
    s->seen->hits += hits;
    if (start.front < -2.0 * band)
    {
        judge((hit.flags & ABUT_HIT_INSIDE) != 0 && hit.fraction == 0.0f, s, i, "a cast begins in it and ends at",
              (double)hit.fraction, 0.0);
    }
    judge(overlaps || (hit.flags & ABUT_HIT_INSIDE) == 0, s, i, "a cast begins in what it does not overlap, at",
          (double)hit.depth, start.distance);
    if (start.distance < -2.0 * band)
    {
        return;
    }
    for (uint32_t k = 1; k <= STEPS; ++k)
    {
        const double at = (double)hit.fraction * k / STEPS;
        const plain_solid solid = solid_at(s, one, pose, dvec3_scale(wide(cast.translation), at));
        const double distance = nearest_of(s, &solid, band).distance;
        judge(!s->on.two_sided || distance > -2.0 * band, s, i, "a cast passes what it overlaps by", distance, at);
        if (k == STEPS && hits)
        {
            judge(distance < SHORT * one->size + 2.0 * band, s, i, "a cast ends before it by", distance, at);
        }
    }
}

static void judge_pair(scene *s, uint32_t i)
{
    const slider *one = &s->sliders[i];
    const abut_pose pose = place(s, one);
    const double band = band_of(s, one);
    const plain_solid solid = solid_at(s, one, pose, dvec3_make(0, 0, 0));
    const nearest n = nearest_of(s, &solid, band);
    const abut_placed_shape asker = { one->shape[0], pose };
    const abut_query_filter ground = { .mask = 1 };
    abut_near near;
    abut_found found;
    uint32_t count;
    assert_int_equal(abut_world_nearest_shape(s->world, &asker, INFINITY, &ground, &near, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    judge(fabs((double)near.distance - fmax(n.distance, 0.0)) <= band, s, i, "the distance is", (double)near.distance,
          n.distance);
    if (near.distance > 0.0f)
    {
        const double between = dvec3_length(dvec3_sub(wide(near.on_collider), wide(near.on_query)));
        judge(fabs(between - (double)near.distance) <= 2.0 * band, s, i, "between nearest points it is", between,
              (double)near.distance);
        const double own = plain_distance(&solid, &s->on.triangles[near.child]);
        judge(fabs(own - n.distance) <= 2.0 * band, s, i, "the triangle that is nearest is at", own, n.distance);
    }
    assert_int_equal(abut_world_overlap_shape(s->world, &asker, &ground, &found, 1, &count), ABUT_OK);
    judge(n.distance <= band || count == 0, s, i, "it overlaps at a distance of", n.distance, 0.0);
    judge(n.front >= -band || count == 1, s, i, "it does not overlap at a depth of", n.front, 0.0);
    s->seen->overlaps += count;
    abut_world_bodies(s->world).poses[one->body.slot] = pose;
    if (random_chance(&s->random, 0.25))
    {
        judge_cast(s, i, pose, n, count > 0);
    }
    ++s->seen->pairs;
}

// What a cast begins in is the deepest contact there. A shape whose middle is on a triangle has two ways out.
static void judge_way_out(scene *s, uint32_t i, double front)
{
    const slider *one = &s->sliders[i];
    const abut_cast cast = { .shape = one->shape[0], .pose = abut_world_bodies(s->world).poses[one->body.slot] };
    const abut_query_filter ground = { .mask = 1 };
    const abut_contacts all = abut_world_contacts(s->world, ABUT_AWAKE);
    const abut_contact *deepest = NULL;
    abut_hit hit;
    uint32_t slots[MOST], count;
    assert_int_equal(abut_body_contacts(s->world, one->body, ABUT_AWAKE, slots, MOST, &count), ABUT_OK);
    for (uint32_t k = 0; k < count && k < MOST; ++k)
    {
        const abut_contact *own = &all.data[slots[k]];
        deepest = !deepest || own->separation < deepest->separation ? own : deepest;
    }
    if (count > MOST || !deepest || !(front < -2.0 * band_of(s, one)))
    {
        return;
    }
    assert_int_equal(abut_world_cast_closest(s->world, &cast, &ground, &hit), ABUT_OK);
    judge((hit.flags & ABUT_HIT_INSIDE) != 0, s, i, "a cast begins outside at a depth of", (double)-deepest->separation,
          0.0);
    judge(fabs((double)hit.depth + (double)deepest->separation) <= band_of(s, one), s, i, "a cast begins at a depth of",
          (double)hit.depth, (double)-deepest->separation);
    if (one->shape[0].kind != ABUT_CUSTOM)
    {
        const abut_shape mesh = abut_shape_mesh(s->on.geometry);
        abut_ray_hit alone;
        assert_int_equal(abut_cast_shape(&cast, &mesh, &s->pose, 0, &alone), ABUT_OK);
        judge((alone.flags & ABUT_HIT_INSIDE) != 0 && fabs((double)(alone.depth - hit.depth)) <= band_of(s, one), s, i,
              "a cast at the shape alone begins at a depth of", (double)alone.depth, (double)hit.depth);
    }
    ++s->seen->ways_out;
}

// The last places of all shapes at once.
static void judge_contacts(scene *s)
{
    assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_OK);
    for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
    {
        const slider *one = &s->sliders[i];
        const double band = band_of(s, one);
        const plain_solid solid =
            solid_at(s, one, abut_world_bodies(s->world).poses[one->body.slot], dvec3_make(0, 0, 0));
        const nearest n = nearest_of(s, &solid, band);
        uint32_t slot, count;
        assert_int_equal(abut_body_contacts(s->world, one->body, ABUT_AWAKE, &slot, 1, &count), ABUT_OK);
        judge(n.front >= -band || count > 0, s, i, "there is no contact at a depth of", n.front, 0.0);
        judge(n.distance <= band || count == 0, s, i, "there is a contact at a distance of", n.distance, 0.0);
        s->seen->contacts += count > 0;
        judge_way_out(s, i, n.front);
    }
}

// How far inside of a triangle a ray goes through its plane, as shares of its height; where it does.
static double ray_inside(const plain_triangle *t, dvec3 from, dvec3 way, double *at)
{
    const double rise = dvec3_dot(t->normal, way),
                 square = dvec3_length(
                     dvec3_cross(dvec3_sub(t->corner[1], t->corner[0]), dvec3_sub(t->corner[2], t->corner[0])));
    *at = dvec3_dot(t->normal, dvec3_sub(t->corner[0], from)) / rise;
    const dvec3 on = dvec3_along(from, *at, way);
    double least = HUGE_VAL;
    for (int k = 0; k < 3; ++k)
    {
        const dvec3 along = dvec3_sub(t->corner[(k + 1) % 3], t->corner[k]);
        least = fmin(least, dvec3_dot(dvec3_cross(t->normal, along), dvec3_sub(on, t->corner[k])) / square);
    }
    return rise != 0.0 ? least : -HUGE_VAL;
}

// Whether all triangles about a corner face a ray, with no border among them.
static bool faces_ray(const scene *s, uint32_t vertex, dvec3 unit)
{
    bool all = true;
    for (uint32_t i = s->on.first[vertex]; i < s->on.first[vertex + 1]; ++i)
    {
        const uint32_t triangle = s->on.around[i], *v = s->on.made.indices + 3 * triangle;
        int third;
        all = all && dvec3_dot(s->on.triangles[triangle].normal, unit) < -0.01;
        for (uint32_t k = 0; k < 3; ++k)
        {
            all = all && ((v[k] != vertex && v[(k + 1) % 3] != vertex) || surface_across(&s->on, triangle, k, &third));
        }
    }
    return all;
}

static void judge_ray(scene *s)
{
    random_source *random = &s->random;
    bool corner, edge;
    uint32_t which;
    const plain_triangle *target = some_triangle(s, &which);
    const double far = s->on.scale * random_scale(random, 0.01, 10.0);
    const dvec3 on = point_of(random, target, &corner, &edge);
    const dvec3 local = dvec3_along(on, far, random_direction(random));
    const abut_vec3 origin = random_narrow(out_of_surface(s, local));
    const dvec3 aim = dvec3_sub(out_of_surface(s, on), wide(origin));
    const abut_ray ray = { origin, random_narrow(dvec3_scale(aim, random_chance(random, 0.3) ? 0.5 : 1.5)) };
    const abut_query_filter ground = { .mask = 1 };
    abut_hit hit;
    assert_int_equal(abut_world_ray_closest(s->world, &ray, &ground, &hit), ABUT_OK);
    const dvec3 from = into_surface(s, wide(origin));
    const dvec3 way = dquat_rotate(dquat_conjugate(turn_of(s->pose.rotation)), wide(ray.translation));
    const double length = dvec3_length(way);
    // By how much positions are rounded, and as a share of the way.
    const double round = 8.0 * s->on.round + 4.0 * (double)FLT_EPSILON * dvec3_length(wide(origin));
    double sure = 2.0, likely = 2.0;
    for (uint32_t i = 0; i < s->on.made.triangle_count; ++i)
    {
        const plain_triangle *t = &s->on.triangles[i];
        double at;
        const double inside = ray_inside(t, from, way, &at), facing = dvec3_dot(t->normal, way) / length;
        const double against = s->on.two_sided ? -fabs(facing) : facing;
        const double steep = fmax(fabs(facing), 1e-9), off = round / steep;
        double least = HUGE_VAL;
        for (int k = 0; k < 3; ++k)
        {
            least = fmin(least, dvec3_length(dvec3_sub(t->corner[(k + 1) % 3], t->corner[k])));
        }
        const double height = 2.0 * off / least + 1e-6;
        if (against < 1e-5 && inside > -height && at > -off / length && at < 1.0 + off / length)
        {
            likely = fmin(likely, at - off / length);
            const bool is = against < -1e-3 && inside > height && at > off / length && at < 1.0 - off / length;
            sure = is ? fmin(sure, at + off / length) : sure;
        }
    }
    // Watertight: what is aimed at an edge or a corner does not pass between its triangles.
    const dvec3 unit = dvec3_scale(way, 1.0 / length);
    const uint32_t *v = s->on.made.indices + 3 * which;
    const double aimed = dvec3_length(aim) / length;
    const bool closed = faces_ray(s, v[0], unit) && (corner || faces_ray(s, v[1], unit));
    if ((corner || edge) && closed && aimed < 0.9)
    {
        sure = fmin(sure, aimed + 100.0 * round / length);
        ++s->seen->aimed;
    }
    const bool hits = hit.body.generation != 0;
    const double fraction = hits ? (double)hit.fraction : 2.0;
    judge(hits ? fraction <= sure + 1e-6 : sure > 1.5, s, 0, "a ray ends at", fraction, sure);
    judge(!hits || fraction >= likely - 1e-6, s, 0, "a ray ends early at", fraction, likely);
    ++s->seen->rays;
    s->seen->ray_hits += hits;
}

static void answers_are_those_of_brute_force(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SURFACES);
    counts seen = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        open_scene(&s, seed, &seen);
        for (uint32_t k = 0; k < PLACES; ++k)
        {
            assert_int_equal(abut_world_update(s.world), ABUT_OK);
            for (uint32_t i = 0; i < SLIDER_SHAPES; ++i)
            {
                judge_pair(&s, i);
                judge_ray(&s);
            }
            judge_contacts(&s);
        }
        close_scene(&s);
    }
    printf("%llu pairs, %llu overlaps, %llu with contacts, %llu ways out; %llu casts, %llu hits; %llu rays, %llu hits, "
           "%llu aimed at edges and corners\n",
           (unsigned long long)seen.pairs, (unsigned long long)seen.overlaps, (unsigned long long)seen.contacts,
           (unsigned long long)seen.ways_out, (unsigned long long)seen.casts, (unsigned long long)seen.hits,
           (unsigned long long)seen.rays, (unsigned long long)seen.ray_hits, (unsigned long long)seen.aimed);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_are_those_of_brute_force) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
