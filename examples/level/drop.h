// Bodies of every kind that fall onto a level and come to rest there, moved by the solver of the example `stack`.
#ifndef ABUT_LEVEL_DROP_H
#define ABUT_LEVEL_DROP_H

#include "triangles.h"

typedef enum body_kind
{
    BODY_SPHERE,
    BODY_BOX,
    BODY_CAPSULE,
    BODY_CYLINDER, // or a cone
    BODY_HULL,
    BODY_COMPOUND,
    BODY_KINDS
} body_kind;

const char *body_kind_name(body_kind kind);

enum
{
    MOST_BODIES = 4096,
    LEVEL = 255 // user data of the level's body; of others it is their kind
};

typedef struct drop
{
    abut_world *world;
    struct solver *solver;
    abut_geometry *ground;                  // the level as a mesh
    abut_geometry *hulls[4], *compounds[2]; // that bodies share
    abut_body level, bodies[MOST_BODIES];
    uint32_t count;
    abut_status status; // of the first call that failed
} drop;

// A world with the level in it, and `count` bodies over it.
void drop_open(drop *d, const triangles *level, uint32_t count, uint32_t seed);

void drop_run(drop *d, uint32_t seconds);

void drop_close(drop *d);

// What became of the bodies.
typedef struct drop_found
{
    uint32_t fallen;   // no part of the level's front is under them
    uint32_t moving;   // faster than a decimetre a second
    uint32_t floating; // without a contact
    float fastest;     // metres a second
    float deepest;     // metres: of all contacts
    uint32_t pairs;    // colliders that touch
    uint32_t contacts; // of these, one for each triangle or part
    uint32_t points;
    uint64_t hash; // of the world's state
} drop_found;

drop_found drop_look(drop *d);

#endif
