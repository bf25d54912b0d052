// Sweeps every candidate pair with a CCD body, then keeps the earliest impact of each such body, or all.
#include "contact/impacts.h"

#include "base/array.h"
#include "base/radix.h"
#include "narrow/mesh/mesh_queries.h"
#include "pairs/pair_index.h"
#include "pairs/pair_runs.h"

#include <string.h>

// One impact from the side of one of its bodies.
typedef struct ab_side_impact
{
    uint64_t key; // of the pair
    uint32_t proxy, other;
    uint32_t child;
    abut_impact impact; // normal and offset from the side of `proxy`
} seen;

static bool is_ccd(const ab_proxies *proxies, uint32_t proxy)
{
    return (proxies->proxy_flags[proxy] & AB_PROXY_CCD) != 0;
}

static void make_mover(ab_mover *out, const ab_impacts_in *in, uint32_t proxy, abut_vec3 origin)
{
    static const abut_velocity none = { 0 };
    const uint32_t slot = in->proxies->collider[proxy], body = in->proxies->record[proxy].collider_key >> 8;
    const uint32_t proxy_flags = in->proxies->proxy_flags[proxy];
    const ab_moving moving = {
        .kinds = in->kinds,
        .shape = &in->shapes[slot],
        .local = (proxy_flags & AB_PROXY_PLACED) != 0 ? &in->locals[slot] : NULL,
        .pose = &in->poses[body],
        .velocity = (proxy_flags & AB_PROXY_IMMOBILE) != 0 ? &none : &in->velocities[body],
        .origin = origin,
        .is_2d = in->is_2d,
    };
    ab_mover_of(out, &moving);
}

// Sweeps a pair from the side of `proxy`, as abut_time_of_impact does with its body as the first: the origin is its
// position. Pairs, of meshes and compounds triangles and parts, that overlap are in contact already and have no impact.
// Returns whether there is one.
static bool sweep_from(const ab_impacts_in *in, uint32_t proxy, uint32_t other, seen *out)
{
    const ab_record *record = in->proxies->record;
    const abut_vec3 origin = in->poses[record[proxy].collider_key >> 8].position;
    ab_mover own, its;
    ab_sweep swept;
    make_mover(&own, in, proxy, origin);
    make_mover(&its, in, other, origin);
    uint32_t child = 0;
#ifdef AB_MESHES
    ab_sweep_shapes(&own, &its, (double)in->horizon, AB_OVERLAPS_NONE, &swept, &child);
#else
    ab_sweep_to_touch(&own, &its, 0.0, (double)in->horizon, &swept);
#endif
    *out = (seen){
        .key = ab_pair_key_of(record[proxy].collider_key, record[other].collider_key),
        .proxy = proxy,
        .other = other,
        .child = child,
        .impact = ab_sweep_impact(&swept, &own),
    };
    return (swept.hit && !swept.initial) || swept.bound; // nothing is known past a bound
}

// Appends the impacts of a pair.
static size_t sweep_pair(const ab_impacts_in *in, uint32_t a, uint32_t b, seen *out)
{
    size_t count = 0;
    if (is_ccd(in->proxies, a))
    {
        count += sweep_from(in, a, b, &out[count]);
    }
    if (is_ccd(in->proxies, b))
    {
        count += sweep_from(in, b, a, &out[count]);
    }
    return count;
}

// Called with pairs [first, end) of the stream.
typedef void look_at(const ab_impacts_pass *pass, ab_impacts_part *part, uint32_t first, uint32_t end);

// Calls `look` for the pairs of one task, one pair type at a time.
static void look_at_part(const ab_impacts_pass *pass, uint32_t task, look_at *look)
{
    ab_pair_run run[AB_PAIR_TYPES];
    const uint32_t runs = ab_pair_runs_of(pass->in.stream, pass->first_bin, &pass->partition, task, run);
    for (uint32_t i = 0; i < runs; ++i)
    {
        look(pass, &pass->parts[task], run[i].first, run[i].end);
    }
}

// Counts the most impacts that the pairs can have.
static void count_pairs(const ab_impacts_pass *pass, ab_impacts_part *part, uint32_t first, uint32_t end)
{
    const ab_impacts_in *in = &pass->in;
    for (uint32_t i = first; i < end; ++i)
    {
        part->most += (size_t)is_ccd(in->proxies, in->stream->a[i]) + is_ccd(in->proxies, in->stream->b[i]);
    }
}

