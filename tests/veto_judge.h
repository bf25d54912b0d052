// A veto for tests that decides by the bodies' user data, and what it is asked in the next detect.
#ifndef VETO_JUDGE_H
#define VETO_JUDGE_H

#include "small_world.h"

#include <string.h>

enum
{
    MOST = 64
};

// Vetoes pairs of which a body's user data is in `veto`, bit by bit; records the pairs that it was shown.
typedef struct judge
{
    abut_world *world;
    uint64_t veto;
    uint32_t calls, asked;
    abut_new_pair pairs[MOST];
} judge;

static inline void decide(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    judge *j = context;
    ++j->calls;
    j->asked = count;
    assert_true(count > 0 && count <= MOST);
    memcpy(j->pairs, pairs, count * sizeof *pairs);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_false(vetoed[i]);
        vetoed[i] = ((j->veto >> pairs[i].user_data_a | j->veto >> pairs[i].user_data_b) & 1u) != 0;
    }
}

static inline abut_world *open_judged(judge *j, abut_world_def def)
{
    *j = (judge){ 0 };
    def.veto = decide;
    def.veto_context = j;
    j->world = open_world(&def);
    return j->world;
}

// A ball whose user data is `mark`.
static inline abut_body marked(abut_world *world, float x, uint64_t mark)
{
    abut_body body = { 0 };
    const abut_body_def def = { .pose.position = { x, 0, 0 },
                                .user_data = mark,
                                .collider = { .shape = abut_shape_sphere(0.5f), .user_data = mark + 100 } };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static inline void put(abut_world *world, abut_body body, float x)
{
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ { x, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
}

// The next detect: contacts, begins, ends, and how many pairs are asked about; the audit agrees.
static inline void expect_asked(judge *j, uint32_t contacts, uint32_t begun, uint32_t ended, uint32_t asked)
{
    j->calls = j->asked = 0;
    expect(j->world, contacts, begun, ended);
    assert_int_equal(j->asked, asked);
    assert_int_equal(j->calls, asked > 0);
    expect_sound(j->world);
    assert_int_equal(j->calls, asked > 0); // the audit asks nobody
}

static inline uint64_t vetoed(abut_world *world)
{
    abut_statistics statistics;
    abut_world_statistics(world, &statistics);
    return statistics.vetoed;
}

#endif
