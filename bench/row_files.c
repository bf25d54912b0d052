#include "row_files.h"

#include <errno.h>
#include <string.h>

static bool open_one(FILE **file, const char *path, bench_complaint *complaint)
{
    *file = !path ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    return !path || *file || complain(complaint, EXIT_ASKED, "%s: %s", path, strerror(errno));
}

bool row_files_open(row_files *files, const bench_options *options, bench_complaint *complaint)
{
    *files = (row_files){ NULL, NULL, NULL };
    if (!open_one(&files->json, options->json, complaint) || !open_one(&files->csv, options->csv, complaint))
    {
        return false;
    }
    files->table = files->json == stdout || files->csv == stdout ? NULL : stdout;
    return true;
}

static bool close_one(FILE *file)
{
    const bool written = !file || (fflush(file) == 0 && !ferror(file));
    return (!file || file == stdout || fclose(file) == 0) && written;
}

bool row_files_close(row_files *files, bench_complaint *complaint)
{
    const bool table = close_one(files->table), json = close_one(files->json), csv = close_one(files->csv);
    return (table && json && csv) || complain(complaint, EXIT_BROKEN, "the figures could not be written");
}
