// The tests of an index's boxes, eight at a time: no box that a query meets is left out, by slabs and distances in
// double; what is said of a box is never later or farther than it is, and hardly earlier or nearer; the same on every
// instruction set, with values and without.
#include "base/kernels.h"
#include "every_isa.h"
#include "index/descend.h"
#include "random.h"
#include "small_world.h"

#include <math.h>
#include <string.h>

enum
{
    NODES = AB_DESCEND_CHUNK,
    BOXES = NODES * AB_BLOCK
};

typedef struct level
{
    ab_aabb8 block[NODES];
    uint32_t nodes[NODES];
} level;

// What a kernel found: by box whether, and its value.
typedef struct answer
{
    bool found[BOXES];
    float value[BOXES];
} answer;

static float side_of(const ab_aabb8 *block, uint32_t axis, bool upper, uint32_t lane)
{
    const float *rows = (const float *)(const void *)block;
    return rows[AB_BLOCK * (axis + (upper ? 3u : 0u)) + lane];
}

static void make_level(level *out, random_source *random)
{
    for (uint32_t i = 0; i < NODES; ++i)
    {
        float *rows = (float *)(void *)&out->block[i];
        for (uint32_t lane = 0; lane < AB_BLOCK; ++lane)
        {
            for (uint32_t k = 0; k < 3; ++k)
            {
                const double at = random_between(random, -8.0, 8.0), half = random_scale(random, 0.03, 5.0);
                rows[AB_BLOCK * k + lane] = (float)(at - half);
                rows[AB_BLOCK * (k + 3) + lane] = (float)(at + half);
            }
        }
        out->nodes[i] = i;
    }
}

// A kernel's answer on every instruction set, with values and without.
static void ask(const level *l, bool cast, const void *query, answer *out)
{
    static answer first;
    bool some = false;
    EVERY_ISA(isa)
    {
        const ab_index_kernels *kernels = ab_kernels_for(isa)->index;
        ab_index_kernel *const kernel = cast ? kernels->cast : kernels->near;
        static uint32_t children[BOXES + AB_DESCEND_PADDING], plain[BOXES + AB_DESCEND_PADDING];
        static float values[BOXES + AB_DESCEND_PADDING];
        const uint32_t count = kernel(l->block, query, l->nodes, NODES, children, values);
        assert_int_equal(kernel(l->block, query, l->nodes, NODES, plain, NULL), count);
        assert_memory_equal(plain, children, count * sizeof *plain);
        memset(out, 0, sizeof *out);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true(i == 0 || children[i] > children[i - 1]);
            out->found[children[i]] = true;
            out->value[children[i]] = values[i];
        }
        assert_true(!some || memcmp(out, &first, sizeof first) == 0);
        first = *out;
        some = true;
    }
}

static void boxes_that_a_line_enters(void **state)
{
    (void)state;
    static level l;
    static answer a;
    uint64_t entered = 0;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        float origin[3], way[3];
        make_level(&l, &random);
        for (int k = 0; k < 3; ++k)
        {
            origin[k] = (float)random_between(&random, -12.0, 12.0);
            const double back = random_between(&random, 1.0, 2.0) * (double)origin[k];
            way[k] = random_chance(&random, 0.2) ? 0.0f : (float)(random_between(&random, -6.0, 6.0) - back);
        }
        ab_cast_line line;
        ab_cast_line_make(&line, origin, way);
        line.far = (float)random_between(&random, 0.2, 1.0);
        ask(&l, true, &line, &a);
        for (uint32_t i = 0; i < BOXES; ++i)
        {
            double in = 0.0, out = (double)line.far;
            for (uint32_t k = 0; k < 3; ++k)
            {
                const double low = (double)side_of(&l.block[i / AB_BLOCK], k, false, i % AB_BLOCK) - (double)origin[k],
                             high = (double)side_of(&l.block[i / AB_BLOCK], k, true, i % AB_BLOCK) - (double)origin[k];
                if (way[k] == 0.0f)
                {
                    in = low > 0.0 || high < 0.0 ? 2.0 : in;
                    continue;
                }
                const double s = low / (double)way[k], t = high / (double)way[k];
                in = fmax(in, fmin(s, t));
                out = fmin(out, fmax(s, t));
            }
            assert_true(a.found[i] || in > out);
            assert_true(!a.found[i] || in <= out * (1.0 + 1e-5) + 1e-5);
            assert_true(!a.found[i] || ((double)a.value[i] <= in && (double)a.value[i] >= in * (1.0 - 1e-5) - 1e-6));
            entered += in <= out;
        }
    }
    print_message("%llu entered\n", (unsigned long long)entered);
    assert_true(!random_seeds_all() || entered > 500);
}

static void boxes_within_reach(void **state)
{
    (void)state;
    static level l;
    static answer a;
    uint64_t near = 0;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 1000);
        ab_index_box box;
        make_level(&l, &random);
        for (int k = 0; k < 3; ++k)
        {
            const double at = random_between(&random, -12.0, 12.0);
            box.min[k] = (float)at;
            box.max[k] = (float)(at + random_between(&random, 0.0, 2.0));
        }
        const double reach = random_between(&random, 0.0, 6.0);
        box.square = (float)(reach * reach);
        ask(&l, false, &box, &a);
        for (uint32_t i = 0; i < BOXES; ++i)
        {
            double square = 0.0;
            for (uint32_t k = 0; k < 3; ++k)
            {
                const double low = (double)side_of(&l.block[i / AB_BLOCK], k, false, i % AB_BLOCK),
                             high = (double)side_of(&l.block[i / AB_BLOCK], k, true, i % AB_BLOCK);
                const double apart = fmax(fmax(low - (double)box.max[k], (double)box.min[k] - high), 0.0);
                square += apart * apart;
            }
            assert_true(a.found[i] || square > (double)box.square);
            assert_true(!a.found[i] || square <= (double)box.square * (1.0 + 1e-5));
            assert_true(!a.found[i] || ((double)a.value[i] <= square && (double)a.value[i] >= square * (1.0 - 1e-5)));
            near += square <= (double)box.square;
        }
    }
    assert_true(!random_seeds_all() || near > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_a_line_enters),
        cmocka_unit_test(boxes_within_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
