// One lane: the specification of all the others.
#ifndef AB_LANES_SCALAR_H
#define AB_LANES_SCALAR_H

#include <math.h>

#define LANES 1u

typedef float f32w;
typedef uint32_t u32w;
typedef bool maskw;

AB_INLINE f32w splatw(float x)
{
    return x;
}

AB_INLINE f32w loadw(const float *from)
{
    return *from;
}

AB_INLINE void storew(float *to, f32w a)
{
    *to = a;
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return a + b;
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return a - b;
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return a * b;
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return a / b;
}

AB_INLINE f32w sqrtw(f32w a)
{
    return sqrtf(a);
}

AB_INLINE f32w negw(f32w a)
{
    return -a;
}

AB_INLINE f32w absw(f32w a)
{
    return fabsf(a);
}

// b when either is NaN or both are zero. So do all minw and maxw.
AB_INLINE f32w minw(f32w a, f32w b)
{
    return a < b ? a : b;
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return a > b ? a : b;
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    return a;
}

AB_INLINE u32w bitsw(f32w a)
{
    u32w bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

AB_INLINE f32w floatu(u32w bits)
{
    f32w a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

// a, negated where the sign bit of `sign` is set.
AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return floatu(bitsw(a) ^ (bitsw(sign) & 0x80000000u));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return a < b;
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return a <= b;
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return a > b;
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return a >= b;
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return a == b;
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return a & b;
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return a | b;
}

AB_INLINE maskw notm(maskw a)
{
    return !a;
}

// a and not b
AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return a & !b;
}

AB_INLINE uint32_t bitsm(maskw a)
{
    return a;
}

AB_INLINE uint32_t countm(maskw a)
{
    return a;
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return m ? a : b;
}

// Zero where m is false.
AB_INLINE f32w keepw(maskw m, f32w a)
{
    return m ? a : 0.0f;
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return m ? -a : a;
}

AB_INLINE u32w splatu(uint32_t x)
{
    return x;
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return *from;
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    *to = a;
}

AB_INLINE u32w lane_indices(void)
{
    return 0;
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return a + b;
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return a - b;
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return a & b;
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return a | b;
}

// (a & keep) | bits
AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return (a & keep) | bits;
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return a << by;
}

AB_INLINE u32w shru(u32w a, int by)
{
    return a >> by;
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return a == b;
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    return a > b;
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return m ? a : b;
}

// One more where m is true.
AB_INLINE u32w countu(u32w a, maskw m)
{
    return a + (m ? 1u : 0u);
}

// Appends the lanes where m is true, in order, and returns their number. Writes LANES elements whatever m is.
AB_INLINE uint32_t appendu(uint32_t *to, u32w a, maskw m)
{
    *to = a;
    return m;
}

// Each lane's own entry: lane k of table[index[k]].
AB_INLINE f32w entryw(const f32w *table, u32w index)
{
    return table[index];
}

// Elements of an array of fewer than 2^31.
AB_INLINE u32w lookupu(const uint32_t *from, u32w index)
{
    return from[index];
}

// Four columns of rows of 16 floats, 64-aligned: lane k of out[c] is float first + c of row index[k], which begins at
// rows + 16 * index[k]. `first` is a multiple of 4.
AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    memcpy(out, rows + 16 * (size_t)index[0] + first, 16);
}

// All sixteen columns.
AB_INLINE void gather_rows16(const float *rows, const uint32_t *index, f32w out[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        gather_columns4(rows, c, index, out + c);
    }
}

// Rows of 8 floats, lane k's at rows[k]: lane k of out[c] is rows[k][c].
AB_INLINE void gather_rows8(const float *const rows[], f32w out[8])
{
    memcpy(out, rows[0], 32);
}

// The inverse of gather_rows16: LANES rows of 16 floats, one after another from `rows`.
AB_INLINE void scatter_rows16(float *rows, const f32w in[16])
{
    memcpy(rows, in, 64);
}

// Writes lane k of the four to `to` + at[k], in the order of the lanes: where destinations overlap, the later lane
// wins.
AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    memcpy(to + at[0], in, 16);
}

// The sum of all lanes before each.
AB_INLINE u32w sum_before(u32w a)
{
    (void)a;
    return 0;
}

#endif
