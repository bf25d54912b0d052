// Embree, which answers rays alone. It is given what it is fastest with: spheres as points with a radius, a box as
// twelve triangles, hulls and meshes as theirs, one scene built at high quality. Batches go through its own stream
// calls. From inside of a shape it says where the ray leaves, unlike abut.
#include "peers.h"
#include "query_engine.h"
#include "storage.h"

#include <embree3/rtcore.h>

#include <string.h>

enum
{
    BOX_CORNERS = 8,
    BOX_TRIANGLES = 12,
    STREAM = 256 // rays at a time
};

typedef struct instance
{
    RTCDevice device;
    RTCScene scene;
} instance;

static void destroy(void *given)
{
    instance *it = given;
    if (it)
    {
        rtcReleaseScene(it->scene);
        rtcReleaseDevice(it->device);
        storage_give(it);
    }
}

static uint32_t count_spheres(const bench_scene *scene)
{
    uint32_t spheres = 0;
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        spheres += scene->defs[i].collider.shape.kind == ABUT_SPHERE;
    }
    return spheres;
}

static void attach(const instance *it, RTCGeometry geometry)
{
    rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_HIGH);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(it->scene, geometry);
    rtcReleaseGeometry(geometry);
}

static void add_spheres(const instance *it, const bench_scene *scene, uint32_t count)
{
    RTCGeometry geometry = rtcNewGeometry(it->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    float *points =
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, 4 * sizeof(float), count);
    for (uint32_t i = 0; points && i < scene->count; ++i)
    {
        const abut_vec3 at = scene->poses[i].position;
        const abut_shape *shape = &scene->defs[i].collider.shape;
        if (shape->kind == ABUT_SPHERE)
        {
            const float point[4] = { at.x, at.y, at.z, shape->sphere.radius };
            memcpy(points, point, sizeof point);
            points += 4;
        }
    }
    attach(it, geometry);
}

// Triangles of all that is not a sphere. Corners first, in the world.
typedef struct soup
{
    float *corners;
    uint32_t *indices;
    uint32_t corner_count, triangle_count;
} soup;

// An AABB is a box that is never turned.
static abut_vec3 in_world(const abut_shape *shape, const abut_pose *pose, abut_vec3 local)
{
    return abut_vec3_add(pose->position, shape->kind == ABUT_AABB ? local : abut_quat_rotate(pose->rotation, local));
}

// Without arrays it is counted only, as are triangles.
static void add_corner(soup *out, const abut_shape *shape, const abut_pose *pose, abut_vec3 local)
{
    if (out->corners)
    {
        const abut_vec3 at = in_world(shape, pose, local);
        memcpy(out->corners + 3 * (size_t)out->corner_count, &at, 3 * sizeof(float));
    }
    ++out->corner_count;
}

static void add_triangle(soup *out, uint32_t a, uint32_t b, uint32_t c)
{
    if (out->indices)
    {
        const uint32_t corners[3] = { a, b, c };
        memcpy(out->indices + 3 * (size_t)out->triangle_count, corners, sizeof corners);
    }
    ++out->triangle_count;
}

static void add_box(soup *out, const abut_shape *shape, const abut_pose *pose)
{
    static const uint32_t triangles[BOX_TRIANGLES][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 },
                                                          { 0, 1, 4 }, { 1, 5, 4 }, { 2, 6, 3 }, { 3, 6, 7 },
                                                          { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
    const abut_vec3 half = shape->box.half_extents;
    const uint32_t first = out->corner_count;
    for (uint32_t k = 0; k < BOX_CORNERS; ++k)
    {
        add_corner(out, shape, pose,
                   (abut_vec3){ k & 1u ? half.x : -half.x, k & 2u ? half.y : -half.y, k & 4u ? half.z : -half.z });
    }
    for (uint32_t k = 0; k < BOX_TRIANGLES; ++k)
    {
        add_triangle(out, first + triangles[k][0], first + triangles[k][1], first + triangles[k][2]);
    }
}

// Faces as fans.
static void add_hull(soup *out, const abut_shape *shape, const abut_pose *pose)
{
    const abut_vec3 *vertices;
    const uint32_t count = abut_geometry_hull_vertices(shape->hull, &vertices), first = out->corner_count;
    for (uint32_t k = 0; k < count; ++k)
    {
        add_corner(out, shape, pose, vertices[k]);
    }
    for (uint32_t face = 0; face < abut_geometry_hull_faces(shape->hull); ++face)
    {
        const uint32_t *own;
        const uint32_t corners = abut_geometry_hull_face(shape->hull, face, &own);
        for (uint32_t k = 2; k < corners; ++k)
        {
            add_triangle(out, first + own[0], first + own[k - 1], first + own[k]);
        }
    }
}

static void add_mesh(soup *out, const abut_shape *shape, const abut_pose *pose)
{
    const uint32_t triangles = abut_geometry_mesh_triangles(shape->mesh);
    for (uint32_t i = 0; i < triangles; ++i)
    {
        abut_vec3 corner[3];
        if (abut_geometry_mesh_triangle(shape->mesh, i, corner))
        {
            const uint32_t first = out->corner_count;
            for (int k = 0; k < 3; ++k)
            {
                add_corner(out, shape, pose, corner[k]);
            }
            add_triangle(out, first, first + 1, first + 2);
        }
    }
}

static void add_all(soup *out, const bench_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        const abut_shape *shape = &scene->defs[i].collider.shape;
        if (shape->kind == ABUT_HULL)
        {
            add_hull(out, shape, &scene->poses[i]);
        }
        else if (shape->kind == ABUT_MESH)
        {
            add_mesh(out, shape, &scene->poses[i]);
        }
        else if (shape->kind != ABUT_SPHERE)
        {
            add_box(out, shape, &scene->poses[i]);
        }
    }
}

