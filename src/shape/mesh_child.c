// Where a triangle of the caller's is in the order of a mesh. The numbers of triangles by their places are a
// permutation, with those that are left out behind: the place of a number is at the end of its cycle. A few places know
// the one before them that knows another, so that no more than two stretches of the cycle are walked, some twelve steps
// (J. Munro, R. Raman, V. Raman, S. Rao, "Succinct Representations of Permutations", 2003; they mark by counting
// steps).
#include "shape/mesh_triangles.h"

#define EACH     8u  // places of which one is marked
#define TOGETHER 16u // walks from a marked place to the next, for each step waits for memory

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

// The next marked place from this one of eight on. `given`: there is none.
static uint32_t next_marked(uint32_t *eight, uint32_t given)
{
    uint32_t place = given;
    for (; place >= given && EACH * *eight < given; ++*eight)
    {
        place = marked_of(*eight);
    }
    return place < given ? place : given;
}

void ab_mesh_list_back(const uint32_t *numbers, uint32_t given, uint32_t *back)
{
    uint32_t from[TOGETHER], at[TOGETHER], eight = 0, walks = 0;
    for (uint32_t i = 0; i < TOGETHER; ++i)
    {
        from[walks] = at[walks] = next_marked(&eight, given);
        walks += from[walks] < given;
    }
    while (walks > 0)
    {
        for (uint32_t i = walks; i-- > 0;)
        {
            at[i] = numbers[at[i]];
            if (is_marked(at[i]))
            {
                back[at[i] / EACH] = from[i];
                from[i] = at[i] = next_marked(&eight, given);
                if (from[i] == given)
                {
                    --walks;
                    from[i] = from[walks];
                    at[i] = at[walks];
                }
            }
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
