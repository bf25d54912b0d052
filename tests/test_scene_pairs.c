// Every scene, frame by frame, in worlds of each broad phase and instruction set side by side: the candidates are the
// same set of pairs as those of brute force, none lost, none twice. ABUT_FRAMES says how many frames.
#include "base/array.h"
#include "scenes.h"
#include "world/world.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>

#define MOST_WORLDS (ABUT_ISA_COUNT * ABUT_BROAD_COUNT + 1)

typedef struct player
{
    abut_world *world;
    abut_body *bodies; // by index in the scene
} player;

static player open_player(const bench_scene *scene, abut_broad_kind broad, abut_isa isa)
{
    player p = { .bodies = calloc(scene->count, sizeof *p.bodies) };
    const abut_world_def def = { .broad = broad, .isa = isa, .dimension = scene->dimension };
    assert_int_equal(abut_world_create(&def, &p.world), ABUT_OK);
    assert_int_equal(abut_body_create_many(p.world, scene->defs, scene->count, p.bodies), ABUT_OK);
    return p;
}

static void play(player *p, const bench_scene *scene)
{
    for (uint32_t k = 0; k < scene->renewed_count; ++k)
    {
        abut_body *body = &p->bodies[scene->renewed[k]];
        assert_int_equal(abut_body_destroy(p->world, *body), ABUT_OK);
        assert_int_equal(abut_body_create(p->world, &scene->renewed_defs[k], body), ABUT_OK);
    }
    if (scene->moving > 0)
    {
        assert_int_equal(abut_body_set_pose_many(p->world, p->bodies, scene->moving, scene->poses), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(p->world, 0.0f), ABUT_OK);
}

// Worlds with the same calls give out the same slots.
static uint64_t key_of(const ab_proxies *proxies, ab_pair pair)
{
    const uint32_t a = proxies->collider[pair.a], b = proxies->collider[pair.b];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int by_key(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

// The caller frees.
static uint64_t *sorted_pairs(const abut_world *world)
{
    const size_t count = arrlenu(world->cache.broad.pairs);
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    assert_non_null(keys);
    for (size_t i = 0; i < count; ++i)
    {
        keys[i] = key_of(&world->cache.proxies, world->cache.broad.pairs[i]);
    }
    qsort(keys, count, sizeof *keys, by_key);
    return keys;
}

// Compares sets of pairs without sorting: their number, and the sum of their keys, each scattered over 64 bits (the
// finaliser of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
typedef struct pair_sum
{
    uint64_t count, sum;
} pair_sum;

static pair_sum sum_of(const abut_world *world)
{
    pair_sum all = { .count = arrlenu(world->cache.broad.pairs) };
    for (size_t i = 0; i < all.count; ++i)
    {
        uint64_t z = key_of(&world->cache.proxies, world->cache.broad.pairs[i]) + 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        all.sum += z ^ z >> 31;
    }
    return all;
}

static void name_first_difference(const player *brute, const player *other, const bench_scene *scene)
{
    uint64_t *wanted = sorted_pairs(brute->world), *found = sorted_pairs(other->world);
    const size_t count = arrlenu(brute->world->cache.broad.pairs),
                 found_count = arrlenu(other->world->cache.broad.pairs);
    size_t i = 0;
    while (i < count && i < found_count && wanted[i] == found[i])
    {
        ++i;
    }
    const uint64_t key = i < count ? wanted[i] : found[i];
    const bool lost = i < count && (i == found_count || found[i] > wanted[i]);
    print_error("%s of %u, frame %u, %s on %s: colliders %u and %u are %s\n", scene->name, scene->bodies, scene->frame,
                abut_broad_name(other->world->cache.broad.ran), abut_isa_name(other->world->isa), (unsigned)(key >> 32),
                (unsigned)key, lost ? "lost" : "too many");
    free(wanted);
    free(found);
    fail();
}

// Gives how many worlds there were beside that of brute force.
static uint32_t compare_in(bench_scene *scene, uint32_t frames)
{
    assert_non_null(scene);
    player players[MOST_WORLDS];
    uint32_t count = 0;
    uint64_t seen = 0;
    players[count++] = open_player(scene, ABUT_BROAD_BRUTE, abut_isa_best());
    for (int isa = 1; isa < ABUT_ISA_COUNT; ++isa)
    {
        for (int broad = 0; abut_isa_available((abut_isa)isa) && broad < ABUT_BROAD_COUNT; ++broad)
        {
            if (broad != ABUT_BROAD_BRUTE)
            {
                players[count++] = open_player(scene, (abut_broad_kind)broad, (abut_isa)isa);
            }
        }
    }
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        play(&players[0], scene);
        const pair_sum wanted = sum_of(players[0].world);
        seen += wanted.count;
        for (uint32_t i = 1; i < count; ++i)
        {
            play(&players[i], scene);
            const pair_sum found = sum_of(players[i].world);
            if (found.count != wanted.count || found.sum != wanted.sum)
            {
                name_first_difference(&players[0], &players[i], scene);
            }
        }
        scene_advance(scene);
    }
    assert_true(seen > 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_world_destroy(players[i].world);
        free(players[i].bodies);
    }
    scene_close(scene);
    return count - 1;
}

static void compare_all(uint32_t bodies, uint32_t usually)
{
    const char *text = getenv("ABUT_FRAMES");
    const uint32_t frames = text ? (uint32_t)strtoul(text, NULL, 10) : usually;
    static const char *const names[] = { "gas", "dense", "pile", "sparse", "sizes", "rain", "rects", "ruins" };
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        assert_true(compare_in(scene_open(scene_find(names[i]), bodies, 0), frames) >= 3);
    }
}

static void a_thousand_bodies_collide_as_by_brute_force(void **state)
{
    (void)state;
    compare_all(1000, 40);
}

static void ten_thousand_bodies_collide_as_by_brute_force(void **state)
{
    (void)state;
    compare_all(10000, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_bodies_collide_as_by_brute_force),
        cmocka_unit_test(ten_thousand_bodies_collide_as_by_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
