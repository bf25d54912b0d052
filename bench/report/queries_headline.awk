# queries.csv in short, of the number of bodies nearest to 10,000 from below: abut alone and in a batch, and the fastest other engine alone.
FNR > 1 && get("bodies") + 0 <= 10000 {
    if (get("bodies") + 0 > most) { most = get("bodies") + 0; rows = 0; delete known }
    row = get("scene") SUBSEP get("query")
    if (!(row in known)) { known[row]; order[++rows] = row }
    if (engine() == "abut") {
        if (get("batch") + 0 > 1) batch[row] = get("ns_per_query"); else alone[row] = get("ns_per_query")
    } else if (get("batch") + 0 == 1 && engine() != "embree" && (!((row, most) in ratio) || get("ratio") + 0 < ratio[row, most])) {
        ratio[row, most] = get("ratio") + 0
        best[row, most] = engine() " " figure(get("ns_per_query")) " (" figure(get("ratio")) ")"
    }
}
END {
    printf "| query, %s bodies | alone | in a batch of 10,000 | the fastest of Bullet and ODE |\n|---|---|---|---|\n", thousands(most)
    for (r = 1; r <= rows; ++r) {
        row = order[r]
        split(row, part, SUBSEP)
        if (part[1] == "terrain-mesh" || part[2] ~ /medium|short|bounds/) continue
        printf "| %s in %s | **%s** | **%s** | %s |\n", part[2], part[1], figure(alone[row]), figure(batch[row]), best[row, most]
    }
}
