// Casts of shapes through a world.
#include "query/cast_shape.h"

#include "math/rotation.h"
#include "query/cast_many.h"
#include "query/gather.h"
#include "query/travel_many.h"

#include <math.h>

#define FLAGS         (ABUT_QUERY_SENSORS | ABUT_QUERY_SKIP_INSIDE | ABUT_QUERY_SKIP_LEAVING | ABUT_QUERY_ONE_PER_BODY)
#define FIRST_SEGMENT 0.23f // of the width of a node over 64 proxies, less than of a ray: what is wide meets more
#define TOGETHER      64u   // of AB_DESCEND_MANY: casts are large, and stacks are small
#define LISTED        32u   // the same of those with lists, which need more besides
#define NEAR_SIZE     4e-5  // of the size: more than how near a sweep comes
#define NEAR          1e-8  // metres, likewise
#define NEAR_BOTH     2e-7  // of the other shape's size, likewise

static const abut_cast *cast_of(const ab_travel_call *call, uint32_t i)
{
    return &((const abut_cast *)call->given)[i];
}

static const char *fault(void *context, uint32_t i)
{
    const ab_travel_call *q = context;
    const abut_cast *cast = cast_of(q, i);
    abut_pose pose = cast->pose;
    const char *sentence = ab_query_shape_fault(q->asked.world, &cast->shape, &pose);
    return sentence ? sentence : ab_cast_fault(cast, q->asked.world->state.is_2d);
}

// One question.
typedef struct cast_query
{
    const ab_questions *asked;
    abut_vec3 start;
    ab_mover mover;
    const ab_cast_line *line;
} cast_query;

static bool test(void *context, uint32_t proxy, abut_hit *out)
{
    const cast_query *q = context;
    abut_shape room;
    ab_mover standing;
    ab_cast_found found;
    ab_query_convex(q->asked->world, proxy, q->start, &room, &standing.start);
    if (!ab_cast_test(&q->mover, &standing, q->asked->accepted.flags, q->line->far, &found))
    {
        return false;
    }
    out->fraction = (float)found.fraction;
    out->offset = ab_query_vec3(found.at);
    out->normal = ab_query_vec3(found.normal);
    out->depth = (float)found.depth;
    out->flags = found.flags;
    out->child = found.child;
    return true;
}

static const ab_travel_tests tests = { test, NULL };

// No shape of the world is larger than the box around all.
static double largest_size(const ab_query_index *index)
{
    double size = 0.0;
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_tree *tree = &index->tree[set];
        for (int k = 0; k < 3 && tree->levels > 0; ++k)
        {
            const uint32_t top = tree->levels - 1, count = tree->count[top];
            const ab_aabb *boxes = tree->aabb[top];
            float low = boxes[0].min[k], high = boxes[0].max[k];
            for (uint32_t i = 1; i < count; ++i)
            {
                low = boxes[i].min[k] < low ? boxes[i].min[k] : low;
                high = boxes[i].max[k] > high ? boxes[i].max[k] : high;
            }
            size += high > low ? (double)high - (double)low : 0.0;
        }
    }
    return size;
}

// The half extents of a core that is a box, with the room, which rounding stays within. False: it is none; in small
// builds, which lay out boxes as all else, always.
static bool lay_box(float half[3], const ab_convex *shape, double room)
{
#ifdef AB_SMALL
    (void)half, (void)shape, (void)room;
    return false;
#else
    double extents[3];
    if (!shape->row->box_core)
    {
        return false;
    }
    ab_query_half_extents(shape, extents);
    for (int k = 0; k < 3; ++k)
    {
        half[k] = (float)(extents[k] + room);
    }
    return true;
#endif
}

// The box that travels: about the shape as it stands, or about all it may turn to.
static void lay_line(ab_cast_line *out, const cast_query *q, const abut_cast *cast, double largest)
{
    const abut_vec3 r = cast->rotation, t = cast->translation, zero = { 0.0f, 0.0f, 0.0f };
    const ab_convex *shape = &q->mover.start;
    const double room = NEAR_SIZE * shape->size + NEAR + NEAR_BOTH * largest;
    const float around = (float)(q->mover.reach + shape->core.rounding + room), way[3] = { t.x, t.y, t.z };
    const bool turns = shape->row->turns && (r.x != 0.0f || r.y != 0.0f || r.z != 0.0f);
    float origin[3] = { q->start.x, q->start.y, q->start.z }, half[3] = { around, around, around };
    if (!turns && !lay_box(half, shape, room))
    {
        ab_index_box box;
        ab_query_box(shape, zero, &box);
        for (int k = 0; k < 3; ++k)
        {
            origin[k] += 0.5f * (box.min[k] + box.max[k]);
            half[k] = 0.5f * (box.max[k] - box.min[k]) + (float)room;
        }
    }
    ab_cast_line_make(out, origin, way);
    ab_cast_line_widen(out, origin, half);
}

