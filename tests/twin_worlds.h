// Two worlds that shall give the same answers, to the bit.
#ifndef TWIN_WORLDS_H
#define TWIN_WORLDS_H

#include "small_world.h"

#include <abut/query.h>

static inline void expect_same_contacts(abut_world *const world[2])
{
    const abut_contacts a = abut_world_contacts(world[0], ABUT_AWAKE), b = abut_world_contacts(world[1], ABUT_AWAKE);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; ++i)
    {
        const abut_contact *p = abut_contact_at(&a, i), *q = abut_contact_at(&b, i);
        assert_int_equal(p->a.slot, q->a.slot);
        assert_int_equal(p->b.slot, q->b.slot);
        assert_int_equal(p->child, q->child);
        assert_int_equal(p->point_count, q->point_count);
        assert_memory_equal(&p->normal, &q->normal, sizeof p->normal);
        assert_memory_equal(&p->separation, &q->separation, sizeof p->separation);
        assert_memory_equal(p->points, q->points, p->point_count * sizeof *p->points);
        assert_true(same_id(p->id, q->id));
    }
}

static inline void expect_same_hit(const abut_hit hit[2])
{
    assert_int_equal(hit[0].body.slot, hit[1].body.slot);
    assert_memory_equal(&hit[0].fraction, &hit[1].fraction, sizeof hit[0].fraction);
    assert_memory_equal(&hit[0].normal, &hit[1].normal, sizeof hit[0].normal);
    assert_int_equal(hit[0].child, hit[1].child);
    assert_int_equal(hit[0].flags, hit[1].flags);
}

#endif
