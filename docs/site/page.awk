# A page as Doxygen reads it: headings have labels, links between pages name those, names of the interface are links, and
# what lies outside the site is named, not linked.
function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function stem_of(path) {
    sub(/.*\//, "", path)
    sub(/\.md$/, "", path)
    return tolower(path)
}
function label(stem, anchor) {
    if (anchor == "" && stem == "readme") return "index" # which the main page has by itself
    return "page_" stem (anchor == "" ? "" : "__" anchor)
}
# What a link with this text leads to.
function linked(text, target,   parts) {
    if (target ~ /^https?:/) return "[" text "](" target ")"
    split(target, parts, "#")
    if (parts[1] == "" || parts[1] ~ /^(\.\.\/)?(docs\/)?[a-z0-9_]+\.md$/ || parts[1] ~ /^(\.\.\/)?README\.md$/) {
        gsub(/`/, "", text)
        return "[" text "](@ref " label(parts[1] == "" ? stem : stem_of(parts[1]), parts[2]) ")"
    }
    return text ~ /`/ ? text : "`" text "`"
}
# Text between backticks.
function word(text) {
    return text ~ /^(abut|ABUT)_[A-Za-z0-9_]+$/ ? "@ref " text " \"" text "\"" : "`" text "`"
}
BEGIN { stem = stem_of(ARGV[1]) }
/^```/ { code = !code }
code || /^```/ { print; next }
/^#/ {
    level = $0; sub(/ .*/, "", level)
    text = substr($0, length(level) + 2)
    anchor = slug(text)
    gsub(/`/, "", text)
    name = label(stem, level == "#" ? "" : anchor)
    print level " " text (name == "index" ? "" : " {#" name "}")
    next
}
{
    rest = $0; line = ""
    while (match(rest, /!\[[^]]*\]\([^)]*\)|\[[^]]*\]\([^)]*\)|`[^`]*`/)) {
        line = line substr(rest, 1, RSTART - 1)
        found = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (found ~ /^`/) line = line word(substr(found, 2, length(found) - 2))
        else if (found ~ /^!/) line = line found
        else {
            at = index(found, "](")
            line = line linked(substr(found, 2, at - 2), substr(found, at + 2, length(found) - at - 2))
        }
    }
    print line rest
}
