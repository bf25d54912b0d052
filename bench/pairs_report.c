// Rows of pairs on paper: a table to read unless standard output is wanted for something else, JSON and CSV to compute
// with.
#include "pairs.h"

bool pairs_report_open(row_files *report, const bench_options *options, bench_complaint *complaint)
{
    if (!row_files_open(report, options, complaint))
    {
        return false;
    }
    if (report->table)
    {
        fprintf(report->table,
                "Processor time in ns a pair with its manifold, caches warm: half of the pairs touching, all, none.\n\n"
                "%-16s %-6s %-7s %8s %8s %9s %9s %s\n",
                "pair", "space", "isa", "mixed", "touching", "separated", "points", "hash");
    }
    if (report->csv)
    {
        fprintf(report->csv, "pair,dimensions,isa,ns_mixed,ns_touching,ns_separated,touching,points,hash\n");
    }
    return true;
}

void pairs_report_row(const row_files *report, const pairs_row *row)
{
    const unsigned long long hash = (unsigned long long)row->hash;
    const int dimensions = row->is_2d ? 2 : 3;
    const char *isa = abut_isa_name(row->isa);
    const double *ns = row->ns;
    if (report->table)
    {
        fprintf(report->table, "%-16s %-6s %-7s %8.1f %8.1f %9.1f %9.2f %016llx\n", row->name, row->is_2d ? "2D" : "3D",
                isa, ns[PAIRS_MIXED], ns[PAIRS_TOUCHING], ns[PAIRS_SEPARATED], row->points, hash);
        fflush(report->table);
    }
    if (report->json)
    {
        fprintf(report->json,
                "{\"pair\":\"%s\",\"dimensions\":%d,\"isa\":\"%s\",\"ns_mixed\":%.3f,\"ns_touching\":%.3f,"
                "\"ns_separated\":%.3f,\"touching\":%.4f,\"points\":%.4f,\"hash\":\"%016llx\"}\n",
                row->name, dimensions, isa, ns[PAIRS_MIXED], ns[PAIRS_TOUCHING], ns[PAIRS_SEPARATED], row->touching,
                row->points, hash);
        fflush(report->json);
    }
    if (report->csv)
    {
        fprintf(report->csv, "%s,%d,%s,%.3f,%.3f,%.3f,%.4f,%.4f,%016llx\n", row->name, dimensions, isa, ns[PAIRS_MIXED],
                ns[PAIRS_TOUCHING], ns[PAIRS_SEPARATED], row->touching, row->points, hash);
        fflush(report->csv);
    }
}
