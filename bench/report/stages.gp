# What share of a step each stage takes.
here = ARG0[1:strlen(ARG0) - strlen('/stages.gp')]
wide = 150 + 105 * words(scenes); high = 460
load here.'/common.gp'
set title 'abut: shares of a frame, '.bodies.' bodies (below each scene: ns a body)' font big
set style data histograms
set style histogram rowstacked
set style fill solid 0.85 border rgb 'white'
set boxwidth 0.7
set ylabel '% of the frame'
set yrange [0:100]
set key outside right center reverse Left invert samplen 1.5
set xtics scale 0
set bmargin 4
array colour[6] = ['#9e9e9e', '#1f77b4', '#2ca02c', '#e0b020', '#c8102e', '#9467bd']
last = words(stages) + 1
plot for [i = 2:last] work.'/stages' using (100.0 * column(i) / (sum [k = 2:last] column(k))):xtic(1) \
    linecolor rgb colour[i - 1] title word(stages, i - 1)
