// Worlds whose separations are those at the anchors: beside a world that follows them they have the same contacts in
// the same slots, and the gaps that abut_contact_gaps gives are its separations; and beside themselves on every
// instruction set, broad phase and number of threads, restored, and after calls that failed.
#include "every_isa.h"
#include "observed.h"
#include "recordings.h"
#include "scarce_memory.h"
#include "small_world.h"
#include "trembling_crowd.h"

#include <abut/state.h>

#include <math.h>
#include <string.h>

enum
{
    SEEDS = 40
};

static abut_world_def at_anchors(void)
{
    return (abut_world_def){ .recycle_distance = TOLERANCE, .separations = ABUT_AT_ANCHORS };
}

static void put(abut_world *world, abut_body body, float x, float y)
{
    const abut_pose pose = { .position = { x, y, 0 }, .rotation = abut_quat_identity() };
    assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
}

static void only_worlds_with_anchors_have_separations_at_them(void **state)
{
    (void)state;
    const abut_world_def wrong[] = {
        { .separations = ABUT_AT_ANCHORS },
        { .recycle_distance = TOLERANCE, .separations = ABUT_SEPARATIONS_COUNT },
        { .recycle_distance = TOLERANCE, .separations = (abut_separations)-1 },
        { .separations = ABUT_SEPARATIONS_COUNT },
    };
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        abut_world *world;
        assert_int_equal(abut_world_create(&wrong[i], &world), ABUT_INVALID_ARGUMENT);
        assert_null(world);
    }
    assert_null(abut_world_shifts(NULL).data);
    abut_world *other = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE });
    (void)ball(other, 0);
    detect(other);
    assert_null(abut_world_shifts(other).data);
    abut_world_destroy(other);
    const abut_world_def def = at_anchors();
    abut_world *world = open_world(&def);
    assert_null(abut_world_shifts(world).data); // nothing is anchored
    (void)ball(world, 0);
    detect(world);
    const abut_shifts shifts = abut_world_shifts(world);
    assert_int_equal(shifts.count, 1);
    assert_true(shifts.data[0].way.x == 0.0f && shifts.anchors[0].position.x == 0.0f);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    assert_null(abut_world_shifts(world).data);
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    abut_world_destroy(world);
}

// A crate sinks into the floor: its contact stays as it is, flag and all, until the crate is anchored anew.
static void what_stands_stays_as_it_is(void **state)
{
    (void)state;
    const abut_world_def def = at_anchors();
    abut_world *world = open_world(&def);
    (void)add(world, abut_shape_obb(10, 1, 10), 0, -1, 0, ABUT_STATIC);
    const abut_body crate = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0.499f, 0, ABUT_DYNAMIC);
    for (uint32_t i = 0; i < 4; ++i)
    {
        (void)ball(world, 20.0f + 2.0f * (float)i); // are calm, so that detects are anchored
    }
    expect(world, 1, 1, 0);
    const abut_contact first = *contact_at(world, ABUT_AWAKE, 0);
    assert_int_equal(first.flags, ABUT_CONTACT_NEW);
    abut_bodies all = abut_world_bodies(world);
    for (uint32_t frame = 1; frame <= 4; ++frame)
    {
        all.poses[crate.slot].position.y = 0.499f - 0.001f * (float)frame;
        expect(world, 1, 0, 0);
        assert_int_equal(recycled(world), 1);
        const abut_contact *now = contact_at(world, ABUT_AWAKE, 0);
        assert_int_equal(now->flags, ABUT_CONTACT_RECYCLED);
        assert_memory_equal(&now->normal, &first.normal, sizeof first.normal);
        assert_true(now->separation == first.separation);
        assert_memory_equal(now->points, first.points, sizeof first.points);
        const abut_shifts shifts = abut_world_shifts(world);
        float gaps[ABUT_CONTACT_POINTS];
        abut_contact_gaps(&shifts, now, gaps);
        for (uint32_t k = 0; k < now->point_count; ++k)
        {
            assert_true(fabsf(gaps[k] - (-0.001f - 0.001f * (float)frame)) < 1e-6f);
        }
        expect_sound(world);
    }
    all.poses[crate.slot].position.y = 0.49f;
    expect(world, 1, 0, 0);
    assert_int_equal(recycled(world), 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, 0);
    assert_true(fabsf(contact_at(world, ABUT_AWAKE, 0)->separation + 0.01f) < 1e-6f);
    expect(world, 1, 0, 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_RECYCLED);
    // events go by the anchors: off the floor, but within the distance, nothing ends
    put(world, crate, 0, 0.4995f);
    expect(world, 1, 0, 0);
    all.poses[crate.slot].position.y = 0.502f;
    expect(world, 1, 0, 0);
    all.poses[crate.slot].position.y = 0.506f;
    expect(world, 1, 0, 1);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_SPECULATIVE);
    expect(world, 1, 0, 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_RECYCLED);
    expect_sound(world);
    // what is edited will be anchored anew
    const abut_shape shape = abut_shape_obb(0.5f, 0.5f, 0.5f);
    all.poses[crate.slot].position.y = 0.507f;
    assert_true(abut_world_shifts(world).data[crate.slot].way.y > 0.0f);
    assert_int_equal(abut_collider_set_shape(world, first_collider(world, crate), &shape), ABUT_OK);
    assert_true(abut_world_shifts(world).data[crate.slot].way.y == 0.0f);
    abut_world_destroy(world);
}

