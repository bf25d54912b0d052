// The hash of a pile of boxes and balls that fall, rotate and collide for a second. It is the same however abut was
// compiled.
#include <abut/abut.h>

#include <inttypes.h>
#include <stdio.h>

enum
{
    BODIES = 300,
    STEPS = 60
};

// Numbers with at most 10 bits, so that no flag has a say in them.
static float pick(uint32_t i, uint32_t factor)
{
    return (float)(i * factor % 1021u) / 128.0f - 4.0f;
}

int main(void)
{
    abut_world *world;
    if (abut_world_create(NULL, &world) != ABUT_OK)
    {
        return 1;
    }
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < BODIES && status == ABUT_OK; ++i)
    {
        abut_body body;
        abut_body_def def = { .motion = i == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
                              .collider.shape = abut_shape_aabb(9, 1, 9) };
        if (i > 0)
        {
            def.pose = (abut_pose){ .position = { pick(i, 37), pick(i, 101) + 4.0f, pick(i, 211) },
                                    .rotation = { pick(i, 7), pick(i, 13), pick(i, 23), pick(i, 29) } };
            def.velocity =
                (abut_velocity){ { pick(i, 41), pick(i, 43), pick(i, 47) }, { pick(i, 53), pick(i, 59), pick(i, 61) } };
            def.collider.shape = i % 5 ? abut_shape_obb(0.25f, 0.5f, 0.375f) : abut_shape_sphere(0.5f);
        }
        status = abut_body_create(world, &def, &body);
    }
    for (uint32_t i = 0; i < STEPS && status == ABUT_OK; ++i)
    {
        status = abut_world_step(world, 1.0f / 64.0f);
    }
    printf("%016" PRIx64 "\n", abut_world_hash(world));
    abut_world_destroy(world);
    return status == ABUT_OK ? 0 : 1;
}
