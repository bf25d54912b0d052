// Reads points, one "x,y,z" a line, from a file or standard input; prints the boxes around them: along the world's axes, along
// the points' principal axes, and of nearly the least volume.
#include <abut/abut.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct cloud
{
    float *xyz;
    uint32_t count, room;
} cloud;

static bool add(cloud *c, const float point[3])
{
    if (c->count == c->room)
    {
        const uint32_t room = c->room ? 2 * c->room : 64;
        float *larger = realloc(c->xyz, room * 3 * sizeof *larger);
        if (!larger)
        {
            return false;
        }
        c->xyz = larger;
        c->room = room;
    }
    for (int k = 0; k < 3; ++k)
    {
        c->xyz[3 * c->count + (uint32_t)k] = point[k];
    }
    ++c->count;
    return true;
}

// False when memory runs out. Lines that are no point, such as a heading, are passed over.
static bool read(FILE *file, cloud *c)
{
    char line[256];
    while (fgets(line, sizeof line, file))
    {
        float point[3];
        char *at = line;
        int found = 0;
        for (; found < 3; ++found)
        {
            char *end;
            point[found] = strtof(at, &end);
            if (end == at)
            {
                break;
            }
            at = *end == ',' ? end + 1 : end;
        }
        if (found == 3 && !add(c, point))
        {
            return false;
        }
    }
    return true;
}

static void print_box(const char *name, const abut_placed_shape *box)
{
    const abut_vec3 h = box->shape.box.half_extents, p = box->pose.position;
    const abut_mat3 axes = abut_mat3_from_quat(box->pose.rotation);
    printf("%s: volume %.6g\n", name, 8.0 * h.x * h.y * h.z);
    printf("  centre       (%.6g, %.6g, %.6g)\n", p.x, p.y, p.z);
    printf("  half extents (%.6g, %.6g, %.6g)\n", h.x, h.y, h.z);
    printf("  x axis       (%.6g, %.6g, %.6g)\n", axes.x.x, axes.x.y, axes.x.z);
    printf("  y axis       (%.6g, %.6g, %.6g)\n", axes.y.x, axes.y.y, axes.y.z);
    printf("  z axis       (%.6g, %.6g, %.6g)\n", axes.z.x, axes.z.y, axes.z.z);
}

static abut_status print_boxes(const cloud *c)
{
    abut_aabb straight;
    abut_placed_shape box;
    abut_status status = abut_fit_aabb(c->xyz, 0, c->count, &straight);
    if (status == ABUT_OK)
    {
        const abut_vec3 h = abut_aabb_half_extents(&straight);
        box = (abut_placed_shape){ abut_shape_obb(h.x, h.y, h.z), abut_pose_identity() };
        box.pose.position = abut_aabb_centre(&straight);
        print_box("axis-aligned box", &box);
        status = abut_fit_obb_pca(c->xyz, 0, c->count, &box);
    }
    if (status == ABUT_OK)
    {
        print_box("principal box", &box);
        status = abut_fit_obb(c->xyz, 0, c->count, &box);
    }
    if (status == ABUT_OK)
    {
        print_box("smallest box", &box);
    }
    return status;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!file)
    {
        fprintf(stderr, "cannot open %s\n", argv[1]);
        return 1;
    }
    cloud c = { NULL, 0, 0 };
    const abut_status status = read(file, &c) ? print_boxes(&c) : ABUT_OUT_OF_MEMORY;
    if (status != ABUT_OK)
    {
        fprintf(stderr, "%u points: %s\n", c.count, abut_status_text(status));
    }
    free(c.xyz);
    if (file != stdin)
    {
        fclose(file);
    }
    return status == ABUT_OK ? 0 : 1;
}
