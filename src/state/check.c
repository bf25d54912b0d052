// Checks an image before it is restored: settings, bodies, colliders, proxies and exclusions.
#include "state/state.h"

#include "shape/shape_table.h"

#include <math.h>
#include <string.h>

#define BODY_STATES                                                                                                    \
    (AB_STATE_MOTION | AB_STATE_DISABLED | AB_STATE_ASLEEP | AB_STATE_CCD | AB_STATE_CCD_ALL | AB_SAVED_LIVE)
// besides, where manifolds are recycled
#define RECYCLED_STATES AB_STATE_UNANCHORED
#define COLLIDER_STATES                                                                                                \
    (AB_STATE_NOTHING | AB_STATE_DIRTY | AB_STATE_SENSOR | AB_STATE_REFILTERED | AB_SAVED_LIVE | AB_SAVED_STATIC)

const char *ab_settings_fault(const ab_image *image, const abut_world *world)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    if (AB_SAVED_COUNT(image, SETTINGS) != 1)
    {
        return "the image has no settings";
    }
    if (s->margin != world->state.margin || s->recycle_distance != world->state.recycle_distance ||
        s->speculative_distance != world->state.speculative_distance || s->is_2d != (uint32_t)world->state.is_2d ||
        ((s->anchoring & AB_SAVED_AT_ANCHORS) != 0) != world->state.at_anchors)
    {
        return "the image's world has another margin, recycle or speculative distance, dimension or separations";
    }
    if (s->kinds != world->state.kind_set.count)
    {
        return "the image has another number of custom kinds";
    }
    bool symmetric = s->collides < 1u << ABUT_MOTION_COUNT * ABUT_MOTION_COUNT;
    for (uint32_t a = 0; a < ABUT_MOTION_COUNT; ++a)
    {
        for (uint32_t b = 0; b < a; ++b)
        {
            symmetric &=
                (s->collides >> (ABUT_MOTION_COUNT * a + b) & 1u) == (s->collides >> (ABUT_MOTION_COUNT * b + a) & 1u);
        }
    }
    const bool valid = s->horizon >= 0.0f && s->horizon <= ABUT_MAX_MAGNITUDE && s->tag >= 1 && s->tag <= 255 &&
                       (s->anchoring & ~(AB_SAVED_UNANCHORED | AB_SAVED_AT_ANCHORS)) == 0 && s->reserved == 0 &&
                       (s->anchoring == 0 || s->recycle_distance > 0.0f);
    return symmetric && valid ? NULL : "the image's settings are not valid";
}

// Marks the slots of a list, none of which is live or marked before.
static bool mark_list(unsigned char *marks, uint32_t slots, ab_section list, unsigned char mark)
{
    for (uint64_t i = 0; i < list.count; ++i)
    {
        const uint32_t slot = ((const uint32_t *)list.data)[i];
        if (slot >= slots || marks[slot] != AB_SLOT_DROPPED)
        {
            return false;
        }
        marks[slot] = mark;
    }
    return true;
}

static bool uses_fit(unsigned char mark, uint32_t uses)
{
    return mark == AB_SLOT_DROPPED ? uses == AB_USE_COUNT_MAX
           : mark == AB_SLOT_FREE  ? uses < AB_USE_COUNT_MAX
                                   : uses >= 1 && uses <= AB_USE_COUNT_MAX;
}

