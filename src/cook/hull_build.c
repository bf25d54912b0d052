// Quickhull: C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls" (1996), with exact
// predicates. A point sees a facet only if it is strictly above its plane; then what it sees is a disc, none of the
// facets from its rim to the point is degenerate, and the surface stays convex, whatever the points. Heights in double
// only choose which point comes next.
#include "cook/hull_build.h"

#include "base/array.h"
#include "math/frame.h"
#include "math/orient.h"

#include <math.h>
#include <string.h>

void ab_hull_between(abut_vec3 from, abut_vec3 to, double out[3])
{
    out[0] = (double)to.x - from.x;
    out[1] = (double)to.y - from.y;
    out[2] = (double)to.z - from.z;
}

double ab_hull_from_segment(abut_vec3 point, abut_vec3 a, abut_vec3 b)
{
    double along[3], to[3];
    ab_hull_between(a, b, along);
    ab_hull_between(a, point, to);
    const double part = ab_dot(to, along) / ab_dot(along, along);
    const double at = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    for (int k = 0; k < 3; ++k)
    {
        to[k] -= at * along[k];
    }
    return sqrt(ab_dot(to, to));
}

static bool sees(const ab_hull_build *build, uint32_t point, const ab_facet *facet)
{
    const abut_vec3 *p = build->points;
    return ab_orient(p[facet->vertex[0]], p[facet->vertex[1]], p[facet->vertex[2]], p[point]) > 0;
}

// Of a point that sees the facet, above its plane; below it by rounding at most. A sliver's normal is rounded: no point
// is farther than its vertices.
static double height_above(const ab_hull_build *build, uint32_t point, const ab_facet *facet)
{
    double to[3];
    ab_hull_between(build->points[facet->vertex[0]], build->points[point], to);
    const double height = ab_dot(facet->normal, to), most = sqrt(ab_dot(to, to));
    return height > most ? most : height;
}

static void use(ab_hull_build *build, uint32_t point)
{
    build->vertices += build->uses[point]++ == 0;
}

static void drop(ab_hull_build *build, uint32_t point)
{
    build->vertices -= --build->uses[point] == 0;
}

// There must be room for one.
static uint32_t make_facet(ab_hull_build *build, uint32_t a, uint32_t b, uint32_t c)
{
    const size_t idle = arrlenu(build->free);
    uint32_t index;
    if (idle > 0)
    {
        index = build->free[idle - 1];
        ab_array_set_length(build->free, idle - 1);
    }
    else
    {
        index = (uint32_t)arrlenu(build->facets);
        ab_array_set_length(build->facets, index + 1);
    }
    double ab[3], ac[3];
    ab_facet facet = { .vertex = { a, b, c }, .outside = ABUT_NONE, .made = ++build->made };
    ab_hull_between(build->points[a], build->points[b], ab);
    ab_hull_between(build->points[a], build->points[c], ac);
    ab_hull_cross(ab, ac, facet.normal);
    const double length = sqrt(ab_dot(facet.normal, facet.normal));
    for (int k = 0; k < 3; ++k)
    {
        facet.normal[k] = length > 0.0 ? facet.normal[k] / length : 0.0;
        use(build, facet.vertex[k]);
    }
    build->facets[index] = facet;
    return index;
}

// Gives a point to the facet, of several, that it is highest above. One that sees none is inside from now on.
static void assign(ab_hull_build *build, uint32_t point, const uint32_t *facets, size_t count)
{
    double most = -1.0;
    ab_facet *best = NULL;
    for (size_t i = 0; i < count; ++i)
    {
        ab_facet *facet = &build->facets[facets[i]];
        if (sees(build, point, facet))
        {
            const double height = height_above(build, point, facet);
            best = height > most ? facet : best;
            most = height > most ? height : most;
        }
    }
    if (best)
    {
        const bool farther =
            best->outside == ABUT_NONE || most > best->height || (most == best->height && point < best->farthest);
        build->next[point] = best->outside;
        best->outside = point;
        best->farthest = farther ? point : best->farthest;
        best->height = farther ? most : best->height;
    }
}

static bool queue(ab_hull_build *build, const uint32_t *facets, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        const ab_facet *facet = &build->facets[facets[i]];
        if (facet->outside != ABUT_NONE &&
            !ab_hull_push(build, (ab_hull_entry){ facet->height, facets[i], facet->made }))
        {
            return false;
        }
    }
    return true;
}

