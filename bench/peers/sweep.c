// The least a user could write: boxes sorted by their lower x, swept once, and every pair whose boxes overlap handed to
// abut's own world-free abut_collide_many. No world, no tree, no contacts that last. The distance between this and abut
// is what the world is worth beyond its kernels.
#include "peers.h"
#include "scene_shapes.h"
#include "storage.h"

#include <abut/collide.h>

#include <string.h>

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)

typedef struct box
{
    abut_vec3 min, max;
    uint32_t body;
    bool still;
} box;

typedef struct sorted_key
{
    uint32_t key; // rises with the lower x
    uint32_t body;
} sorted_key;

typedef struct instance
{
    abut_shape *shapes; // by index in the scene, as are the poses and the boxes
    abut_pose *poses;
    box *boxes;
    uint32_t count;
    sorted_key *keys, *spare;
    box *swept;               // in the order of the keys
    uint32_t *a, *b;          // stb_ds: the candidates
    abut_manifold *manifolds; // stb_ds: of each candidate
    uint32_t *touching;       // stb_ds: the candidates that touch
    uint64_t points;
} instance;

static float magnitude(float x)
{
    return x < 0.0f ? -x : x;
}

// Half extents of the box around the shape, a little more for the rounding.
static abut_vec3 half_extents(const abut_shape *shape, abut_quat rotation)
{
    const float more = 1.000001f;
    if (shape->kind == ABUT_SPHERE)
    {
        const float r = shape->sphere.radius * more;
        return abut_vec3_make(r, r, r);
    }
    const abut_vec3 h = abut_vec3_scale(shape->box.half_extents, more);
    if (shape->kind == ABUT_AABB)
    {
        return h;
    }
    const abut_mat3 m = abut_mat3_from_quat(rotation);
    return abut_vec3_make(magnitude(m.x.x) * h.x + magnitude(m.y.x) * h.y + magnitude(m.z.x) * h.z,
                          magnitude(m.x.y) * h.x + magnitude(m.y.y) * h.y + magnitude(m.z.y) * h.z,
                          magnitude(m.x.z) * h.x + magnitude(m.y.z) * h.y + magnitude(m.z.z) * h.z);
}

static void place(instance *it, uint32_t i, const abut_pose *pose)
{
    it->poses[i] = *pose;
    if (it->shapes[i].kind == ABUT_HULL)
    {
        const abut_aabb around = scene_hull_bounds(&it->shapes[i], pose);
        it->boxes[i].min = around.min;
        it->boxes[i].max = around.max;
        return;
    }
    const abut_vec3 half = half_extents(&it->shapes[i], pose->rotation);
    it->boxes[i].min = abut_vec3_sub(pose->position, half);
    it->boxes[i].max = abut_vec3_add(pose->position, half);
}

static void *create(const bench_scene *scene, const engine_settings *settings, bench_complaint *complaint)
{
    (void)settings, (void)complaint;
    instance *it = storage_take(1, sizeof *it);
    it->count = scene->count;
    it->shapes = storage_take(scene->count, sizeof *it->shapes);
    it->poses = storage_take(scene->count, sizeof *it->poses);
    it->boxes = storage_take(scene->count, sizeof *it->boxes);
    it->swept = storage_take(scene->count, sizeof *it->swept);
    it->keys = storage_take(scene->count, sizeof *it->keys);
    it->spare = storage_take(scene->count, sizeof *it->spare);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        it->shapes[i] = scene->defs[i].collider.shape;
        it->boxes[i].body = i;
        it->boxes[i].still = scene->defs[i].motion == ABUT_STATIC;
        place(it, i, &scene->defs[i].pose);
    }
    return it;
}

// Floats in the order of their values: the sign bit flipped, all bits of negative ones.
static uint32_t rising_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static void sort_by_digit(const sorted_key *from, sorted_key *to, uint32_t count, uint32_t shift)
{
    uint32_t place[DIGITS] = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        ++place[from[i].key >> shift & (DIGITS - 1)];
    }
    for (uint32_t digit = 0, before = 0; digit < DIGITS; ++digit)
    {
        const uint32_t here = place[digit];
        place[digit] = before;
        before += here;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
    }
}

