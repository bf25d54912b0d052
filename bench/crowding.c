// Doubles in a fixed order, no libm: the sides of all scenes follow from this file.
#include "crowding.h"

#include <string.h>

static float magnitude(float x)
{
    return x < 0.0f ? -x : x;
}

abut_vec3 crowd_half_extents(const abut_shape *shape, abut_quat rotation)
{
    if (shape->kind == ABUT_SPHERE)
    {
        return abut_vec3_make(shape->sphere.radius, shape->sphere.radius, shape->sphere.radius);
    }
    abut_vec3 h = shape->box.half_extents;
    if (shape->kind == ABUT_AABB)
    {
        return h;
    }
    abut_mat3 m = abut_mat3_from_quat(rotation);
    return abut_vec3_make(magnitude(m.x.x) * h.x + magnitude(m.y.x) * h.y + magnitude(m.z.x) * h.z,
                          magnitude(m.x.y) * h.x + magnitude(m.y.y) * h.y + magnitude(m.z.y) * h.z,
                          magnitude(m.x.z) * h.x + magnitude(m.y.z) * h.y + magnitude(m.z.z) * h.z);
}

static double width(const double half_extents[3])
{
    double w = half_extents[0] > half_extents[1] ? half_extents[0] : half_extents[1];
    return w > half_extents[2] ? w : half_extents[2];
}

static void keep_if_wide(bench_crowd *crowd, const double half_extents[3])
{
    int place = CROWD_WIDE + 1;
    while (place > 0 && width(half_extents) > width(crowd->wide[place - 1]))
    {
        --place;
    }
    if (place <= CROWD_WIDE)
    {
        memmove(crowd->wide[place + 1], crowd->wide[place], (size_t)(CROWD_WIDE - place) * sizeof crowd->wide[0]);
        memcpy(crowd->wide[place], half_extents, sizeof crowd->wide[0]);
    }
}

void crowd_add(bench_crowd *crowd, abut_vec3 half_extents)
{
    double h[3] = { half_extents.x, half_extents.y, half_extents.z };
    double x[3] = { 1.0, h[0], h[0] * h[0] };
    double y[3] = { 1.0, h[1], h[1] * h[1] };
    double z[3] = { 1.0, h[2], h[2] * h[2] };
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                crowd->moment[i][j][k] += x[i] * y[j] * z[k];
            }
        }
    }
    keep_if_wide(crowd, h);
    crowd->count += 1.0;
}

double crowd_mean(const bench_crowd *crowd, int i, int j, int k)
{
    return crowd->moment[i][j][k] / crowd->count;
}

// q[i][j]: the coefficient of a^i b^j in 2(a+b)/L - (a+b)²/L².
static void axis_polynomial(double q[3][3], double length)
{
    double linear = 2.0 / length;
    double square = -1.0 / (length * length);
    memset(q, 0, 9 * sizeof(double));
    q[1][0] = q[0][1] = linear;
    q[2][0] = q[0][2] = square;
    q[1][1] = 2.0 * square;
}

// Sum over all ordered pairs, a box with itself included.
static double all_with_all(const bench_crowd *crowd, double x[3][3], double y[3][3], double z[3][3])
{
    double sum = 0.0;
    for (int code = 0; code < 729; ++code)
    {
        int a = code % 27, b = code / 27;
        double weight = x[a % 3][b % 3] * y[a / 3 % 3][b / 3 % 3] * z[a / 9][b / 9];
        sum += weight * crowd->moment[a % 3][a / 3 % 3][a / 9] * crowd->moment[b % 3][b / 3 % 3][b / 9];
    }
    return sum;
}

// Sum over each box with itself: s = 2a, so 4a/L - 4a²/L² on each axis.
static double each_with_itself(const bench_crowd *crowd, const double length[3])
{
    double sum = 0.0;
    for (int code = 0; code < 8; ++code)
    {
        int power[3] = { 1 + code % 2, 1 + code / 2 % 2, 1 + code / 4 };
        double weight = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
            weight *= power[axis] == 1 ? 4.0 / length[axis] : -4.0 / (length[axis] * length[axis]);
        }
        sum += weight * crowd->moment[power[0]][power[1]][power[2]];
    }
    return sum;
}

// What the polynomial gets wrong for a pair: nothing, unless it reaches across the room.
static double correction(const double a[3], const double b[3], const double length[3])
{
    double truth = 1.0, polynomial = 1.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double share = (a[axis] + b[axis]) / length[axis];
        double overlap = 2.0 * share - share * share;
        polynomial *= overlap;
        truth *= share > 1.0 ? 1.0 : overlap;
    }
    return truth - polynomial;
}

double crowd_least(const bench_crowd *crowd)
{
    return width(crowd->wide[0]) + width(crowd->wide[CROWD_WIDE]);
}

double crowd_pairs(const bench_crowd *crowd, double room_x, double room_y, double room_z)
{
    double x[3][3], y[3][3], z[3][3];
    axis_polynomial(x, room_x);
    axis_polynomial(y, room_y);
    axis_polynomial(z, room_z);
    double room[3] = { room_x, room_y, room_z };
    double pairs = 0.5 * (all_with_all(crowd, x, y, z) - each_with_itself(crowd, room));
    for (int i = 0; i < CROWD_WIDE; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            pairs += correction(crowd->wide[i], crowd->wide[j], room);
        }
    }
    return pairs;
}

double crowd_solve(const bench_crowd *crowd, crowd_pairs_at *pairs, double wanted)
{
    double low = crowd_least(crowd), high = 2.0 * low;
    if (pairs(crowd, low) <= wanted)
    {
        return low;
    }
    while (pairs(crowd, high) > wanted)
    {
        low = high;
        high *= 2.0;
    }
    for (int i = 0; i < 40; ++i)
    {
        double middle = 0.5 * (low + high);
        if (pairs(crowd, middle) > wanted)
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return high;
}

static double pairs_in_cube(const bench_crowd *crowd, double side)
{
    return crowd_pairs(crowd, side, side, side);
}

double crowd_cube(const bench_crowd *crowd, double wanted)
{
    return crowd_solve(crowd, pairs_in_cube, wanted);
}
