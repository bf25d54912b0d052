// Piles of crates that fall asleep, and one that a late crate wakes. Islands, crates connected by contacts, are found
// by union-find; one that has been still for a while is put to sleep as a whole, and woken as a whole by a begin event.
// A sleeping island costs a step nothing; its contacts are among the sleeping ones. A few plain lines replace a solver.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>

#define STEP    (1.0f / 60) // seconds
#define GRAVITY 9.81f       // metres a second squared

enum
{
    PILES = 3,
    HEIGHT = 4,                  // of a pile, in crates
    BODIES = PILES * HEIGHT + 2, // with the late crate and the floor
    FLOOR = 0,                   // slot of the body that was created first
    STILL = 30,                  // steps after which an island may sleep
    LATE = 180,                  // step in which one more crate is dropped
    STEPS = 360
};

// Arrays are by slot.
typedef struct scene
{
    abut_world *world;
    abut_body body[BODIES];
    bool asleep[BODIES];
    uint32_t still[BODIES];  // steps without motion
    uint32_t parent[BODIES]; // in its island's tree; the root is its own
    uint32_t count;
    uint32_t fell_asleep; // islands
    uint32_t woke;        // crates, the one that woke the others among them
} scene;

static abut_status put(scene *s, const abut_body_def *def)
{
    abut_body made;
    const abut_status status = s->count < BODIES ? abut_body_create(s->world, def, &made) : ABUT_LIMIT;
    if (status == ABUT_OK)
    {
        s->body[s->count++] = made; // slots are handed out in order as long as no body has ended
    }
    return status;
}

static abut_status put_crate(scene *s, int pile, float height)
{
    const abut_body_def crate = { .pose.position = { 2 * (float)pile, height, 0 },
                                  .collider.shape = abut_shape_aabb(0.5f, 0.5f, 0.5f) };
    return put(s, &crate);
}

static abut_status build(scene *s)
{
    const abut_body_def floor = { .pose.position.y = -1,
                                  .motion = ABUT_STATIC,
                                  .collider.shape = abut_shape_aabb(10, 1, 10) };
    abut_status status = put(s, &floor);
    for (int i = 0; status == ABUT_OK && i < PILES * HEIGHT; ++i)
    {
        const int pile = i / HEIGHT, row = i % HEIGHT;
        status = put_crate(s, pile, 0.6f + (float)row * (1.1f + 0.2f * (float)pile));
    }
    return status;
}

// What a solver would do: crates fall unless something carries them, and are lifted out of what they fell into.
static void solve(scene *s)
{
    const abut_bodies all = abut_world_bodies(s->world);
    bool carried[BODIES] = { false };
    for (int set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set) // the contacts of a newly woken crate are still among the
                                                          // sleeping ones
    {
        const abut_contacts touching = abut_world_contacts(s->world, (abut_contact_set)set);
        for (uint32_t i = 0; i < touching.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&touching, i);
            const uint32_t upper = c->normal.y > 0 ? c->b.slot : c->a.slot;
            carried[upper] = true;
            all.poses[upper].position.y += c->separation < 0 && !s->asleep[upper] ? -c->separation : 0;
        }
    }
    for (uint32_t i = FLOOR + 1; i < s->count; ++i)
    {
        float *speed = &all.velocities[i].linear.y;
        *speed = carried[i] || s->asleep[i] ? 0 : *speed - GRAVITY * STEP;
        s->still[i] = *speed == 0 ? s->still[i] + 1 : 0;
    }
}

static uint32_t root_of(scene *s, uint32_t i)
{
    while (s->parent[i] != i)
    {
        i = s->parent[i] = s->parent[s->parent[i]];
    }
    return i;
}

