# What a candidate pair costs in the narrow phase, by the kinds of its shapes.
here = ARG0[1:strlen(ARG0) - strlen('/pairs.gp')]
wide = 780; high = 450
load here.'/common.gp'
set title 'abut: narrow phase, cost of a candidate pair by its kinds' font big
set style fill solid 0.85 noborder
set boxwidth 0.6
set ylabel 'ns a pair'
stats work.'/pairs' using 2 nooutput
set yrange [0:1.1 * STATS_max]
set xtics scale 0 rotate by -25
unset key
plot work.'/pairs' using 0:2:xtic(1) with boxes linecolor rgb '#1f77b4', \
    work.'/pairs' using 0:2:(sprintf('%.1f', column(2))) with labels offset 0,0.7
