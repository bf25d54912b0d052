// Bytes as a stream of calls, wrong ones among them, made of two worlds that differ in broad phase and instruction set. After
// each call: the worlds are the same; what was refused changed nothing and was told once; after each detect the events add up;
// and whenever nothing was edited since, an audit finds nothing. A libFuzzer target, and with fuzz_replay.c a program that
// goes through kept inputs.
#include "fuzz_bytes.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    NAMES = 40,     // handles remembered of each sort, live or stale
    MOST_LIVE = 48, // bodies
    MANY = 4
};

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef enum operation_kind
{
    CREATE,
    CREATE_MANY,
    DESTROY,
    DESTROY_MANY,
    SET_POSE,
    SET_POSE_MANY,
    SET_VELOCITY,
    SET_VELOCITY_MANY,
    SET_MOTION,
    SET_ENABLED,
    SET_AWAKE,
    SET_AWAKE_MANY,
    SET_BODY_DATA,
    TOUCH,
    WRITE_IN_PLACE,
    ATTACH,
    DETACH,
    SET_COLLIDER,
    SET_SHAPE,
    SET_LOCAL,
    SET_FILTER,
    SET_COLLIDER_DATA,
    SET_MEETS,
    RESERVE,
    MOVE,
    DETECT,
    STEP,
    LOOK,
    LOAD_IMPULSES,
    EXCLUDE, // from here on named by the highest bytes
    MOVE_TO,
    ASK,
    OPERATIONS
} operation_kind;

// Decoded once, made of both worlds: bodies and colliders are named by where their handles are kept.
typedef struct operation
{
    operation_kind kind;
    uint8_t body[MANY], collider, count, bits;
    abut_body_def body_def[MANY];
    abut_pose pose[MANY];
    abut_velocity velocity[MANY];
    abut_collider_def collider_def;
    abut_motion motion, other_motion;
    float number;
} operation;

typedef struct side
{
    abut_world *world;
    struct side *other;
    abut_body body[NAMES];
    abut_collider collider[NAMES];
    uint32_t bodies, colliders; // named so far
    uint32_t told, told_index;
    int64_t alive, sensed;
    bool restless;    // its broad phase may change
    bool edited, ran; // since the last detect; a detect among the operation's calls
} side;

static void refused(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    side *s = context;
    ++s->told;
    s->told_index = index;
    REQUIRE(status != ABUT_OK && call && sentence);
    REQUIRE(!s->world || abut_world_detect(s->world, 0.0f) == ABUT_BUSY);
}

// A kept handle, or one of the ways in which a handle is wrong.
static abut_body body_named(const side *s, uint8_t name)
{
    abut_body body = s->body[name % NAMES];
    switch (name)
    {
    case 255:
        return (abut_body){ 0 };
    case 254:
        return s->other->body[0];
    case 253:
        body.slot += 1u << 20;
        return body;
    case 252:
        body.life += 256;
        return body;
    default:
        return body;
    }
}

static abut_collider collider_named(const side *s, uint8_t name)
{
    abut_collider collider = s->collider[name % NAMES];
    switch (name)
    {
    case 255:
        return (abut_collider){ 0 };
    case 254:
        return s->other->collider[0];
    case 253:
        collider.slot += 1u << 20;
        return collider;
    default:
        return collider;
    }
}

static void name_body(side *s, abut_body body)
{
    uint32_t count = 0;
    abut_collider collider;
    s->body[s->bodies++ % NAMES] = body;
    REQUIRE(abut_body_valid(s->world, body));
    REQUIRE(abut_body_colliders(s->world, body, &collider, 1, &count) == ABUT_OK);
    if (count > 0)
    {
        s->collider[s->colliders++ % NAMES] = collider;
    }
}

static uint32_t live_bodies(const side *s)
{
    abut_statistics statistics;
    abut_world_statistics(s->world, &statistics);
    return statistics.bodies;
}

static abut_status create(side *s, const operation *o, uint32_t count)
{
    abut_body made[MANY];
    if (live_bodies(s) + count > MOST_LIVE)
    {
        return ABUT_OK;
    }
    const abut_status status = o->kind == CREATE ? abut_body_create(s->world, o->body_def, made)
                                                 : abut_body_create_many(s->world, o->body_def, count, made);
    for (uint32_t i = 0; status == ABUT_OK && i < count; ++i)
    {
        name_body(s, made[i]);
    }
    return status;
}

static abut_status attach(side *s, const operation *o)
{
    abut_collider made;
    const abut_status status = abut_collider_attach(s->world, body_named(s, o->body[0]), &o->collider_def, &made);
    if (status == ABUT_OK)
    {
        s->collider[s->colliders++ % NAMES] = made;
    }
    return status;
}

