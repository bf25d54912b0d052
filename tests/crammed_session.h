// A session to save of which no list is empty, for the tests of images that are not good.
#ifndef CRAMMED_SESSION_H
#define CRAMMED_SESSION_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_images.h"

enum
{
    OPERATIONS = 300
};

static inline void open_session(session *s, uint64_t seed)
{
    const abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session_open(s, seed, &def, false);
    for (uint64_t done = 1; done <= OPERATIONS; ++done)
    {
        session_go_on(s, done);
    }
    for (uint32_t i = 0; i < s->bodies; ++i)
    {
        assert_int_equal(abut_body_set_ccd(s->world, s->body[i], true), ABUT_OK);
    }
    for (uint32_t i = 0; i < s->bodies; i += 2)
    {
        place(s, s->body[i]); // contacts and overlaps begin and end
    }
    assert_int_equal(abut_world_detect(s->world, 0.5f), ABUT_OK);
    // Edits after the last detect, so that no list is empty.
    for (uint32_t i = 0; i < 8 && i < s->bodies; ++i)
    {
        place(s, s->body[i]);
        change_collider(s, s->body[i]);
        exclude(s, s->body[i]);
    }
    for (uint32_t i = 0; i < 2 && s->bodies > 0; ++i)
    {
        destroy(s, s->bodies / 2);
    }
}

static inline void free_image(image *it)
{
    test_free(it->bytes);
    *it = (image){ 0 };
}

#endif
