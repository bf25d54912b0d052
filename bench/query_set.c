// Origins are uniform in the box of the bodies' positions, directions uniform over the sphere. Lengths are those of the
// scene gas, whose bodies are 0.75 m wide in the mean: 20 m, 8 m and 1.6 m.
#include "query_set.h"

#include "pcg32.h"
#include "storage.h"

#define TRIES       16u    // to find an origin outside of all bodies
#define DOWN        1.0e4f // metres: below all ground
#define CAST_HALF   0.5f   // metres
#define CAST_LENGTH 10.0f  // metres
#define OVERLAPS    10.0   // expected of a question
#define SPHERE      1.24f  // radius of a ball of a cube's volume, in half extents

typedef struct place
{
    abut_vec3 low, high;
    float half; // of boxes that overlap as many bodies as wanted
} place;

const char *query_name(query_kind kind)
{
    static const char *const names[QUERY_KINDS] = { "ray-long",       "ray-medium", "ray-short",      "ray-any",
                                                    "ray-all",        "cast",       "overlap-bounds", "overlap-box",
                                                    "overlap-sphere", "nearest",    "nearest-8" };
    return names[kind];
}

static float lower(float a, float b)
{
    return a < b ? a : b;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

// Bodies that a box overlaps in the mean, somewhere among them.
static double overlaps_expected(const abut_vec3 *extents, uint32_t count, const place *at, float half)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += 8.0 * ((double)extents[i].x + half) * ((double)extents[i].y + half) * ((double)extents[i].z + half);
    }
    const abut_vec3 size = abut_vec3_sub(at->high, at->low);
    return sum / ((double)higher(size.x, 1.0f) * higher(size.y, 1.0f) * higher(size.z, 1.0f));
}

static bool find_place(place *out, const bench_scene *scene, bench_complaint *complaint)
{
    abut_vec3 *extents = storage_take(scene->bodies, sizeof *extents);
    bool sound = true;
    out->low = out->high = scene->poses[0].position;
    for (uint32_t i = 0; sound && i < scene->bodies; ++i)
    {
        abut_aabb box;
        const abut_vec3 at = scene->poses[i].position;
        sound = abut_shape_bounds(&scene->defs[i].collider.shape, &scene->poses[i], &box) == ABUT_OK;
        extents[i] = sound ? abut_aabb_half_extents(&box) : at;
        out->low = abut_vec3_make(lower(out->low.x, at.x), lower(out->low.y, at.y), lower(out->low.z, at.z));
        out->high = abut_vec3_make(higher(out->high.x, at.x), higher(out->high.y, at.y), higher(out->high.z, at.z));
    }
    float least = 0.05f, most = 1000.0f;
    for (uint32_t step = 0; sound && step < 40; ++step)
    {
        const float middle = 0.5f * (least + most);
        const bool too_many = overlaps_expected(extents, scene->bodies, out, middle) > OVERLAPS;
        least = too_many ? least : middle;
        most = too_many ? middle : most;
    }
    out->half = least;
    storage_give(extents);
    return sound || complain(complaint, EXIT_BROKEN, "a body of scene %s has no bounds", scene->name);
}

static abut_vec3 draw_point(const place *at, pcg32 *random)
{
    const float x = pcg32_between(random, at->low.x, at->high.x), y = pcg32_between(random, at->low.y, at->high.y);
    return abut_vec3_make(x, y, pcg32_between(random, at->low.z, at->high.z));
}

static abut_status is_above(const abut_world *ground, abut_vec3 at, bool *out)
{
    const abut_ray down = { .origin = at, .translation = { 0.0f, -DOWN, 0.0f } };
    return abut_world_ray_any(ground, &down, NULL, out);
}

static abut_status is_outside(const abut_world *all, abut_vec3 at, float half, bool *out)
{
    uint32_t inside = 0;
    const abut_aabb box = abut_aabb_from_centre(at, abut_vec3_make(half, half, half));
    const abut_status status = half > 0.0f ? abut_world_overlap_aabb(all, &box, NULL, NULL, 0, &inside)
                                           : abut_world_overlap_point(all, &at, NULL, NULL, 0, &inside);
    *out = inside == 0;
    return status;
}

