// Near the border between two axes the contact of two boxes keeps the axis it had: judged in double precision, on pairs that were
// brought to such a border and tremble there.
#include "borders.h"
#include "small_world.h"

#include "base/array.h"
#include "world/world.h"

#include <abut/state.h>

#include <stdio.h>
#include <string.h>

enum
{
    PAIRS = 300,
    FRAMES = 1000,
    NO_AXIS = 99
};

typedef struct couple
{
    abut_world *world;
    abut_body a, b;
    bool swapped; // b was created first
} couple;

// Boxes that are alone in a world.
static couple alone(const border *p, bool swapped)
{
    couple c = { .world = open_world(&(abut_world_def){ .broad = ABUT_BROAD_BRUTE }), .swapped = swapped };
    const abut_body_def def_a = { .pose = p->pose_a, .collider.shape = p->a };
    const abut_body_def def_b = { .pose = p->pose_b, .collider.shape = p->b };
    assert_int_equal(abut_body_create(c.world, swapped ? &def_b : &def_a, swapped ? &c.b : &c.a), ABUT_OK);
    assert_int_equal(abut_body_create(c.world, swapped ? &def_a : &def_b, swapped ? &c.a : &c.b), ABUT_OK);
    return c;
}

static uint32_t turned(uint32_t code)
{
    return code < 3 ? code + 3 : code < 6 ? code - 3 : 6 + 3 * ((code - 6) % 3) + (code - 6) / 3;
}

static const abut_contact *contact_of(const couple *c, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(c->world, set);
    assert_int_equal(all.count, 1);
    return all.data;
}

// Of the contact as it is with `a` first.
static uint32_t axis_in(const couple *c, abut_contact_set set)
{
    const uint32_t code = abut_world_contacts(c->world, set).points[contact_of(c, set)->first_point].feature >> 8;
    return c->swapped ? turned(code) : code;
}

static uint32_t axis_at(couple *c, abut_pose pose)
{
    assert_int_equal(abut_body_set_pose(c->world, c->b, &pose), ABUT_OK);
    detect(c->world);
    return axis_in(c, ABUT_AWAKE);
}

static void sound(abut_world *world, uint64_t seed)
{
    abut_audit audit;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    if (audit.what)
    {
        fail_msg("seed %llu: %s", (unsigned long long)seed, audit.what);
    }
}

static abut_pose trembling(const border *p, random_source *random, double most)
{
    return border_moved(p->pose_b, random_direction(random), random_between(random, 0.0, most));
}

// How often the axis changes, with the memory and without.
typedef struct changes
{
    uint32_t kept, alone;
} changes;

static changes tremble(const border *p, uint64_t seed, random_source *random)
{
    couple c = alone(p, seed % 2);
    uint32_t last = NO_AXIS, last_alone = NO_AXIS;
    changes n = { 0 };
    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        const abut_pose pose = trembling(p, random, 0.1 * p->tolerance);
        const uint32_t code = axis_at(&c, pose), code_alone = (uint32_t)border_axis_alone(p, pose);
        n.kept += last != NO_AXIS && code != last;
        n.alone += last_alone != NO_AXIS && code_alone != last_alone;
        last = code;
        last_alone = code_alone;
    }
    if (n.kept > 1) // once, to the side that holds it
    {
        fail_msg("seed %llu: axes %u and %u, %u changes", (unsigned long long)seed, p->code[0], p->code[1], n.kept);
    }
    sound(c.world, seed);
    abut_world_destroy(c.world);
    return n;
}

static void noise_about_a_border_does_not_change_the_axis(void **state)
{
    (void)state;
    uint32_t changes_alone = 0, pairs = 0;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const border p = border_random(&random);
        changes_alone += tremble(&p, seed, &random).alone;
        ++pairs;
    }
    assert_true(changes_alone > 300 * pairs);
}

// One of those between two pairs of edges, which are a few in a hundred.
static border border_of_edges(random_source *random)
{
    border p = border_random(random);
    while (!border_by_edges(&p))
    {
        p = border_random(random);
    }
    return p;
}

static void noise_between_two_pairs_of_edges_does_not_change_the_axis(void **state)
{
    (void)state;
    uint32_t changes_alone = 0, pairs = 0;
    const random_seeds seeds = random_seeds_of(50);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(9000 + seed);
        const border p = border_of_edges(&random);
        changes_alone += tremble(&p, seed, &random).alone;
        ++pairs;
    }
    assert_true(changes_alone > 300 * pairs);
}

// What the referee says of the axes of a pair.
typedef struct judgement
{
    referee_meeting meeting;
    double separation[15]; // by code; -1e9: no axis
    double a, b, edge;     // the best of each class
} judgement;

