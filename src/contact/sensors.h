// What is in sensors: pairs of a sensor and a visitor that touch, what entered and what left since the last detect. A
// pair's side a is the sensor's.
#ifndef AB_SENSORS_H
#define AB_SENSORS_H

#include "base/radix.h"
#include "contact/pair_cache.h"

#include <abut/contacts.h>

// Sorts by sensor first: sensor's body slot : 24 | its place : 8 | visitor's body slot : 24 | its place : 8.
static inline uint64_t ab_sensor_key(uint32_t order_sensor, uint32_t order_overlap)
{
    return (uint64_t)order_sensor << 32 | order_overlap;
}

typedef struct ab_sensors
{
    ab_pair_cache overlaps;
    abut_event *events[2][2]; // growable; by which list of overlaps they go with, then begin and end
} ab_sensors;

// One update, prepared and not yet published.
typedef struct ab_sensing
{
    ab_pair_cache_update update;
    uint32_t *begun; // indices of the overlaps found
    uint32_t *ended; // places in the overlaps before
    uint32_t begun_count, ended_count;
} ab_sensing;

// `found`: all overlaps by key; the payload is the sensor's leaf, and the visitor's in the upper half. False when
// memory is refused.
bool ab_sensors_prepare(ab_sensing *sensing, ab_sensors *sensors, ab_memory *memory, ab_arena *arena,
                        const ab_sort_entry *found, uint32_t count, const ab_contact_names *names);
void ab_sensors_publish(const ab_sensing *sensing, ab_sensors *sensors);

// The published events: 0 begin, 1 end.
const abut_event *ab_sensors_events(const ab_sensors *sensors, uint32_t kind);

void ab_sensors_close(ab_sensors *sensors);

#endif