static const char *bodies_fault(const ab_image *image, unsigned char *marks)
{
    static const char *const sentence = "the image's bodies are not valid";
    const ab_saved_body *bodies = AB_SAVED(image, BODIES, ab_saved_body);
    const uint32_t count = AB_SAVED_COUNT(image, BODIES), anchors = AB_SAVED_COUNT(image, ANCHORS);
    const bool recycles = AB_SAVED(image, SETTINGS, ab_saved_settings)->recycle_distance > 0.0f;
    const uint32_t states = BODY_STATES | (recycles ? RECYCLED_STATES : 0u);
    if (anchors > (recycles ? count : 0) || AB_SAVED_COUNT(image, POSES) != count ||
        AB_SAVED_COUNT(image, VELOCITIES) != count || AB_SAVED_COUNT(image, BODY_DATA) != count)
    {
        return sentence;
    }
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const uint32_t state = bodies[slot].state;
        marks[slot] = state & AB_SAVED_LIVE ? AB_SLOT_LIVE : AB_SLOT_DROPPED;
        const bool anchored =
            slot < anchors || !recycles || (state & (AB_SAVED_LIVE | AB_STATE_UNANCHORED)) != AB_SAVED_LIVE;
        if ((state & ~states) != 0 || (state & AB_STATE_MOTION) >= ABUT_MOTION_COUNT || !anchored)
        {
            return sentence;
        }
    }
    if (!mark_list(marks, count, image->section[AB_SECTION_BODIES_FREE], AB_SLOT_FREE) ||
        !mark_list(marks, count, image->section[AB_SECTION_BODIES_RETIRED], AB_SLOT_RETIRED))
    {
        return sentence;
    }
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        if (!uses_fit(marks[slot], bodies[slot].uses))
        {
            return sentence;
        }
    }
    return NULL;
}

_Static_assert(offsetof(abut_shape, polygon) == offsetof(abut_shape, hull), "a shape has one place for its geometry");

abut_shape ab_shape_unpack(const ab_saved_shape *saved, const abut_registry *registry)
{
    abut_shape out;
    memset(&out, 0, sizeof out);
    const ab_shape_row *row = ab_shape_row_for((abut_shape_kind)saved->kind);
    if (!row || saved->reserved != 0)
    {
        return out;
    }
    out.kind = (abut_shape_kind)saved->kind;
    if (row->geometry)
    {
        const bool known = registry && saved->word[0] < registry->geometry_count;
        out.polygon = known ? registry->geometries[saved->word[0]] : NULL; // as every geometry in the union
        return out;
    }
    memcpy(&out.custom, saved->word, row->words * sizeof *saved->word);
    return out;
}

static abut_collider_def saved_definition(const ab_image *image, const abut_registry *registry, uint32_t slot)
{
    const ab_saved_collider *saved = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const abut_pose *locals = AB_SAVED(image, LOCALS, abut_pose);
    return (abut_collider_def){
        .shape = ab_shape_unpack(&saved->shape, registry),
        .local = locals ? locals[slot] : abut_pose_identity(),
        .filter = saved->filter,
        .flags = ab_collider_flags_of(AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot]),
    };
}

// A saved definition is as it was accepted: accepting it again changes nothing.
static const char *definition_fault(const ab_image *image, abut_world *world, const abut_registry *registry,
                                    uint32_t slot)
{
    abut_collider_def def = saved_definition(image, registry, slot);
    const abut_collider_def before = def;
    if (def.shape.kind == ABUT_SHAPE_NONE)
    {
        return "the image has a shape of unknown kind";
    }
    if (ab_shape_row_for(def.shape.kind)->geometry && !def.shape.polygon) // as every geometry in the union
    {
        return "a geometry of the image is not in the registry";
    }
    const char *sentence = ab_collider_accept(world, &def);
    if (sentence)
    {
        return sentence;
    }
    const bool same = ab_bytes_equal(&def.local, &before.local, sizeof def.local) &&
                      ab_bytes_equal(&def.filter, &before.filter, sizeof def.filter);
    return same ? NULL : "the image's colliders are not valid";
}

static bool is_colliding(const ab_saved_body *body, uint32_t state)
{
    return ((body->state & AB_STATE_DISABLED) | (state & AB_STATE_NOTHING)) == 0;
}

// A collider of the image that is live or retired.
static bool collider_fits(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot)
{
    const ab_saved_collider *collider = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const uint32_t body = collider->collider_key >> 8;
    if (body >= AB_SAVED_COUNT(image, BODIES))
    {
        return false;
    }
    const bool live = (scratch->collider[slot] & AB_SLOT_MASK) == AB_SLOT_LIVE;
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot];
    const bool is_static = (state & AB_SAVED_STATIC) != 0;
    const ab_saved_body *of = &AB_SAVED(image, BODIES, ab_saved_body)[body];
    const bool may_be_static =
        live && (state & AB_STATE_DIRTY) == 0 && ab_is_immobile(of->state) && is_colliding(of, state);
    return (!is_static || may_be_static) &&
           (scratch->body[body] == AB_SLOT_LIVE || (!live && scratch->body[body] == AB_SLOT_RETIRED));
}

