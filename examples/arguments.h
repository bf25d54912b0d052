// What every example answers to --help, and to arguments that it does not take.
#ifndef ABUT_EXAMPLES_ARGUMENTS_H
#define ABUT_EXAMPLES_ARGUMENTS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum
{
    GO_ON = -1
};

static inline bool help_wanted(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

// Says on stderr what is wrong with an argument. Returns the exit status to leave with.
static inline int argument_rejected(const char *program, const char *argument, const char *sentence)
{
    fprintf(stderr, "%s: '%s': %s; --help says what there is\n", program, argument, sentence);
    return 2;
}

// Prints `help` if any argument is --help or -h. Rejects options (but for "-" alone) and more than `most` arguments.
// Returns the exit status to leave with, or GO_ON.
static inline int arguments_answer(const char *program, const char *help, int most, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i)
    {
        if (help_wanted(argv[i]))
        {
            printf("usage: %s", help);
            return 0;
        }
    }
    for (int i = 1; i < argc; ++i)
    {
        if (argv[i][0] == '-' && argv[i][1] != '\0')
        {
            return argument_rejected(program, argv[i], "there is no such option");
        }
    }
    return argc - 1 > most ? argument_rejected(program, argv[most + 1], "one argument too many") : GO_ON;
}

#endif
