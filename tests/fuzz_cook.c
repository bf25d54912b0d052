// Bytes as geometry: a convex hull, a triangle mesh, a heightfield, a compound or a chain is made of them. What is
// accepted is what its header says, is saved and loaded again, answers rays, and collides with a few shapes as its
// audit says. A libFuzzer target, and with fuzz_replay.c a program.
#include "fuzz_calls.h"

enum
{
    POINTS = 64,
    TRIANGLES = 48,
    FAULTS = 4096,
    SIDE = 9, // heights along a side
    PARTS = 12
};

static float largest_of(const abut_vec3 *points, uint32_t count)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        most = fmaxf(most, fmaxf(fabsf(points[i].x), fmaxf(fabsf(points[i].y), fabsf(points[i].z))));
    }
    return most;
}

// Every corner is a vertex, and no point is above a face by more than is said, and rounding.
static void check_hull(const abut_geometry *hull, const abut_vec3 *points, uint32_t count)
{
    const abut_vec3 *vertices;
    const uint32_t vertex_count = abut_geometry_hull_vertices(hull, &vertices);
    const double most = (double)largest_of(points, count);
    REQUIRE(vertex_count >= 4 && vertex_count <= count);
    for (uint32_t face = 0; face < abut_geometry_hull_faces(hull); ++face)
    {
        const uint32_t *corner;
        const uint32_t corners = abut_geometry_hull_face(hull, face, &corner);
        double n[3] = { 0.0, 0.0, 0.0 };
        REQUIRE(corners >= 3);
        for (uint32_t i = 0; i < corners; ++i) // M. Newell's normal
        {
            REQUIRE(corner[i] < vertex_count);
            const abut_vec3 p = vertices[corner[i]], q = vertices[corner[(i + 1) % corners]], o = vertices[corner[0]];
            const double px = (double)p.x - o.x, py = (double)p.y - o.y, pz = (double)p.z - o.z;
            const double qx = (double)q.x - o.x, qy = (double)q.y - o.y, qz = (double)q.z - o.z;
            n[0] += py * qz - pz * qy;
            n[1] += pz * qx - px * qz;
            n[2] += px * qy - py * qx;
        }
        const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (uint32_t i = 0; length > 1e-5 * most * most && i < count; ++i) // a sliver's normal is rounding errors
        {
            const abut_vec3 o = vertices[corner[0]];
            const double above = (n[0] * ((double)points[i].x - o.x) + n[1] * ((double)points[i].y - o.y) +
                                  n[2] * ((double)points[i].z - o.z)) /
                                 length;
            REQUIRE(above <= 0x1p-16 * most);
        }
    }
}

static abut_geometry *make_hull(bytes *b)
{
    abut_vec3 points[POINTS];
    const uint32_t count = take_byte(b) % (POINTS + 1), most = take_byte(b) % 16;
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = take_vec3(b);
    }
    abut_geometry *out;
    const abut_status status = abut_geometry_create_hull(points, count, most, NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT || status == ABUT_LIMIT);
    if (out && most == 0)
    {
        check_hull(out, points, count);
    }
    return out;
}

// Whether the triangles of a surface are those that were given.
static void check_surface(const abut_geometry *surface, uint32_t given)
{
    uint32_t kept = 0;
    REQUIRE(abut_geometry_mesh_triangles(surface) == given);
    for (uint32_t i = 0; i < given; ++i)
    {
        abut_vec3 corner[3];
        kept += abut_geometry_mesh_triangle(surface, i, corner);
    }
    REQUIRE(kept > 0);
}

// Faults are in order and of triangles that there are; those that keep a mesh from being made are there if it is not.
static void check_faults(const abut_mesh_def *def, bool made)
{
    static abut_mesh_fault faults[FAULTS];
    uint32_t count = 0, invalid = 0, without_area = 0;
    const uint32_t own = def->triangle_count - def->neighbour_count;
    const abut_status status = abut_geometry_check_mesh(def, NULL, faults, FAULTS, &count);
    const bool valid = def->triangle_count > 0 && def->neighbour_count <= def->triangle_count;
    REQUIRE(status == (valid ? ABUT_OK : ABUT_INVALID_ARGUMENT));
    for (uint32_t i = 0; i < count && i < FAULTS; ++i)
    {
        const abut_mesh_fault *f = &faults[i];
        REQUIRE(i == 0 || f[-1].triangle <= f->triangle);
        invalid += f->kind <= ABUT_FAULT_POSITION;
        without_area += f->kind == ABUT_FAULT_DEGENERATE;
        REQUIRE(f->kind <= ABUT_FAULT_POSITION || (f->triangle < own && f->edge < 3));
    }
    REQUIRE(!valid || count > FAULTS || made == (invalid == 0 && without_area < own));
}

