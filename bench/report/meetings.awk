# From abut-bench's JSON, one object a line: the cost of a pair of each two kinds of shape, over all scenes, as CSV.
function number(text, key,   at, rest) {
    at = index(text, "\"" key "\":")
    rest = substr(text, at + length(key) + 3)
    return at ? rest + 0 : 0
}
match($0, /"meetings":\[[^]]*\]/) {
    count = split(substr($0, RSTART + 12, RLENGTH - 13), objects, "}")
    for (i = 1; i < count; ++i) {
        name = objects[i]
        sub(/.*"name":"/, "", name)
        sub(/".*/, "", name)
        if (!(name in pairs)) order[++names] = name
        pairs[name] += number(objects[i], "pairs")
        touching[name] += number(objects[i], "touching")
        ns[name] += number(objects[i], "elapsed_ns")
    }
}
END {
    print "meeting,pairs,touching,ns_per_pair"
    for (i = 1; i <= names; ++i)
        if (pairs[order[i]] > 0)
            printf "%s,%d,%d,%.3f\n", order[i], pairs[order[i]], touching[order[i]], ns[order[i]] / pairs[order[i]]
}
