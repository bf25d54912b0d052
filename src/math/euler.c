// Rotations from Euler angles and from matrices, and frames in double.
#include "math/frame.h"
#include "math/outward.h"
#include "math/rotation.h"

#include <math.h>

// The rotation about one of the world's axes.
static abut_quat about(int axis, float radians)
{
    static const abut_vec3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    return ab_quat_from_axis_angle(unit[axis], radians);
}

abut_quat ab_quat_from_euler(float x, float y, float z, abut_euler_order order)
{
    // The axes of the three factors, in the order of the product.
    static const int axes[ABUT_EULER_ORDER_COUNT][3] = {
        [ABUT_EULER_XYZ] = { 0, 1, 2 }, [ABUT_EULER_XZY] = { 0, 2, 1 }, [ABUT_EULER_YXZ] = { 1, 0, 2 },
        [ABUT_EULER_YZX] = { 1, 2, 0 }, [ABUT_EULER_ZXY] = { 2, 0, 1 }, [ABUT_EULER_ZYX] = { 2, 1, 0 },
    };
    if ((unsigned)order >= ABUT_EULER_ORDER_COUNT)
    {
        return abut_quat_identity();
    }
    const int *axis = axes[order];
    const float radians[3] = { x, y, z };
    const abut_quat last = about(axis[0], radians[axis[0]]), middle = about(axis[1], radians[axis[1]]);
    return abut_quat_mul(abut_quat_mul(last, middle), about(axis[2], radians[axis[2]]));
}

abut_mat3 ab_mat3_from_axis_angle(abut_vec3 axis, float radians)
{
    return ab_mat3_from_quat(ab_quat_from_axis_angle(axis, radians));
}

abut_mat3 ab_mat3_from_euler(float x, float y, float z, abut_euler_order order)
{
    return ab_mat3_from_quat(ab_quat_from_euler(x, y, z, order));
}

static double component_squared(double four_times)
{
    return four_times > 0.0 ? 0.25 * four_times : 0.0;
}

// The largest component from the diagonal and the others from it: S. W. Shepperd, Quaternion from Rotation Matrix,
// Journal of Guidance and Control 1(3), 1978. xyzw[(i + 1) % 3] and so on cycle through the axes.
abut_quat ab_quat_from_axes(const double axis[9])
{
    const double trace = axis[0] + axis[4] + axis[8];
    int largest = 3;
    double most = trace;
    for (int i = 0; i < 3; ++i)
    {
        const bool larger = axis[4 * i] > most;
        largest = larger ? i : largest;
        most = larger ? axis[4 * i] : most;
    }
    double xyzw[4];
    if (largest == 3)
    {
        xyzw[3] = sqrt(component_squared(1.0 + trace));
        const double scale = 0.25 / xyzw[3];
        xyzw[0] = (axis[5] - axis[7]) * scale;
        xyzw[1] = (axis[6] - axis[2]) * scale;
        xyzw[2] = (axis[1] - axis[3]) * scale;
    }
    else
    {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        xyzw[i] = sqrt(component_squared(1.0 + axis[4 * i] - axis[4 * j] - axis[4 * k]));
        const double scale = 0.25 / xyzw[i];
        xyzw[3] = (axis[3 * j + k] - axis[3 * k + j]) * scale;
        xyzw[j] = (axis[3 * i + j] + axis[3 * j + i]) * scale;
        xyzw[k] = (axis[3 * k + i] + axis[3 * i + k]) * scale;
    }
    const double length = sqrt(ab_dot(xyzw, xyzw) + xyzw[3] * xyzw[3]);
    if (!(length > 0.0 && length <= 1.0e150))
    {
        return abut_quat_identity();
    }
    const double inverse = (xyzw[3] < 0.0 ? -1.0 : 1.0) / length;
    return (abut_quat){ ab_float_nearest(xyzw[0] * inverse), ab_float_nearest(xyzw[1] * inverse),
                        ab_float_nearest(xyzw[2] * inverse), ab_float_nearest(xyzw[3] * inverse) };
}

abut_quat ab_quat_from_mat3(const abut_mat3 *m)
{
    const double axis[9] = { m->x.x, m->x.y, m->x.z, m->y.x, m->y.y, m->y.z, m->z.x, m->z.y, m->z.z };
    return ab_quat_from_axes(axis);
}

static double add(double a, double b)
{
    return a + b;
}

static double sub(double a, double b)
{
    return a - b;
}

static double mul(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

ab_frame ab_frame_of(const abut_pose *pose, bool turns)
{
    ab_frame frame = {
        .position = { pose->position.x, pose->position.y, pose->position.z },
        .axis = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 },
    };
    if (turns)
    {
        const double x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z, w = pose->rotation.w;
        AB_ROTATION_AXES(double, add, sub, mul, divide, 1.0, 2.0, x, y, z, w, frame.axis);
    }
    return frame;
}
