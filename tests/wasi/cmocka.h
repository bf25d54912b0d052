// What the tests use of cmocka, for WASI. cmocka itself leaves a failed test by longjmp, which wasi-libc does not have:
// here the program says what failed and ends with 1.
#ifndef WASI_CMOCKA_H
#define WASI_CMOCKA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest
{
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
    void *initial_state;
};

#define cmocka_unit_test(f)                                                                                            \
    {                                                                                                                  \
#f, f, NULL, NULL, NULL                                                                                        \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                                            \
    {                                                                                                                  \
#f, f, setup, teardown, NULL                                                                                   \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
    wasi_run_group((tests), sizeof(tests) / sizeof *(tests), (setup), (teardown))

#define print_error(...)                fprintf(stderr, __VA_ARGS__)
#define print_message(...)              printf(__VA_ARGS__)
#define fail_msg(...)                   (print_error(__VA_ARGS__), wasi_fail(__FILE__, __LINE__, "fail"))
#define fail()                          wasi_fail(__FILE__, __LINE__, "fail")
#define skip()                          return
#define assert_true(c)                  wasi_check((c) ? 1 : 0, __FILE__, __LINE__, #c)
#define assert_false(c)                 wasi_check((c) ? 0 : 1, __FILE__, __LINE__, "not " #c)
#define assert_non_null(p)              wasi_check((p) != NULL, __FILE__, __LINE__, #p " is not NULL")
#define assert_null(p)                  wasi_check((p) == NULL, __FILE__, __LINE__, #p " is NULL")
#define assert_ptr_equal(a, b)          wasi_check((a) == (b), __FILE__, __LINE__, #a " == " #b)
#define assert_int_equal(a, b)          wasi_equal((uint64_t)(a), (uint64_t)(b), 1, __FILE__, __LINE__, #a " == " #b)
#define assert_int_not_equal(a, b)      wasi_equal((uint64_t)(a), (uint64_t)(b), 0, __FILE__, __LINE__, #a " != " #b)
#define assert_string_equal(a, b)       wasi_check(strcmp((a), (b)) == 0, __FILE__, __LINE__, #a " is " #b)
#define assert_memory_equal(a, b, size) wasi_check(memcmp((a), (b), (size)) == 0, __FILE__, __LINE__, #a " has " #b)

static inline _Noreturn void wasi_fail(const char *file, int line, const char *what)
{
    print_error("%s:%d: failed: %s\n", file, line, what);
    exit(1);
}

static inline void wasi_check(int holds, const char *file, int line, const char *what)
{
    if (!holds)
    {
        wasi_fail(file, line, what);
    }
}

static inline void wasi_equal(uint64_t a, uint64_t b, int wanted, const char *file, int line, const char *what)
{
    if ((a == b) != wanted)
    {
        print_error("%llu and %llu: ", (unsigned long long)a, (unsigned long long)b);
        wasi_fail(file, line, what);
    }
}

static inline int wasi_run_group(const struct CMUnitTest *tests, size_t count, int (*setup)(void **),
                                 int (*teardown)(void **))
{
    void *group = NULL;
    wasi_check(!setup || setup(&group) == 0, __FILE__, __LINE__, "the group's setup");
    for (size_t i = 0; i < count; ++i)
    {
        void *state = tests[i].initial_state ? tests[i].initial_state : group;
        wasi_check(!tests[i].setup || tests[i].setup(&state) == 0, __FILE__, __LINE__, tests[i].name);
        tests[i].test(&state);
        wasi_check(!tests[i].teardown || tests[i].teardown(&state) == 0, __FILE__, __LINE__, tests[i].name);
        printf("[       OK ] %s\n", tests[i].name);
    }
    wasi_check(!teardown || teardown(&group) == 0, __FILE__, __LINE__, "the group's teardown");
    return 0;
}

#endif
