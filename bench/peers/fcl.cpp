// FCL: a dynamic AABB tree for what moves and another for what is static, which is built once; fcl::collide on every
// pair whose boxes overlap. The tree of what moves is refitted in each frame, as its update() does.
#include "peers.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include <fcl/fcl.h>

#ifndef ABUT_PEER_FCL // the package's version
#define ABUT_PEER_FCL ""
#endif

namespace {

constexpr size_t most_points = 8; // of a manifold: as many as two boxes can have

using object = fcl::CollisionObjectd;

struct pair_found
{
    object *a, *b;
};

struct instance
{
    std::unordered_map<const abut_geometry *, std::shared_ptr<fcl::CollisionGeometryd>> hulls;
    std::vector<std::unique_ptr<object>> objects; // by index in the scene
    fcl::DynamicAABBTreeCollisionManagerd moving, still;
    std::vector<pair_found> pairs;
    std::vector<fcl::Contactd> contacts;
    fcl::CollisionRequestd request{ most_points, true };
    fcl::CollisionResultd result;
    uint64_t candidates = 0;
};

std::shared_ptr<fcl::CollisionGeometryd> mesh_of(const abut_shape &shape)
{
    std::vector<fcl::Vector3d> corners;
    std::vector<fcl::Triangle> triangles;
    const uint32_t count = abut_geometry_mesh_triangles(shape.mesh);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_vec3 corner[3];
        if (abut_geometry_mesh_triangle(shape.mesh, i, corner))
        {
            const size_t first = corners.size();
            for (const abut_vec3 &at : corner)
            {
                corners.emplace_back(static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z));
            }
            triangles.emplace_back(first, first + 1, first + 2);
        }
    }
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    model->beginModel();
    model->addSubModel(corners, triangles);
    model->endModel();
    return model;
}

std::shared_ptr<fcl::CollisionGeometryd> convex_of(const abut_shape &shape)
{
    auto corners = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>(); // for each the number of its corners, then these
    const abut_vec3 *vertices;
    const uint32_t count = abut_geometry_hull_vertices(shape.hull, &vertices);
    const uint32_t face_count = abut_geometry_hull_faces(shape.hull);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 &at = vertices[i];
        corners->emplace_back(static_cast<double>(at.x), static_cast<double>(at.y), static_cast<double>(at.z));
    }
    for (uint32_t face = 0; face < face_count; ++face)
    {
        const uint32_t *of_face;
        const uint32_t around = abut_geometry_hull_face(shape.hull, face, &of_face);
        faces->push_back(static_cast<int>(around));
        faces->insert(faces->end(), of_face, of_face + around);
    }
    return std::make_shared<fcl::Convexd>(corners, static_cast<int>(face_count), faces);
}

// Bodies with the same hull share it.
std::shared_ptr<fcl::CollisionGeometryd> hull_of(instance &it, const abut_shape &shape)
{
    std::shared_ptr<fcl::CollisionGeometryd> &known = it.hulls[shape.hull];
    if (!known)
    {
        known = convex_of(shape);
    }
    return known;
}

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(instance &it, const abut_shape &shape)
{
    if (shape.kind == ABUT_HULL)
    {
        return hull_of(it, shape);
    }
    if (shape.kind == ABUT_MESH)
    {
        return mesh_of(shape);
    }
    if (shape.kind == ABUT_SPHERE)
    {
        return std::make_shared<fcl::Sphered>(static_cast<double>(shape.sphere.radius));
    }
    const abut_vec3 half = shape.box.half_extents;
    return std::make_shared<fcl::Boxd>(2.0 * static_cast<double>(half.x), 2.0 * static_cast<double>(half.y),
                                       2.0 * static_cast<double>(half.z));
}

