// abut in their place: an abut world holds the shapes; each step the poses of ODE's bodies are written into it, and its
// contacts are handed back as ODE's joints want them.
#include "finder.h"

#include <abut/abut.h>

#include <stdlib.h>

#define RECYCLED 0.005f // metres

typedef struct shapes
{
    abut_world *world;
    dBodyID *bodies; // by slot; NULL: fixed
    uint32_t room;
} shapes;

static bool add(finder *f, dBodyID body, const dReal *position, abut_shape shape)
{
    shapes *s = f->state;
    const abut_body_def def = {
        .pose.position = { (float)position[0], (float)position[1], (float)position[2] },
        .motion = body ? ABUT_DYNAMIC : ABUT_STATIC,
        .collider.shape = shape,
    };
    abut_body made;
    if (abut_body_create(s->world, &def, &made) != ABUT_OK)
    {
        return false;
    }
    if (made.slot >= s->room)
    {
        const uint32_t room = 2 * (made.slot + 1);
        dBodyID *larger = realloc(s->bodies, room * sizeof *larger);
        if (!larger)
        {
            return false;
        }
        s->bodies = larger;
        s->room = room;
    }
    s->bodies[made.slot] = body;
    return true;
}

static bool add_box(finder *f, dBodyID body, const dVector3 position, const dReal sides[3])
{
    const float x = (float)(0.5 * sides[0]), y = (float)(0.5 * sides[1]), z = (float)(0.5 * sides[2]);
    return add(f, body, position, body ? abut_shape_obb(x, y, z) : abut_shape_aabb(x, y, z));
}

static bool add_ball(finder *f, dBodyID body, dReal radius)
{
    return add(f, body, dBodyGetPosition(body), abut_shape_sphere((float)radius));
}

static void write_poses(const shapes *s, const abut_bodies *bodies)
{
    for (uint32_t slot = 0; slot < bodies->count; ++slot)
    {
        if (s->bodies[slot])
        {
            const dReal *p = dBodyGetPosition(s->bodies[slot]), *q = dBodyGetQuaternion(s->bodies[slot]);
            bodies->poses[slot].position = abut_vec3_make((float)p[0], (float)p[1], (float)p[2]);
            bodies->poses[slot].rotation = (abut_quat){ (float)q[1], (float)q[2], (float)q[3], (float)q[0] };
        }
    }
}

// A joint's first body must be one that moves; its normal points into it, abut's from a to b.
static void hand_over(finder *f, const shapes *s, const abut_contact *contact, const abut_point *point, float gap)
{
    const dBodyID a = s->bodies[contact->a.slot], b = s->bodies[contact->b.slot];
    const abut_vec3 at = abut_contact_position(s->world, contact, point);
    const float sense = a ? -1.0f : 1.0f;
    touch_point *m = finder_append(f);
    if (m)
    {
        *m = (touch_point){ a ? a : b,
                            a ? b : NULL,
                            { .pos = { at.x, at.y, at.z },
                              .normal = { sense * contact->normal.x, sense * contact->normal.y,
                                          sense * contact->normal.z },
                              .depth = gap < 0.0f ? -gap : 0.0f } };
    }
}

static void find(finder *f)
{
    shapes *s = f->state;
    const abut_bodies bodies = abut_world_bodies(s->world);
    write_poses(s, &bodies);
    f->found.failed = f->found.failed || abut_world_detect(s->world, 0.0f) != ABUT_OK;
    const abut_contacts contacts = abut_world_contacts(s->world, ABUT_AWAKE);
    const abut_shifts shifts = abut_world_shifts(s->world); // all zeros where contacts have the separations of now
    f->found.count = 0;
    f->found.pairs = contacts.count;
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&contacts, i);
        float gaps[ABUT_CONTACT_POINTS];
        abut_contact_gaps(&shifts, contact, gaps);
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            hand_over(f, s, contact, &contact->points[k], gaps[k]);
        }
    }
}

static void close(finder *f)
{
    shapes *s = f->state;
    abut_world_destroy(s->world);
    free(s->bodies);
    free(s);
    free(f->found.data);
}

finder finder_of_abut(keeping contacts)
{
    const abut_world_def def = { .recycle_distance = contacts == KEEP_NONE ? 0.0f : RECYCLED,
                                 .separations = contacts == KEEP_AT_ANCHORS ? ABUT_AT_ANCHORS : ABUT_FOLLOWED };
    finder f = { .name = "abut", .add_box = add_box, .add_ball = add_ball, .find = find, .close = close };
    shapes *s = calloc(1, sizeof *s);
    if (s && abut_world_create(&def, &s->world) == ABUT_OK)
    {
        f.state = s;
        return f;
    }
    free(s);
    return f;
}
