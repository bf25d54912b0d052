// Rollback netcode: each machine simulates at once, guesses the other player's input, and when the true input arrives
// late and differs, goes back to the frame it belongs to and simulates forward again. The world is kept frame by frame
// in an abut_history; what the game keeps beside it is copied. The result must be what a machine computes that knew
// every input in time, to the bit.
#include "arguments.h"

#include <abut/abut.h>

#include <stdio.h>

#define STEP (1.0f / 60) // seconds

enum
{
    FRAMES = 360,
    PLAYERS = 2,
    CRATES = 30,
    SHOTS = 16,                // in flight at one time
    SHOT_FRAMES = 40,          // until one vanishes
    LATEST = 8,                // frames by which a remote input is late at most
    DEEP = 60,                 // frames that are kept
    BUDGET = 64 * 1024 * 1024, // bytes for them
    UP = 1,
    DOWN = 2,
    LEFT = 4,
    RIGHT = 8,
    FIRE = 16
};

typedef struct shot
{
    abut_body body;
    int left; // frames; zero: none
} shot;

// What the game keeps beside the world: plain data, copied every frame.
typedef struct game
{
    abut_body player[PLAYERS];
    shot shots[SHOTS];
} game;

typedef struct machine
{
    abut_world *world;
    abut_history *history; // NULL: one that never goes back
    game now;
    game before[DEEP + 1];          // by frame modulo its length: as the frame began
    unsigned used[FRAMES][PLAYERS]; // the inputs each frame was simulated with
    unsigned rollbacks, resimulated;
} machine;

// The players' true inputs: pseudo-random, held for some frames.
static unsigned input_of(int player, int frame)
{
    unsigned x = (unsigned)(frame / (5 + 3 * player)) * 2654435761u + (unsigned)player * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x & 31u;
}

// How many frames later the input of a frame arrives from the other machine.
static int delay_of(int frame)
{
    return 1 + (int)(((unsigned)frame * 2654435761u) >> 29) % LATEST;
}

static abut_status put(machine *m, abut_motion motion, abut_vec3 position, abut_shape shape, uint64_t what,
                       abut_body *out)
{
    abut_body_def def = { 0 };
    def.pose.position = position;
    def.motion = motion;
    def.user_data = what;
    def.collider.shape = shape;
    return abut_body_create(m->world, &def, out);
}

enum
{
    WALL,
    CRATE,
    PLAYER,
    SHOT
};

static abut_status build(machine *m)
{
    static const float wall[4][4] = { { 0, 12, 13, 1 }, { 0, -12, 13, 1 }, { 12, 0, 1, 13 }, { -12, 0, 1, 13 } };
    const abut_world_def def = { .dimension = 2, .margin = 0.01f };
    abut_body body;
    abut_status status = abut_world_create(&def, &m->world);
    for (int i = 0; status == ABUT_OK && i < 4; ++i)
    {
        status = put(m, ABUT_STATIC, abut_vec3_make(wall[i][0], wall[i][1], 0),
                     abut_shape_obb(wall[i][2], wall[i][3], 0), WALL, &body);
    }
    for (int i = 0; status == ABUT_OK && i < CRATES; ++i)
    {
        const abut_vec3 at = abut_vec3_make((float)(i % 6) * 2 - 5, (float)(i / 6) * 2 - 4, 0);
        status = put(m, ABUT_DYNAMIC, at, abut_shape_obb(0.5f, 0.4f, 0), CRATE, &body);
    }
    for (int i = 0; status == ABUT_OK && i < PLAYERS; ++i)
    {
        status = put(m, ABUT_DYNAMIC, abut_vec3_make(i == 0 ? -9.0f : 9.0f, 0.3f, 0), abut_shape_sphere(0.6f), PLAYER,
                     &m->now.player[i]);
    }
    return status;
}

