// Ground made of pixels, as an artist paints it and shells dig it away: a tile map with a tile for each pixel, whose
// outlines are chains. Balls fall onto a hill, a shell takes pixels from under them, and they come to rest in the crater.
#include "arguments.h"

#include <abut/abut.h>

#include <math.h>

enum
{
    COLUMNS = 384,
    ROWS = 128,
    SIDE = 32, // pixels of a part, each way
    PARTS_ALONG = COLUMNS / SIDE,
    PARTS = PARTS_ALONG * (ROWS / SIDE),
    BALLS = 40,
    FRAMES = 900,
    BLAST = 300 // the frame of the shell
};

#define PIXEL   0.1f // metres
#define RADIUS  0.35f
#define GRAVITY 9.81f
#define STEP    (1.0f / 60)

typedef struct ground
{
    abut_world *world;
    uint8_t pixels[ROWS * COLUMNS]; // 1: solid; an image's opaque pixels, the lowest row first
    abut_body part[PARTS];
    uint32_t made; // parts, over all frames
} ground;

// Makes a part anew: a body with a chain for each outline. Where all is solid or empty there is none.
static abut_status lay_part(ground *g, uint32_t which)
{
    const abut_tile_map map = { g->pixels, COLUMNS, ROWS, { 0, 0 }, { PIXEL, PIXEL } };
    const abut_tile_part part = { which % PARTS_ALONG * SIDE, which / PARTS_ALONG * SIDE, SIDE, SIDE };
    abut_geometry *chains[ABUT_MAX_COLLIDERS_PER_BODY];
    uint32_t count;
    abut_status status = abut_geometries_of_tiles(&map, &part, NULL, chains, ABUT_MAX_COLLIDERS_PER_BODY, &count);
    if (status != ABUT_OK)
    {
        return status;
    }
    if (abut_body_valid(g->world, g->part[which]))
    {
        status = abut_body_destroy(g->world, g->part[which]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_body_def body = { .motion = ABUT_STATIC, .collider.shape = abut_shape_chain(chains[i]) };
        abut_collider collider;
        if (status == ABUT_OK)
        {
            status = i == 0 ? abut_body_create(g->world, &body, &g->part[which])
                            : abut_collider_attach(g->world, g->part[which], &body.collider, &collider);
        }
        abut_geometry_release(chains[i]);
    }
    ++g->made;
    return status;
}

// Takes a disc of pixels away, and makes the parts anew that any of them is in, or next to.
static abut_status dig(ground *g, float x, float y, float radius)
{
    bool touched[PARTS] = { false };
    for (int row = 0; row < ROWS; ++row)
    {
        for (int column = 0; column < COLUMNS; ++column)
        {
            uint8_t *pixel = &g->pixels[row * COLUMNS + column];
            if (*pixel && hypotf(((float)column + 0.5f) * PIXEL - x, ((float)row + 0.5f) * PIXEL - y) < radius)
            {
                *pixel = 0;
                for (int beside = 0; beside < 9; ++beside)
                {
                    const int at_x = column + beside % 3 - 1, at_y = row + beside / 3 - 1;
                    if (at_x >= 0 && at_x < COLUMNS && at_y >= 0 && at_y < ROWS)
                    {
                        touched[at_y / SIDE * PARTS_ALONG + at_x / SIDE] = true;
                    }
                }
            }
        }
    }
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < PARTS && status == ABUT_OK; ++i)
    {
        status = touched[i] ? lay_part(g, i) : ABUT_OK;
    }
    return status;
}

// A hill with rough pixels on it.
static abut_status paint(ground *g)
{
    uint32_t chance = 1;
    abut_status status = ABUT_OK;
    for (int column = 0; column < COLUMNS; ++column)
    {
        const float along = (float)column / COLUMNS;
        chance = chance * 1664525u + 1013904223u;
        const int height = (int)(40.0f + 50.0f * 4.0f * along * (1.0f - along)) + (int)(chance >> 30);
        for (int row = 0; row < ROWS; ++row)
        {
            const bool rim = column < 4 || column >= COLUMNS - 4;
            g->pixels[row * COLUMNS + column] = row < height || rim;
        }
    }
    for (uint32_t i = 0; i < PARTS && status == ABUT_OK; ++i)
    {
        status = lay_part(g, i);
    }
    return status;
}

