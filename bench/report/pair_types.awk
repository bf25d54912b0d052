# From abut-bench's JSON, one object a line: the cost of a pair of each two kinds of shape, as CSV. Of several
# scenes the cheapest that has many such pairs counts: elapsed time only ever errs upwards.
function number(text, key,   at, rest) {
    at = index(text, "\"" key "\":")
    rest = substr(text, at + length(key) + 3)
    return at ? rest + 0 : 0
}
match($0, /"pair_types":\[[^]]*\]/) {
    count = split(substr($0, RSTART + 12, RLENGTH - 13), objects, "}")
    for (i = 1; i < count; ++i) {
        name = objects[i]
        sub(/.*"name":"/, "", name)
        sub(/".*/, "", name)
        if (!(name in known)) order[++names] = name
        known[name]
        here = number(objects[i], "pairs")
        cost = here > 0 ? number(objects[i], "elapsed_ns") / here : 0
        if (here > 0 && (!(name in pairs) || pairs[name] < 1000 || (here >= 1000 && cost < ns[name]))) {
            pairs[name] = here
            touching[name] = number(objects[i], "touching")
            ns[name] = cost
        }
    }
}
END {
    print "meeting,pairs,touching,ns_per_pair"
    for (i = 1; i <= names; ++i)
        if (order[i] in pairs)
            printf "%s,%d,%d,%.3f\n", order[i], pairs[order[i]], touching[order[i]], ns[order[i]]
}
