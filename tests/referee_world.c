// The referee's world: which colliders may collide, and which do, by trying every pair.
#include "referee.h"

#include <stdlib.h>

referee_rules referee_default_rules(void)
{
    referee_rules rules = { .margin = 0.0 };
    for (int kind = 0; kind < ABUT_MOTION_COUNT; ++kind)
    {
        rules.meets[ABUT_DYNAMIC][kind] = true;
        rules.meets[kind][ABUT_DYNAMIC] = true;
    }
    return rules;
}

static uint32_t category_of(const referee_collider *collider)
{
    return collider->filter.category ? collider->filter.category : 1;
}

static uint32_t mask_of(const referee_collider *collider)
{
    return collider->filter.mask ? collider->filter.mask : UINT32_MAX;
}

static bool filters_agree(const referee_collider *a, const referee_collider *b)
{
    if ((a->flags | b->flags) & ABUT_COLLIDER_COLLIDES_WITH_NOTHING)
    {
        return false;
    }
    if (a->filter.group != 0 && a->filter.group == b->filter.group)
    {
        return a->filter.group > 0;
    }
    return (category_of(a) & mask_of(b)) != 0 && (category_of(b) & mask_of(a)) != 0;
}

bool referee_may_collide(const referee_rules *rules, const referee_collider *a, const referee_collider *b)
{
    return a->body != b->body && !a->disabled && !b->disabled && a->shape.kind != ABUT_SHAPE_NONE &&
           b->shape.kind != ABUT_SHAPE_NONE && rules->meets[a->motion][b->motion] && filters_agree(a, b);
}

static void append(referee_pairs *out, referee_pair pair)
{
    if (out->count == out->capacity)
    {
        out->capacity = out->capacity ? 2 * out->capacity : 64;
        out->data = realloc(out->data, out->capacity * sizeof *out->data);
        if (!out->data)
        {
            abort();
        }
    }
    out->data[out->count++] = pair;
}

void referee_touching(const referee_rules *rules, const referee_collider *colliders, uint32_t count, referee_pairs *out)
{
    out->count = 0;
    referee_solid *solids = malloc((count + 1) * sizeof *solids);
    if (!solids)
    {
        abort();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        solids[i] = referee_solid_of(&colliders[i].shape, &colliders[i].pose, &colliders[i].local);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = i + 1; j < count; ++j)
        {
            referee_verdict verdict = referee_decide(&solids[i], &solids[j], rules->margin);
            if (verdict != REFEREE_APART && referee_may_collide(rules, &colliders[i], &colliders[j]))
            {
                append(out, (referee_pair){ i, j, verdict == REFEREE_UNDECIDED });
            }
        }
    }
    free(solids);
}