static void add_triangles(const instance *it, const bench_scene *scene)
{
    soup all = { 0 };
    add_all(&all, scene);
    RTCGeometry geometry = rtcNewGeometry(it->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    soup laid = { .corners = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                     3 * sizeof(float), all.corner_count),
                  .indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                     3 * sizeof(uint32_t), all.triangle_count) };
    if (laid.corners && laid.indices)
    {
        add_all(&laid, scene);
    }
    attach(it, geometry);
}

static void *create(const bench_scene *scene, bench_complaint *complaint)
{
    instance *it = storage_take(1, sizeof *it);
    const uint32_t spheres = count_spheres(scene);
    it->device = rtcNewDevice("threads=1");
    it->scene = rtcNewScene(it->device);
    rtcSetSceneBuildQuality(it->scene, RTC_BUILD_QUALITY_HIGH);
    if (spheres > 0)
    {
        add_spheres(it, scene, spheres);
    }
    if (spheres < scene->count)
    {
        add_triangles(it, scene);
    }
    rtcCommitScene(it->scene);
    if (rtcGetDeviceError(it->device) != RTC_ERROR_NONE)
    {
        complain(complaint, EXIT_BROKEN, "embree cannot hold scene %s", scene->name);
        destroy(it);
        return NULL;
    }
    return it;
}

static bool knows_query(query_kind kind)
{
    return kind < QUERY_RAY_ALL;
}

// Fractions are of the translation, which is Embree's direction.
static void lay(struct RTCRayHit *out, const abut_ray *ray)
{
    memset(out, 0, sizeof *out);
    out->ray.org_x = ray->origin.x;
    out->ray.org_y = ray->origin.y;
    out->ray.org_z = ray->origin.z;
    out->ray.dir_x = ray->translation.x;
    out->ray.dir_y = ray->translation.y;
    out->ray.dir_z = ray->translation.z;
    out->ray.tfar = 1.0f;
    out->ray.mask = UINT32_MAX;
    out->hit.geomID = RTC_INVALID_GEOMETRY_ID;
}

// A ray that is occluded has its end before its beginning.
static void take(const struct RTCRayHit *found, query_kind kind, uint32_t i, query_answers *out)
{
    const bool any = kind == QUERY_RAY_ANY;
    out->hits[i] = any ? found->ray.tfar < 0.0f : found->hit.geomID != RTC_INVALID_GEOMETRY_ID;
    out->fractions[i] = any ? 1.0f : found->ray.tfar;
}

static void ask(void *given, const query_set *set, query_answers *out)
{
    const instance *it = given;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        struct RTCIntersectContext context;
        struct RTCRayHit found;
        rtcInitIntersectContext(&context);
        lay(&found, &set->rays[i]);
        if (set->kind == QUERY_RAY_ANY)
        {
            rtcOccluded1(it->scene, &context, &found.ray);
        }
        else
        {
            rtcIntersect1(it->scene, &context, &found);
        }
        take(&found, set->kind, i, out);
    }
}

static void ask_many(void *given, const query_set *set, query_answers *out)
{
    const instance *it = given;
    for (uint32_t first = 0; first < QUERY_COUNT; first += STREAM)
    {
        struct RTCIntersectContext context;
        struct RTCRayHit found[STREAM];
        const uint32_t left = QUERY_COUNT - first, count = left < STREAM ? left : STREAM;
        rtcInitIntersectContext(&context);
        for (uint32_t i = 0; i < count; ++i)
        {
            lay(&found[i], &set->rays[first + i]);
        }
        if (set->kind == QUERY_RAY_ANY)
        {
            rtcOccluded1M(it->scene, &context, &found[0].ray, count, sizeof *found);
        }
        else
        {
            rtcIntersect1M(it->scene, &context, found, count, sizeof *found);
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            take(&found[i], set->kind, first + i, out);
        }
    }
}

static const query_engine queries = {
    .knows = knows_query, .knows_hulls = true, .create = create, .ask = ask, .ask_many = ask_many, .destroy = destroy
};

const bench_engine engine_embree = {
    .name = "embree",
    .version = ABUT_PEER_EMBREE,
    .built = "rays alone: rtcIntersect1 and streams, points and triangles, built at high quality; single precision",
    .single_threaded = true,
    .queries = &queries,
};
