// Vertices that very many triangles have.
#include "mesh_makers.h"
#include "narrow/mesh/triangle.h"

// A cone of very many facets, of which one edge far around the tip may go up from it.
static abut_geometry *cone(uint32_t facets, bool with_spike)
{
    mesh_maker m = { 0 };
    mesh_vertex(&m, 0, 0, 0);
    for (uint32_t i = 0; i < facets; ++i)
    {
        const double turn = -6.283185307179586 * i / facets, up = with_spike && i == facets / 2 ? 0.01 : -1.0;
        mesh_vertex(&m, 10.0 * cos(turn), up, 10.0 * sin(turn));
    }
    for (uint32_t i = 0; i < facets; ++i)
    {
        mesh_triangle(&m, 0, 1 + i, 1 + (i + 1) % facets);
    }
    return mesh_made(&m);
}

// Whether the surface has a normal at a vertex depends on all triangles that have it, however many they are.
static void a_tip_has_a_normal_by_all_of_its_triangles(void **state)
{
    (void)state;
    static const double up[3] = { 0, 1, 0 };
    for (uint32_t with_spike = 0; with_spike < 2; ++with_spike)
    {
        abut_geometry *geometry = cone(20000, with_spike != 0);
        const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
        ab_triangle_corners corners;
        const uint32_t which = ab_mesh_find_child(mesh, 0);
        ab_triangle_corners_of(mesh, which, &corners);
        const ab_triangle_view view = { mesh, which, &corners, 1.0, NULL };
        uint32_t other;
        assert_true(corners.normal[1] > 0.9);
        assert_int_equal(ab_triangle_fit_of(&view, up, &other), with_spike ? AB_FIT_NOT : AB_FIT_FEATURE);
        abut_geometry_release(geometry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tip_has_a_normal_by_all_of_its_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
