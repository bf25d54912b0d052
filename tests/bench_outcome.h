// Running abut-bench and reading what it prints.
#ifndef BENCH_OUTCOME_H
#define BENCH_OUTCOME_H

#include <stdint.h>
#include <stdio.h>

#define OUTCOME_MOST 65536

// What a run of the program left behind.
typedef struct outcome
{
    int status;
    char out[OUTCOME_MOST]; // standard output
    char err[OUTCOME_MOST]; // standard error
} outcome;

outcome bench(const char *arguments);

// What is left of a file, as text; what is too long is cut off.
void read_all(FILE *file, char text[OUTCOME_MOST]);

// Fails unless every line is a JSON object and nothing else. Gives how many lines there are.
uint32_t json_lines(const char *text);

// The value of the first such key, up to the next comma or brace.
void json_field(const char *text, const char *key, char out[64]);

#endif
