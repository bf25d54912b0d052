// A hull against triangles, one a lane: its faces and their planes part it from most of those that only the box about
// it reaches. In floats, with bounds of what rounding may have changed, as in triangle_axes.inl.

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

// Of the hull's corners: how far the lowest is above the triangles' planes and the highest below them, at least; and
// where one may be over the triangle, and no higher than the limit.
typedef struct corner_lanes
{
    f32w above, behind;
    maskw over;
} corner_lanes;

AB_INLINE corner_lanes look_at_corners(const triangle_lanes *t, const ab_polytope *hull, const ab_axes_box *box)
{
    const f32w most = box->two_sided ? splatw(HUGE_VALF) : addw(splatw(box->limit), addw(t->slop, t->slop));
    const f32w ground = dot_of(t->corner[0], t->normal);
    f32w low = splatw(HUGE_VALF), high = splatw(-HUGE_VALF), least = splatw(HUGE_VALF), outward[3][3], edge[3], v[3];
    for (int j = 0; j < 3; ++j)
    {
        outward_of(t, j, outward[j]);
        edge[j] = dot_of(outward[j], t->corner[j]);
    }
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        splat_at(hull->vertex, i, v);
        const f32w height = mulw(subw(dot_of(v, t->normal), ground), t->inverse);
        const f32w p = subw(dot_of(outward[0], v), edge[0]), q = subw(dot_of(outward[1], v), edge[1]),
                   r = subw(dot_of(outward[2], v), edge[2]), past = mulw(maxw(maxw(p, q), r), t->inverse);
        low = minw(height, low);
        high = maxw(height, high);
        least = pickw(gtw(height, most), least, minw(past, least));
    }
    const maskw over = notm(gtw(least, mulw(mulw(t->slop, t->longest), splatw(2.0f))));
    return (corner_lanes){ subw(low, t->slop), subw(negw(high), t->slop), over };
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
        load_triangles(box, row, first, &t);
        lay_normal(&t);
        const corner_lanes corners = look_at_corners(&t, hull, box);
        const maskw beyond =
            orm(gtw(maxw(corners.above, least_along_faces(&t, hull)), limit), gtw(corners.behind, far_behind));
        const u32w kept =
            oru(andu(found, splatu(AB_AXES_ALL)), picku(corners.over, splatu(AB_AXES_CORNERS), splatu(0)));
        storeu(axes + first, picku(orm(beyond, equ(found, splatu(0))), splatu(0), kept));
    }
}