static judgement judge(const border *p, const abut_pose *at)
{
    const referee_solid a = referee_solid_of(&p->a, &p->pose_a, NULL), b = referee_solid_of(&p->b, at, NULL);
    judgement j = { .meeting = referee_meet(&a, &b), .a = -1e9, .b = -1e9, .edge = -1e9 };
    for (int code = 0; code < 15; ++code)
    {
        j.separation[code] = -1e9;
    }
    for (int k = 0; k < j.meeting.count; ++k)
    {
        const referee_axis *axis = &j.meeting.axis[k];
        double *best = axis->code < 3 ? &j.a : axis->code < 6 ? &j.b : &j.edge;
        *best = fmax(*best, axis->separation);
        j.separation[axis->code] = axis->separation;
    }
    return j;
}

// By how much the axis may stay: above zero it does, below it does not. A kernel's own a is the AABB of an AABB and an OBB,
// whichever comes first.
static double hold(const border *p, const judgement *j, uint32_t code, bool swapped)
{
    const bool kernel_turns = p->a.kind != p->b.kind ? p->a.kind == ABUT_OBB : swapped;
    const double t = p->tolerance, s = j->separation[code];
    const double a = kernel_turns ? j->b : j->a, b = kernel_turns ? j->a : j->b, face = fmax(a, b);
    const uint32_t own = kernel_turns ? turned(code) : code;
    if (own >= 6)
    {
        return fmin(s + 0.5 * t - j->edge, s - 0.5 * t - face);
    }
    const double by_face = face + t - j->edge;
    return fmin(by_face, own < 3 ? fmin(s + 0.5 * t - a, s + t - b) : fmin(s + 0.5 * t - b, s - 0.5 * t - a));
}

typedef struct tally
{
    uint32_t kept[3][3]; // class of the axis kept, class of the one that would have been
    uint32_t left;
} tally;

static uint32_t class_of(uint32_t code)
{
    return code < 3 ? 0 : code < 6 ? 1 : 2;
}

static void judge_frame(const border *p, const couple *c, const abut_pose *pose, uint32_t last, uint64_t seed, tally *t)
{
    const judgement j = judge(p, pose);
    border own = *p; // as the world has it
    if (c->swapped)
    {
        own.a = p->b;
        own.b = p->a;
        own.pose_a = *pose;
    }
    const uint32_t code = axis_in(c, ABUT_AWAKE);
    const int said = border_axis_alone(&own, c->swapped ? p->pose_a : *pose);
    const uint32_t otherwise = c->swapped ? turned((uint32_t)said) : (uint32_t)said;
    const double by = hold(p, &j, last, c->swapped), separation = (double)contact_of(c, ABUT_AWAKE)->separation;
    if (by > 1e-5 * p->tolerance + 1e-6 && code != last)
    {
        fail_msg("seed %llu: axis %u became %u, though it holds by %g", (unsigned long long)seed, last, code, by);
    }
    if (by < -1e-6 && code != otherwise)
    {
        fail_msg("seed %llu: axis %u became %u, not %u; it is behind by %g", (unsigned long long)seed, last, code,
                 otherwise, -by);
    }
    assert_true(fabs(separation - j.separation[code]) < 1e-5);
    assert_true(separation > j.meeting.separation - 2.0 * p->tolerance - 1e-5);
    ++t->kept[class_of(code)][class_of(otherwise)];
    t->kept[class_of(code)][class_of(otherwise)] -= code == otherwise;
    t->left += code != last;
}

static void an_axis_stays_within_the_band_and_not_beyond(void **state)
{
    (void)state;
    tally t = { 0 };
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(1000 + seed);
        const border p = border_random(&random);
        couple c = alone(&p, seed % 2);
        uint32_t last = axis_at(&c, p.pose_b);
        for (uint32_t frame = 0; frame < 200; ++frame)
        {
            const abut_pose pose = trembling(&p, &random, (frame % 3 ? 0.7 : 3.0) * p.tolerance);
            const uint32_t code = axis_at(&c, pose);
            judge_frame(&p, &c, &pose, last, seed, &t);
            last = code;
            if (frame % 50 == 0)
            {
                sound(c.world, seed);
            }
        }
        abut_world_destroy(c.world);
    }
    printf("kept against the rule: a-a %u, a-b %u, b-a %u, b-b %u, edge-face %u, edge-edge %u; changes %u\n",
           t.kept[0][0], t.kept[0][1], t.kept[1][0], t.kept[1][1], t.kept[2][0] + t.kept[2][1], t.kept[2][2], t.left);
    if (random_seeds_all())
    {
        assert_true(t.kept[0][0] > 100 && t.kept[1][0] > 100 && t.kept[1][1] > 100 &&
                    t.kept[2][0] + t.kept[2][1] > 100 && t.kept[2][2] > 100);
        assert_true(t.left > 1000);
    }
}

