#include "drop.h"

#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DENSITY 1000.0f
#define STEP    (1.0f / 120.0f) // seconds: what falls from eight metres goes a decimetre in it, less than it is thick
#define DRAG    0.998f          // of a velocity is left after a step
#define ROLLING 16.0f // radians a second that a spin loses in one: balls would roll about in hollows for minutes
#define SLOW    0.1f  // metres a second

typedef struct chance
{
    uint32_t state;
} chance;

static float random_between(chance *c, float low, float high)
{
    c->state = c->state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(c->state >> 8) / 16777216.0f;
}

const char *body_kind_name(body_kind kind)
{
    static const char *const names[BODY_KINDS] = { "sphere", "box", "capsule", "cylinder", "hull", "compound" };
    return names[kind];
}

static bool ok(drop *d, abut_status status)
{
    d->status = d->status == ABUT_OK ? status : d->status;
    return d->status == ABUT_OK;
}

// Rocks: each corner has one opposite, so that the middle of the mass is at zero.
static void make_hull(drop *d, uint32_t i, chance *c)
{
    abut_vec3 points[24];
    const uint32_t half = 5 + 2 * i;
    for (uint32_t k = 0; k < half; ++k)
    {
        const float y = 1.0f - ((float)k + 0.5f) / (float)half, ring = sqrtf(1.0f - y * y);
        float sine, cosine;
        abut_sincos(2.3999632f * (float)k, &sine, &cosine);
        const float size = random_between(c, 0.42f, 0.55f);
        points[k] = abut_vec3_scale(abut_vec3_make(ring * cosine, 0.8f * y, ring * sine), size);
        points[half + k] = abut_vec3_negate(points[k]);
    }
    ok(d, abut_geometry_create_hull(points, 2 * half, 0, NULL, &d->hulls[i]));
}

// Three crossed beams, and a dumbbell.
static void make_compounds(drop *d)
{
    const abut_pose middle = abut_pose_identity();
    abut_pose left = middle, right = middle;
    left.position.y = -0.5f;
    right.position.y = 0.5f;
    const abut_placed_shape cross[3] = { { abut_shape_obb(0.55f, 0.14f, 0.14f), middle },
                                         { abut_shape_obb(0.14f, 0.55f, 0.14f), middle },
                                         { abut_shape_obb(0.14f, 0.14f, 0.55f), middle } };
    const abut_placed_shape dumbbell[3] = { { abut_shape_capsule(0.12f, 0.5f), middle },
                                            { abut_shape_obb(0.3f, 0.16f, 0.3f), left },
                                            { abut_shape_obb(0.3f, 0.16f, 0.3f), right } };
    ok(d, abut_geometry_create_compound(cross, 3, NULL, &d->compounds[0]));
    ok(d, abut_geometry_create_compound(dumbbell, 3, NULL, &d->compounds[1]));
}

// Masses other than of balls are those of boxes about the shapes.
static abut_shape make_shape(const drop *d, body_kind kind, chance *c, solver_mass *mass)
{
    const float x = random_between(c, 0.25f, 0.55f), y = random_between(c, 0.25f, 0.55f),
                z = random_between(c, 0.25f, 0.55f);
    const uint32_t which = (uint32_t)random_between(c, 0.0f, 3.999f);
    abut_vec3 half = { x, y, z };
    abut_shape shape = abut_shape_sphere(x);
    switch (kind)
    {
    case BODY_BOX:
        shape = abut_shape_obb(x, y, z);
        break;
    case BODY_CAPSULE:
        shape = abut_shape_capsule(0.6f * x, y);
        half = abut_vec3_make(0.55f * x, y + 0.5f * x, 0.55f * x);
        break;
    case BODY_CYLINDER:
        shape = which % 2 ? abut_shape_cylinder(x, y) : abut_shape_tapered_cylinder(x, 0.4f * z, y);
        half = abut_vec3_make(0.85f * x, y, 0.85f * x);
        break;
    case BODY_HULL:
        shape = abut_shape_hull(d->hulls[which]);
        half = abut_vec3_make(0.4f, 0.32f, 0.4f);
        break;
    case BODY_COMPOUND:
        shape = abut_shape_compound(d->compounds[which % 2]);
        half = which % 2 ? abut_vec3_make(0.25f, 0.5f, 0.25f) : abut_vec3_make(0.35f, 0.35f, 0.35f);
        break;
    default:
        break;
    }
    *mass = kind == BODY_SPHERE ? solver_ball_mass(x, DENSITY) : solver_box_mass(half, DENSITY);
    return shape;
}

static abut_quat any_rotation(chance *c)
{
    const float x = random_between(c, -1, 1), y = random_between(c, -1, 1), z = random_between(c, -1, 1);
    return abut_quat_normalise((abut_quat){ x, y, z, 0.1f + random_between(c, 0, 1) });
}

// Over the middle four fifths of the level, in layers.
static abut_body_def make_body(const drop *d, uint32_t i, const abut_aabb *box, chance *c, solver_mass *mass)
{
    const abut_vec3 middle = abut_aabb_centre(box), half = abut_aabb_half_extents(box);
    const body_kind kind = (body_kind)(i % BODY_KINDS);
    abut_body_def def = { .user_data = (uint64_t)kind };
    def.collider.shape = make_shape(d, kind, c, mass);
    const float x = random_between(c, -0.8f, 0.8f), z = random_between(c, -0.8f, 0.8f);
    def.pose.position =
        abut_vec3_make(middle.x + x * half.x, box->max.y + 1.0f + 1.3f * (float)(i / 48), middle.z + z * half.z);
    def.pose.rotation = any_rotation(c);
    return def;
}