static void write_in_place(side *s, const operation *o)
{
    const abut_body body = body_named(s, o->body[0]);
    if (abut_body_valid(s->world, body))
    {
        const abut_bodies all = abut_world_bodies(s->world);
        all.poses[body.slot] = o->pose[0];
        all.velocities[body.slot] = o->velocity[0];
        all.user_data[body.slot] = o->bits;
    }
}

static void load_impulses(side *s, const operation *o)
{
    const abut_contacts all = abut_world_contacts(s->world, o->bits & 1 ? ABUT_RESTING : ABUT_AWAKE);
    for (uint32_t i = 0; i < all.point_count; ++i)
    {
        all.impulses[i].normal = (float)(i + o->bits);
        all.impulses[i].twist = -(float)i;
    }
}

// Every getter on one body and one collider. A refusal among them is the operation's.
static abut_status look(const side *s, const operation *o)
{
    const abut_body body = body_named(s, o->body[0]);
    const abut_collider collider = collider_named(s, o->collider);
    abut_pose pose;
    abut_velocity velocity;
    abut_motion motion;
    bool enabled, awake;
    uint64_t user_data;
    uint32_t count;
    abut_collider some[2];
    abut_collider_def def;
    abut_body owner;
    abut_aabb bounds;
    switch (o->bits % 9)
    {
    case 0:
        return abut_body_pose(s->world, body, &pose);
    case 1:
        return abut_body_velocity_many(s->world, &body, 1, &velocity);
    case 2:
        return abut_body_motion(s->world, body, &motion);
    case 3:
        return abut_body_enabled(s->world, body, o->bits & 8 ? &enabled : NULL);
    case 4:
        return abut_body_awake(s->world, body, &awake);
    case 5:
        return abut_body_colliders(s->world, body, some, o->bits >> 6, &count);
    case 6:
        return abut_body_user_data(s->world, body, &user_data);
    case 7:
        return abut_collider_get(s->world, collider, &def, &owner);
    default:
        return abut_collider_bounds(s->world, collider, &bounds);
    }
}

// Some tasks are run out of turn, some twice, some left to the end.
static abut_status detect_in_pieces(abut_world *w, const operation *o)
{
    const abut_status status = abut_detect_begin(w, o->number);
    if (status != ABUT_OK)
    {
        return status;
    }
    REQUIRE(abut_world_detect(w, 0.0f) == ABUT_BUSY);
    uint32_t phases = o->count;
    for (uint32_t tasks; phases > 0 && (tasks = abut_detect_next(w)) > 0; --phases)
    {
        REQUIRE(abut_detect_task(w, tasks) == ABUT_INVALID_ARGUMENT);
        REQUIRE(o->bits % 4 == 1 || abut_detect_task(w, o->bits % tasks) == ABUT_OK);
    }
    return abut_detect_end(w);
}

// What a detect found of one body and in one sensor: their numbers do not depend on how much is asked for.
static abut_status ask(const side *s, const operation *o)
{
    uint32_t few[3], all[3], counts[2] = { 0 };
    abut_visitor visitors[2];
    const abut_body body = body_named(s, o->body[0]);
    const abut_contact_set set = o->bits & 1 ? ABUT_RESTING : ABUT_AWAKE;
    const abut_status status = o->bits & 2 ? abut_body_contacts(s->world, body, set, few, 1, &counts[0])
                                           : abut_collider_overlaps(s->world, collider_named(s, o->collider), visitors,
                                                                    o->bits >> 7, &counts[0]);
    if (status == ABUT_OK && o->bits & 2)
    {
        REQUIRE(abut_body_contacts(s->world, body, set, all, 3, &counts[1]) == ABUT_OK);
        REQUIRE(counts[0] == counts[1] && (counts[0] == 0 || few[0] == all[0]));
    }
    return status;
}

