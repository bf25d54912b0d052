// A pose's frame in double, for geometry that is rounded to float only at the end. The axes are those of the pose's
// float quaternion, exactly, so a box that is rounded to float and then measured here loses nothing more.
#ifndef AB_FRAME_H
#define AB_FRAME_H

#include <abut/math.h>

#include <math.h>

typedef struct ab_frame
{
    double position[3];
    double axis[9]; // axis[3 * i + k]: component k, in the world, of the frame's axis i
} ab_frame;

// Without `turns`, the world's axes.
ab_frame ab_frame_of(const abut_pose *pose, bool turns);

// The unit quaternion, with w not negative, of the rotation with these axes (right-handed, orthonormal to rounding).
abut_quat ab_quat_from_axes(const double axis[9]);

static inline double ab_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double ab_length(const double v[3])
{
    return sqrt(ab_dot(v, v));
}

// Converts a direction from world to frame.
static inline void ab_frame_direction(const ab_frame *frame, const double world[3], double local[3])
{
    for (int i = 0; i < 3; ++i)
    {
        local[i] = ab_dot(world, frame->axis + 3 * i);
    }
}

// Converts a point from world to frame.
static inline void ab_frame_local(const ab_frame *frame, const double world[3], double local[3])
{
    const double offset[3] = { world[0] - frame->position[0], world[1] - frame->position[1],
                               world[2] - frame->position[2] };
    ab_frame_direction(frame, offset, local);
}

// Converts a point from frame to world.
static inline void ab_frame_world(const ab_frame *frame, const double local[3], double world[3])
{
    for (int k = 0; k < 3; ++k)
    {
        const double turned = frame->axis[k] * local[0] + frame->axis[3 + k] * local[1] + frame->axis[6 + k] * local[2];
        world[k] = frame->position[k] + turned;
    }
}

#endif
