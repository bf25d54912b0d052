// Rows of queries on paper: a table to read unless standard output is wanted for something else, JSON and CSV to
// compute with.
#include "queries.h"

#include <inttypes.h>

void queries_report_head(const row_files *files)
{
    if (files->table)
    {
        fprintf(files->table,
                "Time in ns a query, medians; %u queries of a kind, one a call or all in one. Hits are of all queries\n"
                "together. Of other engines: their time over abut's in the same form, and how many answers differ: in\n"
                "their number of hits, or by more than %g m in the place of the first.\n\n"
                "%-12s %8s %-15s %-8s %6s %10s %8s %9s %6s %s\n",
                QUERY_COUNT, (double)QUERY_BAND, "scene", "bodies", "query", "engine", "batch", "ns/query", "ratio",
                "hits", "differ", "hash");
    }
    if (files->csv)
    {
        fprintf(files->csv, "scene,bodies,query,engine,batch,ns_per_query,ratio,hits,differing,hash\n");
    }
}

static void write_table(FILE *file, const queries_row *row, const char *hash)
{
    char ratio[32] = "-", differing[16] = "-";
    if (!row->has_hash)
    {
        snprintf(ratio, sizeof ratio, "%.2f", row->ratio);
        snprintf(differing, sizeof differing, "%u", row->differing);
    }
    fprintf(file, "%-12s %8u %-15s %-8s %6u %10.1f %8s %9" PRIu64 " %6s %s\n", row->scene, row->bodies, row->query,
            row->engine, row->batch, row->ns, ratio, row->hits, differing, hash);
}

void queries_report_row(const row_files *files, const queries_row *row)
{
    char hash[20] = "", quoted[24] = "null";
    if (row->has_hash)
    {
        snprintf(hash, sizeof hash, "%016" PRIx64, row->hash);
        snprintf(quoted, sizeof quoted, "\"%s\"", hash);
    }
    if (files->table)
    {
        write_table(files->table, row, hash);
        fflush(files->table);
    }
    if (files->json)
    {
        fprintf(files->json,
                "{\"scene\":\"%s\",\"bodies\":%u,\"query\":\"%s\",\"engine\":\"%s\",\"batch\":%u,"
                "\"ns_per_query\":%.2f,\"ratio\":%.3f,\"hits\":%" PRIu64 ",\"differing\":%u,\"hash\":%s}\n",
                row->scene, row->bodies, row->query, row->engine, row->batch, row->ns, row->ratio, row->hits,
                row->differing, quoted);
        fflush(files->json);
    }
    if (files->csv)
    {
        fprintf(files->csv, "%s,%u,%s,%s,%u,%.2f,%.3f,%" PRIu64 ",%u,%s\n", row->scene, row->bodies, row->query,
                row->engine, row->batch, row->ns, row->ratio, row->hits, row->differing, hash);
        fflush(files->csv);
    }
}
