# Speed on each instruction set, and on several threads, as a multiple of the first column's: scalar on one thread.
here = ARG0[1:strlen(ARG0) - strlen('/scaling.gp')]
wide = 760; high = 430
load here.'/common.gp'
kinds = system("sed 's/.*/\"&\"/' ".work."/kinds | tr '\\n' ' '")
set title 'abut: speed by instruction set and threads, '.system('cat '.work.'/scaling_bodies').' bodies' font big
set style data histograms
set style histogram clustered gap 1.2
set style fill solid 0.85 noborder
set ylabel 'times scalar on one thread'
set yrange [0:*]
set key outside right center reverse Left samplen 1.5
set xtics scale 0
array colour[8] = ['#9e9e9e', '#1f77b4', '#2ca02c', '#c8102e', '#e08214', '#9467bd', '#17a2b8', '#98a832']
plot for [i = 1:words(kinds)] work.'/scaling' using (column(2) / column(i + 1)):xtic(1) \
    linecolor rgb colour[(i - 1) % 8 + 1] title word(kinds, i)
