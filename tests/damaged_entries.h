// Recordings of which one entry is not what was recorded: its payload is another, shorter or longer, or has wrong
// words.
#ifndef DAMAGED_ENTRIES_H
#define DAMAGED_ENTRIES_H

#include "recordings.h"

#include "record/replay.h"

enum
{
    DAMAGED_WORDS = 24 // at the beginning of an entry
};

// The recording up to an entry, that entry with another payload, and the rest.
static inline abut_replay_outcome replay_with(const tape *t, size_t at, uint32_t kind, const unsigned char *payload,
                                              uint64_t size)
{
    ab_entry_header header;
    memcpy(&header, t->bytes + at, sizeof header);
    const size_t end = at + sizeof header + (size_t)header.size;
    header.kind = kind;
    header.size = size;
    header.checksum = ab_header_seal(&header, sizeof header, payload, size);
    tape bad = { 0 };
    assert_true(tape_write(&bad, t->bytes, at));
    assert_true(tape_write(&bad, &header, sizeof header));
    assert_true(tape_write(&bad, payload, (size_t)size));
    assert_true(tape_write(&bad, t->bytes + end, t->size - end));
    abut_replay *replay = tape_replay(&bad, ABUT_BROAD_BRUTE, ABUT_ISA_AUTO, 1);
    const abut_replay_outcome outcome = replay_all(replay);
    assert_true((outcome == ABUT_REPLAY_BROKEN) == (abut_replay_fault(replay) != NULL));
    abut_replay_destroy(replay);
    tape_close(&bad);
    return outcome;
}

static inline void damage_entry(const tape *t, size_t at)
{
    ab_entry_header header;
    memcpy(&header, t->bytes + at, sizeof header);
    const size_t size = (size_t)header.size;
    unsigned char *payload = calloc(1, size + 16);
    assert_non_null(payload);
    memcpy(payload, t->bytes + at + sizeof header, size);
    assert_int_equal(replay_with(t, at, header.kind, payload, size), ABUT_REPLAY_COMPLETE);
    assert_int_equal(replay_with(t, at, header.kind, payload, size + 1), ABUT_REPLAY_BROKEN);
    assert_int_equal(replay_with(t, at, AB_ENTRY_COUNT, payload, size), ABUT_REPLAY_BROKEN);
    if (header.kind != AB_ENTRY_LAST && header.kind != AB_ENTRY_KIND)
    {
        assert_int_equal(replay_with(t, at, header.kind, payload, size - 1), ABUT_REPLAY_BROKEN);
        (void)replay_with(t, at, header.kind, payload, size > 4 ? size - 4 : 0);
        (void)replay_with(t, at, header.kind, payload, 4);
        (void)replay_with(t, at, header.kind, payload, 0);
        (void)replay_with(t, at, header.kind, payload, size + 8);
    }
    (void)replay_with(t, at, AB_ENTRY_IMAGE, payload, size); // where it cannot be
    (void)replay_with(t, at, AB_ENTRY_KIND, payload, 0);
    for (size_t word = 0; word < DAMAGED_WORDS && 4 * word + 4 <= size; ++word)
    {
        static const uint32_t values[] = { UINT32_MAX, 2, 0x7fc00000u };
        for (size_t i = 0; i < 3; ++i)
        {
            memcpy(payload + 4 * word, &values[i], sizeof values[i]);
            (void)replay_with(t, at, header.kind, payload, size);
        }
        memcpy(payload + 4 * word, t->bytes + at + sizeof header + 4 * word, 4);
    }
    free(payload);
}

#endif
