// A block of eight proxies beside the world's, to bound what has no proxy, or some proxies without their neighbours.
// The bounds pass computes each lane by itself, so that a proxy gets the bits here that it gets in its own block.
#ifndef AB_LONE_BLOCK_H
#define AB_LONE_BLOCK_H

#include "bounds/bounds.h"

typedef struct ab_lone_block
{
    _Alignas(64) ab_aabb8 block[1];
    _Alignas(64) ab_aabb aabb[1];
    _Alignas(64) ab_record record[AB_BLOCK];
    _Alignas(64) uint32_t collider[AB_BLOCK];
    _Alignas(64) uint32_t proxy_flags[AB_BLOCK];
    uint32_t collider_key[AB_BLOCK];
#ifndef AB_SMALL
    ab_contact_name name[AB_BLOCK];
#endif
    _Alignas(64) float reach[AB_BLOCK];
    abut_vec3 offset[AB_BLOCK];
    ab_proxies proxies; // made of these arrays
} ab_lone_block;

// Eight dead proxies.
void ab_lone_block_open(ab_lone_block *lone);

// Computes the AABBs and records of `count` proxies, at most AB_BLOCK, wherever they are, and the AABBs of their
// blocks; the other proxies in these blocks stay as they are. Returns a bit for each whose pose (or velocity, with a
// horizon) is invalid: it has no reach, and for an invalid pose no AABB.
uint32_t ab_bounds_some(const ab_bounds_in *in, ab_bounds_pass *pass, ab_proxies *proxies, const uint32_t *some,
                        uint32_t count);

#endif
