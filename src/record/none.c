// What there is of recordings in a build without them.
#include <abut/record.h>

abut_status abut_recording_create(abut_world *world, const abut_recording_def *def, abut_recording **out)
{
    (void)world, (void)def;
    if (out)
    {
        *out = NULL;
    }
    return ABUT_UNSUPPORTED;
}

const char *abut_recording_fault(const abut_recording *recording)
{
    (void)recording;
    return "recordings are not compiled in";
}

bool abut_recording_destroy(abut_recording *recording)
{
    return !recording;
}

abut_status abut_replay_create(const abut_replay_def *def, abut_replay **out)
{
    (void)def;
    if (out)
    {
        *out = NULL;
    }
    return ABUT_UNSUPPORTED;
}

void abut_replay_destroy(abut_replay *replay)
{
    (void)replay;
}

abut_replay_outcome abut_replay_next(abut_replay *replay)
{
    (void)replay;
    return ABUT_REPLAY_BROKEN;
}

uint64_t abut_replay_frames(const abut_replay *replay)
{
    (void)replay;
    return 0;
}

abut_world *abut_replay_world(const abut_replay *replay)
{
    (void)replay;
    return NULL;
}

const char *abut_replay_fault(const abut_replay *replay)
{
    (void)replay;
    return "recordings are not compiled in";
}

abut_registry abut_replay_registry(const abut_replay *replay)
{
    (void)replay;
    return (abut_registry){ 0 };
}

abut_status abut_image_compare(const void *a, size_t a_size, const void *b, size_t b_size, bool *differ,
                               abut_image_mismatch *out)
{
    (void)a, (void)a_size, (void)b, (void)b_size, (void)differ, (void)out;
    return ABUT_UNSUPPORTED;
}

bool abut_replay_first_difference(const abut_replay *replay, abut_replay_difference *out)
{
    (void)replay, (void)out;
    return false;
}
