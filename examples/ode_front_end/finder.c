#include "finder.h"

#include <stdlib.h>

touch_point *finder_append(finder *f)
{
    pair_types *m = &f->found;
    if (m->count == m->room)
    {
        const size_t room = m->room ? 2 * m->room : 1024;
        touch_point *larger = realloc(m->data, room * sizeof *larger);
        if (!larger)
        {
            m->failed = true;
            return NULL;
        }
        m->data = larger;
        m->room = room;
    }
    return &m->data[m->count++];
}