// In place of a solver: what overlaps is pushed apart, and stops going further in. Rolling wears off.
static void push_apart(abut_world *world)
{
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    const abut_bodies bodies = abut_world_bodies(world);
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&contacts, i);
        const uint32_t slot[2] = { c->a.slot, c->b.slot };
        const bool moves[2] = { abut_body_active_at(&bodies, slot[0]), abut_body_active_at(&bodies, slot[1]) };
        for (int k = 0; k < 2; ++k)
        {
            const float side = k == 0 ? -1.0f : 1.0f, share = moves[0] && moves[1] ? 0.5f : 1.0f;
            const abut_vec3 out = abut_vec3_scale(c->normal, side);
            abut_vec3 *velocity = &bodies.velocities[slot[k]].linear, *position = &bodies.poses[slot[k]].position;
            const float inward = abut_vec3_dot(*velocity, out), depth = -c->separation - 0.002f;
            if (moves[k])
            {
                *position = abut_vec3_add(*position, abut_vec3_scale(out, depth > 0.0f ? share * depth : 0.0f));
                *velocity = abut_vec3_sub(*velocity, abut_vec3_scale(out, inward < 0.0f ? inward : 0.0f));
                *velocity = abut_vec3_scale(*velocity, 0.98f);
            }
        }
    }
}

// How far the pixels of the ground reach into a ball, in metres.
static float depth_in_ball(const ground *g, abut_vec3 at)
{
    float depth = 0.0f;
    for (int row = 0; row < ROWS; ++row)
    {
        for (int column = 0; column < COLUMNS; ++column)
        {
            if (g->pixels[row * COLUMNS + column])
            {
                const float left = (float)column * PIXEL, low = (float)row * PIXEL;
                const float x = fmaxf(fmaxf(left - at.x, at.x - left - PIXEL), 0.0f),
                            y = fmaxf(fmaxf(low - at.y, at.y - low - PIXEL), 0.0f);
                depth = fmaxf(depth, RADIUS - hypotf(x, y));
            }
        }
    }
    return depth;
}

static abut_status play(ground *g, const abut_body *balls)
{
    abut_status status = ABUT_OK;
    for (int frame = 0; frame < FRAMES && status == ABUT_OK; ++frame)
    {
        const abut_bodies bodies = abut_world_bodies(g->world);
        for (int i = 0; i < BALLS; ++i)
        {
            bodies.velocities[balls[i].slot].linear.y -= GRAVITY * STEP;
        }
        if (frame == BLAST)
        {
            status = dig(g, 0.5f * COLUMNS * PIXEL, 9.0f, 4.0f);
        }
        status = status == ABUT_OK ? abut_world_step(g->world, STEP) : status;
        push_apart(g->world);
    }
    return status;
}

static abut_status drop_balls(abut_world *world, abut_body *balls)
{
    abut_body_def defs[BALLS];
    for (int i = 0; i < BALLS; ++i)
    {
        defs[i] = (abut_body_def){ .pose.position = { 12.0f + 0.8f * (float)(i % 20), 11.0f + (float)(i / 20), 0.0f },
                                   .collider.shape = abut_shape_sphere(RADIUS) };
    }
    return abut_body_create_many(world, defs, BALLS, balls);
}

// Whether none is deep in the ground.
static bool judge(const ground *g, const abut_body *balls)
{
    const abut_bodies bodies = abut_world_bodies(g->world);
    float deepest = 0.0f;
    uint32_t in_crater = 0;
    for (int i = 0; i < BALLS; ++i)
    {
        const abut_vec3 at = bodies.poses[balls[i].slot].position;
        deepest = fmaxf(deepest, depth_in_ball(g, at));
        in_crater += hypotf(at.x - 0.5f * COLUMNS * PIXEL, at.y - 9.0f) < 4.0f;
    }
    printf("%d balls on %d x %d pixels: %u lie in the crater, %.3f m deep in a pixel at most; %u parts were made\n",
           BALLS, COLUMNS, ROWS, in_crater, (double)deepest, g->made);
    return in_crater > 0 && deepest < 0.1f;
}

int main(int argc, char **argv)
{
    static ground g;
    abut_body balls[BALLS];
    const int answer = arguments_answer(
        "pixels", "pixels\nBlasts a crater into ground of pixels, which balls come to rest in.\n", 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    bool sound = false;
    abut_status status = abut_world_create(&(abut_world_def){ .dimension = 2 }, &g.world);
    status = status == ABUT_OK ? paint(&g) : status;
    status = status == ABUT_OK ? drop_balls(g.world, balls) : status;
    status = status == ABUT_OK ? play(&g, balls) : status;
    if (status == ABUT_OK)
    {
        sound = judge(&g, balls);
    }
    else
    {
        fprintf(stderr, "pixels: %s\n", abut_status_text(status));
    }
    abut_world_destroy(g.world);
    return sound ? 0 : 1;
}
