// What a program in C does with an installed abut: a crate is stepped into a floor until they touch.
#include <abut/abut.h>

#include <stdio.h>

static bool touches_from_above(const abut_contacts *touching)
{
    const abut_contact *contact = touching->count == 1 ? abut_contact_at(touching, 0) : NULL;
    return contact && contact->point_count == 4 && contact->normal.y > 0.99f;
}

int main(void)
{
    abut_world *world;
    if (abut_world_create(NULL, &world) != ABUT_OK)
    {
        return 1;
    }
    const abut_body_def defs[2] = {
        { .motion = ABUT_STATIC, .collider.shape = abut_shape_aabb(50, 1, 50) },
        { .pose.position = { 0, 2, 0 },
          .velocity.linear = { 0, -6, 0 },
          .collider.shape = abut_shape_obb(.5f, .5f, .5f) },
    };
    abut_body bodies[2];
    abut_status status = abut_body_create_many(world, defs, 2, bodies);
    for (int i = 0; i < 6 && status == ABUT_OK; ++i)
    {
        status = abut_world_step(world, 1.0f / 60);
    }
    const abut_contacts touching = abut_world_contacts(world, ABUT_AWAKE);
    const bool sound = status == ABUT_OK && touches_from_above(&touching);
    printf("C, %s: %u contact\n", abut_isa_name(abut_isa_best()), touching.count);
    abut_world_destroy(world);
    return sound ? 0 : 1;
}
