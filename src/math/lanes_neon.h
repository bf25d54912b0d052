// Four lanes of AArch64's NEON.
#ifndef AB_LANES_NEON_H
#define AB_LANES_NEON_H

#include <arm_neon.h>

#define LANES 4u

typedef float32x4_t f32w;
typedef uint32x4_t u32w;
typedef uint32x4_t maskw;

AB_INLINE f32w splatw(float x)
{
    return vdupq_n_f32(x);
}

AB_INLINE f32w loadw(const float *from)
{
    return vld1q_f32(from);
}

AB_INLINE void storew(float *to, f32w a)
{
    vst1q_f32(to, a);
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return vaddq_f32(a, b);
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return vsubq_f32(a, b);
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return vmulq_f32(a, b);
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return vdivq_f32(a, b);
}

AB_INLINE f32w sqrtw(f32w a)
{
    return vsqrtq_f32(a);
}

AB_INLINE f32w negw(f32w a)
{
    return vnegq_f32(a);
}

AB_INLINE f32w absw(f32w a)
{
    return vabsq_f32(a);
}

// NEON's own minimum and maximum order the zeros; the specification does not.
AB_INLINE f32w minw(f32w a, f32w b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    const f32w two = maxw(a, vextq_f32(a, a, 2));
    return maxw(two, vrev64q_f32(two));
}

AB_INLINE u32w bitsw(f32w a)
{
    return vreinterpretq_u32_f32(a);
}

AB_INLINE f32w floatu(u32w bits)
{
    return vreinterpretq_f32_u32(bits);
}

AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return floatu(veorq_u32(bitsw(a), vandq_u32(bitsw(sign), vdupq_n_u32(0x80000000u))));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return vcltq_f32(a, b);
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return vcleq_f32(a, b);
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return vcgtq_f32(a, b);
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return vcgeq_f32(a, b);
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return vceqq_f32(a, b);
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return vandq_u32(a, b);
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return vorrq_u32(a, b);
}

AB_INLINE maskw notm(maskw a)
{
    return vmvnq_u32(a);
}

AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return vbicq_u32(a, b);
}

AB_INLINE uint32_t bitsm(maskw a)
{
    static const uint32_t weight[4] = { 1, 2, 4, 8 };
    return vaddvq_u32(vandq_u32(a, vld1q_u32(weight)));
}

AB_INLINE uint32_t countm(maskw a)
{
    return vaddvq_u32(vshrq_n_u32(a, 31));
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return vbslq_f32(m, a, b);
}

AB_INLINE f32w keepw(maskw m, f32w a)
{
    return floatu(vandq_u32(m, bitsw(a)));
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return floatu(veorq_u32(bitsw(a), vandq_u32(m, vdupq_n_u32(0x80000000u))));
}

AB_INLINE u32w splatu(uint32_t x)
{
    return vdupq_n_u32(x);
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return vld1q_u32(from);
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    vst1q_u32(to, a);
}

AB_INLINE u32w lane_indices(void)
{
    static const uint32_t index[4] = { 0, 1, 2, 3 };
    return vld1q_u32(index);
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return vaddq_u32(a, b);
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return vsubq_u32(a, b);
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return vandq_u32(a, b);
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return vorrq_u32(a, b);
}

AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return vorrq_u32(vandq_u32(a, keep), bits);
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return vshlq_u32(a, vdupq_n_s32(by));
}

AB_INLINE u32w shru(u32w a, int by)
{
    return vshlq_u32(a, vdupq_n_s32(-by));
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return vceqq_u32(a, b);
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    return vcgtq_u32(a, b);
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return vbslq_u32(m, a, b);
}

AB_INLINE u32w countu(u32w a, maskw m)
{
    return vsubq_u32(a, m);
}

// The bytes of the compressed lanes, by mask; past them, 255 gives zero.
static const uint8_t append_bytes[16][16] = {
    { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 4, 5, 6, 7, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 8, 9, 10, 11, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 8, 9, 10, 11, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 4, 5, 6, 7, 8, 9, 10, 11, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255, 255, 255, 255 },
    { 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 4, 5, 6, 7, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 255, 255, 255, 255 },
    { 8, 9, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255 },
    { 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
};

AB_INLINE uint32_t appendu(uint32_t *to, u32w a, maskw m)
{
    uint8x16_t bytes = vqtbl1q_u8(vreinterpretq_u8_u32(a), vld1q_u8(append_bytes[bitsm(m)]));
    vst1q_u32(to, vreinterpretq_u32_u8(bytes));
    return countm(m);
}

// Transposes four rows of four; its own inverse.
AB_INLINE void transpose4(f32w r[4])
{
    float32x4x2_t a = vtrnq_f32(r[0], r[1]), b = vtrnq_f32(r[2], r[3]);
    r[0] = vcombine_f32(vget_low_f32(a.val[0]), vget_low_f32(b.val[0]));
    r[1] = vcombine_f32(vget_low_f32(a.val[1]), vget_low_f32(b.val[1]));
    r[2] = vcombine_f32(vget_high_f32(a.val[0]), vget_high_f32(b.val[0]));
    r[3] = vcombine_f32(vget_high_f32(a.val[1]), vget_high_f32(b.val[1]));
}

AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = vld1q_f32(row_at(rows, index[k]) + first);
    }
    transpose4(out);
}

AB_INLINE void gather_rows16(const float *rows, const uint32_t *index, f32w out[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        gather_columns4(rows, c, index, out + c);
    }
}

AB_INLINE void gather_rows8(const float *const rows[], f32w out[8])
{
    for (uint32_t c = 0; c < 8; c += 4)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            out[c + k] = vld1q_f32(rows[k] + c);
        }
        transpose4(out + c);
    }
}

AB_INLINE void scatter_rows16(float *rows, const f32w in[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        f32w r[4] = { in[c], in[c + 1], in[c + 2], in[c + 3] };
        transpose4(r);
        for (uint32_t k = 0; k < 4; ++k)
        {
            vst1q_f32(rows + 16 * (size_t)k + c, r[k]);
        }
    }
}

AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        vst1q_f32(to + at[k], r[k]);
    }
}

AB_INLINE u32w sum_before(u32w a)
{
    const u32w none = splatu(0), one = vextq_u32(none, a, 3), two = addu(one, vextq_u32(none, one, 3));
    return addu(two, vextq_u32(none, two, 2));
}

#endif
