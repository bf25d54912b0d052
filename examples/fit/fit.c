// Reads points and prints the boxes around them: along the axes, along the points' principal axes, and the smallest.
// Points in two dimensions have rectangles.
#include "arguments.h"
#include "views.h"

#include <abut/abut.h>

#include <string.h>

static const char help[] =
    "fit [POINTS [PICTURE.png]]\n"
    "Fits boxes around points: along the axes, along the points' principal axes, and the smallest.\n"
    "\n"
    "  POINTS       a text file, -: standard input (the default). A line a point: \"x y z\" or \"x, y, z\", in two\n"
    "               dimensions \"x y\" or \"x, y\", or the vertices (\"v x y z\") of a Wavefront OBJ file. Further "
    "columns\n"
    "               are ignored, and so are lines that do not begin with a number.\n"
    "  PICTURE.png  draws the points and the boxes\n"
    "  --help       prints this\n";

enum
{
    BOXES = 3
};

static void print_rectangle(const fitted *f)
{
    const abut_vec3 h = f->box.shape.box.half_extents, p = f->box.pose.position;
    printf("%s: area %.6g\n", f->name, f->size);
    printf("  centre       (%.6g, %.6g)\n", (double)p.x, (double)p.y);
    printf("  half extents (%.6g, %.6g)\n", (double)h.x, (double)h.y);
    printf("  turned by    %.6g degrees\n", (double)abut_pose_angle(&f->box.pose) * 57.29577951308232);
}

static void print_box(const fitted *f)
{
    const abut_vec3 h = f->box.shape.box.half_extents, p = f->box.pose.position;
    const abut_mat3 axes = abut_mat3_from_quat(f->box.pose.rotation);
    printf("%s: volume %.6g\n", f->name, f->size);
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

static abut_status fit_boxes(const points *p, fitted out[BOXES])
{
    out[0].name = "axis-aligned box";
    out[1].name = "principal box";
    out[2].name = "smallest box";
    abut_status status = fit_straight(p, &out[0].box);
    status = status == ABUT_OK ? abut_fit_obb_pca(p->xyz, p->count, 0, &out[1].box) : status;
    return status == ABUT_OK ? abut_fit_obb(p->xyz, p->count, 0, &out[2].box) : status;
}

static abut_status fit_rectangles(const points *p, fitted out[BOXES])
{
    const size_t stride = 3 * sizeof *p->xyz; // past z
    out[0].name = "axis-aligned rectangle";
    out[1].name = "principal rectangle";
    out[2].name = "smallest rectangle";
    abut_status status = fit_straight(p, &out[0].box);
    status = status == ABUT_OK ? abut_fit_rectangle_pca(p->xyz, p->count, stride, &out[1].box) : status;
    return status == ABUT_OK ? abut_fit_rectangle(p->xyz, p->count, stride, NULL, &out[2].box) : status;
}

static abut_status fit_all(const points *p, fitted out[BOXES])
{
    const abut_status status = p->dimension == 2 ? fit_rectangles(p, out) : fit_boxes(p, out);
    for (int i = 0; i < BOXES && status == ABUT_OK; ++i)
    {
        const abut_vec3 h = out[i].box.shape.box.half_extents;
        out[i].size = 4.0 * (double)h.x * (double)h.y * (p->dimension == 2 ? 1.0 : 2.0 * (double)h.z);
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

static int show(const points *p, const char *from, const char *path)
{
    fitted boxes[BOXES] = { 0 };
    const abut_status status = fit_all(p, boxes);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "fit: %s: %s\n", from,
                status == ABUT_INVALID_ARGUMENT ? "a box around the points would reach past the largest coordinate, 1e8"
                                                : abut_status_text(status));
        return 1;
    }
    for (int i = 0; i < BOXES; ++i)
    {
        (p->dimension == 2 ? print_rectangle : print_box)(&boxes[i]);
    }
    if (path && !draw(p, boxes, path))
    {
        fprintf(stderr, "fit: the picture cannot be written to %s\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const int answer = arguments_answer("fit", help, 2, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    const bool from_file = argc > 1 && strcmp(argv[1], "-") != 0;
    const char *from = from_file ? argv[1] : "standard input";
    FILE *file = from_file ? fopen(from, "r") : stdin;
    if (!file)
    {
        fprintf(stderr, "fit: %s cannot be opened\n", from);
        return 1;
    }
    points p = { 0 };
    points_fault fault;
    const bool read = points_read(&p, file, &fault);
    if (file != stdin)
    {
        (void)fclose(file);
    }
    if (!read)
    {
        fprintf(stderr, "fit: %s: %s\n", from, fault.sentence);
    }
    const int result = read ? show(&p, from, argc > 2 ? argv[2] : NULL) : 1;
    points_free(&p);
    return result;
}