static bool lists_fit(const ab_image *image, ab_image_scratch *scratch)
{
    const uint32_t count = AB_SAVED_COUNT(image, COLLIDERS);
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    const uint32_t *dirty = AB_SAVED(image, DIRTY, uint32_t), *was_dirty = AB_SAVED(image, WAS_DIRTY, uint32_t);
    uint32_t flagged = 0;
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        flagged += (states[slot] & AB_STATE_DIRTY) != 0;
    }
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, DIRTY); ++i)
    {
        if (dirty[i] >= count || (scratch->collider[dirty[i]] & AB_SLOT_DIRTY) != 0 ||
            (states[dirty[i]] & AB_STATE_DIRTY) == 0)
        {
            return false;
        }
        scratch->collider[dirty[i]] |= AB_SLOT_DIRTY;
    }
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, WAS_DIRTY); ++i)
    {
        if (was_dirty[i] >= count || (scratch->collider[was_dirty[i]] & AB_SLOT_WAS_DIRTY) != 0 ||
            (states[was_dirty[i]] & AB_SAVED_STATIC) != 0)
        {
            return false;
        }
        scratch->collider[was_dirty[i]] |= AB_SLOT_WAS_DIRTY;
    }
    return flagged == AB_SAVED_COUNT(image, DIRTY);
}

static ab_contact_name saved_name(const ab_image *image, uint32_t collider)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    const ab_saved_collider *of = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[collider];
    const uint32_t body = of->collider_key >> 8, first = s->first_generation >> AB_GENERATION_SHIFT;
    const uint32_t body_uses = AB_SAVED(image, BODIES, ab_saved_body)[body].uses;
    return (ab_contact_name){
        { body, (body_uses + first) << AB_GENERATION_SHIFT | s->tag },
        { collider, (of->uses + first) << AB_GENERATION_SHIFT | s->tag },
    };
}

// Sorts the colliders of bodies by their keys, which as a rule they are: no two are the same. Lists keys and names of
// all.
static bool keys_fit(const ab_image *image, ab_image_scratch *scratch)
{
    const ab_saved_collider *colliders = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    uint32_t count = 0;
    bool ascend = true;
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        const uint32_t mark = scratch->collider[slot] & AB_SLOT_MASK;
        if (mark == AB_SLOT_LIVE || mark == AB_SLOT_RETIRED)
        {
            ascend &= count == 0 || scratch->entries[count - 1].key < colliders[slot].collider_key;
            scratch->entries[count++] = (ab_sort_entry){ colliders[slot].collider_key, slot };
        }
        scratch->own_keys[slot] = colliders[slot].collider_key;
        scratch->own_names[slot] = mark == AB_SLOT_LIVE || mark == AB_SLOT_RETIRED
                                       ? saved_name(image, slot)
                                       : (ab_contact_name){ { 0, 0 }, { 0, 0 } };
    }
    scratch->linked = ascend ? scratch->entries : ab_radix_sort(scratch->entries, scratch->scratch, count);
    scratch->linked_count = count;
    scratch->keys = scratch->own_keys;
    scratch->names = scratch->own_names;
    for (uint32_t i = 1; i < count && !ascend; ++i)
    {
        if (scratch->linked[i - 1].key == scratch->linked[i].key)
        {
            return false;
        }
    }
    return true;
}

