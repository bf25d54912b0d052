// Bullet: btCollisionWorld over btDbvtBroadphase. A pair's manifold lasts as long as the boxes of its bodies overlap; a
// pair touches when the manifold has a point with a distance of zero at most.
#include "peers.h"
#include "query_engine.h"

#include <memory>
#include <unordered_map>
#include <vector>

#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>

#ifndef ABUT_PEER_BULLET // the package's version
#define ABUT_PEER_BULLET ""
#endif

namespace {

// Static bodies collide with moving ones only.
enum
{
    GROUP_STATIC = btBroadphaseProxy::StaticFilter,
    GROUP_MOVING = btBroadphaseProxy::DefaultFilter
};

btDefaultCollisionConstructionInfo room_for(const bench_scene &scene)
{
    btDefaultCollisionConstructionInfo room;
    const int pairs = 2 * static_cast<int>(scene.pairs_a_body * static_cast<float>(scene.bodies)) + 4096;
    room.m_defaultMaxPersistentManifoldPoolSize = pairs;
    room.m_defaultMaxCollisionAlgorithmPoolSize = pairs;
    return room;
}

struct instance
{
    explicit instance(const bench_scene &scene)
        : has_hulls(scene.hull_count > 0), shapes(scene.count), bodies(scene.count), configuration(room_for(scene)),
          dispatcher(&configuration), world(&dispatcher, &broadphase, &configuration)
    {
        world.setForceUpdateAllAabbs(false);
    }

    bool has_hulls;
    std::unique_ptr<btTriangleMesh> ground;
    std::unordered_map<const abut_geometry *, std::shared_ptr<btCollisionShape>> hulls;
    std::vector<std::shared_ptr<btCollisionShape>> shapes; // by index in the scene, as are the bodies
    std::vector<std::unique_ptr<btCollisionObject>> bodies;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btCollisionWorld world; // goes first, and looks at all of the above
};

// A scene has one mesh at most.
std::unique_ptr<btCollisionShape> mesh_of(instance &it, const abut_shape &shape)
{
    it.ground = std::make_unique<btTriangleMesh>();
    const uint32_t triangles = abut_geometry_mesh_triangles(shape.mesh);
    for (uint32_t i = 0; i < triangles; ++i)
    {
        abut_vec3 corner[3];
        if (abut_geometry_mesh_triangle(shape.mesh, i, corner))
        {
            it.ground->addTriangle(btVector3(corner[0].x, corner[0].y, corner[0].z),
                                   btVector3(corner[1].x, corner[1].y, corner[1].z),
                                   btVector3(corner[2].x, corner[2].y, corner[2].z));
        }
    }
    // Its small nodes number 21 bits of triangles and overflow beyond without a word.
    auto mesh = std::make_unique<btBvhTriangleMeshShape>(it.ground.get(), triangles < 1u << 21);
    mesh->setMargin(0.0f);
    return mesh;
}

// With its faces, so that the points of a manifold are found at once by clipping them, instead of one in each frame.
// Bodies with the same hull share the shape.
std::shared_ptr<btCollisionShape> hull_of(instance &it, const abut_shape &shape)
{
    std::shared_ptr<btCollisionShape> &known = it.hulls[shape.hull];
    if (!known)
    {
        auto hull = std::make_shared<btConvexHullShape>();
        const abut_vec3 *vertices;
        const uint32_t count = abut_geometry_hull_vertices(shape.hull, &vertices);
        for (uint32_t i = 0; i < count; ++i)
        {
            hull->addPoint(btVector3(vertices[i].x, vertices[i].y, vertices[i].z), false);
        }
        hull->setMargin(0.0f);
        hull->recalcLocalAabb();
        hull->initializePolyhedralFeatures();
        known = std::move(hull);
    }
    return known;
}

std::shared_ptr<btCollisionShape> shape_of(instance &it, const abut_shape &shape)
{
    if (shape.kind == ABUT_HULL)
    {
        return hull_of(it, shape);
    }
    if (shape.kind == ABUT_MESH)
    {
        return mesh_of(it, shape);
    }
    if (shape.kind == ABUT_SPHERE)
    {
        return std::make_shared<btSphereShape>(shape.sphere.radius);
    }
    const abut_vec3 half = shape.box.half_extents;
    auto box = std::make_shared<btBoxShape>(btVector3(half.x, half.y, half.z));
    box->setMargin(0.0f);
    if (it.has_hulls)
    {
        box->initializePolyhedralFeatures();
    }
    return box;
}

void place(btCollisionObject &body, const abut_pose &pose)
{
    btTransform &transform = body.getWorldTransform();
    transform.setOrigin(btVector3(pose.position.x, pose.position.y, pose.position.z));
    if (body.getUserIndex2())
    {
        transform.setRotation(btQuaternion(pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w));
    }
}

// The second user index says whether the body turns.
void begin(instance &it, int index, const abut_body_def &def)
{
    auto body = std::make_unique<btCollisionObject>();
    const bool still = def.motion == ABUT_STATIC;
    it.shapes[static_cast<size_t>(index)] = shape_of(it, def.collider.shape);
    body->setCollisionShape(it.shapes[static_cast<size_t>(index)].get());
    body->setUserIndex(index);
    body->setUserIndex2(def.collider.shape.kind == ABUT_OBB || def.collider.shape.kind == ABUT_HULL);
    body->setWorldTransform(btTransform::getIdentity());
    place(*body, def.pose);
    if (still)
    {
        body->setCollisionFlags(btCollisionObject::CF_STATIC_OBJECT);
    }
    else
    {
        body->setCollisionFlags(0);
    }
    body->forceActivationState(still ? ISLAND_SLEEPING : DISABLE_DEACTIVATION);
    it.world.addCollisionObject(body.get(), still ? GROUP_STATIC : GROUP_MOVING,
                                still ? GROUP_MOVING : GROUP_MOVING | GROUP_STATIC);
    it.bodies[static_cast<size_t>(index)] = std::move(body);
}

void *create(const bench_scene *scene, const engine_settings *, bench_complaint *)
{
    // Bullet's margin, by default 0.02. With none it throws points away when it rounds, and loses pairs that lie deep.
    gContactBreakingThreshold = 0.001f;
    auto it = std::make_unique<instance>(*scene);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        begin(*it, static_cast<int>(i), scene->defs[i]);
    }
    return it.release();
}

