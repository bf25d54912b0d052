// Vertices of polytopes in lanes: in the frame of the other polytope, and the best of several lanes.

#include <math.h>
#include <string.h>

#define FAR_AWAY 3.0e38f
#define EDGES    (AB_POLYTOPE_EDGES + AB_WIDEST)

// Columns are padded to whole steps of two groups of lanes: loops over them end where it can be foreseen more often.
#define STEP (2 * LANES)

_Static_assert(AB_WIDEST % STEP == 0, "columns are padded to steps");

AB_INLINE float dot3(const float *a, const float *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

AB_INLINE float any_of_lanes(f32w value)
{
    float values[LANES];
    storew(values, value);
    return values[0];
}

AB_INLINE float most_of_lanes(f32w value)
{
    return any_of_lanes(mostw(value));
}

// Of some lanes, that of the lowest number.
AB_INLINE uint32_t lane_of_lowest(uint32_t bits, u32w number)
{
    if (bits && (bits & (bits - 1)) == 0)
    {
        return ab_lowest_bit(bits);
    }
    uint32_t numbers[LANES], lane = 0, lowest = UINT32_MAX;
    storeu(numbers, number);
    for (uint32_t left = bits; left; left &= left - 1)
    {
        const uint32_t k = ab_lowest_bit(left);
        lane = numbers[k] < lowest ? k : lane;
        lowest = numbers[k] < lowest ? numbers[k] : lowest;
    }
    return lane;
}

// The lane of the best value; of several, that of the lowest number.
AB_INLINE uint32_t best_lane(f32w value, u32w number)
{
    return lane_of_lowest(bitsm(eqw(value, mostw(value))), number);
}

// Where the vertices of one polytope are in the frame of the other.
typedef struct moved_vertices
{
    float at[3][EDGES]; // by Euler there are fewer than edges
} moved_vertices;

// A column of a rotation: how a vector's components enter component `row`.
typedef struct turnw
{
    f32w row[3][3];
} turnw;

// The rotation from b to a, or its inverse.
AB_INLINE turnw turn_of(const ab_hull_relation *relation, bool inverse)
{
    turnw turn;
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            turn.row[i][k] = splatw(relation->turn[inverse ? 3 * k + i : 3 * i + k]);
        }
    }
    return turn;
}

AB_INLINE v3w turned(const turnw *turn, v3w v)
{
    return v3w_make(v3w_dot(v3w_make(turn->row[0][0], turn->row[0][1], turn->row[0][2]), v),
                    v3w_dot(v3w_make(turn->row[1][0], turn->row[1][1], turn->row[1][2]), v),
                    v3w_dot(v3w_make(turn->row[2][0], turn->row[2][1], turn->row[2][2]), v));
}

AB_INLINE v3w column_at(const float *const column[3], uint32_t i)
{
    return v3w_make(loadw(column[0] + i), loadw(column[1] + i), loadw(column[2] + i));
}

AB_INLINE v3w v3w_all(const float v[3])
{
    return v3w_splat(v[0], v[1], v[2]);
}

AB_INLINE void move_vertices(const ab_polytope *p, const turnw *turn, const float by[3], moved_vertices *out)
{
    const v3w along = v3w_all(by);
    for (uint32_t i = 0; i < p->vertex_count; i += STEP)
    {
        const v3w v = v3w_add(turned(turn, column_at(p->vertex, i)), along);
        const v3w w = v3w_add(turned(turn, column_at(p->vertex, i + LANES)), along);
        storew(out->at[0] + i, v.x);
        storew(out->at[1] + i, v.y);
        storew(out->at[2] + i, v.z);
        storew(out->at[0] + i + LANES, w.x);
        storew(out->at[1] + i + LANES, w.y);
        storew(out->at[2] + i + LANES, w.z);
    }
}
