// ODE's collision half: all geoms in one space, dCollide on every pair whose boxes overlap. Static geoms collide with
// moving ones only, by their category bits. Its sweep-and-prune sorts along one axis and sweeps; its hash space is
// rebuilt each frame.
#include "peers.h"
#include "query_engine.h"
#include "storage.h"

#include <ode/ode.h>

#include <math.h>

#define MOST_POINTS 8 // of a manifold: as many as two boxes can have

enum
{
    MOVING = 1,
    STATIC = 2
};

// What the geoms of one hull point to.
typedef struct convex
{
    const abut_geometry *hull;
    dReal *planes, *corners;
    unsigned int *faces; // for each the number of its corners, then these
} convex;

typedef struct instance
{
    dSpaceID space;
    dGeomID *geoms;         // by index in the scene
    dContactGeom *contacts; // stb_ds: of all pairs, one after the other
    uint32_t *pairs;        // stb_ds: the first contact of each touching pair
    uint64_t candidates;
    dTriMeshDataID ground; // NULL: none
    float *corners;        // of its triangles
    dTriIndex *indices;
    convex *hulls; // of the scene, in its order
    uint32_t hull_count;
} instance;

// A scene has one mesh at most.
static dGeomID mesh_of(instance *it, const abut_shape *shape)
{
    const uint32_t triangles = abut_geometry_mesh_triangles(shape->mesh);
    uint32_t count = 0;
    it->corners = storage_take(9 * (size_t)triangles, sizeof *it->corners);
    it->indices = storage_take(3 * (size_t)triangles, sizeof *it->indices);
    for (uint32_t i = 0; i < triangles; ++i)
    {
        abut_vec3 corner[3];
        if (abut_geometry_mesh_triangle(shape->mesh, i, corner))
        {
            for (uint32_t k = 0; k < 3; ++k, ++count)
            {
                it->corners[3 * (size_t)count] = corner[k].x;
                it->corners[3 * (size_t)count + 1] = corner[k].y;
                it->corners[3 * (size_t)count + 2] = corner[k].z;
                it->indices[count] = count;
            }
        }
    }
    it->ground = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(it->ground, it->corners, 3 * sizeof(float), (int)count, it->indices, (int)count,
                                3 * sizeof(dTriIndex));
    return dCreateTriMesh(it->space, it->ground, NULL, NULL, NULL);
}