// Moved slowly over the border and back, a pair of edges is left when it is behind by half the preference, not before and not after.
static void a_pair_of_edges_is_left_when_it_is_behind_by_half_the_preference(void **state)
{
    enum
    {
        STEPS = 200
    };
    (void)state;
    uint32_t left = 0;
    double furthest = 0.0;
    const random_seeds seeds = random_seeds_of(50);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(12000 + seed);
        const border p = border_of_edges(&random);
        const dvec3 direction = random_direction(&random);
        couple c = alone(&p, seed % 2);
        uint32_t last = axis_at(&c, p.pose_b);
        for (uint32_t step = 0; step < STEPS; ++step)
        {
            const double along = sin(0.1 * step);
            const abut_pose pose = border_moved(p.pose_b, direction, 4.0 * p.tolerance * along);
            const uint32_t code = axis_at(&c, pose);
            const judgement j = judge(&p, &pose);
            const double behind = (j.edge - j.separation[code]) / p.tolerance;
            if (code >= 6)
            {
                assert_true(behind < 0.5 + 1e-6 / p.tolerance);
                furthest = fmax(furthest, behind);
            }
            left += code >= 6 && last >= 6 && code != last;
            last = code;
        }
        sound(c.world, seed);
        abut_world_destroy(c.world);
    }
    assert_true((furthest > 0.4 && left > 50) || !random_seeds_all());
}

// An axis that is kept rests and comes back with its contact.
static void an_axis_outlasts_rest(void **state)
{
    (void)state;
    uint32_t tried = 0;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(5000 + seed);
        const border p = border_random(&random);
        couple c = alone(&p, seed % 2);
        uint32_t kept = NO_AXIS;
        for (uint32_t frame = 0; frame < 30 && kept == NO_AXIS; ++frame)
        {
            const abut_pose pose = trembling(&p, &random, p.tolerance);
            const uint32_t code = axis_at(&c, pose);
            couple fresh = alone(&p, c.swapped);
            kept = axis_at(&fresh, pose) != code ? code : NO_AXIS;
            abut_world_destroy(fresh.world);
        }
        const abut_body both[2] = { c.a, c.b };
        assert_int_equal(abut_body_set_awake_many(c.world, both, 2, false), ABUT_OK);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            detect(c.world);
        }
        assert_int_equal(resting(c.world), 1);
        if (kept != NO_AXIS)
        {
            assert_int_equal(axis_in(&c, ABUT_RESTING), kept);
            sound(c.world, seed);
            assert_int_equal(abut_body_set_awake(c.world, seed % 4 < 2 ? c.a : c.b, true), ABUT_OK);
            detect(c.world);
            assert_int_equal(axis_in(&c, ABUT_AWAKE), kept);
            sound(c.world, seed);
            ++tried;
        }
        abut_world_destroy(c.world);
    }
    assert_true(tried > 20 || !random_seeds_all());
}

enum
{
    SCATTERED = 80
};

// What is found for the two leaves, whichever comes first.
static uint32_t found_axis(abut_world *world, const ab_former_axes *former, uint32_t slot_a, uint32_t slot_b)
{
    const uint32_t leaf[2] = { world->leaves.leaf_of[slot_a], world->leaves.leaf_of[slot_b] };
    const uint32_t a[2] = { leaf[0], leaf[1] }, b[2] = { leaf[1], leaf[0] };
    uint32_t axes[2];
    former->find(former->store, world->leaves.record, a, b, 2, axes);
    assert_int_equal(axes[0], axes[1]);
    return axes[0];
}

// Says of each pair of colliders what the contacts say.
static uint32_t find_all_axes(abut_world *world, const abut_collider *colliders)
{
    static uint32_t expected[SCATTERED][SCATTERED];
    uint32_t known = 0;
    memset(expected, 0xff, sizeof expected);
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_RESTING; ++set)
    {
        const abut_contacts all = abut_world_contacts(world, set);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const uint32_t axis = all.points[all.data[i].first_point].feature >> 8;
            expected[all.data[i].collider_a.slot][all.data[i].collider_b.slot] = axis;
        }
        known += all.count;
    }
    const ab_former_axes former = ab_world_former_axes(world, true);
    assert_int_equal(ab_phases_run(ab_former_phases, &world->former), ABUT_OK);
    for (uint32_t i = 0; i < SCATTERED; ++i)
    {
        for (uint32_t j = i + 1; j < SCATTERED; ++j)
        {
            const uint32_t slot_a = colliders[i].slot, slot_b = colliders[j].slot, due = expected[slot_a][slot_b];
            assert_int_equal(found_axis(world, &former, slot_a, slot_b), due == UINT32_MAX ? AB_NO_AXIS : due);
        }
    }
    return known;
}