// Sets a question up. `largest` is of the shapes in the world.
static void lay(cast_query *q, ab_travel *travel, ab_cast_line *line, const ab_travel_call *call, uint32_t i,
                double largest)
{
    const abut_world *world = call->asked.world;
    const abut_cast *cast = cast_of(call, i);
    const abut_shape_kind kind = cast->shape.kind;
    abut_pose pose = cast->pose;
    if (ab_shape_row_for(kind)->turns)
    {
        (void)ab_pose_accept(&pose); // normalises
    }
    q->asked = &call->asked;
    q->start = pose.position;
    q->line = line;
    ab_cast_mover(&q->mover, cast, &pose, &world->state.kind_set, world->state.is_2d);
    lay_line(line, q, cast, largest);
    travel->asked = &call->asked;
    travel->question = i;
    travel->line = line;
    travel->tests = &tests;
    travel->context = q;
    const double *half = q->mover.start.core.half;
    const bool box = kind == ABUT_AABB || kind == ABUT_OBB;
    travel->overlaps = true;
    travel->plain = box || kind == ABUT_SPHERE || kind == ABUT_CAPSULE;
    travel->solid = (travel->plain && q->mover.start.core.rounding > 0.0) ||
                    (box && half[0] > 0.0 && half[1] > 0.0 && (world->state.is_2d || half[2] > 0.0));
    travel->first = FIRST_SEGMENT * call->asked.index->node_width;
    travel->any = false;
    travel->all = NULL;
    travel->length = sqrt(ab_dot(q->mover.v, q->mover.v));
}

static AB_APART void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    ab_travel_call *call = context;
    cast_query q;
    ab_travel travel;
    ab_cast_line line;
    lay(&q, &travel, &line, call, i, largest_size(call->asked.index));
    ab_travel_answer(&travel, &call->results, lists, i);
}

#ifdef AB_SMALL
#define MANY_AT_ONCE NULL
#define ALL_AT_ONCE  NULL
#else
#define MANY_AT_ONCE answer_many
#define ALL_AT_ONCE  answer_all_many

// What many casts need.
typedef struct cast_bounding
{
    const abut_world *world;
    const ab_cast_row *rows;
} cast_bounding;

static void bound(const void *context, const uint32_t *proxies, const uint8_t *casts, uint32_t count, float *bounds)
{
    const cast_bounding *b = context;
    const ab_query_kernels *kernels = b->world->kernels->queries;
    if (!casts)
    {
        kernels->cast(&b->world->cache.proxies, b->rows, proxies, count, bounds);
        return;
    }
    kernels->cast_many(&b->world->cache.proxies, b->rows, proxies, casts, count, bounds);
}

// Many questions, set up.
typedef struct cast_batch
{
    cast_query *query;
    ab_travel *travel;
    ab_cast_line *line;
    ab_cast_row *row;
    ab_cast_solid *solid;
    uint8_t *sort;
    cast_bounding bounding;
    ab_cast_solids solids;
    ab_travels travels;
} cast_batch;

// Where they lie.
#define CAST_ROOM(many)                                                                                                \
    struct                                                                                                             \
    {                                                                                                                  \
        cast_query query[many];                                                                                        \
        ab_travel travel[many];                                                                                        \
        ab_cast_line line[many];                                                                                       \
        _Alignas(AB_CACHE_LINE) ab_cast_row row[many];                                                                 \
        ab_cast_solid solid[many];                                                                                     \
        uint8_t sort[many];                                                                                            \
    }
#define BATCH_IN(room)                                                                                                 \
    {                                                                                                                  \
        .query = (room).query, .travel = (room).travel, .line = (room).line, .row = (room).row, .solid = (room).solid, \
        .sort = (room).sort                                                                                            \
    }