static abut_status make(side *s, const operation *o)
{
    abut_body many[MANY];
    for (uint32_t i = 0; i < MANY; ++i)
    {
        many[i] = body_named(s, o->body[i]);
    }
    const abut_body body = many[0];
    const abut_collider collider = collider_named(s, o->collider);
    const bool on = o->bits & 1;
    abut_world *w = s->world;
    switch (o->kind)
    {
    case CREATE:
        return create(s, o, 1);
    case CREATE_MANY:
        return create(s, o, o->count);
    case DESTROY:
        return abut_body_destroy(w, body);
    case DESTROY_MANY:
        return abut_body_destroy_many(w, many, o->count);
    case SET_POSE:
        return abut_body_set_pose(w, body, o->bits == 255 ? NULL : o->pose);
    case SET_POSE_MANY:
        return abut_body_set_pose_many(w, many, o->pose, o->count);
    case SET_VELOCITY:
        return abut_body_set_velocity(w, body, o->velocity);
    case SET_VELOCITY_MANY:
        return abut_body_set_velocity_many(w, many, o->velocity, o->count);
    case SET_MOTION:
        return abut_body_set_motion(w, body, o->motion);
    case SET_ENABLED:
        return abut_body_set_enabled(w, body, on);
    case SET_AWAKE:
        return o->bits & 0x40 ? abut_body_set_fast(w, body, on) : abut_body_set_awake(w, body, on);
    case SET_AWAKE_MANY:
        return abut_body_set_awake_many(w, many, o->count, on);
    case SET_BODY_DATA:
        return abut_body_set_user_data(w, body, o->bits);
    case TOUCH:
        return abut_body_touch(w, body);
    case WRITE_IN_PLACE:
        write_in_place(s, o);
        return on ? abut_body_touch(w, body) : ABUT_OK;
    case ATTACH:
        return attach(s, o);
    case DETACH:
        return abut_collider_detach(w, collider);
    case SET_COLLIDER:
        return abut_collider_set(w, collider, &o->collider_def);
    case SET_SHAPE:
        return abut_collider_set_shape(w, collider, &o->collider_def.shape);
    case SET_LOCAL:
        return abut_collider_set_local(w, collider, o->pose);
    case SET_FILTER:
        return abut_collider_set_filter(w, collider, o->bits == 255 ? NULL : &o->collider_def.filter);
    case SET_COLLIDER_DATA:
        return abut_collider_set_user_data(w, collider, o->bits);
    case SET_MEETS:
        return abut_world_set_meets(w, o->motion, o->other_motion, on);
    case RESERVE:
        // Kinds change under one side only, so that the other stays what it is judged by.
        if (o->bits % 8 == 5 && o->count <= ABUT_BROAD_COUNT)
        {
            const bool known = o->count < ABUT_BROAD_COUNT;
            return abut_world_set_broad(w, s->restless || !known ? (abut_broad_kind)o->count : ABUT_BROAD_BRUTE);
        }
        return abut_world_reserve(w, o->bits == 255 ? ABUT_MAX_BODIES + 1 : o->bits, o->count * 64u);
    case MOVE:
        return abut_world_move(w, o->number);
    case DETECT:
        s->ran = true;
        return o->bits % 2 ? detect_in_pieces(w, o) : abut_world_detect(w, o->number);
    case STEP:
        s->ran = true;
        return abut_world_step(w, o->number);
    case LOOK:
        return look(s, o);
    case LOAD_IMPULSES:
        load_impulses(s, o);
        return ABUT_OK;
    case EXCLUDE:
        return abut_body_exclude(w, many[0], many[1], o->bits < 160);
    case MOVE_TO:
        return abut_body_move_to(w, body, o->pose, o->bits & 1 ? 0.125f : o->number);
    case ASK:
        return ask(s, o);
    case OPERATIONS:
        break;
    }
    return ABUT_OK;
}

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

// Points within their arrays, unit normals, the order of contacts.
static void check_contacts(abut_world *world, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(world, set);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = &all.data[i];
        const float length = abut_vec3_length(c->normal);
        REQUIRE(c->point_count >= 1 && c->point_count <= 4 && c->first_point + c->point_count <= all.point_count);
        REQUIRE(length > 0.999f && length < 1.001f && c->separation == c->separation);
        REQUIRE(c->a.slot < c->b.slot);
        REQUIRE(i == 0 || c[-1].a.slot < c->a.slot || (c[-1].a.slot == c->a.slot && c[-1].b.slot <= c->b.slot));
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            const abut_vec3 at = all.points[c->first_point + k].offset;
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
    REQUIRE(s->alive == (int64_t)(statistics.contacts - statistics.speculative + statistics.resting));
    s->sensed += (int64_t)abut_world_events(s->world, ABUT_SENSOR_BEGIN).count;
    s->sensed -= (int64_t)abut_world_events(s->world, ABUT_SENSOR_END).count;
    REQUIRE(s->sensed == (int64_t)statistics.overlaps);
    check_contacts(s->world, ABUT_AWAKE);
    check_contacts(s->world, ABUT_RESTING);
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

// A pose or velocity written in place that a detect cannot read is put right, so that the rest of the input is of some use.
static void heal(side *s)
{
    const abut_bodies all = abut_world_bodies(s->world);
    REQUIRE(s->told_index < all.count && all.lives[s->told_index]);
    all.poses[s->told_index] = abut_pose_identity();
    all.velocities[s->told_index] = (abut_velocity){ 0 };
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
        sides[1].told_index = sides[0].told_index; // of several that are wrong, each may name another
        heal(&sides[0]);
        heal(&sides[1]);
    }
}

