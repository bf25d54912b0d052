// Contacts in worlds of many kinds and at any scale, judged in double precision by trying everything: bodies that
// overlap, or are within the margin, touch and no others, as deep or as far as they are, and other broad phases,
// instruction sets and threads find the same to the bit. ABUT_SHARE=4000 judges some 500,000 contacts.
#include "judged_answers.h"

#define PREFERENCE 1e-3 // of the sizes: how much deeper a contact may be than the least, by a face

// The pairs of bodies that touch, and how deep.
typedef struct pairs
{
    bool touches[JUDGED_BODIES][JUDGED_BODIES];
    float separation[JUDGED_BODIES][JUDGED_BODIES]; // the least of their contacts
} pairs;

static pairs found;
static uint64_t measured; // separations

static bool is_surface(const judged_body *b)
{
    return b->shape.kind == ABUT_MESH || b->shape.kind == ABUT_CHAIN || is_half_space(b);
}

// The least distance of two bodies, of which the second alone may be a surface.
static double bodies_apart(const judged_body *a, const judged_body *b, double beyond)
{
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < a->pieces; ++k)
    {
        least = fmin(least, apart(&a->piece[k], b, beyond));
    }
    return least;
}

static void take_contacts(abut_world *world)
{
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    memset(&found, 0, sizeof found);
    for (uint32_t k = 0; k < contacts.count; ++k)
    {
        const abut_contact *c = abut_contact_at(&contacts, k);
        const uint32_t i = c->a.slot, j = c->b.slot;
        JUDGE(i < JUDGED_BODIES && j < JUDGED_BODIES && i != j);
        const bool first = !found.touches[i][j];
        const float least = first || c->separation < found.separation[i][j] ? c->separation : found.separation[i][j];
        found.touches[i][j] = found.touches[j][i] = true;
        found.separation[i][j] = found.separation[j][i] = least;
    }
    found_by += contacts.count;
}

// Whether the separation of two that are apart need not be their distance: SAT of boxes and in the plane.
static bool is_by_axes(const judged_body *b)
{
    return w.is_2d || b->shape.kind == ABUT_OBB || b->shape.kind == ABUT_AABB || b->shape.kind == ABUT_COMPOUND;
}

// How deep they are is not judged of surfaces, nor in the plane, where solids are as thick as they are wide and may
// come out through that.
static void judge_separation(uint32_t i, uint32_t j, double gap, double band)
{
    const judged_body *a = &w.body[i], *b = &w.body[j];
    const double off = (double)found.separation[i][j] - gap;
    if (is_surface(a) || is_surface(b) || (gap < 0.0 && w.is_2d))
    {
        return;
    }
    JUDGE(off <= band);
    if (!(is_by_axes(a) && is_by_axes(b))) // boxes also pass over edges that nearly lie in a face
    {
        JUDGE(off >= -band - (gap < 0.0 ? PREFERENCE * (size_of(a) + size_of(b)) : 0.0));
    }
    ++measured;
}

static void judge_pair(uint32_t i, uint32_t j)
{
    const judged_body *a = &w.body[i], *b = &w.body[j];
    const bool touches = found.touches[i][j], surface = is_surface(a) || is_surface(b),
               by_axes = is_by_axes(a) && is_by_axes(b);
    if ((is_surface(a) && is_surface(b)) || !abut_world_collides(w.copy[0], judged_motion(&w, i), judged_motion(&w, j)))
    {
        JUDGE(!touches);
        return;
    }
    const double margin = (double)w.margin, band = BAND * (size_of(a) + size_of(b)),
                 gap =
                     is_surface(a) ? bodies_apart(b, a, 2.0 * margin + band) : bodies_apart(a, b, 2.0 * margin + band);
    // what is beside a border of a surface, not over it, touches it when it overlaps it
    JUDGE(touches ? by_axes || gap <= margin + band : gap >= (surface ? 0.0 : margin) - band);
    decided += fabs(gap - margin) > band;
    if (touches)
    {
        judge_separation(i, j, gap, band);
    }
}

static void judge_contacts(random_source *random)
{
    (void)random;
    for (uint32_t k = 0; k < JUDGED_COPIES; ++k)
    {
        detect(w.copy[k]);
        assert_true(abut_world_hash(w.copy[k]) == abut_world_hash(w.copy[0]));
    }
    take_contacts(w.copy[0]);
    for (uint32_t i = 0; i < JUDGED_BODIES; ++i)
    {
        judged_question = i;
        for (uint32_t j = 0; j < i; ++j)
        {
            judge_pair(i, j);
        }
    }
    asked += JUDGED_BODIES;
}

static void contacts_are_right(void **state)
{
    (void)state;
    judged_run(judge_contacts, 50, 0.5);
    assert_true(!random_seeds_all() || measured > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
