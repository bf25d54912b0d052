// Pairs that some kernel once got wrong, kept with the exact numbers that showed it.
#include "referee.h"

#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>

#include <cmocka.h>

typedef struct finding
{
    abut_shape a;
    abut_pose pose_a;
    abut_shape b;
    abut_pose pose_b;
    float margin;
} finding;

static void judged_right(const finding *m)
{
    abut_manifold out;
    char why[REFEREE_WHY];
    assert_int_equal(abut_collide(&m->a, &m->pose_a, &m->b, &m->pose_b, m->margin, &out), ABUT_OK);
    if (!referee_check_manifold(&m->a, &m->pose_a, &m->b, &m->pose_b, m->margin, &out, why))
    {
        fail_msg("%s", why);
    }
}

#define AABB(x, y, z)                                                                                                  \
    {                                                                                                                  \
        .kind = ABUT_AABB, .box.half_extents = { x, y, z }                                                             \
    }

#define OBB(x, y, z)                                                                                                   \
    {                                                                                                                  \
        .kind = ABUT_OBB, .box.half_extents = { x, y, z }                                                              \
    }

// The edge axis has the separation of a face of b that was only just not preferred to a's; the point lay 1,900 m away
// from a box of 6 m.
static void an_edge_that_repeats_a_face_does_not_name_the_contact(void **state)
{
    (void)state;
    judged_right(&(finding){
        OBB(0x1.9cbdbap+2f, 0x1.74bab2p+2f, 0x1.3b5f72p+3f),
        { .position = { -0x1.98c4cp+10f, -0x1.828916p+8f, 0x1.e5a604p+8f },
          .rotation = { 0x1.490fdap-1f, -0x1.25953ap-1f, 0x1.9045b4p-2f, 0x1.4c5dcap-2f } },
        OBB(0x1.31035p+11f, 0x1.31035p+11f, 0x1.31035p+11f),
        { .position = { 0x1.6fb0f8p+10f, 0x1.85f43cp+10f, -0x1.d43946p+6f },
          .rotation = { -0x1.03665ep-3f, -0x1.ba30acp-3f, 0x1.974516p-1f, -0x1.1a935ap-1f } },
        0.0f,
    });
}

static void nor_does_it_for_flat_boxes(void **state)
{
    (void)state;
    judged_right(&(finding){
        OBB(0x1.d5e026p+0f, 0x1.e2c414p-6f, 0x1.c2ad74p+1f),
        { .position = { 0x1.02a55cp+1f, -0x1.717c64p+3f, 0x1.e730f8p+3f },
          .rotation = { -0x1.7272c4p-3f, -0x1.0d3a34p-1f, 0x1.57aa2p-1f, 0x1.f5e8dcp-2f } },
        OBB(0x1.5c7decp+1f, 0, 0),
        { .position = { -0x1.4b7f86p+0f, -0x1.873cdap+3f, 0x1.0ebea4p+4f },
          .rotation = { -0x1.afa338p-1f, 0x1.080e14p-1f, 0x1.5640acp-4f, 0x1.059dc8p-3f } },
        0x1.73cef4p-1f,
    });
}

// Deepest, farthest, then largest and smallest area: 0.85 of what the best four with the same deepest point span.
static void four_points_of_two_cubes_inside_each_other_span_their_patch(void **state)
{
    (void)state;
    judged_right(&(finding){
        OBB(0x1.d76c4p-8f, 0x1.3d9ffep-8f, 0x1.d0a4d6p-8f),
        { .position = { -0x1.e381f8p-11f, -0x1.064438p-10f, 0x1.bbf2f6p-9f },
          .rotation = { 0x1.1c167ap-1f, -0x1.84abfep-4f, 0x1.39dfdap-2f, 0x1.88ffd2p-1f } },
        OBB(0x1.b6ffdp-8f, 0x1.b6ffdp-8f, 0x1.b6ffdp-8f),
        { .position = { -0x1.e381f8p-11f, -0x1.064438p-10f, 0x1.bbf2f6p-9f },
          .rotation = { -0x1.ee396cp-2f, -0x1.30a5fcp-3f, 0x1.b0d956p-1f, -0x1.63fe48p-3f } },
        0.0f,
    });
}

