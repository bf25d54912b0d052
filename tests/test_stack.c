// A task of a detect needs no more stack than world.h says, for all pair types, on every instruction set available, and
// queries no more than query.h says: they run on threads whose stack ends at a protected page.
#define _GNU_SOURCE // MAP_ANONYMOUS, MAP_STACK

#include "own_world.h"
#include "random.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define PROMISED (1024u * 1024u) // sanitizers put room around what lies on a stack
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PROMISED (1024u * 1024u)
#endif
#endif
#ifndef PROMISED
#define PROMISED (128u * 1024u)
#endif

enum
{
    ROOM = 4 * PROMISED,
    BODIES = 48,                    // close together: more pairs than one call of a kernel is given
    CUSTOM = ABUT_SHAPE_KIND_COUNT, // and up: the kinds of own_kinds.h
    HUNGRY = CUSTOM + OWN_KINDS,    // a ball whose support function needs all the stack it may
    KINDS = HUNGRY + 1,
    QUESTIONS = 66,        // more than go down the index together
    OF_CALLERS = 48 * 1024 // bytes that callers' functions may need
};

typedef struct small_stack
{
    unsigned char *low;
} small_stack;

typedef struct phase
{
    small_stack *stack;
    abut_world *world;
    uint32_t tasks;
    bool failed;
} phase;

// The page below which nothing may be touched.
static unsigned char *guard_below(const small_stack *stack, const unsigned char *top)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return stack->low + ((size_t)(top - stack->low) - PROMISED) / page * page;
}

static void *run_tasks(void *given)
{
    phase *p = given;
    const unsigned char *top = __builtin_frame_address(0);
    unsigned char *const end = guard_below(p->stack, top);
    const size_t below = (size_t)(end - p->stack->low);
    p->failed = mprotect(p->stack->low, below, PROT_NONE) != 0;
    for (uint32_t i = 0; i < p->tasks && !p->failed; ++i)
    {
        p->failed = abut_world_detect_task(p->world, i) != ABUT_OK;
    }
    return NULL;
}

static void run_thread(small_stack *stack, void *(*run)(void *), void *given)
{
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack->low, ROOM), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, given), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_int_equal(mprotect(stack->low, ROOM, PROT_READ | PROT_WRITE), 0);
}

static void run_on(small_stack *stack, abut_world *world, uint32_t tasks)
{
    phase p = { .stack = stack, .world = world, .tasks = tasks };
    run_thread(stack, run_tasks, &p);
    assert_false(p.failed);
}

// Questions to a world, and room for answers.
typedef struct asked
{
    small_stack *stack;
    const abut_world *world;
    abut_ray ray[QUESTIONS];
    abut_cast cast[QUESTIONS];
    abut_aabb box[QUESTIONS];
    abut_placed_shape shape[QUESTIONS];
    abut_range ranges[QUESTIONS];
    abut_hit hits[QUESTIONS * BODIES];
    abut_found found[QUESTIONS * BODIES];
    abut_near near[QUESTIONS * BODIES];
    abut_collision collisions[QUESTIONS * BODIES];
    abut_character character[QUESTIONS];
    abut_character_move moves[QUESTIONS];
    bool any[QUESTIONS], walks, failed;
} asked;