static operation take_operation(bytes *b)
{
    const uint8_t sort = take_byte(b);
    operation o = { .kind = (operation_kind)(sort < 240 ? sort % EXCLUDE : EXCLUDE + sort % (OPERATIONS - EXCLUDE)),
                    .number = 1.0f / 60 };
    o.bits = take_byte(b);
    o.count = o.kind == EXCLUDE                                                  ? 2
              : o.kind == CREATE || o.kind == SET_POSE || o.kind == SET_VELOCITY ? 1
                                                                                 : o.bits % (MANY + 1);
    for (uint32_t i = 0; i < MANY && (i == 0 || i < o.count); ++i)
    {
        o.body[i] = take_byte(b);
        if (o.kind == CREATE || o.kind == CREATE_MANY)
        {
            o.body_def[i] = take_body_def(b);
        }
        if (o.kind == SET_POSE || o.kind == SET_POSE_MANY || o.kind == WRITE_IN_PLACE || o.kind == SET_LOCAL ||
            o.kind == MOVE_TO)
        {
            o.pose[i] = take_pose(b);
        }
        if (o.kind == SET_VELOCITY || o.kind == SET_VELOCITY_MANY || (o.kind == WRITE_IN_PLACE && o.bits & 2))
        {
            o.velocity[i] = take_velocity(b);
        }
    }
    if (o.kind >= ATTACH && o.kind <= SET_COLLIDER_DATA)
    {
        o.collider = take_byte(b);
        o.collider_def = take_collider_def(b);
    }
    if (o.kind == ASK)
    {
        o.collider = take_byte(b);
    }
    if (o.kind == SET_MOTION || o.kind == SET_MEETS)
    {
        o.motion = take_motion(b);
        o.other_motion = take_motion(b);
    }
    if ((o.kind == MOVE || o.kind == DETECT || o.kind == STEP || o.kind == MOVE_TO) && o.bits >= 64)
    {
        o.number = o.bits < 192 ? 0.0f : take_float(b);
    }
    return o;
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
                               abut_manifold *) = b->plane ? abut_collide_plane : abut_collide;
    abut_status (*const overlaps)(const abut_shape *, const abut_pose *, const abut_shape *, const abut_pose *,
                                  bool *) = b->plane ? abut_overlap_plane : abut_overlap;
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
    typedef abut_status fitting(const float *, size_t, uint32_t, abut_placed_shape *);
    static fitting *const fittings[] = { abut_fit_sphere, abut_fit_sphere_fast, abut_fit_obb_pca, abut_fit_obb };
    float points[3 * 12];
    const uint32_t count = 1 + take_byte(b) % 12u, which = take_byte(b) % 4u;
    for (uint32_t i = 0; i < 3 * count; ++i)
    {
        points[i] = take_float(b);
    }
    abut_placed_shape placed;
    abut_aabb box;
    const bool boxed = abut_fit_aabb(points, 0, count, &box) == ABUT_OK;
    const bool fitted = fittings[which](points, 0, count, &placed) == ABUT_OK;
    for (uint32_t i = 0; i < count; ++i)
    {
        bool inside = false;
        const abut_vec3 point = { points[3 * i], points[3 * i + 1], points[3 * i + 2] };
        REQUIRE(!boxed || abut_aabb_contains(&box, point));
        REQUIRE(!fitted ||
                (abut_shape_contains(&placed.shape, &placed.pose, point, &inside) == ABUT_OK && inside && boxed));
    }
}

// Refuses some pairs, the same ones on both sides.
static void veto(void *context, const abut_pairing *pairs, uint32_t count, bool *refuse)
{
    side *s = context;
    REQUIRE(count > 0 && abut_world_detect(s->world, 0.0f) == ABUT_BUSY);
    for (uint32_t i = 0; i < count; ++i)
    {
        REQUIRE(!refuse[i] && pairs[i].a.slot < pairs[i].b.slot && abut_body_valid(s->world, pairs[i].a));
        refuse[i] = (pairs[i].a.slot + 2 * pairs[i].b.slot) % 5 == 0;
    }
}

static void open_side(side *s, side *other, const abut_world_def *asked, abut_broad_kind broad, abut_isa isa)
{
    abut_world_def def = *asked;
    def.broad = broad;
    def.isa = isa;
    def.refused = refused;
    def.refused_context = s;
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
                                 .body_capacity = 1,
                                 .dimension = b->plane ? 2 : 3,
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
    b.plane = sort >= 224 && sort < 252;
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