static float largest(const abut_contact *c)
{
    float most = 1.0f;
    for (uint32_t k = 0; k < c->point_count; ++k)
    {
        most = fmaxf(most, abut_vec3_length(c->points[k].offset));
    }
    return most;
}

// The same contacts in the same slots, with the same manifolds; the gaps are the followed separations but for rounding.
static void compare(crowd *follows, crowd *stays, abut_contact_set set, uint64_t seed, uint32_t frame)
{
    const abut_contacts x = abut_world_contacts(follows->world, set), y = abut_world_contacts(stays->world, set);
    const abut_shifts none = abut_world_shifts(follows->world), shifts = abut_world_shifts(stays->world);
    DEMAND(x.count == y.count && x.slots == y.slots, "%u contacts, %u with separations at anchors", x.count, y.count);
    for (uint32_t i = 0; i < x.count; ++i)
    {
        const abut_contact *one = abut_contact_at(&x, i), *other = abut_contact_at(&y, i);
        DEMAND(x.order[i] == y.order[i] && same_id(one->id, other->id), "another slot");
        DEMAND(one->child == other->child && one->point_count == other->point_count &&
                   memcmp(&one->normal, &other->normal, sizeof one->normal) == 0,
               "another manifold");
        float followed[ABUT_CONTACT_POINTS], gaps[ABUT_CONTACT_POINTS];
        abut_contact_gaps(&none, one, followed);
        abut_contact_gaps(&shifts, other, gaps);
        const bool touches = other->separation <= stays->world->state.margin;
        DEMAND(touches == ((other->flags & ABUT_CONTACT_SPECULATIVE) == 0), "the flag is not that of the separation");
        for (uint32_t k = 0; k < one->point_count; ++k)
        {
            DEMAND(one->points[k].feature == other->points[k].feature &&
                       memcmp(&one->points[k].offset, &other->points[k].offset, sizeof one->points[k].offset) == 0,
                   "another point");
            DEMAND(followed[k] == one->points[k].separation, "what follows is not of now");
            const float apart = fabsf(gaps[k] - followed[k]);
            DEMAND(apart <= 2e-6f * largest(other), "gaps differ by %g", (double)apart);
        }
    }
}

static void crowds_have_the_gaps_of_one_that_follows(void **state)
{
    (void)state;
    uint64_t kept_in_all = 0, contacts = 0;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *follows = crowd_take(seed, (abut_world_def){ .recycle_distance = TOLERANCE });
        crowd *stays = crowd_take(seed, at_anchors());
        int64_t alive = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            frame_of(follows, seed, frame, false);
            frame_of(stays, seed, frame, false);
            compare(follows, stays, ABUT_AWAKE, seed, frame);
            compare(follows, stays, ABUT_ASLEEP, seed, frame);
            abut_audit audit;
            DEMAND(abut_world_audit(stays->world, &audit) == ABUT_OK && !audit.what, "%s", audit.what);
            DEMAND(recycled(follows->world) == recycled(stays->world), "others stand");
            abut_statistics s;
            abut_world_statistics(stays->world, &s);
            alive += (int64_t)s.begun - (int64_t)s.ended;
            DEMAND(alive == (int64_t)(s.contacts - s.speculative + s.asleep),
                   "what began is not what ended and what is alive");
            uint64_t points = 0, speculative = 0;
            const abut_contacts all = abut_world_contacts(stays->world, ABUT_AWAKE);
            for (uint32_t i = 0; i < all.count; ++i)
            {
                points += abut_contact_at(&all, i)->point_count;
                speculative += abut_contact_at(&all, i)->flags & ABUT_CONTACT_SPECULATIVE;
            }
            DEMAND(points == s.points && speculative == s.speculative, "points are miscounted");
            kept_in_all += s.recycled;
            contacts += s.contacts;
        }
        crowd_give(follows);
        crowd_give(stays);
    }
    assert_true(kept_in_all > contacts / 5);
}

