# engines.csv, then lasting.csv: what the scene of the latter cost fresh and costs later.
FNR > 1 && FILENAME ~ /engines/ { fresh[get("engine"), get("scene"), get("bodies")] = get("ns_per_body") }
FNR > 1 && FILENAME ~ /lasting/ {
    if (!rows++) {
        later = get("dropped") - 10
        printf "| engine | scene | bodies | ns a body, fresh | after %s frames |\n|---|---|---:|---:|---:|\n", thousands(later)
    }
    before = fresh[get("engine"), get("scene"), get("bodies")]
    printf "| %s | %s | %s | %s | %s |\n", get("engine"), get("scene"), thousands(get("bodies")), before == "" ? "" : figure(before),
        figure(get("ns_per_body"))
}
