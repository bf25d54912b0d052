// The kernels of mesh pairs: a shape with one triangle after another. In lanes it is first found out which triangles
// can touch it at all, and along which axes.
#include "narrow/mesh/mesh_collide.h"

#include "base/platform.h"
#include "narrow/mesh/mesh_finding.h"
#include "narrow/pair_functions.h"
#include "shape/hull.h"

#include <string.h>

#define AHEAD 16u // triangles
#define EVERY 2u  // of these is asked for: most share lines with the one beside them

// Turns a manifold whose normal points to the mesh into one that points from the lower collider key.
static void orient(abut_manifold *m, bool mesh_first)
{
    if (mesh_first)
    {
        m->normal = abut_vec3_make(-m->normal.x, -m->normal.y, -m->normal.z);
    }
}

static void append(const ab_batch *batch, uint32_t i, const ab_triangle_pair *pair, uint32_t triangle, abut_manifold *m,
                   ab_manifolds *out)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    orient(m, proxies.a == batch->b[i]);
    ab_manifolds_append_child(out, batch, proxies.a, proxies.b, ab_mesh_child(pair->mesh, triangle), m);
}

// The contact of a triangle that is cut. Corners that are over it, and apart, give way: a triangle has one contact.
// They would be among what the pair has had since `before`.
static void append_cut_contact(const ab_batch *batch, uint32_t first, const ab_mesh_finding *f, uint32_t before,
                               ab_manifolds *out)
{
    const uint32_t child = ab_mesh_child(f->pair->mesh, f->cut);
    abut_manifold m;
    ab_triangle_collide_cut(f->pair, f->cut, &f->how, f->separation, true, &m);
    for (uint32_t i = before; i < out->count; ++i)
    {
        if (out->entries[i].child_points >> AB_CHILD_SHIFT == child)
        {
            orient(&m, ab_batch_pair(batch, first).a == batch->b[first]);
            ab_manifolds_replace(out, i, &m);
            return;
        }
    }
    append(batch, first, f->pair, f->cut, &m, out);
}

// A pair without a contact that overlaps has one at a triangle that it cuts. A batch may have but some of the pair's
// triangles: then all of them are looked at, and the contact is that batch's which has the triangle.
static void append_cut(const ab_batch *batch, uint32_t first, uint32_t end, ab_mesh_finding *f, uint32_t before,
                       ab_manifolds *out)
{
    bool here = true;
    if (f->passed_over || first == 0 || end == batch->count)
    {
        *f = ab_mesh_find_in_pair(f->pair, f->limit);
        here = false;
    }
    if (f->alike && !f->touches)
    {
        ab_mesh_choose_cut(f);
    }
    if (!here)
    {
        for (uint32_t i = first; i < end && !f->touches; ++i)
        {
            here = here || batch->parts[i] == f->cut;
        }
    }
    if (here)
    {
        const ab_mesh_box box = ab_mesh_box_of_pair(f->pair, f->limit);
        here = ab_mesh_has_cut(f, &box);
    }
    if (here)
    {
        append_cut_contact(batch, first, f, before, out);
    }
}

// The pairs of one shape with one mesh, from `first` on.
static uint32_t end_of_shape(const ab_batch *batch, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < batch->count && batch->a[end] == batch->a[first] && batch->b[end] == batch->b[first])
    {
        ++end;
    }
    return end;
}

// Asks for the memory of a triangle that is looked at later: who its shape is, and who it is, if it is of this mesh.
AB_INLINE void fetch_who(const ab_batch *batch, const ab_mesh *mesh, uint32_t proxy, uint32_t at)
{
    ab_triangle_pair_fetch_who(batch, at);
    if (batch->b[at] != proxy)
    {
        return;
    }
    if (ab_mesh_is_grid(mesh))
    {
        ab_grid_fetch_cell(&mesh->grid, batch->parts[at] / 2);
        return;
    }
    ab_mesh_fetch_eight(&mesh->triangles, batch->parts[at]);
    ab_mesh_fetch_group(&mesh->triangles, batch->parts[at]);
}

