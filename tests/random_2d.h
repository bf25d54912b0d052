// 2D pairs, made to lie where kernels go wrong: corner on corner, side on side, nearly parallel, flush ends, deep
// inside, segments and points; at every size and proportion and some way from the origin. Laid out in double, then
// rounded to float; the referee judges what was rounded.
#ifndef RANDOM_2D_H
#define RANDOM_2D_H

#include "random.h"
#include "referee_2d.h"

typedef enum layout_2d
{
    PLANE_ANY,
    PLANE_PARALLEL, // side on side
    PLANE_FLUSH,    // and their ends on one line
    PLANE_NEARLY,   // nearly parallel: by 1e-8 to 1e-2
    PLANE_CORNER_ON_CORNER,
    PLANE_CORNER_ON_SIDE,
    PLANE_INSIDE,
    PLANE_LAYOUTS
} layout_2d;

enum
{
    PLANE_POLYGONS = 64
};

// Polygons to draw from: made once, all sizes about 1.
typedef struct stock_2d
{
    abut_geometry *polygon[PLANE_POLYGONS];
} stock_2d;

typedef struct pair_2d
{
    abut_shape a, b;
    abut_pose pose_a, pose_b;
    float margin;
    layout_2d layout;
} pair_2d;

// Corners on an ellipse at sorted random angles are a convex polygon; some are regular, some sharp triangles, some off
// centre.
static inline abut_geometry *random_polygon_2d(random_source *random)
{
    for (;;)
    {
        const uint32_t count = 3 + random_below(random, random_chance(random, 0.5) ? 3 : 14);
        const double squash = random_chance(random, 0.3) ? random_scale(random, 0.01, 1.0) : 1.0;
        const double off = random_chance(random, 0.3) ? 0.5 : 0.0;
        const bool regular = random_chance(random, 0.3);
        abut_vec2 points[16];
        for (uint32_t i = 0; i < count; ++i)
        {
            const double turn = 6.283185307179586 * (regular ? (double)i / count : random_unit(random));
            points[i] = (abut_vec2){ (float)(cos(turn) + off), (float)(squash * sin(turn) - off) };
        }
        abut_geometry *polygon;
        if (abut_geometry_create_polygon(points, count, NULL, &polygon) == ABUT_OK)
        {
            return polygon;
        }
    }
}

static inline void stock_2d_open(stock_2d *stock)
{
    random_source random = random_start(2026);
    for (int i = 0; i < PLANE_POLYGONS; ++i)
    {
        stock->polygon[i] = random_polygon_2d(&random);
    }
}

static inline void stock_2d_close(stock_2d *stock)
{
    for (int i = 0; i < PLANE_POLYGONS; ++i)
    {
        abut_geometry_release(stock->polygon[i]);
    }
}

static inline abut_shape random_shape_2d(random_source *random, const stock_2d *stock, abut_shape_kind kind,
                                         double size)
{
    if (kind == ABUT_POLYGON)
    {
        return abut_shape_polygon(stock->polygon[random_below(random, PLANE_POLYGONS)]);
    }
    if (kind == ABUT_SPHERE)
    {
        return abut_shape_sphere((float)(random_chance(random, 0.05) ? 0.0 : size));
    }
    if (kind == ABUT_CAPSULE)
    {
        const double radius = random_chance(random, 0.05) ? 0.0 : random_between(random, 0.01, 0.6);
        const double height = random_chance(random, 0.05) ? 0.0 : random_between(random, 0.1, 1.0);
        return abut_shape_capsule((float)(radius * size), (float)(height * size));
    }
    double x = size * random_between(random, 0.2, 1.0), y = size * random_between(random, 0.2, 1.0);
    const uint32_t proportions = random_below(random, 12);
    x *= proportions == 0 ? random_scale(random, 1e-3, 0.1) : 1.0;
    y = proportions == 1 ? x : proportions == 2 ? 0.0 : y;
    x = proportions == 3 && random_chance(random, 0.3) ? 0.0 : x;
    abut_shape shape =
        kind == ABUT_AABB ? abut_shape_aabb((float)x, (float)y, 0.0f) : abut_shape_obb((float)x, (float)y, 0.0f);
    shape.box.half_extents.z = (float)random_unit(random); // means nothing here
    return shape;
}

static inline abut_shape_kind random_kind_2d(random_source *random)
{
    static const abut_shape_kind kind[] = { ABUT_SPHERE, ABUT_AABB, ABUT_OBB, ABUT_POLYGON, ABUT_CAPSULE };
    return kind[random_below(random, 5)];
}