static const char *colliders_fault(const ab_image *image, abut_world *world, const abut_registry *registry,
                                   ab_image_scratch *scratch)
{
    static const char *const sentence = "the image's colliders are not valid";
    const ab_saved_collider *colliders = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    const uint32_t count = AB_SAVED_COUNT(image, COLLIDERS), locals = AB_SAVED_COUNT(image, LOCALS);
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    if ((locals != 0 && locals != count) || AB_SAVED_COUNT(image, COLLIDER_STATES) != count ||
        AB_SAVED_COUNT(image, COLLIDER_DATA) != count)
    {
        return sentence;
    }
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        scratch->collider[slot] = states[slot] & AB_SAVED_LIVE ? AB_SLOT_LIVE : AB_SLOT_DROPPED;
        if ((states[slot] & ~(uint32_t)COLLIDER_STATES) != 0)
        {
            return sentence;
        }
    }
    if (!mark_list(scratch->collider, count, image->section[AB_SECTION_COLLIDERS_FREE], AB_SLOT_FREE) ||
        !mark_list(scratch->collider, count, image->section[AB_SECTION_COLLIDERS_RETIRED], AB_SLOT_RETIRED))
    {
        return sentence;
    }
    ab_image_mark_same(world, image, scratch);
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const unsigned char mark = scratch->collider[slot] & AB_SLOT_MASK;
        if (!uses_fit(mark, colliders[slot].uses) ||
            ((mark == AB_SLOT_LIVE || mark == AB_SLOT_RETIRED) && !collider_fits(image, scratch, slot)))
        {
            return sentence;
        }
        const bool known = mark != AB_SLOT_LIVE || (scratch->collider[slot] & AB_SLOT_SAME) != 0;
        const char *fault = known ? NULL : definition_fault(image, world, registry, slot);
        if (fault)
        {
            return fault;
        }
    }
    return lists_fit(image, scratch) && keys_fit(image, scratch) ? NULL : sentence;
}

bool ab_saved_is_static(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot)
{
    const ab_saved_collider *collider = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    if ((scratch->collider[slot] & AB_SLOT_MASK) != AB_SLOT_LIVE)
    {
        return false;
    }
    const ab_saved_body *body = &AB_SAVED(image, BODIES, ab_saved_body)[collider->collider_key >> 8];
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot];
    return (state & AB_SAVED_STATIC) != 0 ||
           ((scratch->collider[slot] & AB_SLOT_WAS_DIRTY) != 0 && (state & AB_STATE_DIRTY) == 0 &&
            ab_is_immobile(body->state) && is_colliding(body, state));
}

// No number of a proxy is larger. In units of ABUT_MAX_MAGNITUDE: its body is at 1, its local position is up to sqrt 3
// from there, whichever way the body is turned, and a capsule reaches 2 further; its AABB grows by sqrt 3 times half
// the margin and half the recycle distance, together 1, and by sqrt 3 times its reach of up to 10. That makes less than
// 24.
#define MOST_OF_PROXY (32.0f * ABUT_MAX_MAGNITUDE)

static bool all_bounded(const float *values, size_t count)
{
    bool bounded = true;
    for (size_t i = 0; i < count; ++i)
    {
        bounded &= fabsf(values[i]) <= MOST_OF_PROXY; // false for NaN
    }
    return bounded;
}

#define NEAR_UNIT 1e-3f // how far axes may be from unit length and right angles: a rotation's are within rounding

// Whether a proxy's record, whose position is bounded, has axes at right angles and the half extents of its shape,
// which in 2D is flat.
static bool record_fits(const float record[15], const abut_world *world, const abut_shape *shape)
{
    const abut_pose anywhere = abut_pose_identity();
    const float *axis = record + 4;
    ab_record own;
    ab_record_make(&own, &world->state.kind_set, shape, &anywhere, 0);
    bool fits = record[3] == own.half_x && record[13] == own.half_y &&
                (record[14] == own.half_z || (world->state.is_2d && record[14] == 0.0f));
    for (uint32_t i = 0; i < 9; ++i)
    {
        const float *a = axis + 3 * (i / 3), *b = axis + 3 * (i % 3);
        const float product = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        fits &= fabsf(product - (a == b ? 1.0f : 0.0f)) <= NEAR_UNIT;
    }
    return fits;
}

// The world's own static set as an image has it, read in the order of slots.
typedef struct static_reader
{
    const ab_saved_static *at, *end;
} static_reader;

static static_reader read_static(abut_world *world)
{
    const ab_saved_static *first = ab_static_packed(world, false);
    return (static_reader){ first, first ? first + world->cache.proxies.region[AB_STATIC_SET].live : NULL };
}

