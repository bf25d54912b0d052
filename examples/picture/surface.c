// Solids as triangles, clipped at the near plane, drawn into a depth buffer.
#include "surface.h"

#include <math.h>
#include <stdlib.h>

#define NEAR 1.0e-2f

typedef struct corner
{
    abut_vec3 position, normal;
} corner;

// A corner on the picture; `inverse` is what runs evenly across it: 1 / depth, or depth in a parallel view.
typedef struct seen
{
    double x, y, inverse;
    abut_vec3 normal;
} seen;

bool surface_open(surface *s, const view *camera, int width, int height)
{
    const size_t count = (size_t)width * (size_t)height;
    *s = (surface){ *camera, width, height, malloc(count * sizeof *s->pixels) };
    for (size_t i = 0; s->pixels && i < count; ++i)
    {
        s->pixels[i] = (surface_pixel){ .depth = INFINITY };
    }
    return s->pixels != NULL;
}

void surface_close(surface *s)
{
    free(s->pixels);
}

static abut_vec3 mix(abut_vec3 a, abut_vec3 b, float t)
{
    return abut_vec3_add(a, abut_vec3_scale(abut_vec3_sub(b, a), t));
}

static seen see(const view *camera, const corner *c)
{
    const canvas_point at = view_project(camera, c->position);
    const float depth = view_depth(camera, c->position);
    return (seen){ at.x, at.y, camera->parallel ? depth : 1.0 / depth, c->normal };
}

static int pixel_from(double place, int end)
{
    return place > 0.0 ? (place < end ? (int)place : end) : 0;
}

static double least3(double a, double b, double c)
{
    const double d = a < b ? a : b;
    return c < d ? c : d;
}

static void fill_pixel(surface *s, int x, int y, const seen t[3], const double share[3], uint32_t paint)
{
    const double inverse = share[0] * t[0].inverse + share[1] * t[1].inverse + share[2] * t[2].inverse;
    const float depth = (float)(s->camera.parallel ? inverse : 1.0 / inverse);
    surface_pixel *pixel = &s->pixels[(size_t)y * (size_t)s->width + (size_t)x];
    if (depth < pixel->depth)
    {
        const abut_vec3 a = abut_vec3_scale(t[0].normal, (float)share[0]),
                        b = abut_vec3_scale(t[1].normal, (float)share[1]);
        *pixel =
            (surface_pixel){ depth, abut_vec3_add(abut_vec3_add(a, b), abut_vec3_scale(t[2].normal, (float)share[2])),
                             paint };
    }
}

