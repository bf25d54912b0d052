// abut through its public interface: poses are written in place, everything else goes through handles in bulk.
#include "clock.h"
#include "engine.h"
#include "storage.h"

#include <abut/abut.h>

#include <string.h>

#define EDITS_STAGE 0u // the poses, and bodies that end and begin; then the stages of the library

typedef struct instance
{
    abut_world *world;
    abut_body *bodies; // by index in the scene
    uint32_t count;    // of them
    abut_body *ended;  // room for those of one frame
    abut_body *begun;
    uint32_t threads;
    bool has_parts; // a pair may have several contacts
    uint64_t edits_ns;
    abut_pair_type_statistics pair_types[ABUT_PAIR_TYPE_MAX]; // of all steps
} instance;

static bool accepted(abut_status status, const char *call, bench_complaint *complaint)
{
    int exit_status = status == ABUT_UNSUPPORTED ? EXIT_ASKED : EXIT_BROKEN;
    return status == ABUT_OK ||
           complain(complaint, exit_status, "abut's %s failed: %s", call, abut_status_text(status));
}

static void destroy(void *given)
{
    instance *it = given;
    if (it)
    {
        abut_world_destroy(it->world);
        storage_give(it->bodies);
        storage_give(it->ended);
        storage_give(it->begun);
        storage_give(it);
    }
}

static void *create(const bench_scene *scene, const engine_settings *settings, bench_complaint *complaint)
{
    instance *it = storage_take(1, sizeof *it);
    it->bodies = storage_take(scene->count, sizeof *it->bodies);
    it->count = scene->count;
    it->ended = storage_take(scene->renewed_room + 1, sizeof *it->ended);
    it->begun = storage_take(scene->renewed_room + 1, sizeof *it->begun);
    it->threads = settings->threads;
    it->has_parts = scene->ground != NULL;
    abut_world_def def = { .broad = settings->broad,
                           .isa = settings->isa,
                           .threads = settings->threads,
                           .dimension = scene->dimension,
                           .recycle_distance = settings->recycle_distance,
                           .separations = settings->separations };
    bool sound = accepted(abut_world_create(&def, &it->world), "abut_world_create", complaint) &&
                 accepted(abut_world_reserve(it->world, scene->count + scene->renewed_room, 0), "abut_world_reserve",
                          complaint) &&
                 accepted(abut_body_create_many(it->world, scene->defs, scene->count, it->bodies),
                          "abut_body_create_many", complaint);
    if (!sound)
    {
        destroy(it);
        return NULL;
    }
    return it;
}

static bool renew(instance *it, const bench_scene *scene, bench_complaint *complaint)
{
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        it->ended[i] = it->bodies[scene->renewed[i]];
    }
    if (!accepted(abut_body_destroy_many(it->world, it->ended, scene->renewed_count), "abut_body_destroy_many",
                  complaint) ||
        !accepted(abut_body_create_many(it->world, scene->renewed_defs, scene->renewed_count, it->begun),
                  "abut_body_create_many", complaint))
    {
        return false;
    }
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        it->bodies[scene->renewed[i]] = it->begun[i];
    }
    return true;
}

static bool step(void *given, const bench_scene *scene, bench_complaint *complaint)
{
    instance *it = given;
    const uint64_t start = clock_elapsed_ns();
    if (scene->renewed_count > 0 && !renew(it, scene, complaint))
    {
        return false;
    }
    abut_bodies in_world = abut_world_bodies(it->world);
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        in_world.poses[it->bodies[i].slot] = scene->poses[i];
    }
    it->edits_ns = clock_elapsed_ns() - start;
    return accepted(abut_world_detect(it->world, 0.0f), "abut_world_detect", complaint);
}

static void add_pair_types(instance *it, const abut_statistics *statistics)
{
    for (uint32_t cell = 0; cell < ABUT_PAIR_TYPE_MAX; ++cell)
    {
        const abut_pair_type_statistics *here = &statistics->pair_types[cell];
        it->pair_types[cell].name = here->name;
        it->pair_types[cell].pairs += here->pairs;
        it->pair_types[cell].touching += here->touching;
        it->pair_types[cell].elapsed_ns += here->elapsed_ns;
    }
}

// Pairs that touch: contacts of one pair follow each other. Speculative ones do not touch.
static uint64_t count_pairs(const instance *it)
{
    uint64_t pairs = 0;
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts contacts = abut_world_contacts(it->world, set);
        const abut_contact_colliders *before = NULL; // of the last one that touches
        for (uint32_t i = 0; i < contacts.count; ++i)
        {
            const abut_contact_colliders *own = &contacts.colliders[contacts.order[i]];
            if (!(abut_contact_at(&contacts, i)->flags & ABUT_CONTACT_SPECULATIVE))
            {
                pairs += !before || before->a.slot != own->a.slot || before->b.slot != own->b.slot;
                before = own;
            }
        }
    }
    return pairs;
}

static void inspect(void *given, engine_frame *out)
{
    instance *it = given;
    abut_statistics statistics;
    abut_world_statistics(it->world, &statistics);
    add_pair_types(it, &statistics);
    *out = (engine_frame){
        .touching = it->has_parts ? count_pairs(it) : statistics.contacts - statistics.speculative,
        .candidates = statistics.candidates,
        .recycled = statistics.recycled,
        .points = statistics.points,
        .begun = statistics.begun,
        .ended = statistics.ended,
        .bytes = statistics.bytes,
        .allocations = statistics.allocations,
        .broad = abut_broad_name(statistics.broad),
        .isa = abut_isa_name(statistics.isa),
    };
    memcpy(out->pair_types, it->pair_types, sizeof out->pair_types);
    out->stage_ns[EDITS_STAGE] = (double)it->edits_ns;
    for (uint32_t stage = 0; stage < ABUT_STAGE_COUNT; ++stage)
    {
        out->stage_ns[EDITS_STAGE + 1 + stage] = (double)statistics.elapsed_ns[stage];
    }
}

static uint64_t hash(void *given)
{
    const instance *it = given;
    return abut_world_hash(it->world);
}

// Bodies of a file carry its ids, so indices are found by the handles.
static void touching(void *given, pair_list *out)
{
    instance *it = given;
    uint32_t *index_at = storage_take(abut_world_bodies(it->world).count, sizeof *index_at);
    for (uint32_t i = 0; i < it->count; ++i)
    {
        index_at[it->bodies[i].slot] = i;
    }
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts contacts = abut_world_contacts(it->world, set);
        for (uint32_t i = 0; i < contacts.count; ++i)
        {
            const abut_contact *contact = abut_contact_at(&contacts, i);
            if (!(contact->flags & ABUT_CONTACT_SPECULATIVE))
            {
                pair_list_add(out, index_at[contact->a.slot], index_at[contact->b.slot]);
            }
        }
    }
    storage_give(index_at);
}

static const char *stage_name(uint32_t stage)
{
    return stage == EDITS_STAGE ? "edits" : abut_stage_name((abut_stage)(stage - 1));
}

const bench_engine engine_abut = {
    .name = "abut",
    .tells = ENGINE_TELLS_CANDIDATES | ENGINE_TELLS_POINTS | ENGINE_TELLS_MEMORY | ENGINE_TELLS_EVENTS,
    .stages = ABUT_STAGE_COUNT + 1,
    .stage_name = stage_name,
    .create = create,
    .step = step,
    .inspect = inspect,
    .hash = hash,
    .touching = touching,
    .destroy = destroy,
};