// Both sets of contacts hold islands together. The floor does not: all piles would be one.
static void find_islands(scene *s)
{
    for (uint32_t i = 0; i < s->count; ++i)
    {
        s->parent[i] = i;
    }
    for (int set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts touching = abut_world_contacts(s->world, (abut_contact_set)set);
        for (uint32_t i = 0; i < touching.count; ++i)
        {
            const abut_contact *c = abut_contact_at(&touching, i);
            const uint32_t a = c->a.slot, b = c->b.slot;
            if (a != FLOOR && b != FLOOR)
            {
                s->parent[root_of(s, a)] = root_of(s, b);
            }
        }
    }
}

static abut_status set_island_awake(scene *s, uint32_t root, bool awake, float time)
{
    abut_body island[BODIES];
    uint32_t count = 0;
    for (uint32_t i = FLOOR + 1; i < s->count; ++i)
    {
        if (root_of(s, i) == root)
        {
            island[count++] = s->body[i];
            s->asleep[i] = !awake;
            s->still[i] = 0;
        }
    }
    s->woke += awake ? count : 0;
    s->fell_asleep += !awake;
    printf("%4.2f s: an island of %u crates %s\n", (double)time, count, awake ? "wakes" : "falls asleep");
    return abut_body_set_awake_many(s->world, island, count, awake);
}

// The world wakes nothing: awake bodies collide with sleeping ones, and the program decides.
static abut_status wake(scene *s, float time)
{
    const abut_events began = abut_world_events(s->world, ABUT_BEGIN);
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; status == ABUT_OK && i < began.count; ++i)
    {
        const uint32_t a = began.data[i].a.slot, b = began.data[i].b.slot;
        if (s->asleep[a] || s->asleep[b])
        {
            status = set_island_awake(s, root_of(s, a), true, time);
        }
    }
    return status;
}

static abut_status fall_asleep(scene *s, float time)
{
    uint32_t restless[BODIES] = { 0 }; // of each island, by its root
    for (uint32_t i = FLOOR + 1; i < s->count; ++i)
    {
        restless[root_of(s, i)] += s->still[i] < STILL;
    }
    abut_status status = ABUT_OK;
    for (uint32_t i = FLOOR + 1; status == ABUT_OK && i < s->count; ++i)
    {
        if (root_of(s, i) == i && !s->asleep[i] && restless[i] == 0)
        {
            status = set_island_awake(s, i, false, time);
        }
    }
    return status;
}

static abut_status run(scene *s)
{
    abut_status status = build(s);
    for (int step = 1; status == ABUT_OK && step <= STEPS; ++step)
    {
        const float time = (float)step * STEP;
        status = step == LATE ? put_crate(s, 1, HEIGHT + 2) : ABUT_OK;
        status = status == ABUT_OK ? abut_world_step(s->world, STEP) : status;
        find_islands(s);
        status = status == ABUT_OK ? wake(s, time) : status;
        solve(s);
        status = status == ABUT_OK ? fall_asleep(s, time) : status;
    }
    return status == ABUT_OK ? abut_world_detect(s->world, 0) : status;
}

static const char help[] =
    "sleep\n"
    "Puts piles of crates to sleep, wakes one with a late crate, and prints when which fall asleep and wake.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("sleep", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    scene s = { 0 };
    const abut_world_def def = { .margin = 0.01f }; // what has come to lie goes on touching
    abut_status status = abut_world_create(&def, &s.world);
    status = status == ABUT_OK ? run(&s) : status;
    const uint32_t awake = abut_world_contacts(s.world, ABUT_AWAKE).count;
    const uint32_t asleep = abut_world_contacts(s.world, ABUT_ASLEEP).count;
    abut_world_destroy(s.world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "sleep: %s\n", abut_status_text(status));
        return 1;
    }
    printf("at the end %u contacts are awake and %u asleep\n", awake, asleep);
    const bool all_asleep = awake == 0 && asleep == PILES * HEIGHT + 1;
    return all_asleep && s.fell_asleep == PILES + 1 && s.woke == HEIGHT + 1 ? 0 : 1;
}