// A segment pierces a box without width, a segment itself, nearly along it: where the two are nearest is but rounding,
// and was past the end of the box.
static void a_point_beside_an_edge_is_not_past_its_end(void **state)
{
    (void)state;
    judged_right(&(finding){
        { .kind = ABUT_CAPSULE, .capsule = { 0x0p+0f, 0x1.0bdc44p+3f } },
        { .position = { -0x1.6cf9cep+3f, 0x1.54fe68p+2f, -0x1.b25f24p+2f },
          .rotation = { -0x1.2890fap-1f, 0x1.287828p-1f, 0x1.9f6a68p-2f, 0x1.9f7acp-2f } },
        AABB(0x0p+0f, 0x1.970564p+4f, 0x0p+0f),
        { .position = { -0x1.1864f4p+3f, 0x1.ec46d8p+4f, -0x1.b2556ep+2f },
          .rotation = { 0x1.ed5f4cp-7f, -0x1.a4471cp-1f, -0x1.4f35acp-2f, -0x1.deff82p-2f } },
        0x1.f01a08p-1f,
    });
}

// The edges' common normal is near that of a face, on whose other side the middle of b is: it said that b was there.
static void boxes_without_width_that_cross_have_the_normal_of_their_edges(void **state)
{
    (void)state;
    judged_right(&(finding){
        AABB(0x0p+0f, 0x0p+0f, 0x1.98210ep-2f),
        { .position = { 0x1.088b26p+11f, -0x1.dca8fcp+9f, 0x1.2755d4p+10f },
          .rotation = { 0x1.ec9e0ap-3f, 0x1.07de7ep-2f, 0x1.da9ffap-1f, -0x1.0657b6p-3f } },
        OBB(0x1.297466p-14f, 0x1.220866p-1f, 0x1.5d0098p-12f),
        { .position = { 0x1.089754p+11f, -0x1.dca8fep+9f, 0x1.276f54p+10f },
          .rotation = { 0x1.38b618p-2f, -0x1.3f938ep-2f, 0x1.46471ep-1f, 0x1.452076p-1f } },
        0x1.f68d28p-13f,
    });
}

// All heights over the face are more than the margin, by rounding: the point was 0.95 m beside the other face.
static void boxes_that_just_touch_have_points_where_they_do(void **state)
{
    (void)state;
    judged_right(&(finding){
        OBB(0x1.f79902p+2f, 0x1.2740bep+3f, 0x1.9b6a1ep+2f),
        { .position = { 0x1.02cc6ap+6f, -0x1.deea5ap+3f, -0x1.599338p+4f },
          .rotation = { 0x0p+0f, 0x0p+0f, -0x1.6a09e6p-1f, 0x1.6a09e6p-1f } },
        OBB(0x1.f79f74p+3f, 0x1.ad950ap+2f, 0x1.d4e632p+3f),
        { .position = { 0x1.625148p+6f, -0x1.0e711ap+5f, -0x1.d9d7b6p+3f },
          .rotation = { 0x1.4502e6p-2f, -0x1.43849ep-1f, -0x1.4502e6p-2f, 0x1.43849ep-1f } },
        0x0p+0f,
    });
}

// The segment passes over an edge of the box within a fraction of what rounding changes distances by, and far from it: of
// the square of the distance rounding makes more than of the distance. It said that the segment is nearest where it
// passes the box's side, from where the way is not across it.
static void what_passes_an_edge_has_a_normal_across_it(void **state)
{
    (void)state;
    judged_right(&(finding){
        { .kind = ABUT_CAPSULE, .capsule = { 0.0229933001f, 0.021435678f } },
        { .position = { 0.00990655739f, 0.0740095899f, -0.169187173f },
          .rotation = { 0.140631467f, -0.987955928f, -0.00815644115f, -0.0640257671f } },
        AABB(0.109789185f, 0.0374225229f, 0.0806042105f),
        { .position = { 0.125619099f, 0.0162239522f, -0.249781922f }, .rotation.w = 1.0f },
        0.00696600974f,
    });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_that_repeats_a_face_does_not_name_the_contact),
        cmocka_unit_test(nor_does_it_for_flat_boxes),
        cmocka_unit_test(four_points_of_two_cubes_inside_each_other_span_their_patch),
        cmocka_unit_test(a_point_beside_an_edge_is_not_past_its_end),
        cmocka_unit_test(boxes_without_width_that_cross_have_the_normal_of_their_edges),
        cmocka_unit_test(boxes_that_just_touch_have_points_where_they_do),
        cmocka_unit_test(what_passes_an_edge_has_a_normal_across_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
