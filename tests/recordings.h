// Recordings in memory, for tests.
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <abut/record.h>

#include <stdlib.h>
#include <string.h>

typedef struct tape
{
    unsigned char *bytes;
    size_t size, room, at;
    size_t most; // the writer fails past it; zero: never
    uint32_t hash_interval;
} tape;

static inline bool tape_write(void *context, const void *bytes, size_t size)
{
    tape *t = context;
    if (t->most > 0 && t->size + size > t->most)
    {
        return false;
    }
    if (t->size + size > t->room)
    {
        t->room = 2 * (t->size + size);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    return true;
}

static inline size_t tape_read(void *context, void *bytes, size_t size)
{
    tape *t = context;
    const size_t left = t->size - t->at, count = size < left ? size : left;
    if (count > 0)
    {
        memcpy(bytes, t->bytes + t->at, count);
    }
    t->at += count;
    return count;
}

static inline void tape_close(tape *t)
{
    free(t->bytes);
    *t = (tape){ 0 };
}

static inline abut_recording *tape_record(tape *t, abut_world *world, uint32_t dump_interval)
{
    abut_recording *recording;
    const abut_recording_def def = {
        .write = tape_write, .write_context = t, .hash_interval = t->hash_interval, .dump_interval = dump_interval
    };
    assert_int_equal(abut_recording_create(world, &def, &recording), ABUT_OK);
    assert_non_null(recording);
    return recording;
}

static inline abut_replay *tape_replay(tape *t, abut_broad_kind broad, abut_isa isa, uint32_t threads)
{
    abut_replay *replay;
    const abut_replay_def def = {
        .read = tape_read, .read_context = t, .broad = broad, .isa = isa, .threads = threads
    };
    t->at = 0;
    assert_int_equal(abut_replay_create(&def, &replay), ABUT_OK);
    return replay;
}

// Runs a replay for so many frames, or to its end.
static inline abut_replay_outcome replay_some(abut_replay *replay, uint64_t frames)
{
    abut_replay_outcome outcome = ABUT_REPLAY_FRAME;
    while (outcome == ABUT_REPLAY_FRAME && abut_replay_frames(replay) < frames)
    {
        outcome = abut_replay_next(replay);
    }
    return outcome;
}

static inline abut_replay_outcome replay_all(abut_replay *replay)
{
    const abut_replay_outcome outcome = replay_some(replay, UINT64_MAX);
    assert_int_equal(abut_replay_next(replay), outcome);
    return outcome;
}

// Every frame of a recording must be the same, and there must be so many, or as many per cent of them as ABUT_SHARE
// says.
static inline void expect_replay(tape *t, uint64_t frames, abut_broad_kind broad, abut_isa isa, uint32_t threads)
{
    abut_replay *replay = tape_replay(t, broad, isa, threads);
    abut_replay_difference d;
    const char *share = getenv("ABUT_SHARE");
    const uint64_t wanted = share ? frames * strtoull(share, NULL, 10) / 100 : frames;
    abut_replay_outcome outcome = replay_some(replay, wanted);
    if (outcome == ABUT_REPLAY_FRAME && wanted == frames)
    {
        outcome = replay_all(replay);
    }
    if (abut_replay_first_difference(replay, &d))
    {
        fail_msg("frame %llu: %s.%s of bodies %u and %u: %llx recorded, %llx replayed", (unsigned long long)d.frame,
                 d.part, d.field, d.body, d.other, (unsigned long long)d.recorded, (unsigned long long)d.replayed);
    }
    const abut_replay_outcome expected = wanted == frames ? ABUT_REPLAY_COMPLETE : ABUT_REPLAY_FRAME;
    if (outcome != expected || abut_replay_frames(replay) != wanted)
    {
        fail_msg("outcome %d after %llu of %llu frames: %s", (int)outcome,
                 (unsigned long long)abut_replay_frames(replay), (unsigned long long)wanted,
                 abut_replay_fault(replay) ? abut_replay_fault(replay) : "no fault");
    }
    abut_replay_destroy(replay);
}

#endif