static void *ask(void *given)
{
    asked *a = given;
    const abut_world *w = a->world;
    const abut_query_filter once = { .flags = ABUT_QUERY_ONE_PER_BODY };
    unsigned char *const end = guard_below(a->stack, __builtin_frame_address(0));
    const size_t below = (size_t)(end - a->stack->low);
    const uint64_t room = QUESTIONS * BODIES;
    uint64_t total;
    uint32_t count;
    a->failed =
        mprotect(a->stack->low, below, PROT_NONE) != 0 ||
        abut_world_ray_closest_many(w, a->ray, QUESTIONS, NULL, a->hits) != ABUT_OK ||
        abut_world_ray_all_many(w, a->ray, QUESTIONS, &once, a->ranges, a->hits, room, &total) != ABUT_OK ||
        abut_world_cast_closest_many(w, a->cast, QUESTIONS, NULL, a->hits) != ABUT_OK ||
        abut_world_cast_any_many(w, a->cast, QUESTIONS, NULL, a->any) != ABUT_OK ||
        abut_world_cast_closest(w, a->cast, NULL, a->hits) != ABUT_OK ||
        abut_world_cast_all_many(w, a->cast, QUESTIONS, &once, a->ranges, a->hits, room, &total) != ABUT_OK ||
        abut_world_cast_all(w, a->cast, NULL, a->hits, BODIES, &count) != ABUT_OK ||
        abut_world_overlap_aabb_many(w, a->box, QUESTIONS, NULL, a->ranges, a->found, room, &total) != ABUT_OK ||
        abut_world_overlap_shape_many(w, a->shape, QUESTIONS, &once, a->ranges, a->found, room, &total) != ABUT_OK ||
        abut_world_overlap_shape_any_many(w, a->shape, QUESTIONS, NULL, a->any) != ABUT_OK ||
        abut_world_nearest_shape_many(w, a->shape, QUESTIONS, 1.0f, BODIES, &once, a->ranges, a->near, room, &total) !=
            ABUT_OK ||
        abut_world_nearest_shape(w, a->shape, 1.0f, NULL, a->near, BODIES, &count) != ABUT_OK ||
        abut_world_collide_shape_many(w, a->shape, QUESTIONS, 0.1f, &once, a->ranges, a->collisions, room, &total) !=
            ABUT_OK ||
        abut_world_collide_shape(w, a->shape, 0.1f, NULL, a->collisions, BODIES, &count) != ABUT_OK ||
        (a->walks && abut_world_move_character_many(w, a->character, QUESTIONS, NULL, a->moves) != ABUT_OK);
    return NULL;
}

// Of a shape that stands and turns at many places.
static void ask_on(small_stack *stack, const abut_world *world, const abut_shape *shape, bool is_2d)
{
    static asked a;
    random_source random = random_start(7);
    a.stack = stack;
    a.world = world;
    a.walks = shape->kind != ABUT_COMPOUND;
    for (uint32_t i = 0; i < QUESTIONS; ++i)
    {
        abut_vec3 at = random_narrow(random_in_box(&random, 1.5)), way = random_narrow(random_in_box(&random, 3.0));
        const float turn = i % 8 == 1 ? 1.0f : 0.0f;
        at.z = is_2d ? 0.0f : at.z;
        way.z = is_2d ? 0.0f : way.z;
        a.ray[i] = (abut_ray){ at, way };
        a.box[i] = abut_aabb_from_centre(at, abut_vec3_make(0.3f, 0.3f, 0.3f));
        a.shape[i] = (abut_placed_shape){ *shape, { .position = at, .rotation = { 0, 0, 0, 1 } } };
        a.cast[i] = (abut_cast){ *shape, a.shape[i].pose, way, { 0, 0, turn } };
        a.character[i] = (abut_character){
            .shape = *shape, .pose = a.shape[i].pose, .translation = way, .step_height = 0.3f, .stands = i % 3 == 0
        };
    }
    run_thread(stack, ask, &a);
    assert_false(a.failed);
}

static void detect_on(small_stack *stack, abut_world *world, float horizon)
{
    assert_int_equal(abut_world_detect_begin(world, horizon), ABUT_OK);
    for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0;)
    {
        run_on(stack, world, tasks);
    }
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
}

static abut_geometry *octagon(void)
{
    abut_vec2 points[8];
    for (int i = 0; i < 8; ++i)
    {
        const double turn = 0.7853981633974483 * i;
        points[i] = (abut_vec2){ (float)(0.5 * cos(turn)), (float)(0.5 * sin(turn)) };
    }
    abut_geometry *polygon = NULL;
    assert_int_equal(abut_geometry_create_polygon(points, 8, NULL, &polygon), ABUT_OK);
    return polygon;
}

