// 2D poses: from a point and an angle, the angle of a pose, and which poses and velocities are 2D.
#include "math/rotation.h"

#include <math.h>

abut_pose ab_pose_2d(float x, float y, float radians)
{
    abut_pose pose = abut_pose_identity();
    pose.position = abut_vec3_make(x, y, 0.0f);
    ab_sincos_float(0.5f * radians, &pose.rotation.z, &pose.rotation.w);
    return pose;
}

// The angle with this tangent in [0, 1]. Above tan(pi/8) measures from pi/4; then the Taylor series, whose first
// omitted term is below 1e-11 of the angle.
static double angle_of_tangent(double tangent)
{
    const bool upper = tangent > 0.41421356237309503;
    const double t = upper ? (tangent - 1.0) / (tangent + 1.0) : tangent, square = t * t;
    double sum = 1.0 / 25;
    for (int k = 23; k > 0; k -= 2)
    {
        sum = 1.0 / k - square * sum;
    }
    return (upper ? 0.78539816339744831 : 0.0) + t * sum;
}

float ab_pose_angle(const abut_pose *pose)
{
    if (!pose)
    {
        return 0.0f;
    }
    const abut_quat q = pose->rotation;
    const double sign = (q.w < 0.0f) != (q.z < 0.0f) ? -1.0 : 1.0;
    const double z = fabs((double)q.z), w = fabs((double)q.w);
    if (!(z > 0.0))
    {
        return 0.0f;
    }
    if (w == 0.0)
    {
        return (float)3.14159265358979312;
    }
    const double half = z <= w ? angle_of_tangent(z / w) : 1.57079632679489656 - angle_of_tangent(w / z);
    return (float)(sign * 2.0 * half);
}

bool ab_pose_is_2d(const abut_pose *pose)
{
    return pose->position.z == 0.0f && pose->rotation.x == 0.0f && pose->rotation.y == 0.0f;
}

bool ab_velocity_is_2d(const abut_velocity *velocity)
{
    return velocity->linear.z == 0.0f && velocity->angular.x == 0.0f && velocity->angular.y == 0.0f;
}
