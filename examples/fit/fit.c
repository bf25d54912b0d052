// Reads points from a file or standard input and prints the boxes around them: along the world's axes, along the
// points' principal axes, and of nearly the least volume. With a second file name it draws them too.
//
//     fit [POINTS [PICTURE.png]]      POINTS "-": standard input
#include "views.h"

#include <abut/abut.h>

#include <string.h>

enum
{
    BOXES = 3
};

static void print_box(const fitted *f)
{
    const abut_vec3 h = f->box.shape.box.half_extents, p = f->box.pose.position;
    const abut_mat3 axes = abut_mat3_from_quat(f->box.pose.rotation);
    printf("%s: volume %.6g\n", f->name, f->volume);
    printf("  centre       (%.6g, %.6g, %.6g)\n", (double)p.x, (double)p.y, (double)p.z);
    printf("  half extents (%.6g, %.6g, %.6g)\n", (double)h.x, (double)h.y, (double)h.z);
    printf("  x axis       (%.6g, %.6g, %.6g)\n", (double)axes.x.x, (double)axes.x.y, (double)axes.x.z);
    printf("  y axis       (%.6g, %.6g, %.6g)\n", (double)axes.y.x, (double)axes.y.y, (double)axes.y.z);
    printf("  z axis       (%.6g, %.6g, %.6g)\n", (double)axes.z.x, (double)axes.z.y, (double)axes.z.z);
}

static abut_status fit_straight(const points *p, abut_placed_shape *out)
{
    abut_aabb straight;
    const abut_status status = abut_fit_aabb(p->xyz, p->count, 0, &straight);
    if (status == ABUT_OK)
    {
        const abut_vec3 h = abut_aabb_half_extents(&straight);
        out->shape = abut_shape_obb(h.x, h.y, h.z);
        out->pose = abut_pose_identity();
        out->pose.position = abut_aabb_centre(&straight);
    }
    return status;
}

static abut_status fit_all(const points *p, fitted out[BOXES])
{
    out[0].name = "axis-aligned box";
    out[1].name = "principal box";
    out[2].name = "smallest box";
    abut_status status = fit_straight(p, &out[0].box);
    status = status == ABUT_OK ? abut_fit_obb_pca(p->xyz, p->count, 0, &out[1].box) : status;
    status = status == ABUT_OK ? abut_fit_obb(p->xyz, p->count, 0, &out[2].box) : status;
    for (int i = 0; i < BOXES && status == ABUT_OK; ++i)
    {
        const abut_vec3 h = out[i].box.shape.box.half_extents;
        out[i].volume = 8.0 * (double)h.x * (double)h.y * (double)h.z;
    }
    return status;
}

static bool draw(const points *p, const fitted boxes[BOXES], const char *path)
{
    canvas *picture = canvas_create(1260, 460, canvas_hex(0xf6f4ee, 1.0f));
    for (int i = 0; picture && i < BOXES; ++i)
    {
        views_draw(picture, p, &boxes[i], i, BOXES);
    }
    const bool written = picture && canvas_write_png(picture, path);
    canvas_destroy(picture);
    return written;
}

static int show(const points *p, const char *path)
{
    fitted boxes[BOXES] = { 0 };
    const abut_status status = fit_all(p, boxes);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "%u points: %s\n", (unsigned)p->count, abut_status_text(status));
        return 1;
    }
    for (int i = 0; i < BOXES; ++i)
    {
        print_box(&boxes[i]);
    }
    if (path && !draw(p, boxes, path))
    {
        fprintf(stderr, "cannot write %s\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const bool from_file = argc > 1 && strcmp(argv[1], "-") != 0;
    FILE *file = from_file ? fopen(argv[1], "r") : stdin;
    points p = { 0 };
    if (!file)
    {
        fprintf(stderr, "cannot open %s\n", argv[1]);
        return 1;
    }
    const bool read = points_read(&p, file);
    if (file != stdin)
    {
        (void)fclose(file);
    }
    if (!read)
    {
        fprintf(stderr, "out of memory\n");
    }
    const int result = read ? show(&p, argc > 2 ? argv[2] : NULL) : 1;
    points_free(&p);
    return result;
}
