// Reduces the contacts of one pair of colliders, one for each triangle or part, to patches of four points at most: one
// of the deepest, the farthest from it, and those that add the most area.
#include <abut/contacts.h>

#include <math.h>

#ifdef AB_MESHES    // elsewhere every pair has one contact
#define SAME  1e-4f // of the farthest point's distance from body a: two points that are nearer to each other are one
#define LEVEL 20.0f // times that: points that are less deep by so much are as deep as the deepest

typedef struct gathering
{
    const abut_contacts *contacts;
    uint32_t first, end; // of the pair's contacts
    float cosine;
    abut_patch *patches;
} gathering;

static const abut_contact *contact_at(const gathering *g, uint32_t i)
{
    return abut_contact_at(g->contacts, i);
}

// The first patch whose normal is near a contact's own; `count` if there is none.
static uint32_t patch_of(const gathering *g, uint32_t i, uint32_t count)
{
    uint32_t p = 0;
    while (p < count && !(abut_vec3_dot(g->patches[p].normal, contact_at(g, i)->normal) >= g->cosine))
    {
        ++p;
    }
    return p;
}

// A patch while its points are chosen.
typedef struct choosing
{
    abut_vec3 normal, mean; // the second: of all points
    float deepest;
    float near;                        // a distance that does not count
    abut_vec3 at[ABUT_CONTACT_POINTS]; // those that are chosen
    uint32_t count;
} choosing;

// Twice the area of a triangle, positive if it is counter-clockwise about the normal.
static float area(const choosing *c, abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    return abut_vec3_dot(c->normal, abut_vec3_cross(abut_vec3_sub(q, p), abut_vec3_sub(r, p)));
}

static float square_across(const choosing *c, abut_vec3 p, abut_vec3 q)
{
    const abut_vec3 way = abut_vec3_sub(q, p);
    const float along = abut_vec3_dot(c->normal, way);
    return abut_vec3_dot(way, way) - along * along;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// How much a point adds to those that are chosen; what adds no more than zero is none.
static float worth_of(const choosing *c, const abut_point *point)
{
    const abut_vec3 *p = c->at, q = point->offset;
    const float least = c->near * c->near;
    if (c->count == 0)
    {
        return point->separation <= c->deepest + LEVEL * c->near ? 1.0f + square_across(c, c->mean, q) : 0.0f;
    }
    if (c->count == 1)
    {
        return square_across(c, p[0], q) - least;
    }
    const float some = least * square_across(c, p[0], p[1]);
    const float own = area(c, p[0], p[1], q);
    if (c->count == 2)
    {
        return own * own - some;
    }
    const float turn = area(c, p[0], p[1], p[2]) >= 0.0f ? -1.0f : 1.0f;
    const float beside = area(c, p[1], p[2], q), beyond = area(c, p[2], p[0], q);
    const float outside = larger(larger(turn * own, turn * beside), turn * beyond);
    return outside > 0.0f ? outside * outside - some : 0.0f;
}

// Adds the point that is worth most. False if none is worth anything.
static bool add_point(const gathering *g, uint32_t p, choosing *c)
{
    abut_patch *patch = &g->patches[p];
    float best = 0.0f;
    bool found = false;
    for (uint32_t i = g->first; i < g->end; ++i)
    {
        const abut_contact *contact = contact_at(g, i);
        for (uint32_t k = 0; k < contact->point_count && patch_of(g, i, p + 1) == p; ++k)
        {
            const float worth = worth_of(c, &contact->points[k]);
            if (worth > best)
            {
                best = worth;
                found = true;
                patch->points[c->count] = (abut_patch_point){ contact->id.slot, k };
                c->at[c->count] = contact->points[k].offset;
            }
        }
    }
    c->count += found;
    return found;
}

static void choose_points(const gathering *g, uint32_t p)
{
    abut_patch *patch = &g->patches[p];
    choosing c = { .normal = patch->normal, .deepest = HUGE_VALF };
    float farthest = 0.0f, points = 0.0f;
    for (uint32_t i = g->first; i < g->end; ++i)
    {
        const abut_contact *contact = contact_at(g, i);
        for (uint32_t k = 0; k < contact->point_count && patch_of(g, i, p + 1) == p; ++k)
        {
            const abut_point *point = &contact->points[k];
            farthest = larger(abut_vec3_dot(point->offset, point->offset), farthest);
            c.mean = abut_vec3_add(c.mean, point->offset);
            c.deepest = point->separation < c.deepest ? point->separation : c.deepest;
            points += 1.0f;
        }
    }
    c.mean = abut_vec3_scale(c.mean, 1.0f / points);
    c.near = SAME * sqrtf(farthest);
    while (c.count < ABUT_CONTACT_POINTS && add_point(g, p, &c))
    {
    }
    patch->point_count = c.count;
    patch->separation = c.deepest;
}

#endif

// Of a pair with one contact, all points, as they are.
static abut_patch patch_of_one(const abut_contact *contact)
{
    abut_patch out = { .normal = contact->normal,
                       .separation = contact->separation,
                       .point_count = contact->point_count };
    for (uint32_t k = 0; k < out.point_count; ++k)
    {
        out.points[k] = (abut_patch_point){ contact->id.slot, k };
    }
    return out;
}

uint32_t abut_contact_patches(const abut_contacts *contacts, uint32_t first, float cosine, abut_patch *out)
{
    const uint32_t end = abut_contact_pair_end(contacts, first);
    (void)cosine;
    if (end == first + 1)
    {
        *out = patch_of_one(abut_contact_at(contacts, first));
        return 1;
    }
#ifdef AB_MESHES
    const gathering g = { contacts, first, end, cosine, out };
    uint32_t count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        if (patch_of(&g, i, count) == count)
        {
            out[count++] = (abut_patch){ .normal = contact_at(&g, i)->normal };
        }
    }
    for (uint32_t p = 0; p < count; ++p)
    {
        choose_points(&g, p);
    }
    return count;
#else
    return 0; // without meshes and compounds, a pair has one contact
#endif
}
