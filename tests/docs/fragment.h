// What a fragment of a page finds around it: a world of a floor, a crate that stands on it and a ball in the air
// beside, all detected once. A fragment returns a status; anything but ABUT_OK fails, and so does a world that is wrong
// afterwards.
#ifndef ABUT_TEST_FRAGMENT_H
#define ABUT_TEST_FRAGMENT_H

#include <abut/abut.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABUT_FRAGMENT abut_world *world, abut_body ground, abut_body crate, abut_body ball

typedef abut_status abut_fragment(ABUT_FRAGMENT);

static abut_status run_in_world(abut_fragment *fragment, abut_world *world)
{
    abut_body_def defs[3];
    memset(defs, 0, sizeof defs);
    defs[0].motion = ABUT_STATIC;
    defs[0].collider.shape = abut_shape_aabb(50, 1, 50);
    defs[1].pose.position.y = 1.49f;
    defs[1].collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f);
    defs[2].pose.position.x = 3;
    defs[2].pose.position.y = 3;
    defs[2].collider.shape = abut_shape_sphere(0.5f);
    abut_body body[3];
    abut_audit audit;
    abut_status status = abut_body_create_many(world, defs, 3, body);
    status = status == ABUT_OK ? abut_world_detect(world, 0) : status;
    status = status == ABUT_OK ? fragment(world, body[0], body[1], body[2]) : status;
    status = status == ABUT_OK ? abut_world_detect(world, 0) : status;
    status = status == ABUT_OK ? abut_world_audit(world, &audit) : status;
    if (status == ABUT_OK && audit.what)
    {
        fprintf(stderr, "%s\n", audit.what);
        return ABUT_INVALID_ARGUMENT;
    }
    return status;
}

static int run_fragment(abut_fragment *fragment, int line)
{
    abut_world *world;
    abut_status status = abut_world_create(NULL, &world);
    status = status == ABUT_OK ? run_in_world(fragment, world) : status;
    abut_world_destroy(world);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "the fragment in line %d: %s\n", line, abut_status_text(status));
    }
    return status == ABUT_OK ? 0 : 1;
}

#endif
