#include "points.h"

#include <ctype.h>
#include <stdlib.h>

static bool add(points *p, const float point[3])
{
    if (p->count == p->room)
    {
        const uint32_t room = p->room ? 2 * p->room : 64;
        float *larger = realloc(p->xyz, (size_t)room * 3 * sizeof *larger);
        if (!larger)
        {
            return false;
        }
        p->xyz = larger;
        p->room = room;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        p->xyz[3 * p->count + k] = point[k];
    }
    ++p->count;
    return true;
}

// How many of three numbers, parted by blanks or commas, the text begins with.
static int numbers_in(const char *at, float point[3])
{
    int found = 0;
    for (; found < 3; ++found)
    {
        char *end;
        point[found] = strtof(at, &end);
        if (end == at)
        {
            break;
        }
        while (isspace((unsigned char)*end) || *end == ',')
        {
            ++end;
        }
        at = end;
    }
    return found;
}

bool points_read(points *p, FILE *file)
{
    char line[512];
    while (fgets(line, sizeof line, file))
    {
        float point[3];
        const char *at = line;
        while (isspace((unsigned char)*at))
        {
            ++at;
        }
        at += at[0] == 'v' && isspace((unsigned char)at[1]);
        if (numbers_in(at, point) == 3 && !add(p, point))
        {
            return false;
        }
    }
    return true;
}

void points_free(points *p)
{
    free(p->xyz);
    *p = (points){ 0 };
}