static abut_geometry *octahedron(void)
{
    const abut_vec3 points[6] = { { 0.5f, 0, 0 },  { -0.5f, 0, 0 }, { 0, 0.5f, 0 },
                                  { 0, -0.5f, 0 }, { 0, 0, 0.5f },  { 0, 0, -0.5f } };
    abut_geometry *hull = NULL;
    assert_int_equal(abut_geometry_create_hull(points, 6, 0, NULL, &hull), ABUT_OK);
    return hull;
}

// An octahedron's surface, from both sides.
static abut_geometry *surface(void)
{
    const abut_vec3 points[6] = { { 0.5f, 0, 0 },  { -0.5f, 0, 0 }, { 0, 0.5f, 0 },
                                  { 0, -0.5f, 0 }, { 0, 0, 0.5f },  { 0, 0, -0.5f } };
    const uint32_t indices[24] = { 0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5 };
    const abut_mesh_def def = {
        .vertices = points, .indices = indices, .vertex_count = 6, .triangle_count = 8, .two_sided = true
    };
    abut_geometry *mesh = NULL;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
    return mesh;
}

// A part of every kind that a compound may have.
static abut_geometry *cross(const abut_geometry *hull)
{
    abut_placed_shape parts[8] = {
        { .shape = abut_shape_obb(0.5f, 0.1f, 0.1f) },
        { .shape = abut_shape_capsule(0.1f, 0.5f) },
        { .shape = abut_shape_obb(0.1f, 0.1f, 0.5f) },
        { .shape = abut_shape_sphere(0.3f) },
        { .shape = abut_shape_hull(hull) },
        { .shape = abut_shape_cylinder(0.2f, 0.2f) },
        { .shape = abut_shape_capsule(0.2f, 0.3f) },
        { .shape = abut_shape_hull(hull) },
    };
    for (int i = 0; i < 8; ++i)
    {
        parts[i].pose.position =
            abut_vec3_make(0.1f * (float)(i & 1), 0.1f * (float)(i >> 1 & 1), 0.1f * (float)(i >> 2));
        parts[i].pose.rotation = (abut_quat){ 0.1f * (float)i, 0.2f, 0.0f, 1.0f };
    }
    abut_geometry *compound = NULL;
    assert_int_equal(abut_geometry_create_compound(parts, COUNT(parts), NULL, &compound), ABUT_OK);
    return compound;
}

static abut_geometry *zigzag(void)
{
    const abut_vec2 points[8] = { { 0.8f, 0 },  { 0.6f, 0.3f },  { 0.3f, -0.2f },  { 0.1f, 0.2f },
                                  { -0.1f, 0 }, { -0.4f, 0.1f }, { -0.6f, -0.3f }, { -0.8f, 0 } };
    const abut_chain_def def = { .points = points, .point_count = 8, .two_sided = true };
    abut_geometry *chain = NULL;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    return chain;
}

enum
{
    GEOMETRIES = 5
};

static abut_shape shape_of(uint32_t kind, abut_geometry *const geometry[GEOMETRIES])
{
    switch (kind)
    {
    case ABUT_SPHERE:
        return abut_shape_sphere(0.5f);
    case ABUT_AABB:
        return abut_shape_aabb(0.5f, 0.4f, 0.3f);
    case ABUT_OBB:
        return abut_shape_obb(0.5f, 0.4f, 0.3f);
    case ABUT_CAPSULE:
        return abut_shape_capsule(0.3f, 0.2f);
    case ABUT_POLYGON:
        return abut_shape_polygon(geometry[0]);
    case ABUT_HULL:
        return abut_shape_hull(geometry[1]);
    case ABUT_CYLINDER:
        return abut_shape_tapered_cylinder(0.4f, 0.3f, 0.4f);
    case ABUT_MESH:
        return abut_shape_mesh(geometry[2]);
    case ABUT_COMPOUND:
        return abut_shape_compound(geometry[3]);
    case ABUT_CHAIN:
        return abut_shape_chain(geometry[4]);
    case ABUT_HALF_SPACE:
        return abut_shape_half_space();
    default:
        return own_shape(kind - CUSTOM, 0.4f, 0.4f, 0.4f);
    }
}

