// The sky's share is found in the picture itself: what stands above a point's tangent plane nearby hides sky
// (screen-space ambient occlusion, after Mittring, "Finding Next Gen: CryEngine 2", 2007). Samples turn from pixel to
// pixel in a pattern of three by three, so that shrinking the picture by three averages them.
#include "light.h"

#include <math.h>

enum
{
    SAMPLES = 12,
    SHADOW_REACH = 2 // texels to each side that a shadow's edge is softened over
};

static float clamp01(float value)
{
    return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

static abut_vec3 unit(abut_vec3 v)
{
    return abut_vec3_scale(v, 1.0f / abut_vec3_length(v));
}

// 1 in the sun, 0 in shadow.
static float sunlight(const light *l, abut_vec3 point, abut_vec3 normal)
{
    const surface *from = l->shadow;
    const float texel = 1.0f / from->camera.focal;
    const abut_vec3 raised = abut_vec3_add(point, abut_vec3_scale(normal, 2.5f * texel));
    const canvas_point at = view_project(&from->camera, raised);
    const float depth = view_depth(&from->camera, raised) - 1.5f * texel;
    int lit = 0, looked = 0;
    for (int dy = -SHADOW_REACH; dy <= SHADOW_REACH; ++dy)
    {
        for (int dx = -SHADOW_REACH; dx <= SHADOW_REACH; ++dx)
        {
            const surface_pixel *pixel = surface_at(from, (int)floorf(at.x) + dx, (int)floorf(at.y) + dy);
            lit += !pixel || depth <= pixel->depth;
            ++looked;
        }
    }
    return (float)lit / (float)looked;
}

// The share of the sky that is not hidden by what stands near.
static float openness(const surface *s, const light *l, int x, int y, abut_vec3 point, abut_vec3 normal)
{
    const float depth = surface_at(s, x, y)->depth, span = l->reach * s->camera.focal / depth;
    const int phase = x % 3 + 3 * (y % 3);
    float hidden = 0.0f;
    for (int i = 0; i < SAMPLES; ++i)
    {
        float sine, cosine;
        abut_sincos(2.3999632f * (float)i + 0.6981317f * (float)phase, &sine, &cosine); // the golden angle apart
        const float radius = span * sqrtf(((float)i + 0.5f) / SAMPLES);
        const int sx = x + (int)floorf(radius * cosine + 0.5f), sy = y + (int)floorf(radius * sine + 0.5f);
        const surface_pixel *other = surface_at(s, sx, sy);
        if (!other || other->depth == INFINITY || (sx == x && sy == y))
        {
            continue;
        }
        const canvas_point middle = { (float)sx + 0.5f, (float)sy + 0.5f };
        const abut_vec3 away = abut_vec3_sub(view_unproject(&s->camera, middle, other->depth), point);
        const float distance = abut_vec3_length(away);
        const float rise = distance > 0.0f ? abut_vec3_dot(normal, away) / distance : 0.0f;
        hidden += clamp01(1.4f * (rise - 0.08f)) * clamp01(2.0f - distance / l->reach);
    }
    return 1.0f - clamp01(1.25f * hidden / SAMPLES);
}

static float faded(const light *l, abut_vec3 point)
{
    const float distance = abut_vec3_length(abut_vec3_sub(point, l->focus));
    const float t = clamp01((distance - l->fade_begin) / (l->fade_end - l->fade_begin));
    return t * t * (3.0f - 2.0f * t);
}

static void light_pixel(const surface *s, const light *l, canvas *picture, int x, int y)
{
    const surface_pixel *pixel = surface_at(s, x, y);
    const canvas_point middle = { (float)x + 0.5f, (float)y + 0.5f };
    const abut_vec3 point = view_unproject(&s->camera, middle, pixel->depth), normal = unit(pixel->normal);
    const float facing = clamp01(abut_vec3_dot(normal, l->to_sun));
    const float sun = facing > 0.0f ? 0.5f * facing * sunlight(l, point, normal) : 0.0f;
    const float open = openness(s, l, x, y, point, normal), sky = 0.5f + 0.5f * normal.y;
    const canvas_colour paint = l->paints[pixel->paint];
    const float cool = open * (0.44f + 0.22f * sky), warm = open * (0.47f + 0.17f * sky);
    const canvas_colour lit = { paint.red * (warm + 1.03f * sun), paint.green * (0.5f * (cool + warm) + sun),
                                paint.blue * (1.06f * cool + 0.95f * sun), 1.0f };
    canvas_blend(picture, x, y, lit, paint.alpha < 1.0f ? 1.0f - faded(l, point) : 1.0f);
}

void light_surface(const surface *s, const light *l, canvas *picture)
{
    for (int y = 0; y < s->height; ++y)
    {
        for (int x = 0; x < s->width; ++x)
        {
            if (surface_at(s, x, y)->depth != INFINITY)
            {
                light_pixel(s, l, picture, x, y);
            }
        }
    }
}
