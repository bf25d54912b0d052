// What is known of a shape and a mesh, triangle by triangle: whether one of them has a contact, else which of those
// that the shape cuts shall have it.
#ifndef AB_MESH_FINDING_H
#define AB_MESH_FINDING_H

#include "narrow/mesh/triangle.h"

#include <math.h>

// What is found of one pair, triangle by triangle.
typedef struct ab_mesh_finding
{
    const ab_triangle_pair *pair;
    double limit;
    bool touches;        // some triangle has a contact that is not apart
    bool passed_over;    // of some triangle it is only known that it has no contact
    uint32_t cut;        // the cut triangle that the shape's lowest point is least below; AB_NO_TRIANGLE: none is cut
    ab_triangle_cut how; // it is
    double separation;   // the least of cut triangles: the shape is no less deep
    bool alike;          // of two that are cut it is but rounding that tells which
} ab_mesh_finding;

// A contact that is apart, within the limit, does not count: beside it another triangle may be cut.
static inline bool ab_mesh_is_overlap(const abut_manifold *m)
{
    return m->separation <= 0.0f;
}

static inline bool ab_mesh_is_alike(const ab_mesh_finding *f, const ab_triangle_cut *cut)
{
    return fabs(cut->low - f->how.low) <= ab_triangle_slack(f->pair);
}

static inline void ab_mesh_note_answer(ab_mesh_finding *f, uint32_t triangle, ab_triangle_answer answer,
                                       const abut_manifold *m, const ab_triangle_cut *cut)
{
    f->touches = f->touches || (answer == AB_TRIANGLE_TOUCHES && ab_mesh_is_overlap(m));
    if (ab_triangle_is_cut(answer))
    {
        const ab_mesh *mesh = f->pair->mesh;
        const bool first = f->cut == AB_NO_TRIANGLE || cut->low > f->how.low ||
                           (cut->low == f->how.low && ab_mesh_child(mesh, triangle) < ab_mesh_child(mesh, f->cut));
        f->alike = f->alike || (f->cut != AB_NO_TRIANGLE && ab_mesh_is_alike(f, cut));
        f->cut = first ? triangle : f->cut;
        f->how = first ? *cut : f->how;
        f->separation = cut->separation < f->separation ? cut->separation : f->separation;
    }
}

// Collides the shape with a triangle, and notes the answer.
ab_triangle_answer ab_mesh_ask_triangle(ab_mesh_finding *f, uint32_t triangle, abut_manifold *m, ab_triangle_cut *cut);

// Of all triangles that may be within a limit; it ends with the first that has a contact.
ab_mesh_finding ab_mesh_find_in_pair(const ab_triangle_pair *pair, double limit);

// Chooses among triangles that are cut alike.
void ab_mesh_choose_cut(ab_mesh_finding *f);

// Whether the triangle that is cut has the contact, and no neighbouring surface that the box meets has it.
bool ab_mesh_has_cut(ab_mesh_finding *f, const ab_mesh_box *box);

#endif
