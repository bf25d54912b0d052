// Sensor overlaps: the touching pairs of a sensor and another collider, and the begin and end events since the last
// detect. Side a of a pair is the sensor's.
#ifndef AB_SENSORS_H
#define AB_SENSORS_H

#include "base/radix.h"
#include "contact/pair_cache.h"

#include <abut/contacts.h>

// The sensor's collider key is the more significant: body slot : 24 | ordinal : 8 | body slot : 24 | ordinal : 8.
static inline uint64_t ab_sensor_key(uint32_t sensor_key, uint32_t other_key)
{
    return (uint64_t)sensor_key << 32 | other_key;
}

typedef struct ab_sensors
{
    ab_pair_cache overlaps;
    abut_event *events[2][2]; // growable; by list of overlaps, then begin and end
} ab_sensors;

// An update that is not yet published.
typedef struct ab_sensing
{
    ab_pair_cache_update update;
    uint32_t *begun; // indices of the new overlaps
    uint32_t *ended; // indices of the overlaps before
    uint32_t count;  // overlaps now
    uint32_t begun_count, ended_count;
} ab_sensing;

// `found`: all overlaps by key. The payload has the sensor's proxy in its lower half and the other's in its upper.
// False when out of memory.
bool ab_sensors_prepare(ab_sensing *sensing, ab_sensors *sensors, ab_memory *memory, ab_arena *arena,
                        const ab_sort_entry *found, uint32_t count, const ab_contact_names *names);
void ab_sensors_publish(const ab_sensing *sensing, ab_sensors *sensors);

// The published events. kind 0: begin, 1: end.
const abut_event *ab_sensors_events(const ab_sensors *sensors, uint32_t kind);

// Gives back room of the lists under construction that they have not needed for long.
void ab_sensors_trim(ab_sensors *sensors, ab_memory *memory);

void ab_sensors_close(ab_sensors *sensors);

#endif