// What a world is made of, and how it is looked at.
typedef struct setting
{
    abut_isa isa;
    abut_broad_kind broad;
    uint32_t kind[2];
    bool is_2d, sensors, asked;
    float recycle_distance, horizon;
} setting;

// Touches as much stack as a caller's function may.
static __attribute__((noinline)) void eat_stack(void)
{
    volatile unsigned char eaten[OF_CALLERS - 512];
    for (size_t i = 0; i < sizeof eaten; i += 4096)
    {
        eaten[i] = (unsigned char)i;
    }
}

static void hungry_support(void *context, const void *data, const double direction[3], double out[3])
{
    eat_stack();
    own_ball_support(context, data, direction, out);
}

static void say_one_point(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    (void)context;
    eat_stack();
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ { 0, 1, 0 }, -0.25f, 1, { { { 0, 0, 0 }, -0.25f, i } } };
    }
}

static void fill(abut_world *world, const setting *s, abut_geometry *const geometry[GEOMETRIES])
{
    random_source random = random_start(s->kind[0] * KINDS + s->kind[1] + 1);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_body body;
        const double angle = random_between(&random, -3.0, 3.0);
        abut_body_def def = { .collider.shape = shape_of(s->kind[i & 1], geometry),
                              .collider.flags = s->sensors && i % 8 == 0 ? ABUT_COLLIDER_SENSOR : 0,
                              .flags = s->horizon > 0.0f && i % 12 == 0 ? ABUT_BODY_CCD : 0 };
        def.pose.position = random_narrow(random_in_box(&random, s->is_2d ? 0.8 : 0.5));
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        def.velocity.linear = random_narrow(random_in_box(&random, 2.0));
        def.velocity.angular = random_narrow(random_in_box(&random, 1.0));
        if (s->is_2d)
        {
            def.pose = abut_pose_2d(def.pose.position.x, def.pose.position.y, (float)angle);
            def.velocity.linear.z = def.velocity.angular.x = def.velocity.angular.y = 0.0f;
        }
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
}

// These ask nothing, and do not meet each other.
static bool only_answers(uint32_t kind)
{
    return kind == ABUT_MESH || kind == ABUT_CHAIN || kind == ABUT_HALF_SPACE;
}

static void look_at(small_stack *stack, const setting *s, abut_geometry *const geometry[GEOMETRIES])
{
    abut_world *world = open_world(&(abut_world_def){ .isa = s->isa,
                                                      .broad = s->broad,
                                                      .dimension = s->is_2d ? 2 : 3,
                                                      .margin = 0.01f,
                                                      .recycle_distance = s->recycle_distance });
    if (!s->is_2d)
    {
        const abut_kind_def hungry = { .name = "hungry", .bounds = own_ball_bounds, .support = hungry_support };
        uint32_t id;
        register_own_kinds(world);
        assert_int_equal(abut_world_register_kind(world, &hungry, &id), ABUT_OK);
    }
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    if (s->asked)
    {
        assert_int_equal(abut_world_set_pair_function(world, crate, crate, say_one_point, NULL), ABUT_OK);
        assert_int_equal(abut_world_set_pair_function(world, crate, ABUT_OBB, say_one_point, NULL), ABUT_OK);
    }
    fill(world, s, geometry);
    for (uint32_t frame = 0; frame < 2; ++frame)
    {
        detect_on(stack, world, s->horizon);
        assert_true(touching(world) > 100);
        assert_int_equal(abut_world_move(world, 0.001f), ABUT_OK);
    }
    // With sanitizers it takes minutes and tells nothing. Queries do not know of horizons.
    const bool measures = PROMISED == 128u * 1024u && s->horizon == 0.0f;
    for (int k = 0; k < 2 && measures && s->kind[0] < HUNGRY && s->kind[1] < HUNGRY; ++k)
    {
        const abut_shape shape = shape_of(s->kind[k], geometry);
        if (k == 0 ? !only_answers(s->kind[0]) : s->kind[1] == ABUT_COMPOUND && s->kind[0] != ABUT_COMPOUND)
        {
            ask_on(stack, world, &shape, s->is_2d);
        }
    }
    abut_world_destroy(world);
}

