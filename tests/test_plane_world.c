// Worlds of two dimensions: what touches is what the referee says, the same on every instruction set and broad phase; what leads
// out of the plane is refused; geometry lives as long as somebody refers to it.
#include "random_plane.h"
#include "small_world.h"

#include <abut/state.h>

#include <string.h>

enum
{
    BODIES = 120,
    STEPS = 12
};

static plane_stock stock;

static int open_stock(void **state)
{
    (void)state;
    plane_stock_open(&stock);
    return 0;
}

static int close_stock(void **state)
{
    (void)state;
    plane_stock_close(&stock);
    return 0;
}

static const abut_world_def flat = { .dimension = 2 };

// Crowds ------------------------------------------------------------------------------------------------------------------

typedef struct crowd
{
    abut_world *world;
    abut_body body[BODIES];
    abut_body_def def[BODIES];
} crowd;

static abut_pose random_pose(random_source *random, double side)
{
    return abut_pose_plane((float)random_between(random, -side, side), (float)random_between(random, -side, side),
                           (float)random_between(random, -3.2, 3.2));
}

static abut_velocity random_velocity(random_source *random)
{
    return (abut_velocity){
        { (float)random_between(random, -2, 2), (float)random_between(random, -2, 2), 0.0f },
        { 0.0f, 0.0f, (float)random_between(random, -3, 3) },
    };
}

static void populate(crowd *c, uint64_t seed, const abut_world_def *def)
{
    random_source random = random_start(seed);
    c->world = open_world(def);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        c->def[i] = (abut_body_def){
            .pose = random_pose(&random, 8.0),
            .velocity = random_velocity(&random),
            .motion = random_chance(&random, 0.2) ? ABUT_STATIC : ABUT_DYNAMIC,
            .collider.shape = plane_random_shape(&random, &stock, plane_random_kind(&random), 1.0),
            .user_data = i,
        };
        if (random_chance(&random, 0.3))
        {
            c->def[i].collider.local = random_pose(&random, 1.0);
        }
    }
    assert_int_equal(abut_body_create_many(c->world, c->def, BODIES, c->body), ABUT_OK);
}

static void judge_contacts(const crowd *c, double margin, uint32_t *touching)
{
    static plane_solid solid[BODIES];
    const abut_contacts contacts = abut_world_contacts(c->world, ABUT_AWAKE);
    uint32_t at = 0;
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_pose pose;
        assert_int_equal(abut_body_pose(c->world, c->body[i], &pose), ABUT_OK);
        const bool placed = c->def[i].collider.local.rotation.w != 0.0f || c->def[i].collider.local.rotation.z != 0.0f;
        solid[i] = plane_solid_of(&c->def[i].collider.shape, &pose, placed ? &c->def[i].collider.local : NULL);
    }
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        for (uint32_t j = i + 1; j < BODIES; ++j)
        {
            const bool may = c->def[i].motion == ABUT_DYNAMIC || c->def[j].motion == ABUT_DYNAMIC;
            const abut_contact *contact = at < contacts.count ? &contacts.data[at] : NULL;
            const bool found = contact && contact->a.slot == c->body[i].slot && contact->b.slot == c->body[j].slot;
            abut_manifold m = { 0 };
            if (found)
            {
                m.normal = contact->normal;
                m.separation = contact->separation;
                m.point_count = contact->point_count;
                memcpy(m.points, contacts.points + contact->first_point, m.point_count * sizeof *m.points);
                ++at;
            }
            abut_pose pose;
            assert_int_equal(abut_body_pose(c->world, c->body[i], &pose), ABUT_OK);
            const dvec2 origin = { (double)pose.position.x, (double)pose.position.y };
            char why[PLANE_WHY];
            if (may ? !plane_check_contact(&solid[i], &solid[j], origin, margin, &m, why) : found)
            {
                fail_msg("bodies %u and %u: %s", i, j, may ? why : "may not meet");
            }
        }
    }
    assert_int_equal(at, contacts.count);
    *touching += contacts.count;
}

static uint32_t side_of(uint32_t feature)
{
    return feature >> 8;
}