// Once that is there: what its shape is, and where it is.
AB_INLINE void fetch_what(const ab_batch *batch, const ab_mesh *mesh, uint32_t proxy, uint32_t at)
{
    ab_triangle_pair_fetch_what(batch, at);
    if (!ab_mesh_is_grid(mesh) && batch->b[at] == proxy)
    {
        ab_mesh_fetch_vertices(&mesh->triangles, mesh->vertices, batch->parts[at]);
    }
}

// Of the triangles some way behind one. What is there already is asked for again: where a pair or a group ends cannot
// be predicted.
AB_INLINE void fetch_ahead(const ab_batch *batch, const ab_mesh *mesh, uint32_t at)
{
    fetch_who(batch, mesh, batch->b[at], at + 2 * AHEAD);
    fetch_what(batch, mesh, batch->b[at], at + AHEAD);
}

// Of the first triangles, which are behind none.
static void fetch_first(const ab_batch *batch)
{
    const uint32_t proxy = batch->b[0];
    const ab_mesh *mesh = ab_mesh_of_valid(ab_batch_shape(batch, proxy));
    for (uint32_t at = 0; at < 2 * AHEAD && at < batch->count; at += EVERY)
    {
        fetch_who(batch, mesh, proxy, at);
    }
    for (uint32_t at = 0; at < AHEAD && at < batch->count; at += EVERY)
    {
        fetch_what(batch, mesh, proxy, at);
    }
}

// The collisions of a batch, row by row.
typedef struct rows
{
    const ab_batch *batch;
    const ab_triangle_kernels *kernels;
    ab_manifolds *out;
    ab_axes_row row;
    uint32_t axes[AB_AXES_ROW];
    ab_triangle_row asked[AB_AXES_ROW / AB_TRIANGLE_ROW]; // those that a box is asked about
} rows;

static void collide_at(const rows *r, uint32_t i, ab_triangle_at *at, ab_mesh_finding *f)
{
    abut_manifold m;
    ab_triangle_cut cut;
    const ab_triangle_answer answer = ab_triangle_collide_at(f->pair, at, f->limit, &m, &cut);
    ab_mesh_note_answer(f, at->which, answer, &m, &cut);
    if (ab_triangle_has_contact(answer))
    {
        append(r->batch, i, f->pair, at->which, &m, r->out);
    }
}

// Lays out what the box is to some triangles, and takes their normals from there. Places past the last one have what
// was there before.
static void lay_asked(rows *r, const ab_triangle_pair *pair, ab_triangle_at **at, uint32_t count)
{
    for (uint32_t n = 0; n < count; ++n)
    {
        ab_triangle_row *row = &r->asked[n / AB_TRIANGLE_ROW];
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                row->corner[j][k][n % AB_TRIANGLE_ROW] = at[n]->corners.at[j][k];
            }
        }
    }
    for (uint32_t n = 0; n < count; n += AB_TRIANGLE_ROW)
    {
        r->kernels->row(pair, &r->asked[n / AB_TRIANGLE_ROW]);
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        const ab_triangle_row *row = &r->asked[n / AB_TRIANGLE_ROW];
        const uint32_t place = n % AB_TRIANGLE_ROW;
        for (int k = 0; k < 3; ++k)
        {
            at[n]->corners.normal[k] = row->normal[k][place];
        }
        at[n]->place = place;
        at[n]->row = row->high[place] >= row->low[place] ? row : NULL; // no numbers: of a triangle without area
    }
}