static bool add_level(drop *d, const triangles *level)
{
    const abut_mesh_def mesh = { .vertices = level->vertices,
                                 .indices = level->indices,
                                 .vertex_count = level->vertex_count,
                                 .triangle_count = level->count };
    if (!ok(d, abut_geometry_create_mesh(&mesh, NULL, &d->ground)))
    {
        return false;
    }
    abut_body_def def = { .motion = ABUT_STATIC, .user_data = LEVEL };
    def.collider.shape = abut_shape_mesh(d->ground);
    return ok(d, abut_body_create(d->world, &def, &d->level));
}

static abut_aabb box_around(const triangles *level)
{
    abut_aabb box = abut_aabb_make(level->vertices[0], level->vertices[0]);
    for (uint32_t i = 1; i < level->vertex_count; ++i)
    {
        const abut_vec3 v = level->vertices[i];
        box.min = abut_vec3_make(fminf(box.min.x, v.x), fminf(box.min.y, v.y), fminf(box.min.z, v.z));
        box.max = abut_vec3_make(fmaxf(box.max.x, v.x), fmaxf(box.max.y, v.y), fmaxf(box.max.z, v.z));
    }
    return box;
}

void drop_open(drop *d, const triangles *level, uint32_t count, uint32_t seed)
{
    chance c = { seed };
    memset(d, 0, sizeof *d);
    const abut_world_def def = { .margin = SOLVER_MARGIN };
    if (!ok(d, abut_world_create(&def, &d->world)) || !add_level(d, level))
    {
        return;
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        make_hull(d, i, &c);
    }
    make_compounds(d);
    d->solver = d->status == ABUT_OK ? solver_create(d->world, abut_vec3_make(0.0f, -9.81f, 0.0f), 0.6f, 2) : NULL;
    if (!d->solver)
    {
        ok(d, ABUT_OUT_OF_MEMORY);
    }
    const abut_aabb box = box_around(level);
    for (d->count = 0; d->status == ABUT_OK && d->count < count; ++d->count)
    {
        solver_mass mass;
        const abut_body_def body = make_body(d, d->count, &box, &c, &mass);
        if (ok(d, abut_body_create(d->world, &body, &d->bodies[d->count])))
        {
            ok(d, solver_set_mass(d->solver, d->bodies[d->count], mass));
        }
    }
}

static void slow_down(const drop *d)
{
    const abut_bodies bodies = abut_world_bodies(d->world);
    for (uint32_t i = 0; i < d->count; ++i)
    {
        abut_velocity *v = &bodies.velocities[d->bodies[i].slot];
        v->linear = abut_vec3_scale(v->linear, DRAG);
        const float spin = abut_vec3_length(v->angular), left = spin - ROLLING * STEP;
        v->angular = left > 0.0f ? abut_vec3_scale(v->angular, left / spin) : abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
}

void drop_run(drop *d, uint32_t seconds)
{
    for (uint32_t i = 0; i < 120 * seconds && d->status == ABUT_OK; ++i)
    {
        if (ok(d, solver_step(d->solver, STEP)))
        {
            slow_down(d);
        }
    }
    if (d->status == ABUT_OK)
    {
        ok(d, abut_world_detect(d->world, 0.0f)); // contacts of where the bodies are now
    }
}

void drop_close(drop *d)
{
    solver_destroy(d->solver);
    abut_world_destroy(d->world);
    abut_geometry_release(d->ground);
    for (uint32_t i = 0; i < 4; ++i)
    {
        abut_geometry_release(d->hulls[i]);
    }
    abut_geometry_release(d->compounds[0]);
    abut_geometry_release(d->compounds[1]);
}

static void count_contacts(const drop *d, drop_found *found, bool *touched)
{
    const abut_contacts contacts = abut_world_contacts(d->world, ABUT_AWAKE);
    found->contacts = contacts.count;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&contacts, i),
                           *before = i > 0 ? abut_contact_at(&contacts, i - 1) : NULL;
        touched[c->a.slot] = touched[c->b.slot] = true;
        found->pairs += !before || before->a.slot != c->a.slot || before->b.slot != c->b.slot;
        found->points += c->point_count;
        found->deepest = fmaxf(found->deepest, -c->separation);
    }
}

// Whether the level shows its front to a ray straight down from the body.
static bool is_over_level(drop *d, abut_vec3 at)
{
    const abut_ray down = { .origin = at, .translation = { 0.0f, -1000.0f, 0.0f } };
    const abut_query_filter level_alone = { .motions = 1u << ABUT_STATIC };
    bool over = false;
    return ok(d, abut_world_ray_any(d->world, &down, &level_alone, &over)) && over;
}

drop_found drop_look(drop *d)
{
    drop_found found = { .hash = abut_world_hash(d->world) };
    const abut_bodies bodies = abut_world_bodies(d->world);
    bool *touched = calloc(bodies.count, sizeof *touched);
    if (!touched)
    {
        ok(d, ABUT_OUT_OF_MEMORY);
        return found;
    }
    count_contacts(d, &found, touched);
    for (uint32_t i = 0; i < d->count; ++i)
    {
        const uint32_t slot = d->bodies[i].slot;
        const float speed = abut_vec3_length(bodies.velocities[slot].linear);
        found.fallen += !is_over_level(d, bodies.poses[slot].position);
        found.moving += speed > SLOW;
        found.floating += !touched[slot];
        found.fastest = fmaxf(found.fastest, speed);
    }
    free(touched);
    return found;
}
