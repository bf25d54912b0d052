# A public header as Doxygen reads it: `//` becomes `///` before a declaration and `///<` behind a member, and the comment
# that opens the file describes it. Comments that stand alone (headings) stay as they are. Of a union without a name, whose
# members Doxygen leaves without a place to link to, these are left as members of the struct.
function escaped(text) {
    gsub(/</, "\\<", text)
    while (match(text, /docs\/[a-z0-9_]+\.md/)) {
        page = substr(text, RSTART + 5, RLENGTH - 8)
        text = substr(text, 1, RSTART - 1) "@ref page_" page " \"" page "\"" substr(text, RSTART + RLENGTH)
    }
    return text
}
function flush(mark,   i) {
    for (i = 1; i <= count; ++i) {
        match(held[i], /\/\//)
        print substr(held[i], 1, RSTART - 1) mark (mark == "//" ? substr(held[i], RSTART + 2) : escaped(substr(held[i], RSTART + 2)))
    }
    count = 0
}
NR == 1 { print "/// @file" ; opening = 1 }
opening && /^\/\// { print "///" escaped(substr($0, 3)); next }
{ opening = 0 }
/^ +union$/ { within = 1; next }
within && /^ +\{$/ { next }
within && /^ +\};$/ { within = 0; next }
/^ *\/\// {
    match($0, /\/\//)
    if (RSTART == trailing) { print substr($0, 1, RSTART - 1) "///<" escaped(substr($0, RSTART + 2)); next }
    held[++count] = $0
    next
}
{
    flush(/^ *$/ || held[1] ~ /-----/ ? "//" : "///")
    trailing = 0
    if (match($0, / \/\/ /)) {
        trailing = RSTART + 1
        print substr($0, 1, RSTART) "///<" (within ? " in a union: " : " ") escaped(substr($0, RSTART + 4))
    } else {
        print
    }
}
END { flush("//") }