// One body touches many, so that what follows its first contacts is found as well; some fall asleep and some go away.
static void every_contact_has_its_axis_found(void **state)
{
    (void)state;
    random_source random = random_start(3);
    for (uint32_t threads = 0; threads <= 2; threads += 2)
    {
        abut_world *world = open_world(&(abut_world_def){ .threads = threads });
        ab_world_set_grain(world, threads ? (ab_grain){ 16, 0 } : world->grain);
        abut_body body[SCATTERED];
        abut_collider collider[SCATTERED];
        for (uint32_t i = 0; i < SCATTERED; ++i)
        {
            const abut_shape shape = i == 2 ? abut_shape_obb(6, 1, 6) : abut_shape_obb(0.5f, 0.4f, 0.6f);
            abut_body_def def = { .collider.shape = shape,
                                  .pose.rotation = random_narrow_rotation(random_rotation(&random)) };
            def.pose.position = random_narrow(random_in_box(&random, i == 2 ? 0.0 : 4.0));
            assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
            uint32_t count = 0;
            assert_int_equal(abut_body_colliders(world, body[i], &collider[i], 1, &count), ABUT_OK);
        }
        detect(world);
        assert_true(find_all_axes(world, collider) > 40);
        assert_int_equal(abut_body_set_awake_many(world, body, SCATTERED / 2, false), ABUT_OK);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            detect(world);
        }
        assert_true(resting(world) > 20);
        assert_true(find_all_axes(world, collider) > 40);
        sound(world, threads);
        abut_world_destroy(world);
    }
}

// Many such pairs in one world, eight metres from each other.
typedef struct crowd
{
    border pair[PAIRS];
    abut_body body[2 * PAIRS];
} crowd;

static abut_vec3 place_of(uint32_t i)
{
    return abut_vec3_make(8.0f * (float)(i % 18), 0.0f, 8.0f * (float)(i / 18));
}

static abut_pose placed(abut_pose pose, uint32_t i)
{
    pose.position = abut_vec3_add(pose.position, place_of(i));
    return pose;
}

static abut_world *populate(crowd *c, const abut_world_def *def)
{
    abut_world *world = open_world(def);
    for (uint32_t i = 0; i < 2 * PAIRS; ++i)
    {
        const uint32_t side = (i + i / 2) % 2; // every other pair begins with its b
        const border *p = &c->pair[i / 2];
        const abut_body_def body = { .pose = placed(side ? p->pose_b : p->pose_a, i / 2),
                                     .collider.shape = side ? p->b : p->a };
        assert_int_equal(abut_body_create(world, &body, &c->body[i / 2 * 2 + side]), ABUT_OK);
    }
    return world;
}

static void advance_crowd(crowd *c, abut_world *world, uint32_t frame)
{
    random_source random = random_start(frame + 1);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        const abut_pose pose = placed(trembling(&c->pair[i], &random, c->pair[i].tolerance), i);
        assert_int_equal(abut_body_set_pose(world, c->body[2 * i + 1], &pose), ABUT_OK);
        if (i % 7 == frame % 7)
        {
            assert_int_equal(abut_body_set_awake_many(world, &c->body[2 * i], 2, frame % 2), ABUT_OK);
        }
    }
    detect(world);
}

static void a_crowd_at_borders_has_one_hash(void **state)
{
    (void)state;
    enum
    {
        STEPS = 40
    };
    static crowd c;
    uint64_t expected[STEPS] = { 0 };
    random_source random = random_start(77);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        c.pair[i] = border_random(&random);
    }
    for (uint32_t isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        for (uint32_t broad = ABUT_BROAD_BRUTE; abut_isa_available((abut_isa)isa) && broad < ABUT_BROAD_COUNT; ++broad)
        {
            abut_world *world = populate(&c, &(abut_world_def){ .isa = (abut_isa)isa,
                                                                .broad = (abut_broad_kind)broad,
                                                                .threads = broad == ABUT_BROAD_GRID ? 2 : 0 });
            for (uint32_t frame = 0; frame < STEPS; ++frame)
            {
                advance_crowd(&c, world, frame);
                const uint64_t hash = abut_world_hash(world);
                expected[frame] = expected[frame] ? expected[frame] : hash;
                assert_int_equal(hash, expected[frame]);
                if (isa == ABUT_ISA_SCALAR && broad == ABUT_BROAD_BVH)
                {
                    sound(world, frame);
                }
            }
            abut_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_about_a_border_does_not_change_the_axis),
        cmocka_unit_test(noise_between_two_pairs_of_edges_does_not_change_the_axis),
        cmocka_unit_test(an_axis_stays_within_the_band_and_not_beyond),
        cmocka_unit_test(a_pair_of_edges_is_left_when_it_is_behind_by_half_the_preference),
        cmocka_unit_test(an_axis_outlasts_rest),
        cmocka_unit_test(every_contact_has_its_axis_found),
        cmocka_unit_test(a_crowd_at_borders_has_one_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