// Lists what a point sees, beginning with a facet that it does see. False when out of memory.
static bool look(ab_hull_build *build, uint32_t point, uint32_t from)
{
    const uint32_t look = ++build->looks;
    if (!ab_array_resize(build->visible, build->memory, 1))
    {
        return false;
    }
    build->visible[0] = from;
    build->facets[from].seen = look;
    for (size_t i = 0; i < arrlenu(build->visible); ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            const uint32_t beyond = build->facets[build->visible[i]].across[k];
            ab_facet *facet = &build->facets[beyond];
            const size_t count = arrlenu(build->visible);
            if (facet->seen == look || !sees(build, point, facet))
            {
                continue;
            }
            if (!ab_array_resize(build->visible, build->memory, count + 1))
            {
                return false;
            }
            facet->seen = look;
            build->visible[count] = beyond;
        }
    }
    return true;
}

// The edge that begins at a vertex.
static int edge_from(const ab_facet *facet, uint32_t point)
{
    return facet->vertex[0] == point ? 0 : facet->vertex[1] == point ? 1 : 2;
}

// Room for what replaces the visible facets: three for each at most.
static bool reserve_for_visible(ab_hull_build *build)
{
    const size_t seen = arrlenu(build->visible), most = 3 * seen;
    return ab_array_reserve(build->facets, build->memory, arrlenu(build->facets) + most) &&
           ab_array_reserve(build->free, build->memory, arrlenu(build->free) + seen) &&
           ab_array_reserve(build->visible, build->memory, seen + most);
}

// Makes a facet from each edge of a visible facet's rim to the point, and lists it behind the visible ones. Its
// neighbours beside the rim are not known yet.
static void cover_rim(ab_hull_build *build, const ab_facet *visible, uint32_t point)
{
    for (int k = 0; k < 3; ++k)
    {
        const uint32_t start = visible->vertex[k], end = visible->vertex[(k + 1) % 3], beyond = visible->across[k];
        if (build->facets[beyond].seen == build->looks)
        {
            continue;
        }
        const uint32_t made = make_facet(build, start, end, point);
        build->facets[made].across[0] = beyond;
        build->facets[beyond].across[edge_from(&build->facets[beyond], end)] = made;
        build->begins[start] = made;
        const size_t count = arrlenu(build->visible);
        ab_array_set_length(build->visible, count + 1);
        build->visible[count] = made;
    }
}

// Makes new facets neighbours of one another.
static void join_facets(ab_hull_build *build, const uint32_t *facets, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        ab_facet *facet = &build->facets[facets[i]];
        facet->across[1] = build->begins[facet->vertex[1]];
        build->facets[facet->across[1]].across[2] = facets[i];
    }
}

