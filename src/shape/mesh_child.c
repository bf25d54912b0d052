// Where a triangle of the caller's is in the order of a mesh. The numbers of triangles by their places are a permutation,
// with those that are left out behind: what leads to a number is at the end of its cycle. A few places know the one before
// them that knows another, so that no more than two stretches of the cycle are walked, some twelve steps (J. Munro,
// R. Raman, V. Raman, S. Rao, "Succinct Representations of Permutations", 2003; they mark by counting steps).
#include "shape/mesh_triangles.h"

#define EACH 8u // places of which one is marked

// The marked one of eight places: at random, for meshes are made of parts that repeat.
static uint32_t marked_of(uint32_t eight)
{
    return EACH * eight + (eight * 0x9e3779b9u >> 29);
}

static bool is_marked(uint32_t place)
{
    return place == marked_of(place / EACH);
}

static uint32_t number_at(const ab_mesh_triangles *t, uint32_t own, uint32_t place)
{
    return place < own ? ab_mesh_triangle_child(t, place) : t->left_out[place - own];
}

void ab_mesh_list_back(const ab_mesh_triangles *t, uint32_t own, uint32_t given, uint32_t *back)
{
    for (uint32_t i = 0; i < ab_mesh_back_count(given); ++i)
    {
        const uint32_t from = marked_of(i);
        uint32_t to = from;
        if (from < given)
        {
            do
            {
                to = number_at(t, own, to);
            } while (!is_marked(to));
            back[to / EACH] = from;
        }
    }
}

uint32_t ab_mesh_find_place(const ab_mesh_triangles *t, uint32_t own, uint32_t child)
{
    bool went_back = false;
    for (uint32_t place = child;;)
    {
        const uint32_t number = number_at(t, own, place);
        if (number == child)
        {
            return place < own ? place : AB_NO_TRIANGLE;
        }
        const bool goes_back = !went_back && is_marked(place);
        place = goes_back ? t->back[place / EACH] : number;
        went_back = went_back || goes_back;
    }
}
