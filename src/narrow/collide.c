// Collides two shapes with poses, without a world: the world's own kernels, one pair at a time on the narrowest lanes.
// All instruction sets give the same bits, so these calls agree with a world.
#include "base/memory.h"
#include "base/platform.h"
#include "narrow/placed.h"

// The caller's first shape has the lower collider key, so the manifold is in the caller's order whichever kind is
// lower.
typedef struct couple
{
    _Alignas(AB_CACHE_LINE) ab_record record[2];
    abut_shape shape[2];
    uint32_t first[AB_WIDEST], second[AB_WIDEST];
    ab_batch batch;
    const ab_pair_type *type;
} couple;

static const uint32_t own_place[2] = { 0, 1 };

static abut_status pair_up(couple *c, const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                           const abut_pose *pose_b, float margin, bool is_2d)
{
    if (!ab_margin_valid(margin) || !ab_placed_valid(NULL, a, pose_a, is_2d) ||
        !ab_placed_valid(NULL, b, pose_b, is_2d))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const bool turned = a->kind > b->kind;
    const abut_shape_kind lower = turned ? b->kind : a->kind, higher = turned ? a->kind : b->kind;
    ab_placed_record(&c->record[0], NULL, a, pose_a, 0);
    ab_placed_record(&c->record[1], NULL, b, pose_b, 1);
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        c->first[i] = turned;
        c->second[i] = !turned;
    }
    c->shape[0] = *a;
    c->shape[1] = *b;
    c->batch = (ab_batch){
        .records = c->record,
        .colliders = own_place,
        .shapes = c->shape,
        .a = c->first,
        .b = c->second,
        .count = 1,
        .is_2d = is_2d,
        .margin = margin,
    };
    c->type = &ab_placed_table(AB_SINGLE_ISA, is_2d)->type[lower][higher];
    return c->type->kernel ? ABUT_OK : ABUT_UNSUPPORTED;
}

static abut_status overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                           bool is_2d, bool *overlapping)
{
    couple c;
    const uint64_t before = ab_platform_float_enter();
    abut_status status = overlapping ? pair_up(&c, a, pose_a, b, pose_b, 0.0f, is_2d) : ABUT_INVALID_ARGUMENT;
    if (status == ABUT_OK)
    {
        uint32_t touching[1 + AB_WIDEST];
        *overlapping = c.type->touching(&c.batch, touching) != 0;
    }
    ab_platform_float_leave(before);
    return status;
}

static abut_status collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                           float margin, bool is_2d, abut_manifold *out)
{
    couple c;
    const uint64_t before = ab_platform_float_enter();
    abut_status status = out ? pair_up(&c, a, pose_a, b, pose_b, margin, is_2d) : ABUT_INVALID_ARGUMENT;
    if (status == ABUT_OK)
    {
        ab_packed_manifold lines[AB_MANIFOLD_LINES(1)];
        ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(1)];
        ab_manifolds found = { .lines = lines, .entries = entries };
        c.type->kernel(&c.batch, &found);
        ab_manifold_publish(out, found.count ? lines : NULL, found.point_count);
    }
    ab_platform_float_leave(before);
    return status;
}

abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                         bool *overlapping)
{
    return overlap(a, pose_a, b, pose_b, false, overlapping);
}

abut_status abut_overlap_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            bool *overlapping)
{
    return overlap(a, pose_a, b, pose_b, true, overlapping);
}

abut_status abut_collide(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                         float margin, abut_manifold *out)
{
    return collide(a, pose_a, b, pose_b, margin, false, out);
}

abut_status abut_collide_2d(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                            float margin, abut_manifold *out)
{
    return collide(a, pose_a, b, pose_b, margin, true, out);
}
