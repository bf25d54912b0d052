#include "steadiness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool had_feature(const abut_contact *before, uint32_t feature)
{
    for (uint32_t i = 0; i < before->point_count; ++i)
    {
        if (before->points[i].feature == feature)
        {
            return true;
        }
    }
    return false;
}

// A contact that is not new has the slot it had in the detect before.
static void count_contact(steadiness *f, const abut_contact *contact)
{
    const abut_contact *before = contact->flags & ABUT_CONTACT_NEW ? NULL : &f->last[contact->id.slot];
    for (uint32_t i = 0; i < contact->point_count; ++i)
    {
        const uint32_t feature = contact->points[i].feature;
        const bool kept = before && had_feature(before, feature);
        ++f->points;
        f->kept += kept;
        f->new_contacts += !before;
        f->axis_changes += before && !kept && before->points[0].feature >> 8 != feature >> 8;
    }
}

static bool keep_last(steadiness *f, const abut_contacts *now)
{
    if (now->slots > f->room)
    {
        abut_contact *larger = realloc(f->last, 2 * now->slots * sizeof *larger);
        if (!larger)
        {
            return false;
        }
        f->last = larger;
        f->room = 2 * now->slots;
    }
    for (uint32_t i = 0; i < now->count; ++i)
    {
        f->last[now->order[i]] = *abut_contact_at(now, i);
    }
    return true;
}

bool steadiness_look(steadiness *f, abut_world *world, bool count)
{
    const abut_contacts now = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; count && i < now.count; ++i)
    {
        count_contact(f, abut_contact_at(&now, i));
    }
    return keep_last(f, &now);
}

void steadiness_print(const steadiness *f, const char *name)
{
    const double share = f->points ? 100.0 * (double)f->kept / (double)f->points : 100.0;
    printf("%s: %.3f%% of %" PRIu64 " points had their feature before; of the others %" PRIu64
           " are of new contacts, %" PRIu64 " of contacts whose axis changed\n",
           name, share, f->points, f->new_contacts, f->axis_changes);
}

void steadiness_close(steadiness *f)
{
    free(f->last);
}
