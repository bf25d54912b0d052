// Drawn at most ten times a second, so that watching costs nothing. There is one terminal, hence one state.
#define _POSIX_C_SOURCE 200809L // fileno
#include "progress.h"

#include "clock.h"

#include <stdbool.h>
#include <stdio.h>

#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#define fileno _fileno
#else
#include <unistd.h>
#endif

#define BAR            24
#define REDRAW_NS      100000000u
#define ERASE_THE_LINE "\r\033[K"

static struct
{
    bool watched;
    bool drawn;
    uint32_t row, rows;
    const char *scene;
    uint32_t bodies;
    uint64_t drawn_ns;
} progress;

void progress_open(uint32_t rows)
{
    progress.watched = isatty(fileno(stderr)) != 0;
    progress.rows = rows;
}

void progress_row(uint32_t row, const char *scene, uint32_t bodies)
{
    progress.row = row;
    progress.scene = scene;
    progress.bodies = bodies;
}

void progress_frame(uint32_t frame, uint32_t frames)
{
    uint64_t now = clock_elapsed_ns();
    if (!progress.watched || now - progress.drawn_ns < REDRAW_NS)
    {
        return;
    }
    char bar[BAR + 1] = { 0 };
    double share = (progress.row + (double)frame / frames) / progress.rows;
    for (int i = 0; i < BAR; ++i)
    {
        bar[i] = i < (int)(share * BAR) ? '#' : '.';
    }
    fprintf(stderr, ERASE_THE_LINE "[%s] %u/%u  %s, %u bodies: frame %u/%u", bar, progress.row + 1, progress.rows,
            progress.scene, progress.bodies, frame, frames);
    fflush(stderr);
    progress.drawn = true;
    progress.drawn_ns = now;
}

void progress_clear(void)
{
    if (progress.drawn)
    {
        fprintf(stderr, ERASE_THE_LINE);
        fflush(stderr);
        progress.drawn = false;
    }
}
