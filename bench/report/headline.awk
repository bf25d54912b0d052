# engines.csv in short: a row a scene, a column a number of bodies; abut, and the engine that comes nearest to it. Rows of
# recycled.csv, which may follow, say that they are.
FNR > 1 {
    scene = get("scene") (FILENAME ~ /recycled/ ? ", recycled" : ""); bodies = get("bodies")
    if (!(scene in known)) { known[scene]; scenes[++rows] = scene }
    if (!(bodies in sized)) { sized[bodies]; sizes[++sizes_shown] = bodies }
    here = scene SUBSEP bodies
    if (engine() == "abut") ours[here] = get("ns_per_body")
    else if (engine() != "sweep" && (!(here in ratio) || get("ratio") + 0 < ratio[here])) {
        ratio[here] = get("ratio") + 0
        best[here] = get("engine")
        theirs[here] = get("ns_per_body")
    }
}
END {
    printf "| scene |"
    for (s = 1; s <= sizes_shown; ++s) printf " %s bodies |", thousands(sizes[s])
    printf "\n|---|"
    for (s = 1; s <= sizes_shown; ++s) printf "---|"
    print ""
    for (r = 1; r <= rows; ++r) {
        printf "| %s |", scenes[r]
        for (s = 1; s <= sizes_shown; ++s) {
            here = scenes[r] SUBSEP sizes[s]
            printf " %s", (here in ours) ? "**" figure(ours[here]) "**" : ""
            if (here in ratio) printf "; %s %s (%s)", best[here], figure(theirs[here]), figure(ratio[here])
            printf " |"
        }
        print ""
    }
}