static void fill_triangle(surface *s, const seen t[3], uint32_t paint)
{
    const double area = (t[1].x - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (t[1].y - t[0].y);
    if (area == 0.0)
    {
        return;
    }
    const int x0 = pixel_from(least3(t[0].x, t[1].x, t[2].x), s->width);
    const int y0 = pixel_from(least3(t[0].y, t[1].y, t[2].y), s->height);
    const int x1 = pixel_from(1.0 - least3(-t[0].x, -t[1].x, -t[2].x), s->width);
    const int y1 = pixel_from(1.0 - least3(-t[0].y, -t[1].y, -t[2].y), s->height);
    for (int y = y0; y < y1; ++y)
    {
        for (int x = x0; x < x1; ++x)
        {
            const double px = x + 0.5, py = y + 0.5;
            double share[3];
            share[1] = ((px - t[0].x) * (t[2].y - t[0].y) - (t[2].x - t[0].x) * (py - t[0].y)) / area;
            share[2] = ((t[1].x - t[0].x) * (py - t[0].y) - (px - t[0].x) * (t[1].y - t[0].y)) / area;
            share[0] = 1.0 - share[1] - share[2];
            if (share[0] >= 0.0 && share[1] >= 0.0 && share[2] >= 0.0)
            {
                fill_pixel(s, x, y, t, share, paint);
            }
        }
    }
}

// A flat convex polygon of four corners, less what lies behind the near plane.
static void fill_quad(surface *s, const corner quad[4], uint32_t paint)
{
    seen left[5];
    int count = 0;
    for (int i = 0; i < 4; ++i)
    {
        const corner *a = &quad[i], *b = &quad[(i + 1) % 4];
        const float da = view_depth(&s->camera, a->position) - NEAR, db = view_depth(&s->camera, b->position) - NEAR;
        if (da >= 0.0f)
        {
            left[count++] = see(&s->camera, a);
        }
        if ((da < 0.0f) != (db < 0.0f))
        {
            const float t = da / (da - db);
            const corner cut = { mix(a->position, b->position, t), mix(a->normal, b->normal, t) };
            left[count++] = see(&s->camera, &cut);
        }
    }
    for (int i = 2; i < count; ++i)
    {
        fill_triangle(s, (seen[3]){ left[0], left[i - 1], left[i] }, paint);
    }
}

static abut_vec3 from_axes(const abut_mat3 *axes, int a, float ca, float cb, float cc)
{
    const abut_vec3 *axis = &axes->x;
    return abut_vec3_add(abut_vec3_add(abut_vec3_scale(axis[a], ca), abut_vec3_scale(axis[(a + 1) % 3], cb)),
                         abut_vec3_scale(axis[(a + 2) % 3], cc));
}

static void add_box(surface *s, abut_vec3 half, const abut_mat3 *axes, abut_vec3 centre, uint32_t paint)
{
    const float h[3] = { half.x, half.y, half.z };
    for (int face = 0; face < 6; ++face)
    {
        const int a = face / 2;
        const float side = face % 2 ? 1.0f : -1.0f, hb = h[(a + 1) % 3], hc = h[(a + 2) % 3];
        const abut_vec3 normal = from_axes(axes, a, side, 0.0f, 0.0f);
        corner quad[4];
        for (int i = 0; i < 4; ++i)
        {
            const float cb = i == 1 || i == 2 ? hb : -hb, cc = i >= 2 ? hc : -hc;
            quad[i] = (corner){ abut_vec3_add(centre, from_axes(axes, a, side * h[a], cb, cc)), normal };
        }
        fill_quad(s, quad, paint);
    }
}

static corner on_sphere(abut_vec3 centre, float radius, int east, int north)
{
    float sine_east, cosine_east, sine_north, cosine_north;
    abut_sincos((float)east * 0.13089969f, &sine_east, &cosine_east);    // 48 steps around
    abut_sincos((float)north * 0.13089969f, &sine_north, &cosine_north); // 24 from pole to pole
    const abut_vec3 normal = { sine_north * cosine_east, cosine_north, sine_north * sine_east };
    return (corner){ abut_vec3_add(centre, abut_vec3_scale(normal, radius)), normal };
}

static void add_sphere(surface *s, float radius, abut_vec3 centre, uint32_t paint)
{
    for (int north = 0; north < 24; ++north)
    {
        for (int east = 0; east < 48; ++east)
        {
            const corner quad[4] = { on_sphere(centre, radius, east, north), on_sphere(centre, radius, east + 1, north),
                                     on_sphere(centre, radius, east + 1, north + 1),
                                     on_sphere(centre, radius, east, north + 1) };
            fill_quad(s, quad, paint);
        }
    }
}

static void add_triangle(surface *s, const abut_vec3 at[3], const abut_mat3 *axes, abut_vec3 centre, uint32_t paint)
{
    const abut_vec3 across = abut_vec3_cross(abut_vec3_sub(at[1], at[0]), abut_vec3_sub(at[2], at[0]));
    const float length = abut_vec3_length(across);
    const abut_vec3 normal = abut_vec3_scale(abut_mat3_mul_vec3(axes, across), length > 0.0f ? 1.0f / length : 0.0f);
    corner quad[4];
    for (int i = 0; i < 4; ++i)
    {
        quad[i] = (corner){ abut_vec3_add(centre, abut_mat3_mul_vec3(axes, at[i < 3 ? i : 2])), normal };
    }
    fill_quad(s, quad, paint);
}

static void add_hull(surface *s, const abut_geometry *hull, const abut_mat3 *axes, abut_vec3 centre, uint32_t paint)
{
    const abut_vec3 *vertices;
    (void)abut_geometry_hull_vertices(hull, &vertices);
    for (uint32_t face = 0; face < abut_geometry_hull_faces(hull); ++face)
    {
        const uint32_t *own;
        const uint32_t corners = abut_geometry_hull_face(hull, face, &own);
        for (uint32_t i = 2; i < corners; ++i)
        {
            add_triangle(s, (abut_vec3[3]){ vertices[own[0]], vertices[own[i - 1]], vertices[own[i]] }, axes, centre,
                         paint);
        }
    }
}

static void add_mesh(surface *s, const abut_geometry *mesh, const abut_mat3 *axes, abut_vec3 centre, uint32_t paint)
{
    for (uint32_t i = 0; i < abut_geometry_mesh_triangles(mesh); ++i)
    {
        abut_vec3 at[3];
        if (abut_geometry_mesh_triangle(mesh, i, at))
        {
            add_triangle(s, at, axes, centre, paint);
        }
    }
}

bool surface_add(surface *s, const abut_shape *shape, const abut_pose *pose, uint32_t paint)
{
    const abut_mat3 turned = abut_mat3_from_quat(pose->rotation), upright = abut_mat3_from_quat(abut_quat_identity());
    switch (shape->kind)
    {
    case ABUT_SPHERE:
        add_sphere(s, shape->sphere.radius, pose->position, paint);
        return true;
    case ABUT_AABB:
        add_box(s, shape->box.half_extents, &upright, pose->position, paint);
        return true;
    case ABUT_OBB:
        add_box(s, shape->box.half_extents, &turned, pose->position, paint);
        return true;
    case ABUT_HULL:
        add_hull(s, shape->hull, &turned, pose->position, paint);
        return true;
    case ABUT_MESH:
        add_mesh(s, shape->mesh, &turned, pose->position, paint);
        return true;
    default:
        return false;
    }
}