// The plane of a face through its first corner, whose normal is the sum over its corners (Newell's method).
static void write_plane(dReal out[4], const abut_vec3 *vertices, const uint32_t *face, uint32_t corners)
{
    double n[3] = { 0.0, 0.0, 0.0 };
    for (uint32_t i = 0; i < corners; ++i)
    {
        const abut_vec3 a = vertices[face[i]], b = vertices[face[(i + 1) % corners]];
        n[0] += ((double)a.y - b.y) * ((double)a.z + b.z);
        n[1] += ((double)a.z - b.z) * ((double)a.x + b.x);
        n[2] += ((double)a.x - b.x) * ((double)a.y + b.y);
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const abut_vec3 on = vertices[face[0]];
    for (int axis = 0; axis < 3; ++axis)
    {
        out[axis] = n[axis] / length;
    }
    out[3] = out[0] * (dReal)on.x + out[1] * (dReal)on.y + out[2] * (dReal)on.z;
}

static void lay_out(convex *out, const abut_geometry *hull)
{
    const abut_vec3 *vertices;
    const uint32_t count = abut_geometry_hull_vertices(hull, &vertices), faces = abut_geometry_hull_faces(hull);
    size_t indices = 0;
    out->hull = hull;
    out->corners = storage_take(3 * (size_t)count, sizeof *out->corners);
    out->planes = storage_take(4 * (size_t)faces, sizeof *out->planes);
    out->faces = storage_take(8 * (size_t)count, sizeof *out->faces); // Euler: 2n - 4 faces and 3n - 6 edges, at most
    for (uint32_t i = 0; i < count; ++i)
    {
        out->corners[3 * (size_t)i] = (dReal)vertices[i].x;
        out->corners[3 * (size_t)i + 1] = (dReal)vertices[i].y;
        out->corners[3 * (size_t)i + 2] = (dReal)vertices[i].z;
    }
    for (uint32_t face = 0; face < faces; ++face)
    {
        const uint32_t *own;
        const uint32_t corners = abut_geometry_hull_face(hull, face, &own);
        write_plane(&out->planes[4 * (size_t)face], vertices, own, corners);
        out->faces[indices++] = corners;
        for (uint32_t i = 0; i < corners; ++i)
        {
            out->faces[indices++] = own[i];
        }
    }
}

static dGeomID convex_of(const instance *it, const abut_shape *shape)
{
    uint32_t i = 0;
    while (it->hulls[i].hull != shape->hull)
    {
        ++i;
    }
    const convex *own = &it->hulls[i];
    const abut_vec3 *vertices;
    return dCreateConvex(it->space, own->planes, abut_geometry_hull_faces(shape->hull), own->corners,
                         abut_geometry_hull_vertices(shape->hull, &vertices), own->faces);
}

static dGeomID geom_of(instance *it, const abut_shape *shape)
{
    const dSpaceID space = it->space;
    if (shape->kind == ABUT_HULL)
    {
        return convex_of(it, shape);
    }
    if (shape->kind == ABUT_MESH)
    {
        return mesh_of(it, shape);
    }
    if (shape->kind == ABUT_SPHERE)
    {
        return dCreateSphere(space, (dReal)shape->sphere.radius);
    }
    const abut_vec3 half = shape->box.half_extents;
    return dCreateBox(space, 2.0 * (dReal)half.x, 2.0 * (dReal)half.y, 2.0 * (dReal)half.z);
}

static void place(dGeomID geom, const abut_pose *pose, bool turns)
{
    dGeomSetPosition(geom, (dReal)pose->position.x, (dReal)pose->position.y, (dReal)pose->position.z);
    if (turns)
    {
        const dQuaternion q = { (dReal)pose->rotation.w, (dReal)pose->rotation.x, (dReal)pose->rotation.y,
                                (dReal)pose->rotation.z };
        dGeomSetQuaternion(geom, q);
    }
}

static bool turns(const abut_body_def *def)
{
    return def->collider.shape.kind == ABUT_OBB || def->collider.shape.kind == ABUT_HULL;
}

static void begin(instance *it, uint32_t index, const abut_body_def *def)
{
    const bool still = def->motion == ABUT_STATIC;
    const dGeomID geom = geom_of(it, &def->collider.shape);
    dGeomSetCategoryBits(geom, still ? STATIC : MOVING);
    dGeomSetCollideBits(geom, still ? MOVING : MOVING | STATIC);
    dGeomSetData(geom, (void *)(uintptr_t)index);
    place(geom, &def->pose, turns(def));
    it->geoms[index] = geom;
}

static void *create_in(dSpaceID space, const bench_scene *scene)
{
    instance *it = storage_take(1, sizeof *it);
    it->geoms = storage_take(scene->count, sizeof(dGeomID));
    it->space = space;
    it->hull_count = scene->hull_count;
    it->hulls = storage_take(scene->hull_count, sizeof *it->hulls);
    for (uint32_t i = 0; i < scene->hull_count; ++i)
    {
        lay_out(&it->hulls[i], scene->hulls[i]);
    }
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        begin(it, i, &scene->defs[i]);
    }
    return it;
}

static void *create_hash(const bench_scene *scene, const engine_settings *settings, bench_complaint *complaint)
{
    (void)settings, (void)complaint;
    dInitODE2(0);
    return create_in(dHashSpaceCreate(NULL), scene);
}

static void *create_sap(const bench_scene *scene, const engine_settings *settings, bench_complaint *complaint)
{
    (void)settings, (void)complaint;
    dInitODE2(0);
    return create_in(dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY), scene);
}

static void meet(void *given, dGeomID a, dGeomID b)
{
    instance *it = given;
    const size_t first = arrlenu(it->contacts);
    ++it->candidates;
    arrsetlen(it->contacts, first + MOST_POINTS);
    const int points = dCollide(a, b, MOST_POINTS, &it->contacts[first], (int)sizeof *it->contacts);
    arrsetlen(it->contacts, first + (size_t)points);
    if (points > 0)
    {
        arrput(it->pairs, (uint32_t)first);
    }
}

static bool step(void *given, const bench_scene *scene, bench_complaint *complaint)
{
    (void)complaint;
    instance *it = given;
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        dGeomDestroy(it->geoms[scene->renewed[i]]);
        begin(it, scene->renewed[i], &scene->renewed_defs[i]);
    }
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        place(it->geoms[i], &scene->poses[i], turns(&scene->defs[i]));
    }
    arrsetlen(it->contacts, 0);
    arrsetlen(it->pairs, 0);
    it->candidates = 0;
    dSpaceCollide(it->space, it, meet);
    return true;
}

static void inspect(void *given, engine_frame *out)
{
    const instance *it = given;
    *out =
        (engine_frame){ .touching = arrlenu(it->pairs), .candidates = it->candidates, .points = arrlenu(it->contacts) };
}

