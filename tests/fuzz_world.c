// Bytes as a stream of calls, wrong ones among them, made of two worlds that differ in broad phase and instruction set.
// After each call: the worlds are the same; a failed call changed nothing and was reported once; after each detect the
// events add up; and whenever nothing was edited since, an audit finds nothing. A libFuzzer target, and with
// fuzz_replay.c a program that replays recorded inputs.
#include "fuzz_calls.h"

#include <stdlib.h>

static void audit(side *s)
{
    abut_audit found = { 0 };
    abut_line lines[16];
    uint64_t count = 0;
    const abut_status drawn = abut_world_draw(s->world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, lines, 16, &count);
    REQUIRE(drawn == ABUT_OK || drawn == ABUT_INVALID_ARGUMENT); // poses are written in place
    if (s->edited)
    {
        return;
    }
    REQUIRE(abut_world_audit(s->world, &found) == ABUT_OK);
    if (found.what)
    {
        (void)fprintf(stderr, "%s: bodies %u and %u\n", found.what, found.a.slot, found.b.slot);
        abort();
    }
}

// Slots within their arrays, ids, unit normals, the order of contacts.
static void check_contacts(abut_world *world, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(world, set);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        REQUIRE(all.order[i] < all.slots);
        const abut_contact *c = abut_contact_at(&all, i), *last = i > 0 ? abut_contact_at(&all, i - 1) : c;
        const float length = abut_vec3_length(c->normal);
        REQUIRE(c->id.slot == all.order[i] && c->id.generation > 0 && abut_world_contact(world, c->id) == c);
        REQUIRE(c->point_count >= 1 && c->point_count <= 4);
        REQUIRE(length > 0.999f && length < 1.001f && c->separation == c->separation);
        REQUIRE(c->a.slot < c->b.slot);
        REQUIRE(last->a.slot < c->a.slot || (last->a.slot == c->a.slot && last->b.slot <= c->b.slot));
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            const abut_vec3 at = c->points[k].offset;
            REQUIRE(at.x == at.x && at.y == at.y && at.z == at.z);
        }
    }
}

static void check_detect(side *s)
{
    abut_statistics statistics;
    abut_world_statistics(s->world, &statistics);
    s->alive += (int64_t)abut_world_events(s->world, ABUT_BEGIN).count;
    s->alive -= (int64_t)abut_world_events(s->world, ABUT_END).count;
    REQUIRE(s->alive == (int64_t)(statistics.contacts - statistics.speculative + statistics.asleep));
    s->sensed += (int64_t)abut_world_events(s->world, ABUT_SENSOR_BEGIN).count;
    s->sensed -= (int64_t)abut_world_events(s->world, ABUT_SENSOR_END).count;
    REQUIRE(s->sensed == (int64_t)statistics.overlaps);
    check_contacts(s->world, ABUT_AWAKE);
    check_contacts(s->world, ABUT_ASLEEP);
    s->edited = false;
    audit(s);
}

static bool reads_only(operation_kind kind)
{
    return kind == LOOK || kind == LOAD_IMPULSES || kind == RESERVE || kind == ASK;
}

static abut_status make_and_check(side *s, const operation *o)
{
    s->told = 0;
    s->ran = false;
    const uint64_t before = abut_world_hash(s->world);
    const abut_status status = make(s, o);
    REQUIRE(status != ABUT_OUT_OF_MEMORY && status != ABUT_BUSY && status != ABUT_UNSUPPORTED);
    if (status != ABUT_OK)
    {
        REQUIRE(s->told == 1);
        REQUIRE(o->kind == WRITE_IN_PLACE || abut_world_hash(s->world) == before);
        s->edited = s->edited || o->kind == WRITE_IN_PLACE;
        audit(s);
        return status;
    }
    REQUIRE(s->told == 0);
    s->edited = s->edited || !reads_only(o->kind);
    if (s->ran)
    {
        check_detect(s);
    }
    return status;
}

// Repairs a pose or velocity that was written in place and is invalid, so that the rest of the input is of some use.
static void heal(side *s)
{
    const abut_bodies all = abut_world_bodies(s->world);
    REQUIRE(s->reported_index < all.count && all.generations[s->reported_index]);
    all.poses[s->reported_index] = abut_pose_identity();
    all.velocities[s->reported_index] = (abut_velocity){ 0 };
    s->edited = true;
}

static void make_of_both(side *sides, const operation *o)
{
    const abut_status first = make_and_check(&sides[0], o);
    REQUIRE(make_and_check(&sides[1], o) == first);
    REQUIRE(abut_world_hash(sides[0].world) == abut_world_hash(sides[1].world));
    const bool ran = o->kind == DETECT || o->kind == STEP || o->kind == MOVE;
    if (ran && first == ABUT_INVALID_ARGUMENT && o->number >= 0.0f && o->number < 1.0f)
    {
        sides[1].reported_index = sides[0].reported_index; // of several that are wrong, each may name another
        heal(&sides[0]);
        heal(&sides[1]);
    }
}

