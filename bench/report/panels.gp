# A panel a scene, three to a row, with one legend for all above them. The caller sets value (the column drawn), what (the y
# axis) and title. Every panel has the same axes, so that they compare by eye.
rows = (words(scenes) + 2) / 3
wide = 1080; high = 90 + 315 * rows
load here.'/common.gp'
set logscale xy
set format x "10^{%T}"
set format y "10^{%T}"
set grid xtics ytics
set ytics scale 0.6
stats_low = 1e30; stats_high = 0; least = 1e30; most = 0
do for [scene in scenes] { do for [engine in engines] {
    stats work.'/'.scene.'.'.engine using 1:(column(value)) nooutput
    if (exists('STATS_records') && STATS_records > 0) {
        if (STATS_min_y < stats_low) { stats_low = STATS_min_y }
        if (STATS_max_y > stats_high) { stats_high = STATS_max_y }
        if (STATS_min_x < least) { least = STATS_min_x }
        if (STATS_max_x > most) { most = STATS_max_x }
    }
} }
set xrange [least * 0.7:most * 1.5]
set yrange [10 ** floor(log10(stats_low)):10 ** ceil(log10(stats_high))]
set multiplot layout rows,3 title heading font big margins 0.092,0.985,65.0 / high,1.0 - 108.0 / high spacing 0.06,94.0 / high
panel = 0
do for [scene in scenes] {
    panel = panel + 1
    set title scene font big offset 0,-0.6
    set xlabel (panel > words(scenes) - 3 ? 'bodies' : '') offset 0,0.4
    set ylabel (panel % 3 == 1 ? what : '') offset 0.3,0
    if (panel == 1) {
        set key at screen 0.5,1.0 - 40.0 / high center top vertical maxrows 1 samplen 2.5 width 1
    } else {
        unset key
    }
    plot for [i = 1:words(engines)] work.'/'.scene.'.'.word(engines, i) using 1:(column(value)) \
        with linespoints linestyle i title word(engines, i)
}
unset multiplot
