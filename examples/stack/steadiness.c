#include "steadiness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool had_feature(const steadiness *f, const abut_contact *before, uint32_t feature)
{
    for (uint32_t i = 0; i < before->point_count; ++i)
    {
        if (f->last_points[before->first_point + i].feature == feature)
        {
            return true;
        }
    }
    return false;
}

static void count_contact(steadiness *f, const abut_contacts *now, const abut_contact *contact)
{
    const abut_contact *before = contact->previous < f->contact_count ? &f->contacts[contact->previous] : NULL;
    for (uint32_t i = 0; i < contact->point_count; ++i)
    {
        const uint32_t feature = now->points[contact->first_point + i].feature;
        const bool kept = before && had_feature(f, before, feature);
        ++f->points;
        f->kept += kept;
        f->new_contacts += !before;
        f->axis_changes += before && !kept && f->last_points[before->first_point].feature >> 8 != feature >> 8;
    }
}

static bool keep_last(steadiness *f, const abut_contacts *now)
{
    if (now->count > f->room || now->point_count > f->point_room)
    {
        f->room = 2 * now->count;
        f->point_room = 2 * now->point_count;
        free(f->contacts);
        free(f->last_points);
        f->contacts = malloc(f->room * sizeof *f->contacts);
        f->last_points = malloc(f->point_room * sizeof *f->last_points);
    }
    f->contact_count = f->contacts && f->last_points ? now->count : 0;
    if (f->contact_count > 0)
    {
        memcpy(f->contacts, now->data, now->count * sizeof *f->contacts);
        memcpy(f->last_points, now->points, now->point_count * sizeof *f->last_points);
    }
    return f->contact_count == now->count;
}

bool steadiness_look(steadiness *f, abut_world *world, bool count)
{
    const abut_contacts now = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; count && i < now.count; ++i)
    {
        count_contact(f, &now, &now.data[i]);
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
    free(f->contacts);
    free(f->last_points);
}
