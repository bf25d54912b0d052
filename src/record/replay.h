// A replay under way: the present entry of the stream, and the world it is carried out on.
#ifndef AB_REPLAY_H
#define AB_REPLAY_H

#include "base/memory.h"
#include "record/stream.h"
#include "state/image.h"
#include "world/world.h"

#include <abut/record.h>

struct abut_replay
{
    abut_replay_def def;
    ab_memory memory;
    abut_world *world;
    ab_entry_header header;            // of the present entry
    unsigned char *entry;              // growable: its bytes
    bool is_ahead;                     // it was read, and is still to be carried out
    abut_geometry **geometries;        // growable: by their index in the stream
    abut_body_def *defs;               // growable: of one entry
    abut_body *handles;                // likewise
    uint32_t kinds;                    // of the definition that are registered
    unsigned char *image, *next, *own; // growable: the last image of the stream, room for one, and the replay's own
    const unsigned char *answers;      // of the veto, in the present entry
    uint32_t asked, answered;          // pairs that it was and is asked about
    bool has_asked;
    uint64_t frames;
    bool over;
    abut_replay_outcome outcome; // once it is over
    const char *fault;
    const char *error; // of the world's last call that failed
    abut_replay_difference difference;
};

// Reads the next entry, or keeps the one that is ahead. False, with a fault, if there is none.
bool ab_replay_read(abut_replay *r);

// End the replay. Each returns false.
bool ab_replay_fail(abut_replay *r); // with the sentence of the world's call
bool ab_replay_no_memory(abut_replay *r);
bool ab_replay_break(abut_replay *r, const char *sentence);
bool ab_replay_differ(abut_replay *r, const char *part, const char *field, uint64_t recorded, uint64_t replayed);

// Makes a world of the entries that a stream begins with. Like all that follow, returns false if the replay is over.
bool ab_replay_open(abut_replay *r);

// Adds the geometry of the present entry; updates the heightfield that it names; registers the next of the caller's
// custom kinds; sets the caller's function of two kinds.
bool ab_replay_add_geometry(abut_replay *r);
bool ab_replay_update_heights(abut_replay *r);
bool ab_replay_register_kind(abut_replay *r);
bool ab_replay_set_function(abut_replay *r, const uint32_t kinds[2]);

// Carries out the present entry, which is a change.
bool ab_replay_change(abut_replay *r);

// Turns the last image into the one that the present entry makes of it.
bool ab_replay_next_image(abut_replay *r);

// Compares the world with the image of the present entry, which is a dump.
bool ab_replay_compare(abut_replay *r);

// Finds the first word in which two images differ, and names it. False if there is none. `apart`: they are of two
// worlds, whose handles and user data need not be the same.
bool ab_images_differ(const ab_image *recorded, const ab_image *replayed, bool apart, abut_replay_difference *out);

#endif
