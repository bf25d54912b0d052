#include "shade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
    AROUND = 6 // rays from each point, for how much of the sky it sees
};

#define FAR   200.0f // metres
#define REACH 2.5f   // metres that the sky's light is looked for around a point
#define LIFT  0.002f // metres off the surface that rays begin

typedef struct camera
{
    abut_vec3 eye, right, up, forward;
    float focal; // pixels a metre at depth one
} camera;

// A row of samples: what each sees, how much of the sun and of the sky is hidden there.
typedef struct row
{
    abut_ray *rays;
    abut_hit *hits;
    abut_ray *sun, *around;
    bool *shadow, *covered;
    uint32_t count, samples; // a pixel has samples x samples
} row;

static abut_vec3 unit(abut_vec3 v)
{
    return abut_vec3_scale(v, 1.0f / abut_vec3_length(v));
}

static camera look(abut_vec3 eye, abut_vec3 at, float focal)
{
    camera c = { .eye = eye, .forward = unit(abut_vec3_sub(at, eye)), .focal = focal };
    c.right = unit(abut_vec3_cross(c.forward, abut_vec3_make(0, 1, 0)));
    c.up = abut_vec3_cross(c.right, c.forward);
    return c;
}

static bool row_open(row *r, uint32_t count, uint32_t samples)
{
    *r = (row){ .rays = malloc(count * sizeof *r->rays),
                .hits = malloc(count * sizeof *r->hits),
                .sun = malloc(count * sizeof *r->sun),
                .around = malloc((size_t)AROUND * count * sizeof *r->around),
                .shadow = malloc(count * sizeof *r->shadow),
                .covered = malloc((size_t)AROUND * count * sizeof *r->covered),
                .count = count,
                .samples = samples };
    return r->rays && r->hits && r->sun && r->around && r->shadow && r->covered;
}

static void row_close(const row *r)
{
    free(r->rays);
    free(r->hits);
    free(r->sun);
    free(r->around);
    free(r->shadow);
    free(r->covered);
}

static const abut_vec3 to_sun = { 0.62f, 0.60f, 0.12f };

// The fraction of x.
static float wrapped(float x)
{
    return x - floorf(x);
}

// The n-th point of a sequence that fills the unit square evenly (Roberts, "The Unreasonable Effectiveness of
// Quasirandom Sequences", 2018).
static void spread(uint32_t n, float *u, float *v)
{
    *u = wrapped(0.5f + 0.7548777f * (float)n);
    *v = wrapped(0.5f + 0.5698403f * (float)n);
}

// On the half sphere about a normal, more towards it.
static abut_vec3 around(abut_vec3 normal, float u, float v)
{
    float sine, cosine;
    abut_sincos(6.2831853f * u, &sine, &cosine);
    const float height = 1.0f - 2.0f * v, ring = sqrtf(1.0f - height * height);
    const abut_vec3 on = abut_vec3_make(ring * cosine, height, ring * sine);
    return abut_vec3_add(abut_vec3_scale(normal, 1.02f), on);
}

// From what is hit, or for a miss from a point where nothing is. The samples of a pixel share a pattern, which is the
// same for all pixels: smooth, without a grain.
static void aim_from_hits(const row *r, uint32_t y)
{
    for (uint32_t x = 0; x < r->count; ++x)
    {
        const abut_hit *hit = &r->hits[x];
        const abut_vec3 at =
            abut_vec3_add(abut_vec3_add(r->rays[x].origin, hit->offset), abut_vec3_scale(hit->normal, LIFT));
        const uint32_t sample = y % r->samples * r->samples + x % r->samples;
        float u, v;
        spread(sample, &u, &v);
        const abut_vec3 blur = abut_vec3_make(0.5f - u, 0.0f, v - 0.5f);
        r->sun[x] = (abut_ray){ at, abut_vec3_scale(abut_vec3_add(to_sun, abut_vec3_scale(blur, 0.05f)), FAR) };
        for (uint32_t k = 0; k < AROUND; ++k)
        {
            spread(sample * AROUND + k, &u, &v);
            r->around[AROUND * x + k] = (abut_ray){ at, abut_vec3_scale(unit(around(hit->normal, u, v)), REACH) };
        }
    }
}

static bool ask(const drop *d, const row *r, uint32_t y)
{
    if (abut_world_ray_closest_many(d->world, r->rays, r->count, NULL, r->hits) != ABUT_OK)
    {
        return false;
    }
    aim_from_hits(r, y);
    return abut_world_ray_any_many(d->world, r->sun, r->count, NULL, r->shadow) == ABUT_OK &&
           abut_world_ray_any_many(d->world, r->around, AROUND * r->count, NULL, r->covered) == ABUT_OK;
}

static void aim(const row *r, const camera *c, int y, int height)
{
    for (uint32_t x = 0; x < r->count; ++x)
    {
        const float across = ((float)x + 0.5f - 0.5f * (float)r->count) / c->focal,
                    up = (0.5f * (float)height - (float)y - 0.5f) / c->focal;
        const abut_vec3 way =
            abut_vec3_add(c->forward, abut_vec3_add(abut_vec3_scale(c->right, across), abut_vec3_scale(c->up, up)));
        r->rays[x] = (abut_ray){ c->eye, abut_vec3_scale(unit(way), FAR) };
    }
}

