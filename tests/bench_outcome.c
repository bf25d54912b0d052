#define _POSIX_C_SOURCE 200809L // popen
#include "bench_outcome.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void read_all(FILE *file, char text[OUTCOME_MOST])
{
    size_t length = fread(text, 1, OUTCOME_MOST - 1, file);
    text[length] = '\0';
}

outcome bench(const char *arguments)
{
    static outcome found;
    char command[1024], stderr_file[64];
    snprintf(stderr_file, sizeof stderr_file, "test_bench.%ld.stderr", (long)getpid());
    snprintf(command, sizeof command, "%s %s 2>%s", ABUT_BENCH, arguments, stderr_file);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    read_all(pipe, found.out);
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    found.status = WEXITSTATUS(status);
    FILE *errors = fopen(stderr_file, "r");
    assert_non_null(errors);
    read_all(errors, found.err);
    fclose(errors);
    remove(stderr_file);
    return found;
}

// JSON (RFC 8259), read only to see that it is such: each returns what follows, or NULL.
static const char *json_value(const char *at);

static const char *json_string(const char *at)
{
    if (!at || *at++ != '"')
    {
        return NULL;
    }
    while (*at != '"')
    {
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !strchr("\"\\/bfnrtu", *++at)))
        {
            return NULL;
        }
        ++at;
    }
    return at + 1;
}

static const char *json_number(const char *at)
{
    at += *at == '-';
    if (!isdigit((unsigned char)*at))
    {
        return NULL;
    }
    at += *at == '0' ? 1 : strspn(at, "0123456789");
    if (*at == '.')
    {
        size_t digits = strspn(++at, "0123456789");
        return digits ? at + digits : NULL;
    }
    return at;
}

static const char *json_object(const char *at)
{
    if (*at++ != '{')
    {
        return NULL;
    }
    if (*at == '}')
    {
        return at + 1;
    }
    for (;; ++at)
    {
        at = json_string(at);
        at = at && *at == ':' ? json_value(at + 1) : NULL;
        if (!at || *at != ',')
        {
            return at && *at == '}' ? at + 1 : NULL;
        }
    }
}

static const char *json_array(const char *at)
{
    if (*++at == ']')
    {
        return at + 1;
    }
    for (;; ++at)
    {
        at = json_value(at);
        if (!at || *at != ',')
        {
            return at && *at == ']' ? at + 1 : NULL;
        }
    }
}

static const char *json_value(const char *at)
{
    if (*at == '[')
    {
        return json_array(at);
    }
    if (*at == '{')
    {
        return json_object(at);
    }
    if (*at == '"')
    {
        return json_string(at);
    }
    return strncmp(at, "null", 4) == 0 ? at + 4 : json_number(at);
}

uint32_t json_lines(const char *text)
{
    uint32_t lines = 0;
    for (const char *at = text; *at; ++lines)
    {
        const char *end = json_object(at);
        if (!end || *end != '\n')
        {
            fail_msg("no JSON: %s", at);
        }
        at = end + 1;
    }
    return lines;
}

void json_field(const char *text, const char *key, char out[64])
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (!at)
    {
        fail_msg("no key %s in %s", key, text);
    }
    at += strlen(quoted);
    snprintf(out, 64, "%.*s", (int)strcspn(at, ",}"), at);
}
