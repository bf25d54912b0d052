# For scripts that read abut-bench's CSV: column["name"] is known from the second line on. No field there has a comma.
BEGIN { FS = "," }
FNR == 1 {
    for (i = 1; i <= NF; ++i) column[$i] = i
    next
}
function get(name) { return $column[name] }
# The engine without its version.
function engine(   words) { split(get("engine"), words, " "); return words[1] }
function thousands(n,   text, out) {
    text = sprintf("%d", n)
    while (length(text) > 3) {
        out = "," substr(text, length(text) - 2) out
        text = substr(text, 1, length(text) - 3)
    }
    return text out
}
# Three significant figures, for times in ns and ratios.
function figure(x) { return x >= 100 ? thousands(int(x + 0.5)) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