static inline dvec2 farthest_corner_2d(const solid_2d *s, dvec2 direction)
{
    int best = 0;
    for (int i = 1; i < s->count; ++i)
    {
        const dvec2 d = { s->corner[i].x - s->corner[best].x, s->corner[i].y - s->corner[best].y };
        best = d.x * direction.x + d.y * direction.y > 0.0 ? i : best;
    }
    return s->corner[best];
}

static inline dvec2 side_direction_2d(random_source *random, const solid_2d *s)
{
    const uint32_t i = random_below(random, (uint32_t)s->count);
    const dvec2 p = s->corner[i], q = s->corner[(i + 1) % (uint32_t)s->count];
    const double l = hypot(q.x - p.x, q.y - p.y), turn = random_between(random, 0.0, 6.3);
    return l > 0.0 ? (dvec2){ (q.y - p.y) / l, (p.x - q.x) / l } : (dvec2){ cos(turn), sin(turn) };
}

// Turns b so that one of its sides looks against `direction`, but for `by` radians.
static inline double angle_against_2d(random_source *random, const abut_shape *b, dvec2 direction, double by)
{
    const abut_pose none = abut_pose_identity();
    const solid_2d s = solid_2d_of(b, &none, NULL);
    const dvec2 n = side_direction_2d(random, &s);
    return atan2(-direction.y, -direction.x) - atan2(n.y, n.x) + by;
}

static inline double random_gap_2d(random_source *random, double size)
{
    const uint32_t how = random_below(random, 4);
    return how == 0   ? random_sign(random) * random_scale(random, 1e-9, 1e-3) * size
           : how == 1 ? random_between(random, -0.3, 0.1) * size
           : how == 2 ? random_between(random, -0.05, 0.05) * size
                      : 0.0;
}

static inline pair_2d random_pair_2d(random_source *random, const stock_2d *stock, abut_shape_kind kind_a,
                                     abut_shape_kind kind_b)
{
    pair_2d p = { .layout = (layout_2d)random_below(random, PLANE_LAYOUTS) };
    const double far_off = random_chance(random, 0.2) ? random_scale(random, 1.0, 1e4) : 0.0;
    const double turn_a = random_chance(random, 0.2) ? 0.0 : random_between(random, -3.2, 3.2);
    p.a = random_shape_2d(random, stock, kind_a, random_scale(random, 0.1, 3.0));
    p.b = random_shape_2d(random, stock, kind_b, random_scale(random, 0.1, 3.0));
    p.pose_a = abut_pose_2d((float)(far_off * random_between(random, -1, 1)),
                            (float)(far_off * random_between(random, -1, 1)), (float)turn_a);
    p.pose_b = p.pose_a;
    const solid_2d a = solid_2d_of(&p.a, &p.pose_a, NULL);
    const bool parallel = p.layout == PLANE_PARALLEL || p.layout == PLANE_FLUSH || p.layout == PLANE_NEARLY;
    const double any = random_between(random, -3.2, 3.2), free_turn = random_between(random, -3.2, 3.2);
    dvec2 direction = { cos(any), sin(any) };
    if (parallel || p.layout == PLANE_CORNER_ON_SIDE)
    {
        direction = side_direction_2d(random, &a);
    }
    const double by = p.layout == PLANE_NEARLY ? random_sign(random) * random_scale(random, 1e-8, 1e-2) : 0.0;
    const double turn_b = parallel ? angle_against_2d(random, &p.b, direction, by) : free_turn;
    p.pose_b.rotation = abut_pose_2d(0.0f, 0.0f, (float)turn_b).rotation;
    const solid_2d b = solid_2d_of(&p.b, &p.pose_b, NULL);
    const dvec2 back = { -direction.x, -direction.y }, beside = { -direction.y, direction.x };
    const double size = a.reach + b.reach;
    const double gap = random_gap_2d(random, size) + a.radius + b.radius;
    const dvec2 from = farthest_corner_2d(&a, direction), to = farthest_corner_2d(&b, back);
    double shift =
        p.layout == PLANE_CORNER_ON_CORNER || p.layout == PLANE_FLUSH ? 0.0 : random_between(random, -0.7, 0.7) * size;
    double out = p.layout == PLANE_INSIDE ? random_between(random, -1.0, 0.0) * size : gap;
    p.pose_b.position.x += (float)(from.x - to.x + direction.x * out + beside.x * shift);
    p.pose_b.position.y += (float)(from.y - to.y + direction.y * out + beside.y * shift);
    p.margin = random_chance(random, 0.4) ? (float)(size * random_between(random, 0.0, 0.1)) : 0.0f;
    return p;
}

#endif
