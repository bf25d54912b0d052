// Candidates of one question.
#include "query/one_question.h"

#ifndef AB_SMALL

bool ab_one_question_see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    ab_one_question *one = context;
    const ab_questions *asked = one->asked;
    const abut_world *world = asked->world;
    const ab_proxies *own = &world->cache.proxies;
    const uint32_t *flags = own->proxy_flags, doubtful = asked->accepted.doubtful;
    const bool reads_records = one->reads_records;
    uint32_t kept = one->count;
    (void)values;
    if (count > AB_ONE_MOST - kept)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxies[i];
        if (reads_records)
        {
            AB_PREFETCH_AT(own->record, proxy);
        }
        ab_query_prefetch_name(world, proxy);
        one->proxy[kept] = proxy;
        kept += AB_LIKELY((flags[proxy] & doubtful) == 0) ||
                ab_query_filter_wants(world, &asked->accepted, one->question, proxy);
    }
    one->count = kept;
    return true;
}

#endif
