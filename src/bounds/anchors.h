// Anchors: the poses at which bodies are bounded and their manifolds computed, in worlds that recycle manifolds. A body
// keeps its anchor until one of its points may have moved by more than half of the recycle distance, or its rotation
// has changed by more than a tenth of a radian. A manifold is then a function of two anchors, and stands while neither
// changes. How far each body has moved since says how the separations of its contacts have changed, to first order.
//
// Neither points nor separations of a pair can have changed by more than the recycle distance, so shapes that touch are
// found within margin and recycle distance at their anchors. What a body may travel within the horizon counts as moved.
//
// Where few bodies stand, all are anchored anew; where most move in every detect, it computes what a world without
// anchors does, and nothing of that stands (ab_world_is_anchored).
#ifndef AB_ANCHORS_H
#define AB_ANCHORS_H

#include <abut/world.h>

#include <math.h>

// How a body has moved since it was anchored.
typedef struct ab_shift
{
    float way[3]; // of its position
    float spare;
    float turn[3]; // a rotation vector; its length is the chord of the angle at distance 1
    float stands;  // in arrays that a detect writes: AB_SHIFT_…
} ab_shift;

// Of a body that stands, that may not move (AB_ANCHOR_IMMOBILE), and that is anchored anew by this detect
// (AB_ANCHOR_MOVED). The difference of two bodies' is NaN where one of them is anchored anew or neither may move: their
// contacts are not followed then.
#define AB_SHIFT_STANDS   0.0f
#define AB_SHIFT_IMMOBILE INFINITY
#define AB_SHIFT_MOVED    NAN

// What a detect knows of a body's anchor.
enum
{
    AB_ANCHOR_MOVED = 1u << 0,    // it is anchored at its present pose by this detect: its pairs are computed
    AB_ANCHOR_NEAR = 1u << 1,     // what it may travel within the horizon is within the recycle distance
    AB_ANCHOR_IMMOBILE = 1u << 2, // static or asleep, and not moved
    AB_ANCHOR_CALM = 1u << 3      // mobile, and hardly moved since it was anchored, or edited
};

// Whether a pair of bodies of which this is known has its old result: neither is anchored anew.
static inline bool ab_anchors_stand(uint32_t a, uint32_t b)
{
    return ((a | b) & AB_ANCHOR_MOVED) == 0;
}

// All by body slot.
typedef struct ab_anchor_in
{
    const abut_pose *poses, *anchors;
    const abut_velocity *velocities;
    const uint32_t *states, *generations;
    const float *radius; // of the sphere about the body's position that holds its shapes; infinite: always moved
    uint32_t motion_mask, static_motion; // bits of a state that name a static body
    uint32_t asleep;                     // a bit of a state: the body is asleep
    uint32_t stale;                      // likewise: it is to be anchored anew
    uint32_t swept;                      // likewise: it is always moved, and its reach always counts
    float distance;                      // metres: the recycle distance
    float horizon;                       // seconds
    bool all;                            // every mobile body is anchored anew
} ab_anchor_in;

typedef struct ab_anchor_out
{
    uint8_t *known;   // AB_ANCHOR_…
    ab_shift *shifts; // NULL: nobody asks
    abut_pose *anchors;
    uint8_t *stale; // whether it must be anchored anew by the next detect, too: its reach was more than is near
} ab_anchor_out;

// How many bodies there are of a sort.
typedef struct ab_anchor_counts
{
    uint32_t edited;   // immobile bodies that are anchored anew
    uint32_t mobile;   // the other ones
    uint32_t calm;     // of those, AB_ANCHOR_CALM
    uint32_t standing; // of those, the ones that are not anchored anew
} ab_anchor_counts;

// Computes bodies [first, end).
typedef ab_anchor_counts ab_anchor_kernel(const ab_anchor_in *in, const ab_anchor_out *out, uint32_t first,
                                          uint32_t end);

typedef struct ab_anchor_kernels
{
    ab_anchor_kernel *find;
} ab_anchor_kernels;

// How a body has moved from an anchor to a pose, neither of which need have a unit quaternion.
ab_shift ab_shift_between(const abut_pose *anchor, const abut_pose *pose);

#endif
