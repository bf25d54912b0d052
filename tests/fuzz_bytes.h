// Bytes read as the arguments of calls: mostly sensible ones near each other, and now and then every kind of nonsense.
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes
{
    const uint8_t *at, *end;
    bool is_2d;                // most poses and velocities are flat
    abut_geometry *polygon[3]; // that shapes may be of
} bytes;

static inline void open_polygons(bytes *b)
{
    static const abut_vec2 points[3][5] = { { { -1, -1 }, { 1, -1 }, { 0, 1 }, { 0, 0 }, { 0, -1 } },
                                            { { 0, 0 }, { 2, 0.01f }, { 2, -0.01f }, { 1, 0 }, { 1.5f, 0 } },
                                            { { 0.5f, 0 }, { 0, 1 }, { -0.5f, 0.5f }, { -0.5f, -0.5f }, { 0, -1 } } };
    for (int i = 0; i < 3; ++i)
    {
        if (abut_geometry_create_polygon(points[i], 5, NULL, &b->polygon[i]) != ABUT_OK)
        {
            abort();
        }
    }
}

static inline void close_polygons(bytes *b)
{
    for (int i = 0; i < 3; ++i)
    {
        abut_geometry_release(b->polygon[i]);
    }
}

static inline uint8_t take_byte(bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

static inline float take_float(bytes *b)
{
    static const float odd[] = { NAN,   INFINITY, -INFINITY, 1.0e8f,  -1.0e8f,  1.1e8f, 1.0e-30f, -0.0f,
                                 1e18f, 1e-42f,   9.9e7f,    1.0e-6f, 16777216, 0.1f,   1.0f / 3, 1.0e4f };
    const uint8_t choice = take_byte(b);
    if (choice < 224)
    {
        return (float)((int)choice - 112) / 32.0f;
    }
    if (choice < 240)
    {
        return odd[choice - 224];
    }
    uint32_t bits = 0;
    float value;
    for (int i = 0; i < 4; ++i)
    {
        bits = bits << 8 | take_byte(b);
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline abut_vec3 take_vec3(bytes *b)
{
    const float x = take_float(b), y = take_float(b), z = take_float(b);
    return abut_vec3_make(x, y, z);
}

static inline abut_pose take_pose(bytes *b)
{
    abut_pose pose = { .position = take_vec3(b), .rotation = { 0, 0, 0, 1 } };
    const uint8_t how = take_byte(b);
    if (how >= 128)
    {
        const abut_vec3 v = take_vec3(b);
        pose.rotation = (abut_quat){ v.x, v.y, v.z, take_float(b) };
    }
    else if (how >= 64)
    {
        pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(how & 1, how >> 1 & 1, how >> 2 & 1), (float)how / 16);
    }
    if (b->is_2d && how % 16 != 15)
    {
        pose.position.z = pose.rotation.x = pose.rotation.y = 0.0f;
    }
    return pose;
}

static inline abut_velocity take_velocity(bytes *b)
{
    const abut_vec3 linear = take_vec3(b);
    abut_velocity velocity = { linear, take_vec3(b) };
    if (b->is_2d && velocity.linear.z < 3.0f)
    {
        velocity.linear.z = velocity.angular.x = velocity.angular.y = 0.0f;
    }
    return velocity;
}

static inline abut_shape take_shape(bytes *b)
{
    const uint8_t kind = take_byte(b);
    abut_shape shape = { .kind = kind < 240 ? (abut_shape_kind)(1 + kind % 3) : (abut_shape_kind)(kind % 7) };
    shape.box.half_extents = take_vec3(b);
    abut_vec3 *half = &shape.box.half_extents;
    if (kind < 224) // the sizes of most shapes are not negative
    {
        *half = abut_vec3_make(fabsf(half->x), fabsf(half->y), fabsf(half->z));
    }
    if (shape.kind == ABUT_POLYGON || (b->is_2d && kind % 8 == 7))
    {
        shape = abut_shape_polygon(kind == 255 ? NULL : b->polygon[kind / 8 % 3]);
    }
    return shape;
}

static inline abut_filter take_filter(bytes *b)
{
    const uint8_t bits = take_byte(b);
    return bits < 128 ? (abut_filter){ 0 }
                      : (abut_filter){ 1u << (bits & 3), (uint32_t)(bits >> 2 & 7), (int32_t)(bits >> 4 & 3) - 1 };
}

static inline abut_collider_def take_collider_def(bytes *b)
{
    abut_collider_def def = { .shape = take_shape(b), .filter = take_filter(b) };
    const uint8_t more = take_byte(b);
    if (more & 1)
    {
        def.local = take_pose(b);
    }
    def.flags = more >= 252   ? 6u
                : more >= 248 ? (uint32_t)ABUT_COLLIDER_COLLIDES_WITH_NOTHING
                : more >= 224 ? (uint32_t)ABUT_COLLIDER_SENSOR
                              : 0u;
    def.user_data = more;
    return def;
}

static inline abut_motion take_motion(bytes *b)
{
    const uint8_t bits = take_byte(b);
    return bits < 250 ? (abut_motion)(bits % 3) : (abut_motion)(bits - 251);
}

static inline abut_body_def take_body_def(bytes *b)
{
    abut_body_def def = { .pose = take_pose(b), .motion = take_motion(b) };
    const uint8_t more = take_byte(b);
    if (more & 1)
    {
        def.velocity = take_velocity(b);
    }
    if (more < 250)
    {
        def.collider = take_collider_def(b);
    }
    def.flags = more >> 1 & 7;
    def.flags = def.flags < 4 ? 0 : def.flags - 4; // 4: 0, then disabled, asleep, both
    def.flags |= more == 255 ? 64u : 0u;
    def.user_data = more;
    return def;
}

#endif