static abut_geometry *make_mesh(bytes *b)
{
    abut_vec3 points[POINTS];
    uint32_t indices[3 * TRIANGLES];
    const uint32_t count = take_byte(b) % (POINTS + 1), triangles = take_byte(b) % (TRIANGLES + 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = take_vec3(b);
    }
    for (uint32_t i = 0; i < 3 * triangles; ++i)
    {
        const uint8_t at = take_byte(b);
        indices[i] = at == 255 ? count : count > 0 ? at % count : 0;
    }
    const uint8_t more = take_byte(b);
    const uint32_t neighbours = more & 2 ? more >> 2u : 0;
    const abut_mesh_def def = { .vertices = points,
                                .indices = indices,
                                .vertex_count = count,
                                .triangle_count = triangles,
                                .two_sided = (more & 1) != 0,
                                .neighbour_count = neighbours };
    abut_geometry *out;
    const abut_status status = abut_geometry_create_mesh(&def, NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    check_faults(&def, out != NULL);
    if (out)
    {
        check_surface(out, triangles - neighbours);
    }
    return out;
}

static abut_geometry *make_heightfield(bytes *b)
{
    float heights[SIDE * SIDE];
    uint8_t cells[SIDE * SIDE];
    const uint32_t columns = take_byte(b) % (SIDE + 1), rows = take_byte(b) % (SIDE + 1);
    for (uint32_t i = 0; i < columns * rows; ++i)
    {
        heights[i] = take_float(b);
        const uint8_t cell = take_byte(b);
        cells[i] = (uint8_t)(cell == 255 ? cell : cell >= 200 ? 1 + cell % 2 : 0);
    }
    const uint8_t more = take_byte(b);
    const abut_heightfield_def def = { .heights = heights,
                                       .cells = more & 1 ? cells : NULL,
                                       .columns = columns,
                                       .rows = rows,
                                       .step_x = more & 2 ? take_float(b) : 1.0f,
                                       .step_z = more & 4 ? take_float(b) : 0.5f,
                                       .two_sided = (more & 8) != 0 };
    abut_geometry *out;
    const abut_status status = abut_geometry_create_heightfield(&def, NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    if (out)
    {
        check_surface(out, 2 * (columns - 1) * (rows - 1));
    }
    return out;
}

// Parts at any poses; the first may be a hull.
static abut_geometry *make_compound(bytes *b)
{
    abut_placed_shape parts[PARTS];
    abut_geometry *const hull = take_byte(b) & 1 ? make_hull(b) : NULL;
    const uint32_t count = take_byte(b) % (PARTS + 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint8_t kind = take_byte(b) % 5;
        const abut_vec3 size = take_vec3(b);
        parts[i].pose = take_pose(b);
        parts[i].shape = hull && i == 0 ? abut_shape_hull(hull)
                         : kind == 0    ? abut_shape_sphere(size.x)
                         : kind == 1    ? abut_shape_capsule(size.x, size.y)
                         : kind == 2    ? abut_shape_aabb(size.x, size.y, size.z)
                                        : abut_shape_obb(size.x, size.y, size.z);
    }
    abut_geometry *out;
    const abut_status status = abut_geometry_create_compound(parts, count, NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    for (uint32_t i = 0; out && i < count; ++i)
    {
        abut_placed_shape part;
        REQUIRE(abut_geometry_compound_part(out, i, &part) && part.shape.kind == parts[i].shape.kind);
    }
    abut_geometry_release(hull);
    return out;
}

// Points one after the other, as a line or a loop, with or without what goes on.
static abut_geometry *make_chain(bytes *b)
{
    abut_vec2 points[PARTS], beyond[2];
    const uint8_t how = take_byte(b);
    const uint32_t count = take_byte(b) % (PARTS + 1);
    for (uint32_t i = 0; i < count + 2; ++i)
    {
        *(i < 2 ? &beyond[i] : &points[i - 2]) = (abut_vec2){ take_float(b), take_float(b) };
    }
    const abut_chain_def def = { .points = points,
                                 .point_count = count,
                                 .loop = (how & 1) != 0,
                                 .two_sided = (how & 2) != 0,
                                 .before = how & 4 ? &beyond[0] : NULL,
                                 .after = how & 8 ? &beyond[1] : NULL };
    abut_geometry *out;
    const abut_status status = abut_geometry_create_chain(&def, NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    REQUIRE(!out || abut_geometry_chain_segments(out) == (def.loop ? count : count - 1));
    return out;
}

// A mesh or heightfield at another scale, if there is one.
static abut_geometry *scale(bytes *b, abut_geometry *original)
{
    abut_geometry *out;
    const abut_status status = abut_geometry_create_scaled(original, take_vec3(b), NULL, &out);
    REQUIRE((status == ABUT_OK) == (out != NULL));
    REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
    if (!out)
    {
        return original;
    }
    check_surface(out, abut_geometry_mesh_triangles(original));
    abut_geometry_release(original);
    return out;
}

static void cast_rays(bytes *b, const abut_shape *shape)
{
    for (int i = 0; i < 4; ++i)
    {
        const abut_pose pose = abut_pose_identity();
        const abut_vec3 from = take_vec3(b);
        const abut_ray ray = { from, take_vec3(b) };
        abut_ray_hit hit;
        const bool flat = shape->kind == ABUT_CHAIN;
        const abut_ray in_plane = { { from.x, from.y, 0.0f }, { ray.translation.x, ray.translation.y, 0.0f } };
        const abut_status status =
            flat ? abut_ray_shape_2d(&in_plane, shape, &pose, 0, &hit) : abut_ray_shape(&ray, shape, &pose, 0, &hit);
        REQUIRE(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
        REQUIRE(status != ABUT_OK || (hit.fraction >= 0.0f && hit.fraction <= 1.0f));
    }
}

// A world with the geometry and a few shapes near it.
static void collide(bytes *b, abut_shape shape)
{
    abut_world *world;
    const bool flat = shape.kind == ABUT_CHAIN;
    const abut_world_def def = { .dimension = flat ? 2 : 3, .margin = take_byte(b) & 1 ? 0.1f : 0.0f };
    REQUIRE(abut_world_create(&def, &world) == ABUT_OK);
    abut_body body;
    const abut_body_def ground = { .motion = ABUT_STATIC, .collider.shape = shape };
    const bool there = abut_body_create(world, &ground, &body) == ABUT_OK;
    for (int i = 0; i < 6 && there; ++i)
    {
        const abut_pose pose = take_pose(b);
        abut_body_def other = { .pose = flat ? abut_pose_2d(pose.position.x, pose.position.y, pose.rotation.z) : pose };
        const float size = 0.1f + (float)take_byte(b) / 64.0f;
        other.collider.shape = i % 3 == 0   ? abut_shape_sphere(size)
                               : i % 3 == 1 ? abut_shape_obb(size, 0.5f * size, 0.3f)
                                            : abut_shape_capsule(0.3f, size);
        (void)!abut_body_create(world, &other, &body);
    }
    abut_audit found;
    REQUIRE(abut_world_detect(world, 0.0f) == ABUT_OK);
    REQUIRE(abut_world_audit(world, &found) == ABUT_OK);
    if (found.what)
    {
        (void)fprintf(stderr, "%s (%u and %u)\n", found.what, found.a.slot, found.b.slot);
        abort();
    }
    abut_world_destroy(world);
}

// The geometry made again of its bytes, which are those of the other.
static abut_geometry *through_bytes(abut_geometry *made)
{
    abut_geometry *again = NULL;
    void *saved[2] = { NULL, NULL };
    size_t size = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2; ++i)
    {
        const abut_geometry *const one = i == 0 ? made : again;
        const abut_registry registry = { &one, 1 };
        REQUIRE(abut_geometries_save(&registry, NULL, 0, &size) == ABUT_OK);
        saved[i] = malloc(size);
        REQUIRE(saved[i] && abut_geometries_save(&registry, saved[i], size, &size) == ABUT_OK);
        if (i == 0)
        {
            REQUIRE(abut_geometries_load(saved[0], size, NULL, &again, 1, &count) == ABUT_OK && count == 1);
        }
    }
    REQUIRE(memcmp(saved[0], saved[1], size) == 0);
    free(saved[0]);
    free(saved[1]);
    abut_geometry_release(made);
    return again;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = { .at = data, .end = data + size };
    const uint8_t first = take_byte(&b), sort = first % 5;
    abut_geometry *made = (sort == 0   ? make_hull
                           : sort == 1 ? make_mesh
                           : sort == 2 ? make_heightfield
                           : sort == 3 ? make_compound
                                       : make_chain)(&b);
    if (made && first >= 128 && (sort == 1 || sort == 2))
    {
        made = scale(&b, made);
    }
    if (made)
    {
        made = through_bytes(made);
        const abut_shape shape = sort == 0   ? abut_shape_hull(made)
                                 : sort == 3 ? abut_shape_compound(made)
                                 : sort == 4 ? abut_shape_chain(made)
                                             : abut_shape_mesh(made);
        cast_rays(&b, &shape);
        collide(&b, shape);
    }
    abut_geometry_release(made);
    return 0;
}
