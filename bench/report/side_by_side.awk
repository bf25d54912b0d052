# engines.csv as a table: a row for each scene and number of bodies, a column for each engine.
FNR > 1 {
    if (!(engine() in known)) { known[engine()]; engines[++columns_shown] = engine(); title[columns_shown] = get("engine") }
    row = get("scene") " " get("bodies")
    if (!(row in place)) { place[row]; rows[++count] = row; label[count] = get("scene") " | " thousands(get("bodies")) }
    ns[row, engine()] = figure(get("ns_per_body")) (get("ratio") == "" ? "" : " (" figure(get("ratio")) ")")
}
END {
    printf "| scene | bodies |"
    for (e = 1; e <= columns_shown; ++e) printf " %s |", title[e]
    printf "\n|---|---:|"
    for (e = 1; e <= columns_shown; ++e) printf "---:|"
    print ""
    for (r = 1; r <= count; ++r) {
        printf "| %s |", label[r]
        for (e = 1; e <= columns_shown; ++e)
            printf " %s |", ((rows[r], engines[e]) in ns) ? ns[rows[r], engines[e]] : ""
        print ""
    }
}
