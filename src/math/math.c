// Rotations and poses, exact to rounding, with the same bits everywhere.
#include "math/rotation.h"

#include <float.h>
#include <math.h>
#include <string.h>

static float add(float a, float b)
{
    return a + b;
}

static float sub(float a, float b)
{
    return a - b;
}

static float mul(float a, float b)
{
    return a * b;
}

static float divide(float a, float b)
{
    return a / b;
}

void ab_rotation_axes(abut_quat q, float axis[9])
{
    AB_ROTATION_AXES(float, add, sub, mul, divide, 1.0f, 2.0f, q.x, q.y, q.z, q.w, axis);
}

static double square_of(abut_quat q)
{
    return (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
}

// False only for the squares of zero, NaN and infinity: squares of floats neither underflow nor overflow in double.
static bool invertible(double square)
{
    return square > 0.0 && square <= 1.0e300;
}

bool ab_rotation_accept(abut_quat *q)
{
    const double square = square_of(*q);
    if (!invertible(square))
    {
        return false;
    }
    if (square < 1.0 - 5.0e-7 || square > 1.0 + 5.0e-7)
    {
        *q = ab_quat_normalise(*q);
    }
    return true;
}

static bool in_range(float value)
{
    return value >= -ABUT_MAX_MAGNITUDE && value <= ABUT_MAX_MAGNITUDE; // false for NaN
}

bool ab_vec3_in_range(abut_vec3 v)
{
    return in_range(v.x) && in_range(v.y) && in_range(v.z);
}

bool ab_pose_accept(abut_pose *pose)
{
    pose->unused = 0.0f;
    return ab_vec3_in_range(pose->position) && ab_rotation_accept(&pose->rotation);
}

void ab_rotation_default(abut_quat *q)
{
    if (q->x == 0.0f && q->y == 0.0f && q->z == 0.0f && q->w == 0.0f)
    {
        *q = abut_quat_identity();
    }
}

float ab_vec3_length(abut_vec3 v)
{
    return (float)sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
}

abut_vec3 ab_vec3_normalise(abut_vec3 v)
{
    const double square = (double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z;
    if (!invertible(square))
    {
        return abut_vec3_make(0.0f, 0.0f, 0.0f);
    }
    const double inverse = 1.0 / sqrt(square);
    return abut_vec3_make((float)(v.x * inverse), (float)(v.y * inverse), (float)(v.z * inverse));
}

abut_quat ab_quat_normalise(abut_quat q)
{
    const double square = square_of(q);
    if (!invertible(square))
    {
        return abut_quat_identity();
    }
    const double inverse = 1.0 / sqrt(square);
    q.x = (float)(q.x * inverse);
    q.y = (float)(q.y * inverse);
    q.z = (float)(q.z * inverse);
    q.w = (float)(q.w * inverse);
    return q;
}

// Taylor polynomials on [-pi/4, pi/4]; the first omitted term is below 2e-14.
static double sine_near_zero(double r)
{
    const double t = r * r;
    return r *
           (1.0 + t * (-1.0 / 6 + t * (1.0 / 120 + t * (-1.0 / 5040 + t * (1.0 / 362880 + t * (-1.0 / 39916800))))));
}

static double cosine_near_zero(double r)
{
    const double t = r * r;
    return 1.0 + t * (-1.0 / 2 + t * (1.0 / 24 + t * (-1.0 / 720 + t * (1.0 / 40320 + t * (-1.0 / 3628800)))));
}

// The sine and cosine of `quarters` quarter turns plus r.
static void turn_by_quarters(uint32_t quarters, double r, double *sine, double *cosine)
{
    const double s = sine_near_zero(r), c = cosine_near_zero(r);
    const double by_quarter[4] = { s, c, -s, -c };
    *sine = by_quarter[quarters & 3u];
    *cosine = by_quarter[(quarters + 1u) & 3u];
}

bool ab_sincos(double radians, double *sine, double *cosine)
{
    // Reduction by multiples of pi/2 in three parts: W. J. Cody, W. Waite, Software Manual for the Elementary
    // Functions, 1980. The first two parts have 33 bits, so that their product with a count below 2^20 is exact.
    static const double two_over_pi = 0x1.45f306dc9c883p-1;
    static const double part_1 = 0x1.921fb54400000p+0, part_2 = 0x1.0b4611a600000p-34, part_3 = 0x1.3198a2e037073p-69;
    if (!(radians >= -1.0e15 && radians <= 1.0e15))
    {
        return false;
    }
    const int64_t turns = (int64_t)(radians * two_over_pi + (radians < 0.0 ? -0.5 : 0.5));
    const double k = (double)turns;
    const double r = ((radians - k * part_1) - k * part_2) - k * part_3;
    turn_by_quarters((uint32_t)(turns & 3), r, sine, cosine);
    return true;
}

// For a finite angle of 1/128 or more. Multiplies its integer mantissa by the bits of 2/pi that do not give whole
// turns: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", 1983. The truncation error is below 2^-70
// of a quarter.
static void sincos_of_large(float radians, double *sine, double *cosine)
{
    static const uint32_t two_over_pi[8] = { 0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                             0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab };
    uint32_t bits, window[3];
    memcpy(&bits, &radians, sizeof bits);
    const uint64_t mantissa = (bits & 0x7fffffu) | 0x800000u; // times 2^(exponent - 150)
    const uint32_t exponent = bits >> 23 & 255u, first = exponent - 120u;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t *word = &two_over_pi[first / 32u + k];
        window[k] = (uint32_t)(((uint64_t)word[0] << 32 | word[1]) >> (32u - first % 32u));
    }
    const uint64_t low = mantissa * window[2], middle = mantissa * window[1] + (low >> 32);
    const uint64_t high = mantissa * window[0] + (middle >> 32);
    const uint64_t turn = high << 32 | (middle & 0xffffffffu); // in units of 2^-64 turn
    const uint64_t quarters = (turn + (UINT64_C(1) << 61)) >> 62;
    const double part = (double)(int64_t)(turn - (quarters << 62));
    turn_by_quarters((uint32_t)(quarters & 3u), part * (0x1.921fb54442d18p+2 * 0x1p-64), sine, cosine);
    *sine = radians < 0.0f ? -*sine : *sine;
}

void ab_sincos_float(float radians, float *sine, float *cosine)
{
    double s = NAN, c = NAN;
    if (fabsf(radians) <= 1.0e5f)
    {
        (void)ab_sincos((double)radians, &s, &c);
    }
    else if (fabsf(radians) <= FLT_MAX)
    {
        sincos_of_large(radians, &s, &c);
    }
    *sine = (float)s;
    *cosine = (float)c;
}

abut_quat ab_quat_from_axis_angle(abut_vec3 axis, float radians)
{
    const double square = (double)axis.x * axis.x + (double)axis.y * axis.y + (double)axis.z * axis.z;
    if (!invertible(square))
    {
        return abut_quat_identity();
    }
    float sine, cosine;
    ab_sincos_float(0.5f * radians, &sine, &cosine);
    const double scale = sine / sqrt(square);
    abut_quat q;
    q.x = (float)(axis.x * scale);
    q.y = (float)(axis.y * scale);
    q.z = (float)(axis.z * scale);
    q.w = cosine;
    return q;
}

abut_mat3 ab_mat3_from_quat(abut_quat q)
{
    const double square = square_of(q);
    if (invertible(square) && !(square >= 1.0e-30 && square <= 1.0e30)) // products of floats would underflow or
                                                                        // overflow
    {
        q = ab_quat_normalise(q);
    }
    float axis[9];
    ab_rotation_axes(q, axis);
    return (abut_mat3){ { axis[0], axis[1], axis[2] }, { axis[3], axis[4], axis[5] }, { axis[6], axis[7], axis[8] } };
}

abut_vec3 ab_quat_rotate(abut_quat q, abut_vec3 v)
{
    const abut_mat3 m = ab_mat3_from_quat(q);
    return abut_mat3_mul_vec3(&m, v);
}

abut_vec3 ab_pose_apply(const abut_pose *pose, abut_vec3 local)
{
    return abut_vec3_add(pose->position, ab_quat_rotate(pose->rotation, local));
}

// With more radians in one step, a float cannot represent where the rotation ends.
#define MOST_TURN 1.0e9

// Rotates q by `rate` for dt: exact for a constant axis. Ignores a rotation too small to have a direction. False past
// MOST_TURN.
static bool turn(abut_quat *q, abut_vec3 rate, float dt)
{
    const double x = (double)rate.x * dt, y = (double)rate.y * dt, z = (double)rate.z * dt;
    const double angle = sqrt(x * x + y * y + z * z);
    if (!(angle > 0.0))
    {
        return angle == 0.0;
    }
    if (angle > MOST_TURN)
    {
        return false;
    }
    float sine, cosine;
    ab_sincos_float((float)(0.5 * angle), &sine, &cosine);
    const double scale = sine / angle;
    const abut_quat by = { (float)(x * scale), (float)(y * scale), (float)(z * scale), cosine };
    *q = ab_quat_normalise(abut_quat_mul(by, *q));
    return true;
}

bool ab_pose_move(abut_pose *pose, const abut_velocity *velocity, float dt)
{
    abut_pose to = *pose;
    to.position = abut_vec3_add(pose->position, abut_vec3_scale(velocity->linear, dt));
    if (!ab_vec3_in_range(to.position) || !turn(&to.rotation, velocity->angular, dt))
    {
        return false;
    }
    *pose = to;
    return true;
}

abut_pose ab_pose_compose(const abut_pose *pose, const abut_pose *local)
{
    abut_pose out;
    out.position = ab_pose_apply(pose, local->position);
    out.unused = 0.0f;
    out.rotation = abut_quat_mul(pose->rotation, local->rotation);
    return out;
}