static abut_status fire(machine *m, int player)
{
    const abut_pose *from = &abut_world_bodies(m->world).poses[m->now.player[player].slot];
    for (int i = 0; i < SHOTS; ++i)
    {
        if (m->now.shots[i].left == 0)
        {
            const float side = player == 0 ? 1.0f : -1.0f;
            const abut_vec3 at = abut_vec3_add(from->position, abut_vec3_make(side, 0, 0));
            m->now.shots[i].left = SHOT_FRAMES;
            abut_status status = put(m, ABUT_DYNAMIC, at, abut_shape_sphere(0.15f), SHOT, &m->now.shots[i].body);
            const abut_velocity velocity = { { 14 * side, 0, 0 }, { 0, 0, 0 } };
            return status == ABUT_OK ? abut_body_set_velocity(m->world, m->now.shots[i].body, &velocity) : status;
        }
    }
    return ABUT_OK;
}

static abut_status act(machine *m, const unsigned input[PLAYERS], int frame)
{
    abut_status status = ABUT_OK;
    for (int i = 0; status == ABUT_OK && i < PLAYERS; ++i)
    {
        abut_velocity *v = &abut_world_bodies(m->world).velocities[m->now.player[i].slot];
        v->linear.x = 5 * ((input[i] & RIGHT ? 1.0f : 0.0f) - (input[i] & LEFT ? 1.0f : 0.0f));
        v->linear.y = 5 * ((input[i] & UP ? 1.0f : 0.0f) - (input[i] & DOWN ? 1.0f : 0.0f));
        status = input[i] & FIRE && frame % 6 == 0 ? fire(m, i) : ABUT_OK;
    }
    for (int i = 0; status == ABUT_OK && i < SHOTS; ++i)
    {
        if (m->now.shots[i].left > 0 && --m->now.shots[i].left == 0)
        {
            status = abut_body_destroy(m->world, m->now.shots[i].body);
        }
    }
    return status;
}

// A few plain lines in place of a solver. What a contact pushed is kept in its impulses, and read in the next frame.
static void respond(machine *m)
{
    const abut_bodies all = abut_world_bodies(m->world);
    const abut_contacts touching = abut_world_contacts(m->world, ABUT_AWAKE);
    for (uint32_t i = 0; i < touching.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&touching, i);
        abut_impulse *impulses = abut_impulses_of(&touching, c);
        const float share_a = all.user_data[c->a.slot] == WALL ? 0.0f : all.user_data[c->b.slot] == WALL ? 1.0f : 0.5f;
        const float depth = c->separation < 0 ? -c->separation : 0.0f;
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            float *kept = &impulses[k].normal;
            *kept = 0.5f * *kept + 4 * depth / (float)c->point_count;
            const abut_vec3 push = abut_vec3_scale(c->normal, *kept);
            abut_vec3 *v_a = &all.velocities[c->a.slot].linear, *v_b = &all.velocities[c->b.slot].linear;
            *v_a = abut_vec3_sub(*v_a, abut_vec3_scale(push, share_a));
            *v_b = abut_vec3_add(*v_b, abut_vec3_scale(push, all.user_data[c->b.slot] == WALL ? 0.0f : 1 - share_a));
        }
    }
    for (uint32_t slot = 0; slot < all.count; ++slot)
    {
        if (all.user_data[slot] == CRATE)
        {
            all.velocities[slot].linear = abut_vec3_scale(all.velocities[slot].linear, 0.95f);
        }
    }
}

static abut_status simulate(machine *m, int frame, const unsigned input[PLAYERS])
{
    m->used[frame][0] = input[0];
    m->used[frame][1] = input[1];
    abut_status status = ABUT_OK;
    if (m->history)
    {
        m->before[frame % (DEEP + 1)] = m->now;
        status = abut_history_push(m->history, m->world, NULL, (uint64_t)frame);
    }
    status = status == ABUT_OK ? act(m, input, frame) : status;
    status = status == ABUT_OK ? abut_world_step(m->world, STEP) : status;
    if (status == ABUT_OK)
    {
        respond(m);
    }
    return status;
}