// Two shapes and no world: whether they touch does not depend on which comes first, nor on who asks.
static void collide(bytes *b)
{
    const abut_shape one = take_shape(b), other = take_shape(b);
    const abut_pose here = take_pose(b), there = take_pose(b);
    const float margin = take_float(b);
    abut_manifold manifold = { 0 }, swapped = { 0 };
    bool overlapping = false;
    abut_status (*const judge)(const abut_shape *, const abut_pose *, const abut_shape *, const abut_pose *, float,
                               abut_manifold *) = b->is_2d ? abut_collide_2d : abut_collide;
    abut_status (*const overlaps)(const abut_shape *, const abut_pose *, const abut_shape *, const abut_pose *,
                                  bool *) = b->is_2d ? abut_overlap_2d : abut_overlap;
    const abut_status status = judge(&one, &here, &other, &there, margin, &manifold);
    REQUIRE(judge(&other, &there, &one, &here, margin, &swapped) == status);
    REQUIRE((manifold.point_count > 0) == (swapped.point_count > 0));
    REQUIRE(manifold.point_count <= 4 && (manifold.point_count == 0 || manifold.separation <= margin));
    if (status == ABUT_OK)
    {
        REQUIRE(overlaps(&one, &here, &other, &there, &overlapping) == ABUT_OK);
        REQUIRE(!overlapping || manifold.point_count > 0);
    }
}

// What is fitted around points contains them.
static void fit(bytes *b)
{
    typedef abut_status fitting(const float *, uint32_t, size_t, abut_placed_shape *);
    static fitting *const fittings[] = { abut_fit_sphere, abut_fit_sphere_fast, abut_fit_obb_pca, abut_fit_obb };
    float points[3 * 12];
    const uint32_t count = 1 + take_byte(b) % 12u, which = take_byte(b) % 4u;
    for (uint32_t i = 0; i < 3 * count; ++i)
    {
        points[i] = take_float(b);
    }
    abut_placed_shape placed;
    abut_aabb box;
    const bool boxed = abut_fit_aabb(points, count, 0, &box) == ABUT_OK;
    const bool fitted = fittings[which](points, count, 0, &placed) == ABUT_OK;
    for (uint32_t i = 0; i < count; ++i)
    {
        bool inside = false;
        const abut_vec3 point = { points[3 * i], points[3 * i + 1], points[3 * i + 2] };
        REQUIRE(!boxed || abut_aabb_contains(&box, point));
        REQUIRE(!fitted ||
                (abut_shape_contains(&placed.shape, &placed.pose, point, &inside) == ABUT_OK && inside && boxed));
    }
}

// Vetoes some pairs, the same ones on both sides.
static void veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    side *s = context;
    REQUIRE(count > 0 && abut_world_detect(s->world, 0.0f) == ABUT_BUSY);
    for (uint32_t i = 0; i < count; ++i)
    {
        REQUIRE(!vetoed[i] && pairs[i].a.slot < pairs[i].b.slot && abut_body_valid(s->world, pairs[i].a));
        vetoed[i] = (pairs[i].a.slot + 2 * pairs[i].b.slot) % 5 == 0;
    }
}

static void open_side(side *s, side *other, const abut_world_def *asked, abut_broad_kind broad, abut_isa isa)
{
    abut_world_def def = *asked;
    def.broad = broad;
    def.isa = isa;
    def.on_error = note_error;
    def.on_error_context = s;
    def.veto_context = s;
    *s = (side){ .other = other };
    const abut_status status = abut_world_create(&def, &s->world);
    const bool sound = asked->margin >= 0.0f && asked->margin <= ABUT_MAX_MAGNITUDE;
    REQUIRE(status == (sound ? ABUT_OK : ABUT_INVALID_ARGUMENT) && s->told == !sound);
}

// One input as a session of calls.
static void play(bytes *b, uint8_t sort)
{
    const abut_world_def def = { .margin = sort & 1 ? take_float(b) : 0.0f,
                                 .recycle_distance = sort & 4 ? 0.25f : 0.0f,
                                 .separations = (sort & 12) == 12 ? ABUT_AT_ANCHORS : ABUT_FOLLOWED,
                                 .body_capacity = 1,
                                 .dimension = b->is_2d ? 2 : 3,
                                 .veto = sort & 2 ? veto : NULL };
    side sides[2];
    open_side(&sides[0], &sides[1], &def, ABUT_BROAD_BRUTE, ABUT_ISA_SCALAR);
    open_side(&sides[1], &sides[0], &def, ABUT_BROAD_BVH, abut_isa_best());
    sides[1].restless = true;
    while (b->at < b->end && sides[0].world)
    {
        const operation o = take_operation(b);
        make_of_both(sides, &o);
    }
    abut_world_destroy(sides[0].world);
    abut_world_destroy(sides[1].world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = { .at = data, .end = data + size };
    const uint8_t sort = take_byte(&b);
    b.is_2d = sort >= 224 && sort < 252;
    open_polygons(&b);
    if (sort >= 248)
    {
        (sort & 1 ? collide : fit)(&b);
    }
    else
    {
        play(&b, sort);
    }
    close_polygons(&b);
    return 0;
}
