// The layout of a recording: a header, and entries of one kind each. All fields are little-endian and without padding.
//
// The first entries are AB_ENTRY_WORLD, the geometries and AB_ENTRY_IMAGE; then come the changes in order. Between a
// move or detect (AB_ENTRY_BEGINS) and its end (AB_ENTRY_ENDS) there is nothing. A recording that was completed has
// AB_ENTRY_LAST for its end.
#ifndef AB_STREAM_H
#define AB_STREAM_H

#include "state/geometry_bytes.h"

#define AB_STREAM_VERSION 7u

static const unsigned char ab_stream_magic[8] = { 'a', 'b', 'u', 't', 0x1a, 'r', 'e', 'c' };

typedef struct ab_stream_header
{
    unsigned char magic[8];
    uint32_t version;
    uint32_t reserved;
} ab_stream_header;

typedef struct ab_entry_header
{
    uint32_t kind; // ab_entry_kind
    uint32_t reserved;
    uint64_t size;     // bytes that follow
    uint64_t checksum; // ab_header_seal of this header and those bytes
} ab_entry_header;

typedef enum ab_entry_kind
{
    AB_ENTRY_WORLD = 1,     // ab_entry_world, then two words for each pair function: the kinds
    AB_ENTRY_GEOMETRY,      // ab_saved_geometry and what is behind it; the first has index 0
    AB_ENTRY_IMAGE,         // an image
    AB_ENTRY_RESTORED,      // what turns the last image of the stream into one that was restored
    AB_ENTRY_CREATED,       // ab_entry_body for each
    AB_ENTRY_DESTROYED,     // handles
    AB_ENTRY_STATES,        // words: mask, bits; then handles
    AB_ENTRY_MARKED,        // handles
    AB_ENTRY_EXCLUDED,      // two handles; words: 1 or 0, 0
    AB_ENTRY_ATTACHED,      // ab_entry_attached
    AB_ENTRY_COLLIDER,      // ab_entry_attached, without a body
    AB_ENTRY_DETACHED,      // a handle
    AB_ENTRY_COLLIDES,      // words: two body types, 1 or 0, 0
    AB_ENTRY_KIND,          // nothing
    AB_ENTRY_PAIR_FUNCTION, // words: two kinds, 1 or 0, 0
    AB_ENTRY_HEIGHTS,       // ab_entry_heights
    AB_ENTRY_WRITTEN,       // words: ab_column, 0; then runs: words first, count, and the elements
    AB_ENTRY_BEGINS,        // word: ab_running; float: seconds
    AB_ENTRY_ENDS,          // ab_entry_ends, then a byte for each pair that the veto was asked about
    AB_ENTRY_DUMP,          // what turns the last image of the stream into that of the world after this frame
    AB_ENTRY_LAST,          // nothing
    AB_ENTRY_COUNT
} ab_entry_kind;

typedef struct ab_entry_world
{
    float margin, recycle_distance, speculative_distance;
    uint32_t dimension;
    uint32_t flags;     // AB_WORLD_…
    uint32_t kinds;     // custom kinds registered
    uint32_t functions; // pair functions set
    uint32_t reserved;  // zero
} ab_entry_world;

#define AB_WORLD_HAS_VETO   1u
#define AB_WORLD_AT_ANCHORS 2u // separations of contacts are those at the anchors

// Rows of a heightfield that were updated: their heights, then an abut_cell in a byte for each cell between them, in
// whole words, then materials, if it has any.
typedef struct ab_entry_heights
{
    uint32_t geometry; // by its index in the stream
    uint32_t row, rows;
    uint32_t materials; // 1: they follow
} ab_entry_heights;

typedef struct ab_entry_collider
{
    ab_saved_shape shape; // a geometry by its index in the stream
    abut_pose local;
    abut_filter filter;
    uint32_t flags;
    uint64_t user_data;
} ab_entry_collider;

typedef struct ab_entry_body
{
    abut_body body; // the handle it got
    abut_pose pose;
    abut_velocity velocity;
    uint32_t motion, flags;
    uint64_t user_data;
    ab_entry_collider collider; // zeros for none
} ab_entry_body;

typedef struct ab_entry_attached
{
    abut_body body;
    abut_collider collider; // the handle it got
    ab_entry_collider def;
} ab_entry_attached;

typedef struct ab_entry_ends
{
    uint32_t status;
    uint32_t asked;  // pairs that the veto was asked about
    uint32_t hashed; // 1: the hashes are there, of a detect that did not fail
    uint32_t reserved;
    uint64_t state, results; // hashes
} ab_entry_ends;

// The arrays that callers write in place.
typedef enum ab_column
{
    AB_COLUMN_POSITION,
    AB_COLUMN_ROTATION,
    AB_COLUMN_LINEAR,
    AB_COLUMN_ANGULAR,
    AB_COLUMN_BODY_DATA,
    AB_COLUMN_COLLIDER_DATA,
    AB_COLUMN_IMPULSE, // of the awake contacts
    AB_COLUMN_COUNT
} ab_column;

// One of them as it is now.
typedef struct ab_column_view
{
    unsigned char *data;
    size_t element, stride; // bytes, the latter from one element to the next
    size_t count;
} ab_column_view;

// The bytes of so many cells, in whole words.
static inline size_t ab_entry_cells(size_t count)
{
    return (count + 3) / 4 * sizeof(uint32_t);
}

ab_column_view ab_column_of(abut_world *world, ab_column column);

#endif
