// Mass properties of a hammer of two colliders, and where these go in its body so that the body's origin is its centre
// of mass, which abut's velocities are of.
#include "arguments.h"
#include "mass.h"

#include <math.h>

#define WOOD  700.0 // kg/m^3
#define STEEL 7800.0

static void print_properties(const char *what, const mass_properties *p)
{
    printf("%-18s %6.3f kg, centre %6.3f %6.3f %6.3f, inertia %8.5f %8.5f %8.5f\n", what, p->mass, p->centre[0],
           p->centre[1], p->centre[2], p->inertia[0][0], p->inertia[1][1], p->inertia[2][2]);
}

// A head with a peen, as a hull: a block of 12 by 4 by 4 cm that ends in an edge.
static abut_status make_head(abut_shape *out)
{
    abut_geometry *hull = NULL;
    static const abut_vec3 corner[] = { { -0.04f, -0.02f, -0.02f }, { -0.04f, 0.02f, -0.02f },
                                        { -0.04f, -0.02f, 0.02f },  { -0.04f, 0.02f, 0.02f },
                                        { 0.04f, -0.02f, -0.02f },  { 0.04f, 0.02f, -0.02f },
                                        { 0.04f, -0.02f, 0.02f },   { 0.04f, 0.02f, 0.02f },
                                        { 0.08f, 0.0f, -0.02f },    { 0.08f, 0.0f, 0.02f } };
    const abut_status status = abut_geometry_create_hull(corner, sizeof corner / sizeof *corner, 0, NULL, &hull);
    *out = abut_shape_hull(hull);
    return status;
}

// The moments of both parts. False if one has no inside.
static bool add_parts(moments *m, const abut_placed_shape part[2])
{
    return moments_add(m, &part[0].shape, &part[0].pose, WOOD) && moments_add(m, &part[1].shape, &part[1].pose, STEEL);
}

static bool show_hammer(abut_placed_shape part[2])
{
    moments handle = { 0 }, both = { 0 }, moved = { 0 };
    if (!moments_add(&handle, &part[0].shape, &part[0].pose, WOOD) || !add_parts(&both, part))
    {
        return false;
    }
    const mass_properties of_handle = mass_of(&handle), of_both = mass_of(&both);
    print_properties("its handle alone", &of_handle);
    print_properties("as modelled", &of_both);
    for (int i = 0; i < 2; ++i)
    {
        abut_vec3 *at = &part[i].pose.position;
        at->x -= (float)of_both.centre[0];
        at->y -= (float)of_both.centre[1];
        at->z -= (float)of_both.centre[2];
    }
    const bool solid = add_parts(&moved, part);
    const mass_properties of_moved = mass_of(&moved);
    print_properties("as a body", &of_moved);
    for (int i = 0; i < 2; ++i)
    {
        const abut_vec3 at = part[i].pose.position;
        printf("local pose of collider %d: %.4f %.4f %.4f\n", i, (double)at.x, (double)at.y, (double)at.z);
    }
    return solid && fabs(of_moved.centre[0]) < 1e-6 && fabs(of_moved.centre[1]) < 1e-6;
}

int main(int argc, char **argv)
{
    const int answer = arguments_answer("mass", "mass\nPrints the mass properties of a hammer.\n", 0, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    abut_placed_shape part[2] = { { .shape = abut_shape_capsule(0.015f, 0.15f) } };
    part[0].pose = part[1].pose = abut_pose_identity();
    part[1].pose.position.y = 0.17f;
    const abut_status status = make_head(&part[1].shape);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "mass: %s\n", abut_status_text(status));
        return 1;
    }
    const bool shown = show_hammer(part);
    abut_geometry_release(part[1].shape.hull);
    return shown ? 0 : 1;
}