// A point where a ray or a box may start, or the last tried.
static bool draw_origin(const place *at, float half, const query_worlds *worlds, pcg32 *random, abut_vec3 *out)
{
    bool good = false;
    for (uint32_t tries = 0; !good && tries < TRIES; ++tries)
    {
        *out = draw_point(at, random);
        bool above = true;
        if (worlds->ground && is_above(worlds->ground, *out, &above) != ABUT_OK)
        {
            return false;
        }
        if (is_outside(worlds->all, *out, half, &good) != ABUT_OK)
        {
            return false;
        }
        good = good && above;
    }
    return true;
}

static bool make_rays(query_set *set, const place *at, float length, const query_worlds *worlds, pcg32 *random)
{
    set->rays = storage_take(QUERY_COUNT, sizeof *set->rays);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        if (!draw_origin(at, 0.0f, worlds, random, &set->rays[i].origin))
        {
            return false;
        }
        set->rays[i].translation = abut_vec3_scale(pcg32_direction(random), length);
    }
    return true;
}

static bool make_casts(query_set *set, const place *at, const query_worlds *worlds, pcg32 *random)
{
    set->casts = storage_take(QUERY_COUNT, sizeof *set->casts);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        abut_cast *cast = &set->casts[i];
        cast->shape = abut_shape_aabb(CAST_HALF, CAST_HALF, CAST_HALF);
        cast->pose.rotation.w = 1.0f;
        if (!draw_origin(at, CAST_HALF, worlds, random, &cast->pose.position))
        {
            return false;
        }
        cast->translation = abut_vec3_scale(pcg32_direction(random), CAST_LENGTH);
    }
    return true;
}

static void make_boxes(query_set *set, const place *at, pcg32 *random)
{
    set->boxes = storage_take(QUERY_COUNT, sizeof *set->boxes);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        set->boxes[i] = abut_aabb_from_centre(draw_point(at, random), abut_vec3_make(at->half, at->half, at->half));
    }
}

static void make_spheres(query_set *set, const place *at, pcg32 *random)
{
    set->shapes = storage_take(QUERY_COUNT, sizeof *set->shapes);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        set->shapes[i].shape = abut_shape_sphere(SPHERE * at->half);
        set->shapes[i].pose.position = draw_point(at, random);
        set->shapes[i].pose.rotation.w = 1.0f;
    }
}

static void make_points(query_set *set, const place *at, pcg32 *random)
{
    set->points = storage_take(QUERY_COUNT, sizeof *set->points);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        set->points[i] = draw_point(at, random);
    }
}

bool query_set_make(query_set *set, query_kind kind, const bench_scene *scene, const query_worlds *worlds,
                    bench_complaint *complaint)
{
    static const float lengths[] = { [QUERY_RAY_LONG] = 20.0f,
                                     [QUERY_RAY_MEDIUM] = 8.0f,
                                     [QUERY_RAY_SHORT] = 1.6f,
                                     [QUERY_RAY_ANY] = 20.0f,
                                     [QUERY_RAY_ALL] = 20.0f };
    place at;
    *set = (query_set){ .kind = kind };
    if (!find_place(&at, scene, complaint))
    {
        return false;
    }
    pcg32 random = pcg32_seed(23, kind);
    bool sound = true;
    if (kind <= QUERY_RAY_ALL)
    {
        sound = make_rays(set, &at, lengths[kind], worlds, &random);
    }
    else if (kind == QUERY_CAST)
    {
        sound = make_casts(set, &at, worlds, &random);
    }
    else if (kind <= QUERY_OVERLAP_BOX)
    {
        make_boxes(set, &at, &random);
    }
    else if (kind == QUERY_OVERLAP_SPHERE)
    {
        make_spheres(set, &at, &random);
    }
    else
    {
        make_points(set, &at, &random);
    }
    return sound || complain(complaint, EXIT_BROKEN, "no origins could be found in scene %s", scene->name);
}

void query_set_release(query_set *set)
{
    storage_give(set->rays);
    storage_give(set->casts);
    storage_give(set->boxes);
    storage_give(set->shapes);
    storage_give(set->points);
}
