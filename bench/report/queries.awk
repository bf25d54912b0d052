# queries.csv as a table: a row for each scene, number of bodies, query and form, a column for each engine.
FNR > 1 {
    row = get("scene") SUBSEP get("bodies") SUBSEP get("query") SUBSEP get("batch")
    if (!(row in known)) { known[row]; order[++rows] = row }
    if (!(engine() in column_of)) { column_of[engine()]; engines[++count] = engine() }
    ns[row, engine()] = figure(get("ns_per_query")) (engine() == "abut" ? "" : " (" figure(get("ratio")) ")")
}
END {
    printf "| scene | bodies | query | |"
    for (e = 1; e <= count; ++e) printf " %s |", engines[e]
    printf "\n|---|---:|---|---|"
    for (e = 1; e <= count; ++e) printf "---:|"
    print ""
    for (r = 1; r <= rows; ++r) {
        split(order[r], part, SUBSEP)
        form = part[4] + 0 > 1 ? "batch" : "alone"
        printf "| %s | %s | %s | %s |", part[1], thousands(part[2]), part[3], form
        for (e = 1; e <= count; ++e) printf " %s |", ((order[r], engines[e]) in ns) ? ns[order[r], engines[e]] : ""
        print ""
    }
}