static void touching(void *given, pair_list *out)
{
    const instance *it = given;
    for (size_t i = 0; i < arrlenu(it->pairs); ++i)
    {
        const dContactGeom *contact = &it->contacts[it->pairs[i]];
        pair_list_add(out, (uint32_t)(uintptr_t)dGeomGetData(contact->g1),
                      (uint32_t)(uintptr_t)dGeomGetData(contact->g2));
    }
}

static void destroy(void *given)
{
    instance *it = given;
    if (it)
    {
        dSpaceDestroy(it->space);
        if (it->ground)
        {
            dGeomTriMeshDataDestroy(it->ground);
        }
        for (uint32_t i = 0; i < it->hull_count; ++i)
        {
            storage_give(it->hulls[i].planes);
            storage_give(it->hulls[i].corners);
            storage_give(it->hulls[i].faces);
        }
        storage_give(it->hulls);
        storage_give(it->corners);
        storage_give(it->indices);
        arrfree(it->contacts);
        arrfree(it->pairs);
        storage_give(it->geoms);
        storage_give(it);
        dCloseODE();
    }
}

// Queries: a dRay against the space. From inside of a box it says where it leaves, unlike abut. Not against hulls, for
// ODE 0.16.2's rays miss a dConvex that is turned.

static bool knows_query(query_kind kind)
{
    return kind <= QUERY_RAY_ALL;
}

static void *create_hash_queried(const bench_scene *scene, bench_complaint *complaint)
{
    return create_hash(scene, NULL, complaint);
}

static void *create_sap_queried(const bench_scene *scene, bench_complaint *complaint)
{
    return create_sap(scene, NULL, complaint);
}

// What a ray has hit so far.
typedef struct ray_found
{
    dGeomID ray;
    dReal depth; // metres along it
    uint32_t hits;
} ray_found;

static void meet_ray(void *given, dGeomID a, dGeomID b)
{
    ray_found *found = given;
    dContactGeom contact;
    if (dCollide(found->ray, a == found->ray ? b : a, 1, &contact, (int)sizeof contact) > 0)
    {
        found->depth = contact.depth < found->depth ? contact.depth : found->depth;
        ++found->hits;
    }
}

static void ask_rays(void *given, const query_set *set, query_answers *out)
{
    instance *it = given;
    const dGeomID ray = dCreateRay(NULL, 1.0);
    dGeomSetCategoryBits(ray, MOVING | STATIC);
    dGeomSetCollideBits(ray, MOVING | STATIC);
    dGeomRaySetBackfaceCull(ray, 1); // of meshes, as the other two
    dGeomRaySetFirstContact(ray, set->kind == QUERY_RAY_ANY);
    dGeomRaySetClosestHit(ray, set->kind != QUERY_RAY_ANY);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        const abut_vec3 at = set->rays[i].origin, way = set->rays[i].translation;
        const dReal length = (dReal)abut_vec3_length(way);
        ray_found found = { .ray = ray, .depth = length };
        dGeomRaySetLength(ray, length);
        dGeomRaySet(ray, (dReal)at.x, (dReal)at.y, (dReal)at.z, (dReal)way.x, (dReal)way.y, (dReal)way.z);
        dSpaceCollide2(ray, (dGeomID)it->space, &found, meet_ray);
        out->hits[i] = set->kind == QUERY_RAY_ALL ? found.hits : found.hits > 0;
        out->fractions[i] = set->kind == QUERY_RAY_ANY ? 1.0f : (float)(found.depth / length);
    }
    dGeomDestroy(ray);
}

static const query_engine queries_hash = {
    .knows = knows_query, .create = create_hash_queried, .ask = ask_rays, .destroy = destroy
};
static const query_engine queries_sap = {
    .knows = knows_query, .create = create_sap_queried, .ask = ask_rays, .destroy = destroy
};

#ifdef dDOUBLE
#define PRECISION "double precision; "
#else
#define PRECISION "single precision; "
#endif

const bench_engine engine_ode_hash = {
    .name = "ode-hash",
    .version = ABUT_PEER_ODE,
    .built = "dHashSpace, dCollide, dTriMesh, dConvex; " PRECISION "the package's own flags",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS,
    .single_threaded = true,
    .knows_meshes = true,
    .knows_hulls = true,
    .queries = &queries_hash,
    .create = create_hash,
    .step = step,
    .inspect = inspect,
    .touching = touching,
    .destroy = destroy,
};

const bench_engine engine_ode_sap = {
    .name = "ode-sap",
    .version = ABUT_PEER_ODE,
    .built = "dSweepAndPruneSpace, dCollide, dTriMesh, dConvex; " PRECISION "the package's own flags",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS,
    .single_threaded = true,
    .knows_meshes = true,
    .knows_hulls = true,
    .queries = &queries_sap,
    .create = create_sap,
    .step = step,
    .inspect = inspect,
    .touching = touching,
    .destroy = destroy,
};