// Light that a surface reflects, each from 0 to 1. The ground is chequered in metres, to show its size.
static abut_vec3 paint_of(const drop *d, const uint8_t *kinds, const abut_hit *hit, abut_vec3 at)
{
    static const abut_vec3 parts[PART_KINDS] = {
        [PART_GROUND] = { 0.43f, 0.47f, 0.27f }, [PART_BLOCK] = { 0.62f, 0.54f, 0.45f },
        [PART_RAMP] = { 0.66f, 0.50f, 0.36f },   [PART_STAIRS] = { 0.66f, 0.50f, 0.36f },
        [PART_PILLAR] = { 0.78f, 0.75f, 0.70f }, [PART_OTHER] = { 0.60f, 0.57f, 0.50f },
    };
    static const abut_vec3 bodies[BODY_KINDS] = { { 0.80f, 0.16f, 0.10f }, { 0.90f, 0.55f, 0.08f },
                                                  { 0.10f, 0.36f, 0.68f }, { 0.80f, 0.42f, 0.62f },
                                                  { 0.32f, 0.34f, 0.38f }, { 0.08f, 0.52f, 0.46f } };
    const uint64_t is = abut_world_bodies(d->world).user_data[hit->body.slot];
    if (is != LEVEL)
    {
        const float shade = 0.85f + 0.3f * wrapped(0.618034f * (float)hit->body.slot);
        return abut_vec3_scale(bodies[is], shade);
    }
    const part_kind part = (part_kind)kinds[hit->child];
    const bool odd = ((int)floorf(at.x) + (int)floorf(at.z)) % 2 != 0;
    return abut_vec3_scale(parts[part], part == PART_GROUND && odd ? 0.9f : 1.0f);
}

static abut_vec3 sky(abut_vec3 way)
{
    const float up = way.y > 0.0f ? way.y : 0.0f;
    return abut_vec3_add(abut_vec3_make(0.80f, 0.86f, 0.92f),
                         abut_vec3_scale(abut_vec3_make(-0.45f, -0.30f, -0.10f), up));
}

static abut_vec3 light_of(const drop *d, const uint8_t *kinds, const row *r, uint32_t x)
{
    const abut_hit *hit = &r->hits[x];
    if (hit->collider.slot == 0 && hit->collider.generation == 0)
    {
        return sky(unit(r->rays[x].translation));
    }
    uint32_t open = 0;
    for (uint32_t k = 0; k < AROUND; ++k)
    {
        open += !r->covered[AROUND * x + k];
    }
    const abut_vec3 at = abut_vec3_add(r->rays[x].origin, hit->offset), paint = paint_of(d, kinds, hit, at);
    const float facing = abut_vec3_dot(hit->normal, unit(to_sun));
    const float sun = r->shadow[x] || facing <= 0.0f ? 0.0f : 1.15f * facing;
    const float seen = (0.25f + 0.75f * (float)open / AROUND) * (0.65f + 0.35f * hit->normal.y);
    const abut_vec3 light =
        abut_vec3_make(1.00f * sun + 0.38f * seen, 0.94f * sun + 0.45f * seen, 0.82f * sun + 0.56f * seen);
    return abut_vec3_make(paint.x * light.x, paint.y * light.y, paint.z * light.z);
}

// As a screen shows it.
static float shown(float light)
{
    return sqrtf(light < 1.0f ? light : 1.0f);
}

static bool paint_row(const drop *d, const uint8_t *kinds, const camera *c, const row *r, int y, canvas *out)
{
    aim(r, c, y, out->height);
    if (!ask(d, r, (uint32_t)y))
    {
        return false;
    }
    for (uint32_t x = 0; x < r->count; ++x)
    {
        const abut_vec3 light = light_of(d, kinds, r, x);
        float *rgb = out->rgb + 3 * ((size_t)y * r->count + x);
        rgb[0] = shown(light.x);
        rgb[1] = shown(light.y);
        rgb[2] = shown(light.z);
    }
    return true;
}

// Sixty-four steps of each colour: an eye sees no difference, and the file is smaller.
static void coarsen(canvas *picture)
{
    for (size_t i = 0; i < 3 * (size_t)picture->width * (size_t)picture->height; ++i)
    {
        picture->rgb[i] = floorf(picture->rgb[i] * 63.0f + 0.5f) / 63.0f;
    }
}

canvas *shade(const drop *d, const uint8_t *kinds, const shade_options *options)
{
    const int width = options->width * options->samples, height = options->height * options->samples;
    canvas *fine = canvas_create(width, height, canvas_hex(0xffffff, 1.0f)), *out = NULL;
    const camera c = look(abut_vec3_make(8.0f, 23.0f, 36.0f), abut_vec3_make(-0.7f, -1.0f, 0.6f), 1.03f * (float)width);
    row r;
    bool sound = row_open(&r, (uint32_t)width, (uint32_t)options->samples) && fine;
    for (int y = 0; sound && y < height; ++y)
    {
        sound = paint_row(d, kinds, &c, &r, y, fine);
    }
    if (sound)
    {
        out = canvas_shrink(fine, options->samples);
    }
    if (out)
    {
        coarsen(out);
    }
    row_close(&r);
    canvas_destroy(fine);
    return out;
}
