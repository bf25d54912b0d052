# Reads all pages of the site, and on standard input the names of all of its files: every link to a file or a place in one
# leads there.
FNR == 1 { page = FILENAME; sub(/.*\//, "", page) }
FILENAME == "-" { sub(/^\.\//, ""); there[$0]; next }
{
    rest = $0
    while (match(rest, /(href|src|id|name)="[^"]*"/)) {
        found = substr(rest, RSTART, RLENGTH - 1)
        rest = substr(rest, RSTART + RLENGTH)
        value = found
        sub(/^[a-z]*="/, "", value)
        if (found ~ /^(id|name)/) anchors[page "#" value]
        else if (value !~ /^([a-z]+:|$)/) links[++count] = page SUBSEP value
    }
}
END {
    for (i = 1; i <= count; ++i) {
        split(links[i], link, SUBSEP)
        file = link[2]
        sub(/#.*/, "", file)
        anchor = substr(link[2], length(file) + 2)
        file = file == "" ? link[1] : file
        if (!(file in there) || (anchor != "" && file ~ /\.html$/ && !((file "#" anchor) in anchors))) {
            if (!told[links[i]]++) print link[1] ": dead link: " link[2]
            failed = 1
        }
    }
    exit failed
}
