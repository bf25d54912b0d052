// What another program prints, and the status it exits with.
#ifndef PROGRAM_OUTPUT_H
#define PROGRAM_OUTPUT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <setjmp.h>
#include <sys/wait.h>

#include <cmocka.h>

typedef struct program_output
{
    int status;
    char text[8192]; // standard output and errors, cut off behind that
} program_output;

// Runs a command in the shell. Include behind a definition of _POSIX_C_SOURCE.
static inline program_output program_run(const char *command)
{
    program_output found = { 0 };
    char whole[1024], rest[256];
    assert_true(snprintf(whole, sizeof whole, "(%s) 2>&1", command) < (int)sizeof whole);
    FILE *pipe = popen(whole, "r"); // the commands are our own programs
    assert_non_null(pipe);
    found.text[fread(found.text, 1, sizeof found.text - 1, pipe)] = '\0';
    while (fread(rest, 1, sizeof rest, pipe) > 0)
    {
    }
    const int status = pclose(pipe);
    found.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return found;
}

#endif