static void sweep_pairs(const ab_impacts_pass *pass, ab_impacts_part *part, uint32_t first, uint32_t end)
{
    const ab_impacts_in *in = &pass->in;
    for (uint32_t i = first; i < end; ++i)
    {
        part->count += sweep_pair(in, in->stream->a[i], in->stream->b[i], pass->seen + part->first + part->count);
    }
}

static uint32_t body_of(const ab_impacts_in *in, uint32_t proxy)
{
    return in->proxies->record[proxy].collider_key >> 8;
}

// The bits of a non-negative float order as the float does.
static uint32_t bits_of(float time)
{
    uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return bits;
}

static abut_body_impact publish(const ab_impacts_in *in, const seen *s)
{
    const ab_contact_name *own = &in->names[in->proxies->collider[s->proxy]];
    const ab_contact_name *other = &in->names[in->proxies->collider[s->other]];
    return (abut_body_impact){
        .body = own->body,
        .other = other->body,
        .collider = own->collider,
        .other_collider = other->collider,
        .impact = s->impact,
        .child = s->child,
    };
}

// What was seen, sorted by pair; NULL when out of memory. `scratch` has the length of the result.
static ab_sort_entry *sort_by_pair(const ab_impacts_pass *pass, size_t count, ab_sort_entry **scratch)
{
    ab_sort_entry *entries = ab_arena_take(pass->arena, (count + 1) * sizeof *entries);
    *scratch = ab_arena_take(pass->arena, (count + 1) * sizeof *entries);
    if (!entries || !*scratch)
    {
        return NULL;
    }
    for (size_t i = 0; i < count; ++i)
    {
        entries[i] = (ab_sort_entry){ pass->seen[i].key, i };
    }
    ab_sort_entry *const sorted = ab_radix_sort(entries, *scratch, count);
    *scratch = sorted == entries ? *scratch : entries;
    return sorted;
}

// The same by body and time, ties by pair: two stable sorts, the less significant key first.
static ab_sort_entry *sort_by_body(const ab_impacts_pass *pass, size_t count)
{
    ab_sort_entry *scratch, *const sorted = sort_by_pair(pass, count, &scratch);
    for (size_t i = 0; sorted && i < count; ++i)
    {
        const seen *s = &pass->seen[sorted[i].payload];
        sorted[i].key = (uint64_t)body_of(&pass->in, s->proxy) << 32 | bits_of(s->impact.time);
    }
    return sorted ? ab_radix_sort(sorted, scratch, count) : NULL;
}

