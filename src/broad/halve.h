// Points in the order of a k-d tree whose cuts lie at multiples of the nodes' room: what fills a node of a packed tree
// lies in a box of its own. D. A. White and R. Jain, Similarity Indexing: Algorithms and Performance (SPIE 1996), whose
// trees are cut like this (VAMSplit).
#ifndef AB_HALVE_H
#define AB_HALVE_H

#include "bounds/proxies.h"

#define AB_AXES    3u
#define AB_NO_SIZE UINT32_MAX // of a proxy without an AABB
#define AB_BEYOND  1.0e30f    // all coordinates

typedef struct ab_span
{
    float low[AB_AXES], high[AB_AXES];
} ab_span;

// Points, centres of proxies, as parallel arrays; no coordinate is beyond AB_BEYOND.
typedef struct ab_centres
{
    float *at[AB_AXES];
    uint32_t *proxy;
} ab_centres;

#define AB_CENTRE_BYTES (AB_AXES * sizeof(float) + sizeof(uint32_t))

// In memory for `room` of them.
static inline ab_centres ab_centres_in(void *memory, size_t room)
{
    float *first = memory;
    return (ab_centres){ { first, first + room, first + 2 * room }, (uint32_t *)(void *)(first + 3 * room) };
}

// Those from index `first` on.
static inline ab_centres ab_centres_from(const ab_centres *points, size_t first)
{
    return (ab_centres){ { points->at[0] + first, points->at[1] + first, points->at[2] + first },
                         points->proxy + first };
}

// Orders points that are all at one spot, more than a node has room for. `scratch` has as many bytes as they have.
typedef void ab_halve_alike(const void *context, const ab_centres *points, void *scratch, uint32_t count);

typedef struct ab_halve_kernels
{
    // Writes twice the centres of the AABBs of the live proxies of [first, end), and their largest extents as bits.
    // Returns their number. Arrays have room for eight more.
    uint32_t (*centres)(const ab_proxies *proxies, uint32_t first, uint32_t end, const ab_centres *out,
                        uint32_t *extents);

    // The bounds of points, of one at least.
    ab_span (*span)(const ab_centres *points, uint32_t count);

    // Brings the `front` least of `count` points along an axis to the front, fewer than all. `scratch` has as many
    // bytes as they have.
    void (*halve)(const ab_centres *points, void *scratch, uint32_t count, uint32_t front, uint32_t axis);

    // Orders points for a tree of nodes with room for eight, where they will be at indices [first, first + count).
    void (*order)(const ab_centres *points, void *scratch, uint32_t first, uint32_t count, ab_halve_alike *alike,
                  const void *context);
} ab_halve_kernels;

// Where points that will be at indices [first, end) are cut: the multiple of the largest node's room between the two,
// next to their middle. They are more than a node has room for, or in two of them.
static inline uint32_t ab_halve_at(uint32_t first, uint32_t end)
{
    uint32_t room = AB_BLOCK;
    while ((uint64_t)room * AB_BLOCK < end - first)
    {
        room *= AB_BLOCK;
    }
    return (uint32_t)(((uint64_t)first + end + room) / 2 / room) * room; // inside: it is less than half of them away
}

#endif