// Of a row with its axes. Which triangles have any cannot be predicted, so that they are listed first, and then those
// of them that are not passed over. Their normals take long each, but little longer together.
static void collide_row(rows *r, uint32_t first, uint32_t count, ab_mesh_finding *f)
{
    ab_triangle_at at[AB_AXES_ROW], *asked[AB_AXES_ROW];
    uint32_t which[AB_AXES_ROW], some = 0, left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        which[some] = i;
        some += r->axes[i] != 0 ? 1u : 0u;
    }
    for (uint32_t n = 0; n < some; ++n)
    {
        const uint32_t i = which[n];
        at[n].which = r->batch->parts[first + i];
        at[n].axes = r->axes[i];
        at[n].row = NULL;
        at[n].in_doubt = NULL;
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                at[n].corners.at[j][k] = (double)r->row.corner[j][k][i];
            }
        }
        const bool passed_over = ab_triangle_is_passed_over(f->pair, &at[n]);
        f->passed_over = f->passed_over || passed_over;
        asked[left] = &at[n];
        which[left] = i;
        left += passed_over ? 0u : 1u;
    }
    const bool boxed = r->kernels->row && ab_triangle_is_of_box(f->pair);
    if (boxed)
    {
        lay_asked(r, f->pair, asked, left);
    }
    for (uint32_t n = 0; n < left && !boxed; ++n)
    {
        ab_mesh_triangle_normal(asked[n]->corners.at, asked[n]->corners.normal);
    }
    for (uint32_t n = 0; n < left; ++n)
    {
        collide_at(r, first + which[n], asked[n], f);
    }
}

// Corners are numbers from the first on.
static void open_rows(rows *r, const ab_batch *batch, const ab_triangle_kernels *kernels, ab_manifolds *out)
{
    r->batch = batch;
    r->kernels = kernels;
    r->out = out;
    memset(&r->row, 0, sizeof r->row);
    for (uint32_t i = 0; i < AB_AXES_ROW / AB_TRIANGLE_ROW; ++i)
    {
        memset(r->asked[i].corner, 0, sizeof r->asked[i].corner);
    }
}

void ab_mesh_collide(const ab_batch *batch, const ab_triangle_kernels *kernels, ab_manifolds *out)
{
    rows r;
    open_rows(&r, batch, kernels, out);
    ab_triangle_pair pair;
    uint32_t mesh = ABUT_NONE;
    if (batch->count > 0)
    {
        fetch_first(batch);
    }
    for (uint32_t first = 0, end; first < batch->count; first = end)
    {
        ab_axes_box box;
        ab_triangle_pair_next(&pair, batch, first, mesh, ab_batch_pair(batch, first).a);
        mesh = batch->b[first];
        ab_mesh_finding f = { .pair = &pair, .limit = (double)ab_batch_limit(batch, first), .cut = AB_NO_TRIANGLE };
        const bool known = ab_axes_box_of(&pair, f.limit, &box);
        const ab_hull *hull = ab_triangle_hull_of(&pair);
        const uint32_t before = out->count;
        end = end_of_shape(batch, first);
        for (uint32_t at = first, count; at < end; at += count)
        {
            count = end - at < AB_AXES_ROW ? end - at : AB_AXES_ROW;
            for (uint32_t i = 0; i < count && !known; ++i)
            {
                r.axes[i] = AB_AXES_ALL | AB_AXES_CORNERS;
            }
            for (uint32_t i = at; i < at + count && i + 2 * AHEAD < batch->count; i += EVERY)
            {
                fetch_ahead(batch, pair.mesh, i);
            }
            ab_axes_row_of(pair.mesh, batch->parts + at, count, &r.row);
            if (known)
            {
                kernels->axes(&box, &r.row, count, r.axes);
                if (hull)
                {
                    kernels->hull(&box, &hull->polytope, &r.row, count, r.axes);
                }
            }
            for (uint32_t i = 0; i < count && !hull && !pair.convex.row->box_core; ++i)
            {
                r.axes[i] |= r.axes[i] != 0 ? AB_AXES_CORNERS : 0; // its corners are not the box's
            }
            collide_row(&r, at, count, &f);
        }
        if (!f.touches && (f.passed_over || f.cut != AB_NO_TRIANGLE))
        {
            append_cut(batch, first, end, &f, before, out);
        }
    }
}