void place(object &it, const abut_pose &pose, bool turns)
{
    const fcl::Vector3d position(static_cast<double>(pose.position.x), static_cast<double>(pose.position.y),
                                 static_cast<double>(pose.position.z));
    if (turns)
    {
        it.setTransform(fcl::Quaterniond(static_cast<double>(pose.rotation.w), static_cast<double>(pose.rotation.x),
                                         static_cast<double>(pose.rotation.y), static_cast<double>(pose.rotation.z)),
                        position);
    }
    else
    {
        it.setTranslation(position);
    }
    it.computeAABB();
}

bool turns(const abut_body_def &def)
{
    return def.collider.shape.kind == ABUT_OBB || def.collider.shape.kind == ABUT_HULL;
}

void begin(instance &it, uint32_t index, const abut_body_def &def)
{
    auto made = std::make_unique<object>(geometry_of(it, def.collider.shape));
    made->setUserData(reinterpret_cast<void *>(static_cast<uintptr_t>(index)));
    place(*made, def.pose, turns(def));
    it.objects[index] = std::move(made);
}

// Handed over together, from which the manager builds a balanced tree.
void register_all(instance &it, const bench_scene &scene)
{
    std::vector<object *> moving, still;
    for (uint32_t i = 0; i < scene.count; ++i)
    {
        (scene.defs[i].motion == ABUT_STATIC ? still : moving).push_back(it.objects[i].get());
    }
    if (!moving.empty())
    {
        it.moving.registerObjects(moving);
    }
    if (!still.empty())
    {
        it.still.registerObjects(still);
    }
}

void *create(const bench_scene *scene, const engine_settings *, bench_complaint *)
{
    auto it = std::make_unique<instance>();
    it->objects.resize(scene->count);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        begin(*it, i, scene->defs[i]);
    }
    register_all(*it, *scene);
    return it.release();
}

// False: go on.
bool meet(object *a, object *b, void *given)
{
    instance &it = *static_cast<instance *>(given);
    ++it.candidates;
    it.result.clear();
    if (fcl::collide(a, b, it.request, it.result) > 0)
    {
        it.pairs.push_back({ a, b });
        for (size_t i = 0; i < it.result.numContacts(); ++i)
        {
            it.contacts.push_back(it.result.getContact(i));
        }
    }
    return false;
}

bool step(void *given, const bench_scene *scene, bench_complaint *)
{
    instance &it = *static_cast<instance *>(given);
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        const uint32_t index = scene->renewed[i];
        it.moving.unregisterObject(it.objects[index].get());
        begin(it, index, scene->renewed_defs[i]);
        it.moving.registerObject(it.objects[index].get());
    }
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        place(*it.objects[i], scene->poses[i], turns(scene->defs[i]));
    }
    it.moving.update();
    it.pairs.clear();
    it.contacts.clear();
    it.candidates = 0;
    it.moving.collide(&it, meet);
    if (!it.still.empty())
    {
        it.moving.collide(&it.still, &it, meet);
    }
    return true;
}

void inspect(void *given, engine_frame *out)
{
    const instance &it = *static_cast<instance *>(given);
    *out = engine_frame{};
    out->touching = it.pairs.size();
    out->candidates = it.candidates;
    out->points = it.contacts.size();
}

uint32_t index_of(const object *it)
{
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(it->getUserData()));
}

void touching(void *given, pair_list *out)
{
    for (const pair_found &pair : static_cast<instance *>(given)->pairs)
    {
        pair_list_add(out, index_of(pair.a), index_of(pair.b));
    }
}

void destroy(void *given)
{
    delete static_cast<instance *>(given);
}

} // namespace

const bench_engine engine_fcl = {
    .name = "fcl",
    .version = ABUT_PEER_FCL,
    .built =
        "DynamicAABBTreeCollisionManager, collide, BVHModel<OBBRSS>, Convex; double precision; the package's own flags",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS,
    .single_threaded = true,
    .knows_meshes = true,
    .knows_hulls = true,
    .queries = nullptr,
    .stages = 0,
    .stage_name = nullptr,
    .create = create,
    .step = step,
    .inspect = inspect,
    .hash = nullptr,
    .touching = touching,
    .destroy = destroy,
};
