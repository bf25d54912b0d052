// The implementation of stb_ds, compiled once, with memory from the array's world.
#define STB_DS_IMPLEMENTATION
#include "base/array.h"

#include "base/assert.h"

#include <string.h>

// Precedes stb_ds' header: the block's owner and size.
typedef struct prefix
{
    ab_memory *memory;
    size_t size;
    size_t most; // elements needed since the array was trimmed
} prefix;

#define SLACK 32u           // extra elements for a short array
#define LARGE 262144u       // bytes; past these an array grows by less, for its length varies by less of itself
#define HEAD  AB_CACHE_LINE // prefix and header together: the data is aligned like the block

static prefix *prefix_of(void *stb_header)
{
    return (prefix *)(void *)((char *)stb_header + sizeof(stbds_array_header) - HEAD);
}

_Noreturn void ab_array_never(void)
{
    ab_assert_failed("an array grows only through ab_array_reserve", __FILE__, __LINE__, 0);
}

void ab_array_give(void *stb_header)
{
    prefix *owner = prefix_of(stb_header);
    ab_memory_give(owner->memory, owner, owner->size);
}

// Moves the contents to a block of so many elements.
static bool move_to(ab_memory *memory, void *array, size_t element, size_t capacity, size_t most)
{
    if (capacity > (SIZE_MAX - HEAD) / element)
    {
        return false;
    }
    const size_t size = HEAD + capacity * element;
    char *block = ab_memory_take(memory, size);
    if (!block)
    {
        return false;
    }
    *(prefix *)(void *)block = (prefix){ memory, size, most };
    void *data = block + HEAD;
    const size_t length = array ? stbds_header(array)->length : 0;
    *stbds_header(data) = (stbds_array_header){ .length = length, .capacity = capacity };
    if (array)
    {
        memcpy(data, array, length * element);
        ab_array_give(stbds_header(array));
    }
    memory->grown = data;
    return true;
}

// A small array doubles, a large one grows by half.
bool ab_array_grow(ab_memory *memory, void *array, size_t element, size_t count)
{
    const size_t had = array ? stbds_header(array)->capacity : 0;
    const size_t grown = memory->sparing ? 0 : had + (had * element > LARGE ? had / 2 : had);
    return move_to(memory, array, element, count > grown ? count : grown, count);
}

bool ab_array_grow_to(ab_memory *memory, void *array, size_t element, size_t count)
{
    return move_to(memory, array, element, count, count);
}

// Room for so many elements and slack: a quarter of what is not large, and a sixteenth of the rest.
static size_t with_slack(size_t count, size_t element)
{
    const size_t most = LARGE / element, small = count < most ? count : most;
    return count + small / 4 + (count - small) / 16 + SLACK;
}

bool ab_array_lengthen(ab_memory *memory, void *array, size_t element, size_t count)
{
    const size_t capacity = memory->sparing ? count : with_slack(count, element);
    memory->grown = array;
    if (capacity < count)
    {
        return false;
    }
    if ((array ? stbds_header(array)->capacity : 0) < count && !ab_array_grow(memory, array, element, capacity))
    {
        return false;
    }
    ab_array_set_length(memory->grown, count);
    return true;
}

bool ab_array_widen(ab_memory *memory, void *array, size_t element, size_t count)
{
    const size_t had = array ? stbds_header(array)->length : 0;
    if (!ab_array_lengthen(memory, array, element, count > had ? count : had))
    {
        return false;
    }
    ab_array_set_length(memory->grown, had);
    return true;
}

void *ab_array_trimmed(ab_memory *memory, void *array, size_t element, size_t floor)
{
    if (!array)
    {
        return NULL;
    }
    prefix *p = prefix_of(stbds_header(array));
    const size_t length = stbds_header(array)->length, capacity = stbds_header(array)->capacity;
    const size_t most = p->most > floor ? p->most : floor, needed = with_slack(most, element);
    p->most = length;
    if (capacity / 2 <= needed || (capacity - needed) * element < AB_TRIM_LEAST)
    {
        return array;
    }
    const bool moved = move_to(memory, array, element, needed, length);
    memory->forgone += !moved;
    return moved ? memory->grown : array;
}

void ab_array_set_length(void *array, size_t count)
{
    AB_ASSERT(array ? count <= stbds_header(array)->capacity : count == 0, count);
    if (array)
    {
        prefix *p = prefix_of(stbds_header(array));
        p->most = p->most > count ? p->most : count;
        stbds_header(array)->length = count;
    }
}
