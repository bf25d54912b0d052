// The command line, read and checked against what this build and this processor have.
#ifndef ABUT_BENCH_OPTIONS_H
#define ABUT_BENCH_OPTIONS_H

#include "engine.h"
#include "peers/peers.h"

#include <stdio.h>

typedef struct bench_options
{
    uint32_t *kinds;  // stb_ds: scenes given by name
    bool all_scenes;  // given by name
    uint32_t *bodies; // stb_ds: numbers of bodies given; NULL: each scene's own
    engine_settings settings;
    const bench_engine **peers; // stb_ds: given, in that order
    uint32_t frames;
    uint32_t after;   // frames run before those
    uint32_t passes;  // of --pairs and --queries, at most; 0: as many as they need
    uint32_t limit_s; // for a run; 0: none but the default set's
    const char *file; // NULL: none given
    const char *json; // NULL: none; "-": standard output
    const char *csv;  // likewise
    bool hash_all;    // every frame
    bool list, help, pairs, state, queries;
} bench_options;

// False with a complaint. Release either way.
bool options_read(bench_options *options, int count, char *const *words, bench_complaint *complaint);
void options_release(bench_options *options);

// How many passes to make of what needs so many.
uint32_t options_passes(const bench_options *options, uint32_t needed);

void options_print_help(FILE *out);
void options_print_list(FILE *out);

#endif
