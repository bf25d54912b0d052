// A detect on threads of the program's own. It comes in phases of a few tasks each; a pool runs the tasks of a phase,
// and the next phase begins when all have returned. Beside it a world of the same bodies detects by itself: both have
// one hash in every step.
#include "arguments.h"

#include <abut/abut.h>

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define STEP (1.0f / 60) // seconds
#define ROOM 12.0f       // half its width, metres

enum
{
    WORKERS = 3, // beside the main thread
    BODIES = 4000,
    STEPS = 30
};

// The phase is read and written with the lock held: a task takes far longer than a lock.
typedef struct pool
{
    pthread_mutex_t lock;
    pthread_cond_t to_do; // there are tasks to take, or the pool is closing
    pthread_cond_t done;  // the last task of the phase has returned
    pthread_t thread[WORKERS];
    int threads;
    bool closing;

    // The phase.
    abut_world *world;
    uint32_t tasks, taken, returned;
    abut_status status; // of the first task that failed
} pool;

// Takes one task and lets go of the lock while it runs.
static void run_task(pool *p)
{
    abut_world *world = p->world;
    const uint32_t task = p->taken++;
    pthread_mutex_unlock(&p->lock);
    const abut_status status = abut_world_detect_task(world, task);
    pthread_mutex_lock(&p->lock);
    p->status = p->status == ABUT_OK ? status : p->status;
    if (++p->returned == p->tasks)
    {
        pthread_cond_signal(&p->done);
    }
}

static void *work(void *context)
{
    pool *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->closing)
    {
        if (p->taken < p->tasks)
        {
            run_task(p);
        }
        else
        {
            pthread_cond_wait(&p->to_do, &p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

// The calling thread takes tasks, too. Returns when all have returned, not when all are taken.
static abut_status run_phase(pool *p, abut_world *world, uint32_t tasks)
{
    pthread_mutex_lock(&p->lock);
    p->world = world;
    p->tasks = tasks;
    p->taken = p->returned = 0;
    p->status = ABUT_OK;
    pthread_cond_broadcast(&p->to_do);
    while (p->taken < p->tasks)
    {
        run_task(p);
    }
    while (p->returned < p->tasks)
    {
        pthread_cond_wait(&p->done, &p->lock);
    }
    const abut_status status = p->status;
    pthread_mutex_unlock(&p->lock);
    return status;
}

// A pool of fewer threads than were wanted, even of none, does as well.
static void open_pool(pool *p)
{
    *p = (pool){ .threads = 0 };
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->to_do, NULL);
    pthread_cond_init(&p->done, NULL);
    while (p->threads < WORKERS && pthread_create(&p->thread[p->threads], NULL, work, p) == 0)
    {
        ++p->threads;
    }
}

static void close_pool(pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->to_do);
    pthread_mutex_unlock(&p->lock);
    while (p->threads > 0)
    {
        pthread_join(p->thread[--p->threads], NULL);
    }
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->to_do);
    pthread_mutex_destroy(&p->lock);
}

// What abut_world_detect does, on the pool's threads.
static abut_status detect_on_pool(abut_world *world, pool *p, uint32_t *most_tasks)
{
    abut_status status = abut_world_detect_begin(world, 0.0f);
    if (status != ABUT_OK)
    {
        return status;
    }
    for (uint32_t tasks; (tasks = abut_world_detect_next(world)) > 0;)
    {
        const abut_status phase = run_phase(p, world, tasks);
        status = status == ABUT_OK ? phase : status;
        *most_tasks = tasks > *most_tasks ? tasks : *most_tasks;
    }
    const abut_status ended = abut_world_detect_end(world);
    return status == ABUT_OK ? ended : status;
}

static float random_between(uint32_t *state, float low, float high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*state >> 8) / 16777216.0f;
}

static abut_status fill(abut_world *world)
{
    static abut_body_def defs[BODIES];
    static abut_body bodies[BODIES];
    uint32_t state = 1;
    for (int i = 0; i < BODIES; ++i)
    {
        float r[9];
        for (int k = 0; k < 9; ++k)
        {
            r[k] = random_between(&state, -1, 1);
        }
        defs[i] = (abut_body_def){ .pose.position = { ROOM * r[0], ROOM * r[1], ROOM * r[2] },
                                   .velocity = { { 5 * r[3], 5 * r[4], 5 * r[5] }, { r[6], r[7], r[8] } },
                                   .collider.shape = abut_shape_obb(0.5f, 0.4f, 0.3f) };
    }
    return abut_body_create_many(world, defs, BODIES, bodies);
}

static float towards_room(float place, float speed)
{
    return place > ROOM ? -fabsf(speed) : place < -ROOM ? fabsf(speed) : speed;
}

// Between two detects the program may write bodies in place.
static abut_status move(abut_world *world)
{
    const abut_bodies all = abut_world_bodies(world);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_vec3 at = all.poses[i].position;
        abut_vec3 *v = &all.velocities[i].linear;
        *v = abut_vec3_make(towards_room(at.x, v->x), towards_room(at.y, v->y), towards_room(at.z, v->z));
    }
    return abut_world_move(world, STEP);
}

typedef struct outcome
{
    uint32_t equal; // steps in which both worlds had the same hash
    uint32_t tasks; // of a phase, at most
    uint64_t hash;  // after the last step
} outcome;

static abut_status run(abut_world *alone, abut_world *shared, pool *p, outcome *out)
{
    abut_status status = fill(alone);
    status = status == ABUT_OK ? fill(shared) : status;
    for (int step = 0; status == ABUT_OK && step < STEPS; ++step)
    {
        status = move(alone);
        status = status == ABUT_OK ? move(shared) : status;
        status = status == ABUT_OK ? abut_world_detect(alone, 0.0f) : status;
        status = status == ABUT_OK ? detect_on_pool(shared, p, &out->tasks) : status;
        out->hash = abut_world_hash(shared);
        out->equal += abut_world_hash(alone) == out->hash;
    }
    return status;
}

static const char help[] = "jobs\n"
                           "Detects on threads of its own, and compares every step with a detect on one thread.\n";

int main(int argc, char **argv)
{
    const int answer = arguments_answer("jobs", help, 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_world *alone = NULL, *shared = NULL;
    pool p;
    outcome out = { 0 };
    open_pool(&p);
    abut_status status = abut_world_create(NULL, &alone);
    status = status == ABUT_OK ? abut_world_create(NULL, &shared) : status;
    status = status == ABUT_OK ? run(alone, shared, &p, &out) : status;
    const uint32_t touching = abut_world_contacts(shared, ABUT_AWAKE).count;
    abut_world_destroy(shared);
    abut_world_destroy(alone);
    close_pool(&p);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "jobs: %s\n", abut_status_text(status));
        return 1;
    }
    printf("%d bodies, %u contacts in the last step, phases of up to %u tasks\n", BODIES, touching, out.tasks);
    printf("%u of %d steps have the hash of a detect on one thread; the last is %016" PRIx64 "\n", out.equal, STEPS,
           out.hash);
    return out.equal == STEPS && out.tasks > 1 && touching > 0 ? 0 : 1;
}