// Two equal rectangles, one on the other: either has a side that is as good, and alone, without a world, they take turns.
static void rectangles_that_lie_flat_keep_their_side(void **state)
{
    enum
    {
        FRAMES = 300
    };
    (void)state;
    uint32_t changes_alone = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed)
    {
        random_source random = random_start(seed);
        const double x = random_between(&random, 0.3, 1.0), y = random_between(&random, 0.3, 1.0);
        const abut_shape shape = abut_shape_obb((float)x, (float)y, 0.0f);
        const double aside = random_between(&random, -x, x), turn = random_between(&random, -3.0, 3.0);
        abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
        abut_body body[2];
        uint32_t last = 0, last_alone = 0, changes = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            const double tremble = random_between(&random, -5e-5, 5e-5), up = 1.99 * y;
            const abut_pose pose[2] = { abut_pose_plane(0.0f, 0.0f, (float)turn),
                                        abut_pose_plane((float)(aside * cos(turn) - up * sin(turn)),
                                                        (float)(aside * sin(turn) + up * cos(turn)),
                                                        (float)(turn + tremble)) };
            for (uint32_t k = 0; k < 2; ++k)
            {
                const uint32_t which = seed % 2 ? k : 1 - k;
                const abut_body_def def = { .pose = pose[which], .collider.shape = shape };
                assert_int_equal(frame ? abut_body_set_pose(world, body[which], &pose[which])
                                       : abut_body_create(world, &def, &body[which]),
                                 ABUT_OK);
            }
            detect(world);
            const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
            assert_int_equal(contacts.count, 1);
            abut_manifold m;
            assert_int_equal(abut_collide_plane(&shape, &pose[0], &shape, &pose[1], 0.0f, &m), ABUT_OK);
            const uint32_t side = side_of(contacts.points[0].feature), side_alone = side_of(m.points[0].feature);
            changes += frame && side != last;
            changes_alone += frame && side_alone != last_alone;
            last = side;
            last_alone = side_alone;
        }
        assert_int_equal(changes, 0);
        abut_audit audit;
        assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
        assert_null(audit.what);
        abut_world_destroy(world);
    }
    assert_true(changes_alone > 1000);
}

static void contacts_are_what_the_referee_says(void **state)
{
    (void)state;
    uint32_t touching = 0, begun = 0, ended = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        const abut_world_def def = { .dimension = 2, .margin = seed % 2 ? 0.0f : 0.05f };
        static crowd c;
        populate(&c, seed, &def);
        uint32_t alive = 0;
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            assert_int_equal(abut_world_step(c.world, 0.05f), ABUT_OK);
            judge_contacts(&c, (double)def.margin, &touching);
            const uint32_t came = abut_world_events(c.world, ABUT_BEGIN).count;
            const uint32_t went = abut_world_events(c.world, ABUT_END).count;
            alive += came - went;
            assert_int_equal(alive, abut_world_contacts(c.world, ABUT_AWAKE).count +
                                        abut_world_contacts(c.world, ABUT_RESTING).count);
            begun += came;
            ended += went;
        }
        abut_world_destroy(c.world);
    }
    assert_true(touching > 5000 && begun > 1000 && ended > 500);
}

