// Goes through inputs kept from fuzzing, without a fuzzer: every file of the folders named on the command line. Broken
// rules abort. With a number first, as many inputs are made up besides.
#include "random.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    LONGEST = 1 << 16
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t input[LONGEST];

static uint32_t replay_folder(const char *folder)
{
    uint32_t replayed = 0;
    DIR *files = opendir(folder);
    for (struct dirent *file = files ? readdir(files) : NULL; file; file = readdir(files))
    {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        FILE *stream = file->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (stream)
        {
            LLVMFuzzerTestOneInput(input, fread(input, 1, LONGEST, stream));
            (void)fclose(stream);
            ++replayed;
        }
    }
    if (files)
    {
        (void)closedir(files);
    }
    return replayed;
}

static void make_up(uint64_t count)
{
    for (uint64_t seed = 1; seed <= count; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t size = random_below(&random, 4096);
        for (uint32_t i = 0; i < size; ++i)
        {
            input[i] = (uint8_t)random_bits(&random);
        }
        LLVMFuzzerTestOneInput(input, size);
    }
}

int main(int count, char **arguments)
{
    uint32_t replayed = 0;
    if (count < 2)
    {
        return EXIT_FAILURE;
    }
    make_up(strtoull(arguments[1], NULL, 10));
    for (int i = 2; i < count; ++i)
    {
        replayed += replay_folder(arguments[i]);
    }
    printf("%u inputs replayed\n", replayed);
    return replayed > 0 || count == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
