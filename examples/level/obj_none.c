// Without a reader of OBJ files.
#include "triangles.h"

bool triangles_read_obj(triangles *t, const char *path)
{
    (void)t;
    fprintf(stderr, "level: %s: this program was built without tinyobjloader (libtinyobjloader-dev, pkg-config)\n",
            path);
    return false;
}
