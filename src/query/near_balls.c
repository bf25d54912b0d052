// The balls in which nearest colliders are looked for: the first is as large as what holds a proxy or some on average,
// each next is wider, and the last holds all that is wanted.
#include "query/near_query.h"

#include <math.h>

#define FIRST_ONE  0.104f // of the width of a node over 64 proxies: the first radius for one
#define FIRST_SOME 0.255f // for several
#define WIDER      1.6f   // once there are some
#define TWICE      2.0f   // while there is none
#define LAST       1.6f   // so many times as wide as the next, and no wider, the last ball comes at once
#define FARTHER    1.001f
#define ROUNDED    0x1p-18f          // of coordinates
#define NEARER     (1.0f - 0x1p-20f) // rounds a distance down, below all that shapes are measured at

// The cube root of an eighth of a count, or a little more.
static float cube_root(uint32_t count)
{
    float root = 1.0f;
    while (8.0f * root * root * root < (float)count)
    {
        root *= 1.25f;
    }
    return root;
}

#ifdef AB_SMALL
#define least_distance(q) ((void)(q), 0.0f)
#else
static double square_apart(const ab_aabb *a, const ab_index_box *b)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double below = (double)a->min[k] - (double)b->max[k], above = (double)b->min[k] - (double)a->max[k];
        const double apart = below > above ? below : above;
        sum += apart > 0.0 ? apart * apart : 0.0;
    }
    return sum;
}

static bool is_apart(const ab_aabb *a, const ab_index_box *b)
{
    bool apart = false;
    for (int k = 0; k < 3; ++k)
    {
        apart |= (a->min[k] > b->max[k]) | (b->min[k] > a->max[k]);
    }
    return apart;
}

// Whether something that is wanted may be at the question's place, as it is mostly.
static bool is_among(const ab_near_query *q)
{
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_tree *tree = &q->asked->index->tree[set];
        if (tree->levels > 0 && (!tree->around || !is_apart(tree->around, q->box)))
        {
            return true;
        }
    }
    return false;
}

// No collider that is wanted is nearer than this.
static float least_distance(const ab_near_query *q)
{
    double least = HUGE_VAL;
    if (is_among(q))
    {
        return 0.0f;
    }
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_tree *tree = &q->asked->index->tree[set];
        const double square = tree->levels == 0 ? HUGE_VAL : tree->around ? square_apart(tree->around, q->box) : 0.0;
        least = square < least ? square : least;
    }
    return (float)sqrt(least) * NEARER;
}
#endif

// Whether no more proxies are there than are asked for: then all that are within the distance count.
static bool asks_for_all(const ab_near_query *q)
{
    uint64_t blocks = 0;
    if (AB_NEAR_SHORT_CUTS && q->most < AB_BLOCK) // there is none, or a block
    {
        return false;
    }
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_tree *tree = &q->asked->index->tree[set];
        blocks += tree->levels > 0 ? tree->count[0] : 0;
    }
    return blocks * AB_BLOCK <= q->most;
}

// As wide as holds some proxies where they are.
bool ab_near_first_ball(ab_near_query *q, float farthest, float *ball)
{
    const float width = q->asked->index->node_width, least = q->least = least_distance(q);
    const float first = least + width * (q->most > 1 ? FIRST_SOME * cube_root(q->most) : FIRST_ONE);
    *ball = first > 0.0f && first < farthest && !asks_for_all(q) ? first : farthest;
    return least <= farthest;
}

// No collider of a tree that is wanted is farther than this: the farthest corners of both boxes, and more than boxes
// and distances are rounded by.
static float most_in(const ab_tree *tree, const ab_index_box *box)
{
    float square = 0.0f, places = 0.0f;
    if (!tree->around)
    {
        return tree->levels == 0 ? 0.0f : INFINITY;
    }
    for (int k = 0; k < 3; ++k)
    {
        const float above = tree->around->max[k] - box->min[k], below = box->max[k] - tree->around->min[k];
        const float apart = above > below ? above : below;
        square += apart > 0.0f ? apart * apart : 0.0f;
        places += fabsf(box->min[k]);
    }
    return sqrtf(square) * FARTHER + places * ROUNDED;
}

bool ab_near_next_ball(const ab_near_query *q, float *ball, float *farthest)
{
    if (q->list->count >= q->most)
    {
        return false;
    }
    float most = 0.0f;
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const float own = most_in(&q->asked->index->tree[set], q->box);
        most = own > most ? own : most;
    }
    most = most < *farthest ? most : *farthest;
    const float least = AB_NEAR_SHORT_CUTS ? q->least : 0.0f;
    const float wide = q->list->count > 0 ? *ball * WIDER : least + (*ball - least) * TWICE;
    const float wider = AB_NEAR_SHORT_CUTS && wide * LAST >= most ? most : wide;
    const float next = AB_NEAR_SHORT_CUTS && q->most == 1 && q->beyond < wider ? q->beyond : wider;
    const bool more = *ball < most;
    *farthest = most;
    *ball = next < most ? next : most;
    return more;
}