static void lay_many(cast_batch *out, const ab_travel_call *call, uint32_t first, uint32_t count)
{
    const double largest = largest_size(call->asked.index);
    for (uint32_t i = 0; i < count; ++i)
    {
        lay(&out->query[i], &out->travel[i], &out->line[i], call, first + i, largest);
        ab_cast_row_make(&out->row[i], &out->query[i].mover, out->query[i].start);
        out->sort[i] = count == 1
                           ? AB_CAST_NONE // no others to be tested together with
                           : (uint8_t)ab_cast_solid_make(&out->solid[i], &out->query[i].mover, out->query[i].start);
    }
    out->bounding = (cast_bounding){ call->asked.world, out->row };
    out->solids = (ab_cast_solids){ out->solid, out->sort };
    out->travels = (ab_travels){ .count = count,
                                 .travel = out->travel,
                                 .line = out->line,
                                 .bound = bound,
                                 .context = &out->bounding,
                                 .descend = call->asked.index->kernels->cast_many,
                                 .test_many = ab_cast_test_many,
                                 .tested = &out->solids };
}

static AB_APART void answer_some(ab_travel_call *call, uint32_t first, uint32_t count)
{
    CAST_ROOM(TOGETHER) room;
    cast_batch c = BATCH_IN(room);
    lay_many(&c, call, first, count);
    ab_travel_answer_many(&c.travels, &call->results, first);
}

static bool answer_together(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    ab_travel_call *call = context;
    CAST_ROOM(LISTED) room;
    cast_batch c = BATCH_IN(room);
    lay_many(&c, call, first, count);
    return ab_travel_answer_all_many(&c.travels, lists, first);
}

// How many questions from one on may be answered together, `most` of them. A compound is cast by itself: below a cast of
// its parts the stack has no room for many.
static uint32_t together(const ab_travel_call *call, uint32_t first, uint32_t count, uint32_t most)
{
    uint32_t more = 0;
    while (more < count && more < most && !ab_shape_row_for(cast_of(call, first + more)->shape.kind)->parts)
    {
        ++more;
    }
    return more;
}

static void answer_all_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    ab_travel_call *call = context;
    for (uint32_t i = 0; i < count;)
    {
        const uint32_t part = together(call, first + i, count - i, LISTED);
        if (part > 0)
        {
            ab_gather_answers(&call->asked, lists, first + i, part, answer_together);
        }
        else
        {
            answer(context, lists, first + i);
        }
        i += part > 0 ? part : 1;
    }
}

static void answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count;)
    {
        const uint32_t part = together(context, first + i, count - i, TOGETHER);
        if (part > 0)
        {
            answer_some(context, first + i, part);
        }
        else
        {
            answer(context, lists, first + i);
        }
        i += part > 0 ? part : 1;
    }
}

#endif

void ab_cast_closest(const ab_questions *asked, uint32_t flags, const abut_cast *cast, abut_hit *out)
{
    ab_travel_call call = { .asked = *asked, .given = cast, .results = { .closest = out } };
    call.asked.accepted.flags = flags;
    answer(&call, NULL, 0);
}

static const ab_travel_sort sort = { FLAGS, fault, answer, MANY_AT_ONCE, ALL_AT_ONCE };

abut_status abut_world_cast_closest(const abut_world *world, const abut_cast *cast, const abut_query_filter *filter,
                                    abut_hit *out)
{
    return ab_travel_closest(&sort, world, "abut_world_cast_closest", cast, 1, filter, out);
}

abut_status abut_world_cast_closest_many(const abut_world *world, const abut_cast *casts, uint32_t count,
                                         const abut_query_filter *filter, abut_hit *out)
{
    return ab_travel_closest(&sort, world, "abut_world_cast_closest_many", casts, count, filter, out);
}

abut_status abut_world_cast_any(const abut_world *world, const abut_cast *cast, const abut_query_filter *filter,
                                bool *out)
{
    return ab_travel_any(&sort, world, "abut_world_cast_any", cast, 1, filter, out);
}

abut_status abut_world_cast_any_many(const abut_world *world, const abut_cast *casts, uint32_t count,
                                     const abut_query_filter *filter, bool *out)
{
    return ab_travel_any(&sort, world, "abut_world_cast_any_many", casts, count, filter, out);
}

abut_status abut_world_cast_all(const abut_world *world, const abut_cast *cast, const abut_query_filter *filter,
                                abut_hit *out, uint32_t capacity, uint32_t *count)
{
    return ab_travel_all(&sort, world, "abut_world_cast_all", cast, filter, out, capacity, count);
}

abut_status abut_world_cast_all_many(const abut_world *world, const abut_cast *casts, uint32_t count,
                                     const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                                     uint64_t capacity, uint64_t *total)
{
    return ab_travel_all_many(&sort, world, "abut_world_cast_all_many", casts, count, filter, ranges, out, capacity,
                              total);
}