bool step(void *given, const bench_scene *scene, bench_complaint *)
{
    instance &it = *static_cast<instance *>(given);
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        it.world.removeCollisionObject(it.bodies[scene->renewed[i]].get());
        begin(it, static_cast<int>(scene->renewed[i]), scene->renewed_defs[i]);
    }
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        place(*it.bodies[i], scene->poses[i]);
    }
    it.world.performDiscreteCollisionDetection();
    return true;
}

uint32_t points_of(const btPersistentManifold &manifold)
{
    uint32_t points = 0;
    for (int i = 0; i < manifold.getNumContacts(); ++i)
    {
        points += manifold.getContactPoint(i).getDistance() <= 0.0f;
    }
    return points;
}

template <typename visitor> void each_touching(instance &it, visitor &&visit)
{
    for (int i = 0; i < it.dispatcher.getNumManifolds(); ++i)
    {
        const btPersistentManifold &manifold = *it.dispatcher.getManifoldByIndexInternal(i);
        if (const uint32_t points = points_of(manifold))
        {
            visit(manifold, points);
        }
    }
}

void inspect(void *given, engine_frame *out)
{
    instance &it = *static_cast<instance *>(given);
    *out = engine_frame{};
    out->candidates = static_cast<uint64_t>(it.broadphase.getOverlappingPairCache()->getNumOverlappingPairs());
    each_touching(it, [&](const btPersistentManifold &, uint32_t points) {
        out->touching += 1;
        out->points += points;
    });
}

void touching(void *given, pair_list *out)
{
    each_touching(*static_cast<instance *>(given), [&](const btPersistentManifold &manifold, uint32_t) {
        pair_list_add(out, static_cast<uint32_t>(manifold.getBody0()->getUserIndex()),
                      static_cast<uint32_t>(manifold.getBody1()->getUserIndex()));
    });
}

// Answers that every pair is to go.
struct all_pairs final : btOverlapCallback
{
    bool processOverlap(btBroadphasePair &) override
    {
        return true;
    }
};

// Without pairs first: the world would look through all of them for each of its bodies.
void destroy(void *given)
{
    if (instance *it = static_cast<instance *>(given))
    {
        all_pairs none_left;
        it->broadphase.getOverlappingPairCache()->processAllOverlappingPairs(&none_left, &it->dispatcher);
        delete it;
    }
}

// Queries: rayTest, convexSweepTest and contactTest of the same world.

btVector3 vector_of(const abut_vec3 &v)
{
    return { v.x, v.y, v.z };
}

bool knows_query(query_kind kind)
{
    return kind <= QUERY_CAST || kind == QUERY_OVERLAP_SPHERE;
}

void *create_queried(const bench_scene *scene, bench_complaint *complaint)
{
    void *given = create(scene, nullptr, complaint);
    static_cast<instance *>(given)->broadphase.optimize();
    return given;
}

// Ends at the first hit found, whichever it is.
struct any_hit final : btCollisionWorld::RayResultCallback
{
    any_hit()
    {
        m_collisionFilterMask = btBroadphaseProxy::AllFilter;
        m_flags |= btTriangleRaycastCallback::kF_FilterBackfaces;
    }

    btScalar addSingleResult(btCollisionWorld::LocalRayResult &result, bool) override
    {
        m_collisionObject = result.m_collisionObject;
        m_closestHitFraction = 0.0f;
        return 0.0f;
    }
};

