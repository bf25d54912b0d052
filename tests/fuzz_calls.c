#include "fuzz_calls.h"

void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    side *s = context;
    ++s->told;
    s->reported_index = index;
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
        body.generation += 256;
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
    const abut_contacts all = abut_world_contacts(s->world, o->bits & 1 ? ABUT_ASLEEP : ABUT_AWAKE);
    for (uint32_t i = 0, point = 0; i < all.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&all, i);
        abut_impulse *impulses = abut_impulses_of(&all, contact);
        for (uint32_t k = 0; k < contact->point_count; ++k, ++point)
        {
            impulses[k].normal = (float)(point + o->bits);
            impulses[k].torsion = -(float)point;
        }
    }
}

// Every getter on one body and one collider. An error of one of them is the operation's.
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
    const abut_status status = abut_world_detect_begin(w, o->number);
    if (status != ABUT_OK)
    {
        return status;
    }
    REQUIRE(abut_world_detect(w, 0.0f) == ABUT_BUSY);
    uint32_t phases = o->count;
    for (uint32_t tasks; phases > 0 && (tasks = abut_world_detect_next(w)) > 0; --phases)
    {
        REQUIRE(abut_world_detect_task(w, tasks) == ABUT_INVALID_ARGUMENT);
        REQUIRE(o->bits % 4 == 1 || abut_world_detect_task(w, o->bits % tasks) == ABUT_OK);
    }
    return abut_world_detect_end(w);
}

// The last detect's results for one body and one sensor: their numbers do not depend on the capacity.
static abut_status ask(const side *s, const operation *o)
{
    uint32_t few[3], all[3], counts[2] = { 0 };
    abut_sensor_overlap overlaps[2];
    const abut_body body = body_named(s, o->body[0]);
    const abut_contact_set set = o->bits & 1 ? ABUT_ASLEEP : ABUT_AWAKE;
    const abut_status status = o->bits & 2 ? abut_body_contacts(s->world, body, set, few, 1, &counts[0])
                                           : abut_collider_overlaps(s->world, collider_named(s, o->collider), overlaps,
                                                                    o->bits >> 7, &counts[0]);
    if (status == ABUT_OK && o->bits & 2)
    {
        REQUIRE(abut_body_contacts(s->world, body, set, all, 3, &counts[1]) == ABUT_OK);
        REQUIRE(counts[0] == counts[1] && (counts[0] == 0 || few[0] == all[0]));
    }
    return status;
}

abut_status make(side *s, const operation *o)
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
        return abut_body_set_pose_many(w, many, o->count, o->pose);
    case SET_VELOCITY:
        return abut_body_set_velocity(w, body, o->velocity);
    case SET_VELOCITY_MANY:
        return abut_body_set_velocity_many(w, many, o->count, o->velocity);
    case SET_MOTION:
        return abut_body_set_motion(w, body, o->motion);
    case SET_ENABLED:
        return abut_body_set_enabled(w, body, on);
    case SET_AWAKE:
        return o->bits & 0x40   ? abut_body_set_ccd(w, body, on)
               : o->bits & 0x80 ? abut_body_set_ccd_all(w, body, on)
                                : abut_body_set_awake(w, body, on);
    case SET_AWAKE_MANY:
        return abut_body_set_awake_many(w, many, o->count, on);
    case SET_BODY_DATA:
        return abut_body_set_user_data(w, body, o->bits);
    case TOUCH:
        return abut_body_mark_moved(w, body);
    case WRITE_IN_PLACE:
        write_in_place(s, o);
        return on ? abut_body_mark_moved(w, body) : ABUT_OK;
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
        return o->bits & 0x80 ? abut_collider_set_flags(w, collider, o->collider_def.flags)
                              : abut_collider_set_user_data(w, collider, o->bits);
    case SET_MEETS:
        return abut_world_set_collides(w, o->motion, o->other_motion, on);
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

operation take_operation(bytes *b)
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