// Whether the world's proxy of a collider is as the image has it. Proxies lie in the order of the tree, so they are
// looked at only if they are not packed.
static bool proxy_is_same(const abut_world *world, static_reader *own, const ab_saved_static *saved)
{
    while (own->at < own->end && own->at->collider < saved->collider)
    {
        ++own->at;
    }
    return own->end ? own->at < own->end && ab_bytes_equal(own->at, saved, sizeof *saved)
                    : ab_static_is_same(world, saved);
}

// Whether a collider that is the world's own has its proxy in the static set, too: then that stays.
static bool keeps_proxy(const abut_world *world, static_reader *own, const ab_saved_static *saved,
                        const ab_image_scratch *scratch)
{
    const bool keeps = (scratch->collider[saved->collider] & AB_SLOT_SAME) != 0 && proxy_is_same(world, own, saved);
    scratch->collider[saved->collider] |= keeps ? AB_SLOT_STAYS : 0;
    return keeps;
}

// One for each collider that is in the static set or joins it with the next detect, in the order of slots. Counts the
// proxies of the static set.
static const char *static_fault(const ab_image *image, abut_world *world, const abut_registry *registry,
                                ab_image_scratch *scratch)
{
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    const ab_saved_static *saved_static = AB_SAVED(image, STATIC, ab_saved_static);
    const uint32_t count = AB_SAVED_COUNT(image, STATIC);
    static const char *const sentence = "the image's static colliders are not valid, or a geometry has changed";
    uint32_t found = 0;
    static_reader own = read_static(world);
    scratch->static_count = 0;
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        if (!ab_saved_is_static(image, scratch, slot))
        {
            continue;
        }
        const ab_saved_static *it = found < count ? &saved_static[found] : NULL;
        if (it && it->collider == slot && keeps_proxy(world, &own, it, scratch))
        {
            ++scratch->static_count;
            ++found;
            continue;
        }
        if (!it || it->collider != slot || !all_bounded(it->record, 15) || !all_bounded(it->min, 3) ||
            !all_bounded(it->max, 3) || !all_bounded(&it->reach, 1) || !all_bounded(it->offset, 3) ||
            !(it->min[0] <= it->max[0] && it->min[1] <= it->max[1] && it->min[2] <= it->max[2] && it->reach >= 0.0f))
        {
            return sentence;
        }
        const abut_shape shape = saved_definition(image, registry, slot).shape;
        if (!record_fits(it->record, world, &shape))
        {
            return sentence;
        }
        scratch->static_count += (states[slot] & AB_SAVED_STATIC) != 0;
        ++found;
    }
    return found == count ? NULL : sentence;
}

static const char *exclusions_fault(const ab_image *image, const ab_image_scratch *scratch)
{
    const ab_saved_exclusion *list = AB_SAVED(image, EXCLUSIONS, ab_saved_exclusion);
    const uint32_t bodies = AB_SAVED_COUNT(image, BODIES);
    uint64_t before = 0;
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, EXCLUSIONS); ++i)
    {
        const uint64_t key = (uint64_t)list[i].body_a << 32 | list[i].body_b;
        if (list[i].body_a >= list[i].body_b || list[i].body_b >= bodies || list[i].times == 0 ||
            scratch->body[list[i].body_a] != AB_SLOT_LIVE || scratch->body[list[i].body_b] != AB_SLOT_LIVE ||
            (i > 0 && key <= before))
        {
            return "the image's exclusions are not valid";
        }
        before = key;
    }
    const uint32_t *woken = AB_SAVED(image, WOKEN, uint32_t);
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, WOKEN); ++i)
    {
        if (woken[i] >= bodies)
        {
            return "the image's woken bodies are not valid";
        }
    }
    return NULL;
}

const char *ab_image_fault(const ab_image *image, abut_world *world, const abut_registry *registry,
                           ab_image_scratch *scratch)
{
    const char *fault = bodies_fault(image, scratch->body);
    fault = fault ? fault : colliders_fault(image, world, registry, scratch);
    fault = fault ? fault : static_fault(image, world, registry, scratch);
    return fault ? fault : exclusions_fault(image, scratch);
}
