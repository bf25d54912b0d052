// What writing and reading a recording share: the arrays that callers write in place.
#include "record/stream.h"

#include "base/array.h"
#include "world/world.h"

// A member of the elements of an array, which a world always has.
#define VIEW(array, member)                                                                                            \
    {                                                                                                                  \
        (void *)&(array)->member, sizeof(array)->member, sizeof *(array), arrlenu(array)                               \
    }
#define WHOLE(array)                                                                                                   \
    {                                                                                                                  \
        (void *)(array), sizeof *(array), sizeof *(array), arrlenu(array)                                              \
    }

ab_column_view ab_column_of(abut_world *world, ab_column column)
{
    abut_pose *pose = world->state.bodies.pose;
    abut_velocity *velocity = world->state.bodies.velocity;
    abut_impulse *impulses = world->state.store.pool.impulses;
    const ab_column_view views[AB_COLUMN_COUNT] = {
        [AB_COLUMN_POSITION] = VIEW(pose, position),
        [AB_COLUMN_ROTATION] = VIEW(pose, rotation),
        [AB_COLUMN_LINEAR] = VIEW(velocity, linear),
        [AB_COLUMN_ANGULAR] = VIEW(velocity, angular),
        [AB_COLUMN_BODY_DATA] = WHOLE(world->state.bodies.user_data),
        [AB_COLUMN_COLLIDER_DATA] = WHOLE(world->state.colliders.user_data),
        [AB_COLUMN_IMPULSE] = WHOLE(impulses),
    };
    return views[column];
}