static abut_status prepare_count(void *given, uint32_t *tasks)
{
    ab_impacts_pass *pass = given;
    const size_t pairs = pass->in.horizon > 0.0f ? ab_pair_runs_length(pass->in.stream, pass->first_bin) : 0;
    ab_array_set_length(*pass->out, 0);
    pass->partition = ab_partition_into(&pass->granularity, pairs, 1);
    pass->parts = ab_arena_take(pass->arena, pass->partition.tasks * sizeof *pass->parts);
    *tasks = pass->partition.tasks;
    return pass->parts ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void count_part(void *given, uint32_t task)
{
    const ab_impacts_pass *pass = given;
    pass->parts[task] = (ab_impacts_part){ 0 };
    look_at_part(pass, task, count_pairs);
}

static abut_status prepare_sweep(void *given, uint32_t *tasks)
{
    ab_impacts_pass *pass = given;
    size_t most = 0;
    for (uint32_t i = 0; i < pass->partition.tasks; ++i)
    {
        pass->parts[i].first = most;
        most += pass->parts[i].most;
    }
    if (most == 0)
    {
        pass->partition.tasks = 0;
        return ABUT_OK;
    }
    pass->seen = ab_arena_take(pass->arena, most * sizeof *pass->seen);
    *tasks = pass->partition.tasks;
    return pass->seen ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void sweep_part(void *given, uint32_t task)
{
    look_at_part(given, task, sweep_pairs);
}

// Joins the tasks' impacts into one array, as if one task had found them. Returns their number.
static size_t gather(ab_impacts_pass *pass)
{
    size_t count = 0;
    if (pass->partition.tasks == 0)
    {
        return 0;
    }
    for (uint32_t i = 0; i < pass->partition.tasks; ++i)
    {
        const ab_impacts_part *part = &pass->parts[i];
        memmove(pass->seen + count, pass->seen + part->first, part->count * sizeof *pass->seen);
        count += part->count;
    }
    pass->partition.tasks = 1;
    pass->parts[0].count = count;
    return count;
}

// Of the pair as its key has it.
static ab_coming_hit hit_of(const ab_impacts_in *in, const seen *s)
{
    static const abut_velocity none = { 0 };
    const ab_proxies *proxies = in->proxies;
    const bool swap = proxies->collider_key[s->proxy] > proxies->collider_key[s->other];
    const bool own_moves = (proxies->proxy_flags[s->proxy] & AB_PROXY_IMMOBILE) == 0,
               its_moves = (proxies->proxy_flags[s->other] & AB_PROXY_IMMOBILE) == 0;
    const abut_vec3 n = s->impact.normal,
                    way = abut_vec3_sub((own_moves ? &in->velocities[body_of(in, s->proxy)] : &none)->linear,
                                        (its_moves ? &in->velocities[body_of(in, s->other)] : &none)->linear);
    const float approach = s->impact.time * abut_vec3_dot(n, way);
    return (ab_coming_hit){
        .key = s->key,
        .proxy_a = swap ? s->other : s->proxy,
        .proxy_b = swap ? s->proxy : s->other,
        .time = s->impact.time,
        .approach = approach > 0.0f ? approach : 0.0f,
        .normal = swap ? abut_vec3_negate(n) : n,
    };
}

bool ab_impacts_list(ab_impacts_pass *pass, const ab_coming_hit **hits, uint32_t *count)
{
    const size_t found = gather(pass);
    ab_sort_entry *scratch, *const sorted = sort_by_pair(pass, found, &scratch);
    ab_coming_hit *list = ab_arena_take(pass->arena, (found + 1) * sizeof *list);
    if (!sorted || !list)
    {
        return false;
    }
    *hits = list;
    *count = 0;
    for (size_t i = 0; i < found; ++i)
    {
        const seen *s = &pass->seen[sorted[i].payload];
        if (*count == 0 || s->key != list[*count - 1].key) // else it is the same from the other side
        {
            list[(*count)++] = hit_of(&pass->in, s);
        }
    }
    return true;
}

// Whether an impact is no later than its body's first hit; `stop` goes along the hits, which are in order of bodies
// too.
static bool is_before_stop(const ab_impacts_pass *pass, const seen *s, size_t *stop)
{
    const abut_body_impact *hits = *pass->first_hit;
    const size_t count = arrlenu(hits);
    const uint32_t body = body_of(&pass->in, s->proxy);
    while (*stop < count && hits[*stop].body.slot < body)
    {
        ++*stop;
    }
    return *stop == count || hits[*stop].body.slot != body || s->impact.time <= hits[*stop].impact.time;
}

// Leaves out the impacts of vetoed pairs. Returns how many are left.
static size_t drop_vetoed(seen *all, size_t count, const ab_vetoing *vetoing)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
    {
        all[kept] = all[i];
        kept += !ab_vetoes_have(vetoing, all[i].key);
    }
    return kept;
}

bool ab_impacts_choose(ab_impacts_pass *pass, const ab_vetoing *vetoing)
{
    const size_t found = gather(pass);
    const size_t count = drop_vetoed(pass->seen, found, vetoing);
    if (count == 0)
    {
        return true;
    }
    ab_sort_entry *const entries = sort_by_body(pass, count);
    if (!entries || !ab_array_resize(*pass->out, pass->memory, count))
    {
        return false;
    }
    size_t kept = 0, stop = 0;
    for (size_t i = 0; i < count; ++i)
    {
        const seen *s = &pass->seen[entries[i].payload];
        const bool first = i == 0 || entries[i].key >> 32 != entries[i - 1].key >> 32;
        const bool goes_on = (pass->in.states[body_of(&pass->in, s->proxy)] & pass->in.goes_on) != 0;
        if (goes_on || (pass->first_hit ? is_before_stop(pass, s, &stop) : first))
        {
            (*pass->out)[kept++] = publish(&pass->in, s);
        }
    }
    ab_array_set_length(*pass->out, kept);
    return true;
}

const ab_phase ab_impact_phases[] = { { prepare_count, count_part }, { prepare_sweep, sweep_part }, { NULL, NULL } };