// Where nothing has moved since it was anchored, contacts are those of an exact world, but for what is apart.
static void contacts_at_anchors_are_exact(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const uint32_t frame = 0;
        crowd *exact = crowd_take(seed, (abut_world_def){ 0 }), *stays = crowd_take(seed, at_anchors());
        for (uint32_t i = 0; i < 3; ++i)
        {
            detect(exact->world);
            detect(stays->world);
            const abut_contacts x = abut_world_contacts(exact->world, ABUT_AWAKE),
                                y = abut_world_contacts(stays->world, ABUT_AWAKE);
            uint32_t at = 0;
            for (uint32_t k = 0; k < y.count; ++k)
            {
                const abut_contact *other = abut_contact_at(&y, k);
                if ((other->flags & ABUT_CONTACT_SPECULATIVE) != 0)
                {
                    continue;
                }
                DEMAND(at < x.count, "too many contacts");
                const abut_contact *one = abut_contact_at(&x, at++);
                DEMAND(one->a.slot == other->a.slot && one->b.slot == other->b.slot &&
                           one->separation == other->separation && one->point_count == other->point_count &&
                           memcmp(one->points, other->points, one->point_count * sizeof *one->points) == 0,
                       "another manifold");
            }
            DEMAND(at == x.count, "a contact is missing");
        }
        crowd_give(exact);
        crowd_give(stays);
    }
}

static uint64_t digest(abut_world *world)
{
    return abut_world_hash(world) ^ 31 * abut_world_state_hash(world);
}

static void every_broad_phase_instruction_set_and_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    uint64_t hashes[FRAMES] = { 0 };
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        bool first = true;
        for (int broad = ABUT_BROAD_AUTO + 1; broad < ABUT_BROAD_COUNT; ++broad)
        {
            EVERY_ISA(isa)
            {
                const bool cut = isa % 2 == 1; // into small pieces, for two threads
                abut_world_def def = at_anchors();
                def.broad = (abut_broad_kind)broad;
                def.isa = isa;
                def.threads = cut ? 2u : 0u;
                crowd *c = crowd_take(seed, def);
                ab_world_set_granularity(c->world, cut ? (ab_granularity){ 7, 0 } : AB_GRANULARITY_DEFAULT);
                for (uint32_t frame = 0; frame < FRAMES; ++frame)
                {
                    c->mishaps = first ? 0.0 : 0.01;
                    frame_of(c, seed, frame, false);
                    const uint64_t hash = abut_world_hash(c->world);
                    DEMAND(first || hash == hashes[frame], "the hash is another (broad phase %s, %s)",
                           abut_broad_name((abut_broad_kind)broad), abut_isa_name(isa));
                    hashes[frame] = hash;
                }
                first = false;
                crowd_give(c);
            }
        }
    }
}

static void *image_of(abut_world *world, uint32_t flags, size_t *size)
{
    assert_int_equal(abut_world_save(world, flags, NULL, NULL, 0, size), ABUT_OK);
    void *image = malloc(*size);
    assert_non_null(image);
    assert_int_equal(abut_world_save(world, flags, NULL, image, *size, size), ABUT_OK);
    return image;
}

