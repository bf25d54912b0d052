// The progress line is cleared before anything is written, so that a terminal shows whole lines.
#include "outputs.h"

#include "progress.h"

#include <errno.h>
#include <string.h>

bool outputs_open(outputs *out, const bench_options *options, bench_complaint *complaint)
{
    *out = (outputs){ .to = { { &report_table, "the table", NULL },
                              { &report_json, options->json, NULL },
                              { &report_csv, options->csv, NULL } } };
    bool taken = false;
    for (uint32_t i = 1; i < OUTPUTS; ++i)
    {
        const char *path = out->to[i].name;
        bool standard = path && strcmp(path, "-") == 0;
        taken = taken || standard;
        out->to[i].file = standard ? stdout : path ? fopen(path, "w") : NULL;
        if (path && !out->to[i].file)
        {
            return complain(complaint, EXIT_ASKED, "%s: %s", path, strerror(errno));
        }
    }
    out->to[0].file = taken ? NULL : stdout;
    out->notes = taken ? stderr : stdout;
    for (uint32_t i = 0; i < OUTPUTS; ++i)
    {
        if (out->to[i].file)
        {
            out->to[i].format->begin(out->to[i].file);
        }
    }
    return true;
}

void outputs_row(const outputs *out, const run_result *result)
{
    progress_clear();
    for (uint32_t i = 0; i < OUTPUTS; ++i)
    {
        if (out->to[i].file)
        {
            out->to[i].format->row(out->to[i].file, result);
            fflush(out->to[i].file);
        }
    }
}

void outputs_note(const outputs *out, const char *sentence)
{
    progress_clear();
    fprintf(out->notes, "%s\n", sentence);
    fflush(out->notes);
}

bool outputs_close(outputs *out, bench_complaint *complaint)
{
    bool sound = true;
    for (uint32_t i = 0; i < OUTPUTS; ++i)
    {
        FILE *file = out->to[i].file;
        bool written = !file || (fflush(file) == 0 && !ferror(file));
        written = (!file || file == stdout || fclose(file) == 0) && written;
        sound = (written || complain(complaint, EXIT_BROKEN, "%s could not be written", out->to[i].name)) && sound;
    }
    return sound;
}