static void every_way_gives_the_same_hash(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
    {
        uint64_t expected[STEPS] = { 0 };
        for (int broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
        {
            for (int isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
            {
                if (!abut_isa_available((abut_isa)isa))
                {
                    continue;
                }
                const abut_world_def def = {
                    .dimension = 2, .margin = 0.02f, .broad = (abut_broad_kind)broad, .isa = (abut_isa)isa
                };
                static crowd c;
                populate(&c, seed, &def);
                for (uint32_t step = 0; step < STEPS; ++step)
                {
                    assert_int_equal(abut_world_move(c.world, 0.05f), ABUT_OK);
                    assert_int_equal(abut_world_detect(c.world, step % 2 ? 0.1f : 0.0f), ABUT_OK);
                    const uint64_t hash = abut_world_hash(c.world);
                    assert_true(expected[step] == 0 || expected[step] == hash);
                    expected[step] = hash;
                    abut_audit audit;
                    assert_int_equal(abut_world_audit(c.world, &audit), ABUT_OK);
                    if (audit.what)
                    {
                        fail_msg("seed %llu, step %u, %s, %s: %s", (unsigned long long)seed, step,
                                 abut_broad_name(def.broad), abut_isa_name(def.isa), audit.what);
                    }
                }
                abut_world_destroy(c.world);
            }
        }
    }
}

static void poses_stay_in_the_plane_as_bodies_turn(void **state)
{
    (void)state;
    static crowd c;
    populate(&c, 3, &flat);
    for (uint32_t step = 0; step < 500; ++step)
    {
        assert_int_equal(abut_world_move(c.world, 0.37f), ABUT_OK);
    }
    abut_pose pose;
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        assert_int_equal(abut_body_pose(c.world, c.body[i], &pose), ABUT_OK);
        assert_true(pose.position.z == 0.0f && pose.rotation.x == 0.0f && pose.rotation.y == 0.0f);
    }
    abut_world_destroy(c.world);
}

// What a detect says of a pair is what the call without a world says.
static void a_world_says_what_the_kernel_says(void **state)
{
    (void)state;
    uint32_t touching_pairs = 0;
    for (uint64_t seed = 1; seed <= 2000; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind_a = plane_random_kind(&random), kind_b = plane_random_kind(&random);
        const plane_pair p = plane_random_pair(&random, &stock, kind_a, kind_b);
        const abut_world_def def = { .dimension = 2, .margin = p.margin };
        abut_world *world = open_world(&def);
        const abut_body_def defs[2] = { { .pose = p.pose_a, .collider.shape = p.a },
                                        { .pose = p.pose_b, .collider.shape = p.b } };
        abut_body body[2];
        abut_manifold m;
        assert_int_equal(abut_body_create_many(world, defs, 2, body), ABUT_OK);
        assert_int_equal(abut_collide_plane(&p.a, &p.pose_a, &p.b, &p.pose_b, p.margin, &m), ABUT_OK);
        detect(world);
        const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
        assert_int_equal(contacts.count, m.point_count > 0);
        if (contacts.count)
        {
            assert_memory_equal(contacts.points, m.points, m.point_count * sizeof *m.points);
            assert_true(contacts.data[0].separation == m.separation);
            ++touching_pairs;
        }
        abut_world_destroy(world);
    }
    assert_true(touching_pairs > 500);
}

static void half_extents_along_z_mean_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    add(world, abut_shape_obb(1, 1, 0), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_obb(1, 1, 1000), 1.5f, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_aabb(1, 1, 1e-3f), 3.0f, 0, 0, ABUT_DYNAMIC);
    expect(world, 2, 2, 0);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).data[0].separation == -0.5f);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).data[0].point_count == 2);
    abut_world_destroy(world);
}

static void shapes_are_drawn_flat(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    const abut_vec2 *vertex;
    const uint32_t sides = abut_geometry_vertices(stock.polygon[1], &vertex);
    add(world, abut_shape_polygon(stock.polygon[1]), 3, 4, 0, ABUT_DYNAMIC);
    add(world, abut_shape_obb(1, 2, 5), -9, 0, 0, ABUT_DYNAMIC);
    abut_line lines[64];
    uint64_t count;
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    assert_int_equal(abut_world_draw(world, &def, lines, COUNT(lines), &count), ABUT_OK);
    assert_int_equal(count, sides + 12);
    for (uint64_t i = 0; i < count; ++i)
    {
        assert_true(lines[i].from.z == 0.0f && lines[i].to.z == 0.0f);
        assert_true(i >= sides || (lines[i].from.x == 3.0f + vertex[i].x && lines[i].from.y == 4.0f + vertex[i].y));
    }
    abut_world_destroy(world);
}

// Refusals ----------------------------------------------------------------------------------------------------------------

static void note_sentence(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)status;
    (void)call;
    (void)index;
    *(const char **)context = sentence;
}

static void other_dimensions_are_refused(void **state)
{
    (void)state;
    for (uint32_t dimension = 0; dimension < 6; ++dimension)
    {
        const abut_world_def def = { .dimension = dimension };
        abut_world *world;
        const bool sound = dimension == 0 || dimension == 2 || dimension == 3;
        assert_int_equal(abut_world_create(&def, &world), sound ? ABUT_OK : ABUT_INVALID_ARGUMENT);
        abut_world_destroy(world);
    }
}

