# The rows of engines.csv in which an engine's touching pairs are not abut's.
function metres(x) { return x < 1e-5 ? "less than 0.00001" : sprintf("%.2g", x) }
FNR > 1 && get("missed") + get("more") > 0 {
    if (!rows++)
        print "| engine | scene | bodies | touching, by abut's | missed | deepest of them, m | more | widest apart of them, m |\n|---|---|---:|---:|---:|---:|---:|---:|"
    printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", get("engine"), get("scene"), thousands(get("bodies")),
        thousands(get("touching") + get("missed") - get("more")), thousands(get("missed")),
        (get("missed") > 0 ? metres(get("missed_deepest") + 0) : ""), thousands(get("more")),
        (get("more") > 0 ? metres(get("more_widest") + 0) : "")
}
END { if (!rows) print "In this run no engine differed in any pair." }