// Takes a facet out of the surface: its points but for one go to the facets that replace it.
static void retire_facet(ab_hull_build *build, uint32_t index, uint32_t point, const uint32_t *by, size_t count)
{
    ab_facet *gone = &build->facets[index];
    for (uint32_t p = gone->outside, after; p != ABUT_NONE; p = after)
    {
        after = build->next[p];
        if (p != point)
        {
            assign(build, p, by, count);
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        drop(build, gone->vertex[k]);
    }
    gone->made = 0;
    const size_t idle = arrlenu(build->free);
    ab_array_set_length(build->free, idle + 1);
    build->free[idle] = index;
}

// Replaces the facets that a point sees, one of which is `from`, by those from their rim to the point.
static bool insert(ab_hull_build *build, uint32_t point, uint32_t from)
{
    if (!look(build, point, from) || !reserve_for_visible(build))
    {
        return false;
    }
    const size_t seen = arrlenu(build->visible);
    for (size_t i = 0; i < seen; ++i)
    {
        const ab_facet visible = build->facets[build->visible[i]]; // a copy: the array of facets grows
        cover_rim(build, &visible, point);
    }
    const uint32_t *made = build->visible + seen;
    const size_t made_count = arrlenu(build->visible) - seen;
    join_facets(build, made, made_count);
    for (size_t i = 0; i < seen; ++i)
    {
        retire_facet(build, build->visible[i], point, made, made_count);
    }
    return queue(build, made, made_count);
}

// The distance of a point from a facet's triangle, from above.
static double from_facet(const ab_hull_build *build, uint32_t point, const ab_facet *facet)
{
    const abut_vec3 *p = build->points;
    double least = HUGE_VAL;
    bool over = true;
    for (int k = 0; k < 3; ++k)
    {
        const abut_vec3 a = p[facet->vertex[k]], b = p[facet->vertex[(k + 1) % 3]];
        double along[3], to[3], inward[3];
        ab_hull_between(a, b, along);
        ab_hull_between(a, p[point], to);
        ab_hull_cross(facet->normal, along, inward);
        over = over && ab_dot(inward, to) >= 0.0;
        const double here = ab_hull_from_segment(p[point], a, b);
        least = here < least ? here : least;
    }
    const double height = height_above(build, point, facet);
    return over && height < least ? height : least;
}

// Sets *out to the distance of a point from the hull; it sees facet `from`. False when out of memory. The closest point
// of the hull is on a facet that the point sees.
static bool measure(ab_hull_build *build, uint32_t point, uint32_t from, double *out)
{
    *out = from_facet(build, point, &build->facets[from]);
    if (*out <= build->tolerance)
    {
        return true;
    }
    if (!look(build, point, from))
    {
        return false;
    }
    for (size_t i = 0; i < arrlenu(build->visible); ++i)
    {
        const double here = from_facet(build, point, &build->facets[build->visible[i]]);
        *out = here < *out ? here : *out;
    }
    return true;
}

// Drops the points that see a facet and are within the tolerance of the hull. Stops at the first that is not.
static bool drop_near(ab_hull_build *build, uint32_t index, uint32_t *far)
{
    *far = ABUT_NONE;
    for (uint32_t p; (p = build->facets[index].outside) != ABUT_NONE;)
    {
        double distance;
        if (!measure(build, p, index, &distance))
        {
            return false;
        }
        if (distance > build->tolerance)
        {
            *far = p;
            return true;
        }
        build->facets[index].outside = build->next[p];
    }
    return true;
}

static bool grow(ab_hull_build *build, uint32_t most)
{
    while (arrlenu(build->heap) > 0 && build->vertices < most)
    {
        const ab_hull_entry entry = ab_hull_pop(build);
        if (build->facets[entry.facet].made != entry.made)
        {
            continue;
        }
        uint32_t point = build->facets[entry.facet].farthest;
        if (entry.key <= build->tolerance && !drop_near(build, entry.facet, &point))
        {
            return false;
        }
        if (point != ABUT_NONE && !insert(build, point, entry.facet))
        {
            return false;
        }
    }
    return true;
}

// How far outside the surface points lie that were left out.
static bool deviation_of(ab_hull_build *build, double *out)
{
    *out = 0.0;
    for (uint32_t i = 0; i < arrlenu(build->facets); ++i)
    {
        const bool lives = build->facets[i].made != 0;
        for (uint32_t p = lives ? build->facets[i].outside : ABUT_NONE; p != ABUT_NONE; p = build->next[p])
        {
            double distance;
            if (!measure(build, p, i, &distance))
            {
                return false;
            }
            *out = distance > *out ? distance : *out;
        }
    }
    return true;
}

// The tetrahedron of four points.
static bool start(ab_hull_build *build, const uint32_t v[4])
{
    const abut_vec3 *p = build->points;
    const bool below = ab_orient(p[v[0]], p[v[1]], p[v[2]], p[v[3]]) < 0;
    const uint32_t at[4] = { v[0], below ? v[1] : v[2], below ? v[2] : v[1], v[3] };
    if (!ab_array_resize(build->facets, build->memory, 64))
    {
        return false;
    }
    ab_array_set_length(build->facets, 0);
    static const uint8_t corner[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
    static const uint8_t across[4][3] = { { 1, 2, 3 }, { 3, 2, 0 }, { 1, 3, 0 }, { 2, 1, 0 } };
    uint32_t facet[4];
    for (int i = 0; i < 4; ++i)
    {
        facet[i] = make_facet(build, at[corner[i][0]], at[corner[i][1]], at[corner[i][2]]);
    }
    for (int i = 0; i < 4; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            build->facets[facet[i]].across[k] = facet[across[i][k]];
        }
    }
    for (uint32_t i = 0; i < build->count; ++i)
    {
        assign(build, i, facet, 4);
    }
    return queue(build, facet, 4);
}

static double largest_coordinate(const abut_vec3 *points, uint32_t count)
{
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double x = fabs((double)points[i].x), y = fabs((double)points[i].y), z = fabs((double)points[i].z);
        most = x > most ? x : most;
        most = y > most ? y : most;
        most = z > most ? z : most;
    }
    return most;
}

abut_status ab_hull_grow(ab_hull_build *build, const abut_vec3 *points, uint32_t count, uint32_t most,
                         ab_memory *memory, double *deviation)
{
    *build = (ab_hull_build){ .memory = memory, .points = points, .count = count };
    build->size = largest_coordinate(points, count);
    build->tolerance = AB_HULL_TOLERANCE * build->size;
    uint32_t first[4] = { 0 };
    if (!ab_hull_find_first(build, first))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_array_resize(build->next, memory, count) || !ab_array_resize(build->begins, memory, count) ||
        !ab_array_resize(build->uses, memory, count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    memset(build->uses, 0, count * sizeof *build->uses);
    const bool done = start(build, first) && grow(build, most) && deviation_of(build, deviation);
    return done ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

void ab_hull_close(ab_hull_build *build)
{
    arrfree(build->next);
    arrfree(build->begins);
    arrfree(build->uses);
    arrfree(build->facets);
    arrfree(build->free);
    arrfree(build->visible);
    arrfree(build->heap);
}