static void space_refuses_polygons(void **state)
{
    (void)state;
    const char *sentence = NULL;
    const abut_world_def def = { .refused = note_sentence, .refused_context = &sentence };
    abut_world *world = open_world(&def);
    const abut_shape polygon = abut_shape_polygon(stock.polygon[0]);
    const abut_body_def body_def = { .collider.shape = polygon };
    abut_body body;
    assert_int_equal(abut_body_create(world, &body_def, &body), ABUT_INVALID_ARGUMENT);
    assert_non_null(strstr(sentence, "plane"));
    body = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collider_attach(world, body, &body_def.collider, &collider), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// Poses and velocities that lead out of the plane, one fault each.
static const abut_pose off_plane[] = {
    { .position = { 0, 0, 1e-9f }, .rotation = { 0, 0, 0, 1 } },
    { .rotation = { 1e-9f, 0, 0, 1 } },
    { .rotation = { 0, 1e-9f, 0.6f, 0.8f } },
};

static const abut_velocity out_of_plane[] = {
    { .linear = { 0, 0, 1e-9f } },
    { .angular = { 1e-9f, 0, 0 } },
    { .angular = { 0, 1e-9f, 0 } },
};

static void every_setter_keeps_to_the_plane(void **state)
{
    (void)state;
    const char *sentence = NULL;
    const abut_world_def def = { .dimension = 2, .refused = note_sentence, .refused_context = &sentence };
    abut_world *world = open_world(&def);
    const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    const uint64_t hash = abut_world_hash(world);
    for (size_t k = 0; k < COUNT(off_plane); ++k)
    {
        const abut_collider_def local_def = { .shape = abut_shape_sphere(1), .local = off_plane[k] };
        const abut_body_def defs[3] = { { .pose = off_plane[k] },
                                        { .velocity = out_of_plane[k] },
                                        { .collider = local_def } };
        abut_body other;
        abut_collider another;
        for (int i = 0; i < 3; ++i)
        {
            sentence = NULL;
            assert_int_equal(abut_body_create(world, &defs[i], &other), ABUT_INVALID_ARGUMENT);
            assert_non_null(strstr(sentence, "plane"));
        }
        assert_int_equal(abut_body_set_pose(world, body, &off_plane[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_pose_many(world, &body, &off_plane[k], 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_move_to(world, body, &off_plane[k], 0.1f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_velocity(world, body, &out_of_plane[k]), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_body_set_velocity_many(world, &body, &out_of_plane[k], 1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_attach(world, body, &local_def, &another), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_set(world, collider, &local_def), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_collider_set_local(world, collider, &off_plane[k]), ABUT_INVALID_ARGUMENT);
    }
    assert_true(abut_world_hash(world) == hash);
    detect(world);
    abut_world_destroy(world);
}

static void what_is_written_in_place_keeps_to_the_plane(void **state)
{
    (void)state;
    for (int isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (!abut_isa_available((abut_isa)isa))
        {
            continue;
        }
        const abut_world_def def = { .dimension = 2, .isa = (abut_isa)isa };
        abut_world *world = open_world(&def);
        const abut_body body = add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
        add(world, abut_shape_sphere(1), 1, 0, 0, ABUT_DYNAMIC);
        expect(world, 1, 1, 0);
        const abut_bodies bodies = abut_world_bodies(world);
        const abut_pose sound = bodies.poses[body.slot];
        for (size_t k = 0; k < COUNT(off_plane); ++k)
        {
            bodies.poses[body.slot] = off_plane[k];
            bodies.velocities[body.slot].linear.x = 1.0f; // so that a move looks at it
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_move(world, 0.1f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(touching(world), 1);
            bodies.poses[body.slot] = sound;
            bodies.velocities[body.slot] = out_of_plane[k];
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK); // reads no velocities
            assert_int_equal(abut_world_detect(world, 0.1f), ABUT_INVALID_ARGUMENT);
            assert_int_equal(abut_world_move(world, 0.1f), ABUT_INVALID_ARGUMENT);
            bodies.velocities[body.slot] = (abut_velocity){ 0 };
            expect(world, 1, 0, 0);
        }
        abut_world_destroy(world);
    }
}

static void bounds_contain_what_they_bound(void **state)
{
    (void)state;
    abut_world *world = open_world(&flat);
    for (uint64_t seed = 1; seed <= 500; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape shape = plane_random_shape(&random, &stock, plane_random_kind(&random), 1.0);
        const abut_body_def def = { .pose = random_pose(&random, 100.0), .collider.shape = shape };
        abut_body body;
        abut_collider collider;
        uint32_t count;
        abut_aabb box;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
        assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
        const plane_solid solid = plane_solid_of(&shape, &def.pose, NULL);
        for (int i = 0; i < solid.count; ++i)
        {
            const dvec2 p = solid.corner[i];
            assert_true((double)box.min.x <= p.x - solid.radius && p.x + solid.radius <= (double)box.max.x);
            assert_true((double)box.min.y <= p.y - solid.radius && p.y + solid.radius <= (double)box.max.y);
        }
        assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    }
    abut_world_destroy(world);
}

// Whose geometry it is ----------------------------------------------------------------------------------------------------

typedef struct account
{
    int blocks;
    bool refuse;
} account;

static void *lend(void *context, size_t size, size_t alignment)
{
    account *a = context;
    void *block = a->refuse ? NULL : aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    a->blocks += block != NULL;
    return block;
}

static void take_back(void *context, void *block, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    --((account *)context)->blocks;
    free(block);
}

static abut_geometry *square(account *a)
{
    const abut_vec2 points[4] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    const abut_allocator allocator = { lend, take_back, a };
    abut_geometry *polygon;
    assert_int_equal(abut_geometry_create_polygon(points, 4, &allocator, &polygon), ABUT_OK);
    return polygon;
}

static void colliders_keep_their_geometry(void **state)
{
    (void)state;
    account first = { 0 }, second = { 0 };
    abut_geometry *one = square(&first), *other = square(&second);
    abut_world *world = open_world(&flat);
    const abut_body body = add(world, abut_shape_polygon(one), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_polygon(one), 0.5f, 0, 0, ABUT_DYNAMIC);
    abut_geometry_release(one);
    expect(world, 1, 1, 0);
    assert_int_equal(first.blocks, 1);

    abut_collider collider;
    uint32_t count;
    const abut_shape shape = abut_shape_polygon(other);
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &shape), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &shape), ABUT_OK); // the same again
    abut_geometry_release(other);
    expect(world, 1, 0, 0);
    assert_int_equal(first.blocks + second.blocks, 2);

    assert_int_equal(abut_collider_detach(world, collider), ABUT_OK);
    assert_int_equal(second.blocks, 0);
    expect(world, 0, 0, 1);
    assert_int_equal(first.blocks, 1);
    abut_world_destroy(world);
    assert_int_equal(first.blocks, 0);
}

static void refused_calls_keep_nothing(void **state)
{
    (void)state;
    account mine = { 0 }, worlds = { 0 };
    abut_geometry *polygon = square(&mine);
    abut_world_def def = { .dimension = 2, .allocator = { lend, take_back, &worlds }, .body_capacity = 1 };
    abut_world *world = open_world(&def);
    abut_body body = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_DYNAMIC);
    const abut_collider_def collider_def = { .shape = abut_shape_polygon(polygon) };
    const abut_body_def body_def = { .collider = collider_def };
    abut_collider collider;
    worlds.refuse = true;
    uint32_t attached = 0;
    while (abut_collider_attach(world, body, &collider_def, &collider) == ABUT_OK)
    {
        ++attached;
    }
    abut_body other;
    assert_int_equal(abut_body_create(world, &body_def, &other), ABUT_OUT_OF_MEMORY);
    abut_world_destroy(world);
    assert_int_equal(mine.blocks, 1);
    abut_geometry_release(polygon);
    assert_int_equal(mine.blocks, 0);
    (void)attached;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_what_the_referee_says),
        cmocka_unit_test(rectangles_that_lie_flat_keep_their_side),
        cmocka_unit_test(every_way_gives_the_same_hash),
        cmocka_unit_test(poses_stay_in_the_plane_as_bodies_turn),
        cmocka_unit_test(a_world_says_what_the_kernel_says),
        cmocka_unit_test(half_extents_along_z_mean_nothing),
        cmocka_unit_test(shapes_are_drawn_flat),
        cmocka_unit_test(other_dimensions_are_refused),
        cmocka_unit_test(space_refuses_polygons),
        cmocka_unit_test(every_setter_keeps_to_the_plane),
        cmocka_unit_test(what_is_written_in_place_keeps_to_the_plane),
        cmocka_unit_test(bounds_contain_what_they_bound),
        cmocka_unit_test(colliders_keep_their_geometry),
        cmocka_unit_test(refused_calls_keep_nothing),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