static void sort_boxes(instance *it)
{
    for (uint32_t i = 0; i < it->count; ++i)
    {
        it->keys[i] = (sorted_key){ rising_key(it->boxes[i].min.x), i };
    }
    sort_by_digit(it->keys, it->spare, it->count, 0);
    sort_by_digit(it->spare, it->keys, it->count, DIGIT_BITS);
    sort_by_digit(it->keys, it->spare, it->count, 2 * DIGIT_BITS);
    for (uint32_t i = 0; i < it->count; ++i)
    {
        it->swept[i] = it->boxes[it->spare[i].body];
    }
}

static bool beside(const box *a, const box *b)
{
    return a->min.y > b->max.y || b->min.y > a->max.y || a->min.z > b->max.z || b->min.z > a->max.z;
}

static void sweep(instance *it)
{
    arrsetlen(it->a, 0);
    arrsetlen(it->b, 0);
    for (uint32_t i = 0; i < it->count; ++i)
    {
        const box *here = &it->swept[i];
        for (const box *next = here + 1; next < it->swept + it->count && next->min.x <= here->max.x; ++next)
        {
            if (!beside(here, next) && !(here->still && next->still))
            {
                arrput(it->a, here->body);
                arrput(it->b, next->body);
            }
        }
    }
}

static abut_status collide(instance *it)
{
    const uint32_t candidates = (uint32_t)arrlenu(it->a);
    const abut_pair_list pairs = { it->shapes, it->poses, it->count, candidates, it->a, it->b, NULL, 0 };
    arrsetlen(it->manifolds, candidates);
    arrsetlen(it->touching, 0);
    it->points = 0;
    const abut_status status = abut_collide_many(&pairs, 0.0f, it->manifolds);
    for (uint32_t i = 0; status == ABUT_OK && i < candidates; ++i)
    {
        if (it->manifolds[i].point_count > 0)
        {
            arrput(it->touching, i);
            it->points += it->manifolds[i].point_count;
        }
    }
    return status;
}

static bool step(void *given, const bench_scene *scene, bench_complaint *complaint)
{
    instance *it = given;
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        it->shapes[scene->renewed[i]] = scene->renewed_defs[i].collider.shape;
    }
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        place(it, i, &scene->poses[i]);
    }
    sort_boxes(it);
    sweep(it);
    const abut_status status = collide(it);
    return status == ABUT_OK ||
           complain(complaint, EXIT_BROKEN, "abut_collide_many failed: %s", abut_status_text(status));
}

static void inspect(void *given, engine_frame *out)
{
    const instance *it = given;
    *out = (engine_frame){ .touching = arrlenu(it->touching), .candidates = arrlenu(it->a), .points = it->points };
}

static void touching(void *given, pair_list *out)
{
    const instance *it = given;
    for (size_t i = 0; i < arrlenu(it->touching); ++i)
    {
        pair_list_add(out, it->a[it->touching[i]], it->b[it->touching[i]]);
    }
}

static void destroy(void *given)
{
    instance *it = given;
    if (it)
    {
        void *const taken[] = { it->shapes, it->poses, it->boxes, it->swept, it->keys, it->spare };
        for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i)
        {
            storage_give(taken[i]);
        }
        arrfree(it->a);
        arrfree(it->b);
        arrfree(it->manifolds);
        arrfree(it->touching);
        storage_give(it);
    }
}

const bench_engine engine_sweep = {
    .name = "sweep",
    .built = "sort and sweep, abut_collide_many; single precision; as abut",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS,
    .single_threaded = true,
    .knows_hulls = true,
    .create = create,
    .step = step,
    .inspect = inspect,
    .touching = touching,
    .destroy = destroy,
};