// A restored world goes on as the one that was saved, flags and gaps and all; one that follows takes no such image.
static void a_restored_world_goes_on_alike(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *c = crowd_take(seed, at_anchors());
        for (uint32_t frame = 0; frame < FRAMES / 4; ++frame)
        {
            frame_of(c, seed, frame, false);
            if (frame % 5 != 4)
            {
                continue;
            }
            size_t size;
            void *image = image_of(c->world, 0, &size);
            abut_world_def def = at_anchors();
            def.margin = c->world->state.margin;
            abut_world *other = open_world(&def);
            def.separations = ABUT_FOLLOWED;
            abut_world *follows = open_world(&def);
            DEMAND(abut_world_restore(follows, NULL, image, size) == ABUT_INVALID_ARGUMENT, "it was restored");
            DEMAND(abut_world_restore(other, NULL, image, size) == ABUT_OK, "it was not restored");
            free(image);
            for (uint32_t i = 0; i < 3; ++i)
            {
                DEMAND(digest(other) == digest(c->world), "it goes another way");
                const abut_shifts x = abut_world_shifts(c->world), y = abut_world_shifts(other);
                const abut_contacts all = abut_world_contacts(c->world, ABUT_AWAKE);
                for (uint32_t k = 0; k < all.count; ++k)
                {
                    float one[ABUT_CONTACT_POINTS] = { 0 }, two[ABUT_CONTACT_POINTS] = { 0 };
                    abut_contact_gaps(&x, abut_contact_at(&all, k), one);
                    abut_contact_gaps(&y, abut_contact_at(&all, k), two);
                    DEMAND(memcmp(one, two, sizeof one) == 0, "gaps differ");
                }
                detect(c->world);
                detect(other);
            }
            abut_world_destroy(other);
            abut_world_destroy(follows);
        }
        crowd_give(c);
    }
}

// Crates on a floor, of which some are moved, fall asleep and wake; every request for memory of a detect fails once.
static void a_refused_detect_changes_nothing(void **state)
{
    (void)state;
    enum
    {
        CRATES = 24
    };
    source memory = { .first_failed = NEVER };
    abut_world_def def = at_anchors();
    def.allocator = (abut_allocator){ lend, take_back, &memory };
    def.body_capacity = 1;
    abut_world *world = open_world(&def);
    world->memory.sparing = true;
    (void)add(world, abut_shape_obb(100, 1, 10), 0, -1, 0, ABUT_STATIC);
    abut_body crate[CRATES];
    uint32_t refused = 0;
    for (uint32_t i = 0; i < CRATES; ++i)
    {
        crate[i] = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 1.5f * (float)i, 0.499f, 0, ABUT_DYNAMIC);
        abut_bodies all = abut_world_bodies(world);
        all.poses[crate[i / 2].slot].position.y = i % 3 == 0 ? 0.49f : 0.4985f;
        if (i % 5 == 4)
        {
            const abut_body other = crate[i - 2];
            assert_int_equal(abut_body_set_awake(world, other, i % 2 == 0), ABUT_OK);
        }
        const uint64_t before = observed(world), seed = i;
        for (uint64_t granted = 0;; ++granted)
        {
            fail_after(&memory, granted);
            const abut_status status = abut_world_detect(world, 0.0f);
            if (status == ABUT_OK)
            {
                break;
            }
            assert_int_equal(status, ABUT_OUT_OF_MEMORY);
            const uint32_t frame = (uint32_t)granted;
            DEMAND(observed(world) == before, "a refused detect changed something");
            ++refused;
        }
        fail_after(&memory, NEVER);
        expect_sound(world);
    }
    assert_true(refused > CRATES / 2);
    abut_world_destroy(world);
    assert_int_equal(memory.blocks, 0);
}

// With dumps, which are compared field by field.
static void recordings_replay(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *c = crowd_take(seed, at_anchors());
        tape t = { 0 };
        for (uint32_t frame = 0; frame < 5; ++frame)
        {
            frame_of(c, seed, frame, false);
        }
        abut_recording *recording = tape_record(&t, c->world, 7);
        const uint64_t before = c->world->state.detects;
        for (uint32_t frame = 5; frame < 40; ++frame)
        {
            frame_of(c, seed, frame, false);
        }
        const uint64_t frames = c->world->state.detects - before;
        assert_true(abut_recording_destroy(recording));
        EVERY_ISA(isa)
        {
            expect_replay(&t, frames, (abut_broad_kind)((unsigned)isa % ABUT_BROAD_COUNT), isa, isa % 2 ? 1 : 3);
        }
        tape_close(&t);
        crowd_give(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_worlds_with_anchors_have_separations_at_them),
        cmocka_unit_test(what_stands_stays_as_it_is),
        cmocka_unit_test(crowds_have_the_gaps_of_one_that_follows),
        cmocka_unit_test(contacts_at_anchors_are_exact),
        cmocka_unit_test(every_broad_phase_instruction_set_and_number_of_threads_gives_the_same),
        cmocka_unit_test(a_restored_world_goes_on_alike),
        cmocka_unit_test(a_refused_detect_changes_nothing),
        cmocka_unit_test(recordings_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