void ask_ray(instance &it, query_kind kind, const abut_ray &ray, uint32_t &hits, float &fraction)
{
    const btVector3 from = vector_of(ray.origin), to = from + vector_of(ray.translation);
    if (kind == QUERY_RAY_ANY)
    {
        any_hit found;
        it.world.rayTest(from, to, found);
        hits = found.hasHit();
    }
    else if (kind == QUERY_RAY_ALL)
    {
        btCollisionWorld::AllHitsRayResultCallback found(from, to);
        found.m_collisionFilterMask = btBroadphaseProxy::AllFilter;
        found.m_flags |= btTriangleRaycastCallback::kF_FilterBackfaces;
        it.world.rayTest(from, to, found);
        found.m_hitFractions.quickSort([](btScalar a, btScalar b) { return a < b; });
        hits = static_cast<uint32_t>(found.m_hitFractions.size());
        fraction = hits > 0 ? static_cast<float>(found.m_hitFractions[0]) : 1.0f;
    }
    else
    {
        btCollisionWorld::ClosestRayResultCallback found(from, to);
        found.m_collisionFilterMask = btBroadphaseProxy::AllFilter;
        found.m_flags |= btTriangleRaycastCallback::kF_FilterBackfaces;
        it.world.rayTest(from, to, found);
        hits = found.hasHit();
        fraction = static_cast<float>(found.m_closestHitFraction);
    }
}

void ask_cast(instance &it, const abut_cast &cast, uint32_t &hits, float &fraction)
{
    btBoxShape box(vector_of(cast.shape.box.half_extents));
    box.setMargin(0.0f);
    btTransform from = btTransform::getIdentity(), to = from;
    from.setOrigin(vector_of(cast.pose.position));
    to.setOrigin(from.getOrigin() + vector_of(cast.translation));
    btCollisionWorld::ClosestConvexResultCallback found(from.getOrigin(), to.getOrigin());
    found.m_collisionFilterMask = btBroadphaseProxy::AllFilter;
    it.world.convexSweepTest(&box, from, to, found);
    hits = found.hasHit();
    fraction = static_cast<float>(found.m_closestHitFraction);
}

// Counts the objects that a manifold is reported of; the points of one follow each other.
struct touched final : btCollisionWorld::ContactResultCallback
{
    btScalar addSingleResult(btManifoldPoint &point, const btCollisionObjectWrapper *a, int, int,
                             const btCollisionObjectWrapper *b, int, int) override
    {
        const btCollisionObject *other =
            a->getCollisionObject() == self ? b->getCollisionObject() : a->getCollisionObject();
        count += point.getDistance() <= 0.0f && other != last;
        last = point.getDistance() <= 0.0f ? other : last;
        return 0.0f;
    }

    const btCollisionObject *self = nullptr, *last = nullptr;
    uint32_t count = 0;
};

void ask_sphere(instance &it, const abut_placed_shape &placed, uint32_t &hits)
{
    btSphereShape sphere(placed.shape.sphere.radius);
    btCollisionObject object;
    object.setCollisionShape(&sphere);
    object.setWorldTransform(btTransform(btQuaternion::getIdentity(), vector_of(placed.pose.position)));
    touched found;
    found.self = &object;
    found.m_collisionFilterMask = btBroadphaseProxy::AllFilter;
    it.world.contactTest(&object, found);
    hits = found.count;
}

void ask_queries(void *given, const query_set *set, query_answers *out)
{
    instance &it = *static_cast<instance *>(given);
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        out->fractions[i] = 1.0f;
        if (set->rays)
        {
            ask_ray(it, set->kind, set->rays[i], out->hits[i], out->fractions[i]);
        }
        else if (set->casts)
        {
            ask_cast(it, set->casts[i], out->hits[i], out->fractions[i]);
        }
        else
        {
            ask_sphere(it, set->shapes[i], out->hits[i]);
        }
    }
}

const query_engine queries = {
    .knows = knows_query,
    .knows_hulls = true,
    .create = create_queried,
    .ask = ask_queries,
    .ask_many = nullptr,
    .destroy = destroy,
};

} // namespace

const bench_engine engine_bullet = {
    .name = "bullet",
    .version = ABUT_PEER_BULLET,
    .built = "btCollisionWorld, btDbvtBroadphase, btBvhTriangleMeshShape, btConvexHullShape; "
#ifdef BT_USE_DOUBLE_PRECISION
             "double precision; "
#else
             "single precision; "
#endif
             "the package's own flags",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS,
    .single_threaded = true,
    .knows_meshes = true,
    .knows_hulls = true,
    .queries = &queries,
    .stages = 0,
    .stage_name = nullptr,
    .create = create,
    .step = step,
    .inspect = inspect,
    .hash = nullptr,
    .touching = touching,
    .destroy = destroy,
};
