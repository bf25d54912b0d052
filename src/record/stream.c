// What writing and reading a recording share: the arrays that callers write in place, and a geometry's checksum.
#include "record/stream.h"

#include "base/array.h"
#include "shape/shared.h"
#include "state/image.h"
#include "world/world.h"

ab_column_view ab_column_of(abut_world *world, ab_column column)
{
    const ab_bodies *bodies = &world->bodies;
    const ab_colliders *colliders = &world->colliders;
    abut_impulse *awake = world->store.results[world->store.published].impulses;
    abut_impulse *asleep = ab_asleep_contacts_sorted(&world->store.asleep)->impulses;
    const ab_column_view views[AB_COLUMN_COUNT] = {
        [AB_COLUMN_POSE] = { (void *)bodies->pose, sizeof *bodies->pose, arrlenu(bodies->pose) },
        [AB_COLUMN_VELOCITY] = { (void *)bodies->velocity, sizeof *bodies->velocity, arrlenu(bodies->velocity) },
        [AB_COLUMN_BODY_DATA] = { (void *)bodies->user_data, sizeof *bodies->user_data, arrlenu(bodies->user_data) },
        [AB_COLUMN_COLLIDER_DATA] = { (void *)colliders->user_data, sizeof *colliders->user_data,
                                      arrlenu(colliders->user_data) },
        [AB_COLUMN_IMPULSE] = { (void *)awake, sizeof *awake, arrlenu(awake) },
        [AB_COLUMN_ASLEEP_IMPULSE] = { (void *)asleep, sizeof *asleep, arrlenu(asleep) },
    };
    return views[column];
}

uint64_t ab_geometry_checksum(const abut_geometry *geometry)
{
    uint64_t sum = ab_image_checksum(geometry->coordinates, geometry->coordinate_count * sizeof(float));
    const uint32_t faces = abut_geometry_hull_faces(geometry);
    for (uint32_t face = 0; face < faces; ++face)
    {
        const uint32_t *corners;
        const uint32_t count = abut_geometry_hull_face(geometry, face, &corners);
        sum = 3 * sum ^ ab_image_checksum(corners, count * sizeof *corners);
    }
    return sum;
}
