// A hull against triangles, one a lane: its faces and their planes part it from most of those that only the box about it
// reaches. In floats, with bounds of what rounding may have changed, as in triangle_axes.inl.

#define PLANE_SLOP 0x1p-17f // of the size: of the distance of a corner from a plane

AB_INLINE void splat_at(const float *const column[3], uint32_t i, f32w out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = splatw(column[k][i]);
    }
}

// How far the triangles are outside the face that they are farthest from, at least.
AB_INLINE f32w least_along_faces(const triangle_lanes *t, const ab_polytope *hull)
{
    f32w most = splatw(-HUGE_VALF), n[3];
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        splat_at(hull->normal, i, n);
        const f32w p = dot_of(n, t->corner[0]), q = dot_of(n, t->corner[1]), r = dot_of(n, t->corner[2]);
        most = maxw(subw(minw(minw(p, q), r), splatw(hull->offset[i])), most);
    }
    return subw(most, mulw(t->size, splatw(PLANE_SLOP)));
}

// How far the hull is above the triangles' planes, and below them, at least.
AB_INLINE f32w least_along_normals(const triangle_lanes *t, const ab_polytope *hull, f32w *behind)
{
    f32w low = splatw(HUGE_VALF), high = splatw(-HUGE_VALF), v[3];
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        splat_at(hull->vertex, i, v);
        const f32w at = dot_of(v, t->normal);
        low = minw(at, low);
        high = maxw(at, high);
    }
    const f32w ground = dot_of(t->corner[0], t->normal);
    *behind = subw(mulw(subw(ground, high), t->inverse), t->slop);
    return subw(mulw(subw(low, ground), t->inverse), t->slop);
}

// Numbers that overflow compare false: then nothing is left out.
static void triangle_hull(const ab_axes_box *box, const ab_polytope *hull, const ab_axes_row *row, uint32_t count,
                          uint32_t axes[AB_AXES_ROW])
{
    const f32w limit = splatw(box->limit), far_behind = splatw(box->behind);
    for (uint32_t first = 0; first < count; first += LANES)
    {
        const u32w found = loadu(axes + first);
        if (!anym(andnotm(first_lanes(count - first), equ(found, splatu(0)))))
        {
            continue;
        }
        triangle_lanes t;
        f32w behind;
        load_triangles(box, row, first, &t);
        lay_normal(&t);
        const f32w above = least_along_normals(&t, hull, &behind), outside = least_along_faces(&t, hull);
        const maskw beyond = orm(gtw(maxw(above, outside), limit), gtw(behind, far_behind));
        storeu(axes + first, picku(beyond, splatu(0), found));
    }
}
