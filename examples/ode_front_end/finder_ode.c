// ODE's own: geoms in a hash space, dSpaceCollide for pairs, dCollide for points.
#include "finder.h"

#include <stdlib.h>

static bool add_box(finder *f, dBodyID body, const dVector3 position, const dReal sides[3])
{
    const dGeomID geom = dCreateBox(f->state, sides[0], sides[1], sides[2]);
    if (body)
    {
        dGeomSetBody(geom, body);
    }
    else
    {
        dGeomSetPosition(geom, position[0], position[1], position[2]);
    }
    return true;
}

static bool add_ball(finder *f, dBodyID body, dReal radius)
{
    dGeomSetBody(dCreateSphere(f->state, radius), body);
    return true;
}

static void near(void *context, dGeomID one, dGeomID other)
{
    finder *f = context;
    dContactGeom points[FINDER_POINTS];
    const dBodyID a = dGeomGetBody(one), b = dGeomGetBody(other);
    const int count = a || b ? dCollide(one, other, FINDER_POINTS, points, sizeof *points) : 0;
    f->found.pairs += count > 0;
    for (int i = 0; i < count; ++i)
    {
        touch_point *m = finder_append(f);
        if (m)
        {
            *m = (touch_point){ a, b, points[i] };
        }
    }
}

static void find(finder *f)
{
    f->found.count = f->found.pairs = 0;
    dSpaceCollide(f->state, f, near);
}

static void close(finder *f)
{
    dSpaceDestroy(f->state); // with its geoms
    free(f->found.data);
}

finder finder_of_ode(void)
{
    return (finder){ .name = "ODE",
                     .state = dHashSpaceCreate(NULL),
                     .add_box = add_box,
                     .add_ball = add_ball,
                     .find = find,
                     .close = close };
}
