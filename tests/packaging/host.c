// A program with an stb_ds of its own, whose blocks carry a mark in front, linked statically with abut: neither one's
// arrays may reach the other's hooks. A block freed by the wrong hooks would not have the mark.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static void *host_realloc(void *block, size_t size);
static void host_free(void *block);

#define STBDS_REALLOC(context, block, size) host_realloc(block, size)
#define STBDS_FREE(context, block)          host_free(block)
#define STB_DS_IMPLEMENTATION
#include <stb_ds.h>

#include <abut/abut.h>

#include <stdio.h>

#define MARK   UINT64_C(0x686f737420626c6b)
#define CROWD  200
#define FRAMES 5

typedef union mark
{
    max_align_t aligned;
    uint64_t word;
} mark;

static unsigned hook_calls;

static mark *marked(void *block)
{
    mark *front = (mark *)block - 1;
    if (front->word != MARK)
    {
        fprintf(stderr, "a block that is not the host's came to the host's hooks\n");
        exit(1);
    }
    return front;
}

static void *host_realloc(void *block, size_t size)
{
    ++hook_calls;
    mark *front = realloc(block ? marked(block) : NULL, sizeof *front + size);
    if (!front)
    {
        exit(1);
    }
    front->word = MARK;
    return front + 1;
}

static void host_free(void *block)
{
    ++hook_calls;
    if (block)
    {
        mark *front = marked(block);
        front->word = 0;
        free(front);
    }
}

typedef struct name_and_slot
{
    char *key;
    uint32_t value;
} name_and_slot;

// A row of balls, each touching its neighbours. The host keeps their handles in an array and their names in a map.
static bool fill(abut_world *world, abut_body **bodies, name_and_slot **slots)
{
    for (unsigned i = 0; i < CROWD; ++i)
    {
        const abut_body_def def = { .pose.position = { (float)i, 0, 0 }, .collider.shape = abut_shape_sphere(0.6f) };
        abut_body body;
        if (abut_body_create(world, &def, &body) != ABUT_OK)
        {
            return false;
        }
        char name[16];
        snprintf(name, sizeof name, "ball %u", i);
        arrput(*bodies, body);
        shput(*slots, name, body.slot);
    }
    return true;
}

static bool step(abut_world *world)
{
    for (int i = 0; i < FRAMES; ++i)
    {
        if (abut_world_step(world, 1.0f / 60) != ABUT_OK)
        {
            return false;
        }
    }
    return abut_world_contacts(world, ABUT_AWAKE).count == CROWD - 1;
}

int main(void)
{
    abut_body *bodies = NULL;
    name_and_slot *slots = NULL;
    sh_new_strdup(slots);

    abut_world *world;
    if (abut_world_create(NULL, &world) != ABUT_OK || !fill(world, &bodies, &slots))
    {
        return 1;
    }
    const unsigned before = hook_calls;
    const bool stepped = step(world);
    const bool apart = hook_calls == before && before > 0;
    const bool kept = arrlenu(bodies) == CROWD && shget(slots, "ball 123") == bodies[123].slot;
    abut_world_destroy(world);
    arrfree(bodies);
    shfree(slots);
    printf("host with an stb_ds of its own: %s\n", stepped && apart && kept ? "both work" : "they mix");
    return stepped && apart && kept ? 0 : 1;
}