static bool fits(uint32_t kind, bool is_2d)
{
    return is_2d ? kind < CUSTOM && kind != ABUT_CUSTOM && kind != ABUT_HULL && kind != ABUT_CYLINDER &&
                       kind != ABUT_MESH && kind != ABUT_COMPOUND
                 : kind != ABUT_POLYGON && kind != ABUT_CUSTOM && kind != ABUT_CHAIN;
}

// Whether a kind has kernels of each instruction set. What else there is, is compiled once; of the kernels that it
// calls, those of the first and of the widest set are enough.
static bool is_in_lanes(uint32_t kind)
{
    return kind < ABUT_CUSTOM || kind == ABUT_HULL;
}

// Every pair of kinds in 3D or in 2D; on an instruction set in between, those that have kernels of it.
static void look_at_all_kinds(small_stack *stack, setting s, abut_geometry *const geometry[GEOMETRIES])
{
    const bool all = s.isa == ABUT_ISA_SCALAR || s.isa == abut_isa_best();
    for (s.kind[0] = ABUT_SPHERE; s.kind[0] < KINDS; ++s.kind[0])
    {
        for (s.kind[1] = s.kind[0]; s.kind[1] < KINDS; ++s.kind[1])
        {
            const bool meet = !only_answers(s.kind[0]) || !only_answers(s.kind[1]);
            if (meet && fits(s.kind[0], s.is_2d) && fits(s.kind[1], s.is_2d) &&
                (all || (is_in_lanes(s.kind[0]) && is_in_lanes(s.kind[1]))))
            {
                look_at(stack, &s, geometry);
            }
        }
    }
}

static void look_at_everything(small_stack *stack)
{
    abut_geometry *geometry[GEOMETRIES] = { octagon(), octahedron(), surface() };
    geometry[3] = cross(geometry[1]);
    geometry[4] = zigzag();
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (abut_isa_available(isa))
        {
            const setting all[] = {
                { .isa = isa, .is_2d = true, .broad = ABUT_BROAD_BVH, .recycle_distance = 0.01f },
                { .isa = isa, .is_2d = true, .broad = ABUT_BROAD_GRID, .horizon = 0.1f, .sensors = true },
                { .isa = isa, .broad = ABUT_BROAD_BVH, .recycle_distance = 0.01f, .asked = true },
                { .isa = isa, .broad = ABUT_BROAD_GRID, .horizon = 0.1f, .sensors = true },
            };
            for (size_t i = 0; i < COUNT(all); ++i)
            {
                look_at_all_kinds(stack, all[i], geometry);
            }
        }
    }
    for (size_t i = 0; i < COUNT(geometry); ++i)
    {
        abut_geometry_release(geometry[i]);
    }
}

static small_stack open_stack(void)
{
    void *low = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_true(low != MAP_FAILED);
    return (small_stack){ .low = low };
}

static void tasks_run_on_a_stack_that_ends_where_promised(void **state)
{
    (void)state;
    small_stack stack = open_stack();
    look_at_everything(&stack);
    munmap(stack.low, ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_on_a_stack_that_ends_where_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
