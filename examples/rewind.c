// Time runs back: crates fall onto a floor and onto each other, every frame is kept in an abut_history of limited size,
// and then the world is taken back frame by frame, as a player does who holds the rewind button. Each frame must be
// what it was, to the bit. From the oldest that is left, everything is played once more, and ends as it did.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>

#define STEP    (1.0f / 60) // seconds
#define GRAVITY 9.81f       // metres a second squared

enum
{
    CRATES = 60,
    FRAMES = 240,
    BUDGET = 1024 * 1024 // bytes for the history
};

typedef struct film
{
    abut_world *world;
    abut_history *history;
    uint64_t state[FRAMES + 1]; // hash of each frame
} film;

static abut_status put(film *f, const abut_body_def *def)
{
    abut_body made;
    return abut_body_create(f->world, def, &made);
}

static abut_status build(film *f)
{
    const abut_body_def floor = { .pose.position.y = -1,
                                  .motion = ABUT_STATIC,
                                  .collider.shape = abut_shape_aabb(30, 1, 30) };
    abut_status status = abut_world_create(NULL, &f->world);
    status = status == ABUT_OK ? abut_history_create(NULL, BUDGET, &f->history) : status;
    status = status == ABUT_OK ? put(f, &floor) : status;
    for (int i = 0; status == ABUT_OK && i < CRATES; ++i)
    {
        const float x = (float)(i % 4) * 1.1f, z = (float)(i / 4 % 4) * 1.1f, y = 2 + (float)i * 0.4f;
        const abut_body_def crate = {
            .pose = { .position = { x, y, z },
                      .rotation = abut_quat_from_axis_angle(abut_vec3_make(0.6f, 0, 0.8f), (float)i) },
            .velocity.angular = { (float)(i % 3) - 1, 0, 0 },
            .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f),
        };
        status = put(f, &crate);
    }
    return status;
}

// What comes towards a contact turns back, with less speed: the crudest of solvers.
static void respond(film *f)
{
    const abut_bodies bodies = abut_world_bodies(f->world);
    const abut_contacts contacts = abut_world_contacts(f->world, ABUT_AWAKE);
    for (uint32_t i = 0; i < bodies.count; ++i)
    {
        bodies.velocities[i].linear.y -= i > 0 ? GRAVITY * STEP : 0; // the floor was created first
    }
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&contacts, i);
        abut_vec3 *a = &bodies.velocities[c->a.slot].linear, *b = &bodies.velocities[c->b.slot].linear;
        const float closing = abut_vec3_dot(abut_vec3_sub(*a, *b), c->normal), share = c->a.slot == 0 ? 0.0f : 0.5f;
        if (closing > 0)
        {
            *a = abut_vec3_sub(*a, abut_vec3_scale(c->normal, share * 1.3f * closing));
            *b = abut_vec3_add(*b, abut_vec3_scale(c->normal, (1 - share) * 1.3f * closing));
        }
    }
}

static abut_status play_frame(film *f)
{
    respond(f);
    return abut_world_step(f->world, STEP);
}

static abut_status play(film *f)
{
    abut_status status = ABUT_OK;
    for (uint64_t frame = 0; status == ABUT_OK && frame <= FRAMES; ++frame)
    {
        f->state[frame] = abut_world_state_hash(f->world);
        status = abut_history_push(f->history, f->world, NULL, frame);
        status = status == ABUT_OK && frame < FRAMES ? play_frame(f) : status;
    }
    return status;
}

// Back to the oldest frame that is left. Counts the frames that were what they had been.
static abut_status rewind_all(film *f, uint64_t *oldest, uint64_t *same)
{
    uint64_t newest = 0;
    abut_status status = ABUT_OK;
    *same = 0;
    (void)abut_history_range(f->history, oldest, &newest);
    for (uint64_t frame = newest; status == ABUT_OK && frame > *oldest; --frame)
    {
        status = abut_history_rewind(f->history, f->world, NULL, frame - 1);
        *same += abut_world_state_hash(f->world) == f->state[frame - 1];
    }
    return status;
}

// Forward once more from a frame.
static abut_status replay(film *f, uint64_t from, bool *as_before)
{
    abut_status status = ABUT_OK;
    for (uint64_t frame = from; status == ABUT_OK && frame < FRAMES; ++frame)
    {
        status = play_frame(f);
    }
    *as_before = abut_world_state_hash(f->world) == f->state[FRAMES];
    return status;
}

static const char help[] = "rewind\n"
                           "Lets crates fall, takes the world back frame by frame, and plays it again.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("rewind", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    static film f;
    uint64_t oldest = 0, same = 0;
    bool as_before = false;
    abut_status status = build(&f);
    status = status == ABUT_OK ? play(&f) : status;
    status = status == ABUT_OK ? rewind_all(&f, &oldest, &same) : status;
    status = status == ABUT_OK ? replay(&f, oldest, &as_before) : status;
    abut_history_destroy(f.history);
    abut_world_destroy(f.world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "rewind: %s\n", abut_status_text(status));
        return 1;
    }
    printf("%u frames kept in %u kB; %u of %u taken back are what they were; played again, all ends %s\n",
           (unsigned)(FRAMES - oldest + 1), BUDGET / 1024, (unsigned)same, (unsigned)(FRAMES - oldest),
           as_before ? "as it did" : "differently");
    return as_before && same == FRAMES - oldest ? 0 : 1;
}
