// Bytes read as the arguments of calls: mostly sensible ones near each other, and now and then every kind of nonsense.
#ifndef FUZZ_BYTES_H
#define FUZZ_BYTES_H

#include <abut/abut.h>

#include <math.h>
#include <string.h>

typedef struct bytes
{
    const uint8_t *at, *end;
} bytes;

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
    return pose;
}

static inline abut_velocity take_velocity(bytes *b)
{
    const abut_vec3 linear = take_vec3(b);
    return (abut_velocity){ linear, take_vec3(b) };
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
                : more >= 248 ? (uint32_t)ABUT_COLLIDER_MEETS_NOTHING
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