// Goes back to the beginning of a frame and simulates up to `present`, with the inputs known now.
static abut_status roll_back(machine *m, int frame, int present)
{
    static unsigned known[FRAMES][PLAYERS];
    for (int at = frame; at < present; ++at)
    {
        known[at][0] = m->used[at][0];
        known[at][1] = m->used[at][1];
    }
    abut_status status = abut_history_rewind(m->history, m->world, NULL, (uint64_t)frame);
    m->now = m->before[frame % (DEEP + 1)];
    ++m->rollbacks;
    for (int at = frame; status == ABUT_OK && at < present; ++at)
    {
        // The frame that was rewound to is in the history already.
        if (at == frame)
        {
            status = act(m, known[at], at);
            m->used[at][0] = known[at][0];
            m->used[at][1] = known[at][1];
            status = status == ABUT_OK ? abut_world_step(m->world, STEP) : status;
            if (status == ABUT_OK)
            {
                respond(m);
            }
        }
        else
        {
            status = simulate(m, at, known[at]);
        }
        ++m->resimulated;
    }
    return status;
}

// The input of the other player that arrived last, repeated.
static unsigned guess(int frame)
{
    for (int at = frame - 1; at >= 0; --at)
    {
        if (at + delay_of(at) <= frame)
        {
            return input_of(1, at);
        }
    }
    return 0;
}

// Puts right what was guessed for frames whose input arrived by now. Counts guesses that were wrong.
static abut_status correct(machine *m, int present, unsigned *wrong)
{
    int first = present;
    for (int at = present > LATEST ? present - LATEST : 0; at < present; ++at)
    {
        if (at + delay_of(at) <= present && m->used[at][1] != input_of(1, at))
        {
            m->used[at][1] = input_of(1, at);
            ++*wrong;
            first = at < first ? at : first;
        }
    }
    return first < present ? roll_back(m, first, present) : ABUT_OK;
}

static abut_status play(machine *referee, machine *m, unsigned *exact, unsigned *compared, unsigned *wrong)
{
    abut_status status = ABUT_OK;
    for (int frame = 0; status == ABUT_OK && frame < FRAMES; ++frame)
    {
        const unsigned truth[PLAYERS] = { input_of(0, frame), input_of(1, frame) };
        status = simulate(referee, frame, truth);

        const unsigned guessed[PLAYERS] = { input_of(0, frame), guess(frame) };
        status = status == ABUT_OK ? correct(m, frame, wrong) : status;
        status = status == ABUT_OK ? simulate(m, frame, guessed) : status;
        // Now and then all inputs are there: every third frame, and from far back every thirtieth.
        if (status == ABUT_OK && frame % 3 == 2)
        {
            const int back = frame % 30 == 29 ? DEEP - 1 : LATEST, first = frame > back ? frame - back : 0;
            for (int at = first; at <= frame; ++at)
            {
                *wrong += m->used[at][1] != input_of(1, at);
                m->used[at][1] = input_of(1, at);
            }
            status = roll_back(m, first, frame + 1);
            ++*compared;
            *exact += abut_world_hash(m->world) == abut_world_hash(referee->world);
        }
    }
    return status;
}

static const char help[] = "rollback\n"
                           "Plays a game whose second player's inputs arrive late: frames are taken back and simulated "
                           "again. Prints how many\n"
                           "of the worlds put right are those of a machine that knew every input in time.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("rollback", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    static machine referee, m;
    unsigned exact = 0, compared = 0, wrong = 0;
    abut_status status = abut_history_create(NULL, BUDGET, &m.history);
    status = status == ABUT_OK ? build(&referee) : status;
    status = status == ABUT_OK ? build(&m) : status;
    status = status == ABUT_OK ? play(&referee, &m, &exact, &compared, &wrong) : status;
    abut_history_destroy(m.history);
    abut_world_destroy(referee.world);
    abut_world_destroy(m.world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "rollback: %s\n", abut_status_text(status));
        return 1;
    }
    printf("%d frames, %u wrong guesses, %u rollbacks, %u frames simulated again: %u of %u worlds exact\n", FRAMES,
           wrong, m.rollbacks, m.resimulated, exact, compared);
    return exact == compared && wrong > 0 ? 0 : 1;
}
