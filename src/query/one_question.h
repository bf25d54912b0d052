// The candidates of one question by itself: few, in one list, without an account of whose they are.
#ifndef AB_ONE_QUESTION_H
#define AB_ONE_QUESTION_H

#include "query/query.h"

#define AB_ONE_MOST AB_DESCEND_ROOM // candidates; of more, others take care

typedef struct ab_one_question
{
    const ab_questions *asked;
    uint32_t question, count;
    bool reads_records; // the candidates are tested, not their AABBs alone
    uint32_t proxy[AB_ONE_MOST + AB_WIDEST];
} ab_one_question;

// Adds what the question's filter wants, as the index reports it. False if there is no room. `context`: an
// ab_one_question.
bool ab_one_question_see(void *context, const uint32_t *proxies, const float *values, uint32_t count);

#endif
