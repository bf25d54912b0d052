// A crate falls on a floor: create a world, step it, read what touches.
#include <abut/abut.h>

#include <stdio.h>

int main(void)
{
    abut_world *world;
    if (abut_world_create(NULL, &world) != ABUT_OK)
    {
        return 1;
    }
    const abut_body_def defs[2] = {
        { .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(50, 1, 50) },
        { .pose.position = { 0, 2.2f, 0 }, .velocity.linear = { 0, -3, 0 }, .collider.shape = abut_shape_obb(.5f, .5f, .5f) },
    };
    abut_body bodies[2]; // the floor and the crate
    abut_status status = abut_body_create_many(world, defs, 2, bodies);
    while (status == ABUT_OK && abut_world_events(world, ABUT_BEGIN).count == 0)
    {
        status = abut_world_step(world, 1.0f / 60);
    }
    const abut_contacts touching = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < touching.count; ++i)
    {
        const abut_contact *c = &touching.data[i];
        printf("%u and %u touch at %u points, normal (%g, %g, %g), depth %g\n", c->a.slot, c->b.slot, c->point_count,
               c->normal.x, c->normal.y, c->normal.z, -c->separation);
    }
    abut_world_destroy(world);
    return status == ABUT_OK && touching.count == 1 ? 0 : 1;
}
