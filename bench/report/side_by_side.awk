# engines.csv as a table: a row for each scene and number of bodies, a column for each engine.
FNR > 1 {
    scene = get("scene"); bodies = get("bodies")
    if (!(engine() in known)) { known[engine()]; engines[++columns_shown] = engine(); title[columns_shown] = get("engine") }
    if (!(scene in placed)) { placed[scene]; scenes[++rows] = scene }
    if (!(bodies in sized)) { sized[bodies]; sizes[++sizes_shown] = bodies }
    measured[scene, bodies]
    ns[scene, bodies, engine()] = figure(get("ns_per_body")) (get("ratio") == "" ? "" : " (" figure(get("ratio")) ")")
}
END {
    printf "| scene | bodies |"
    for (e = 1; e <= columns_shown; ++e) printf " %s |", title[e]
    printf "\n|---|---:|"
    for (e = 1; e <= columns_shown; ++e) printf "---:|"
    print ""
    for (r = 1; r <= rows; ++r)
        for (s = 1; s <= sizes_shown; ++s) {
            if (!((scenes[r], sizes[s]) in measured)) continue
            printf "| %s | %s |", scenes[r], thousands(sizes[s])
            for (e = 1; e <= columns_shown; ++e) {
                here = scenes[r] SUBSEP sizes[s] SUBSEP engines[e]
                printf " %s |", (here in ns) ? ns[here] : ""
            }
            print ""
        }
}
