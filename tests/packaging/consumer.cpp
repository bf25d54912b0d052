// What a program in C++ does with an installed abut: a crate is stepped into a floor until they touch.
#include <abut/abut.h>

#include <cstdio>
#include <memory>

struct ends_world
{
    void operator()(abut_world *world) const
    {
        abut_world_destroy(world);
    }
};

int main()
{
    abut_world *made = nullptr;
    if (abut_world_create(nullptr, &made) != ABUT_OK)
    {
        return 1;
    }
    const std::unique_ptr<abut_world, ends_world> world(made);

    abut_body_def floor{};
    floor.motion = ABUT_STATIC;
    floor.collider.shape = abut_shape_aabb(50, 1, 50);
    abut_body_def crate{};
    crate.pose.position = { 0, 2, 0 };
    crate.velocity.linear = { 0, -6, 0 };
    crate.collider.shape = abut_shape_obb(.5f, .5f, .5f);

    abut_body floor_body, crate_body;
    abut_status status = abut_body_create(world.get(), &floor, &floor_body);
    if (status == ABUT_OK)
    {
        status = abut_body_create(world.get(), &crate, &crate_body);
    }
    for (int i = 0; i < 6 && status == ABUT_OK; ++i)
    {
        status = abut_world_step(world.get(), 1.0f / 60);
    }
    const abut_contacts touching = abut_world_contacts(world.get(), ABUT_AWAKE);
    std::printf("C++, %s: %u contact\n", abut_isa_name(abut_isa_best()), touching.count);
    const abut_contact *contact = touching.count == 1 ? abut_contact_at(&touching, 0) : nullptr;
    const bool above = contact && contact->point_count == 4 && contact->normal.y > 0.99f;
    return status == ABUT_OK && above ? 0 : 1;
}
