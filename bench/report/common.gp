# Terminal, colours and lines of every picture. The caller sets wide and high, in pixels.
eval sprintf("set terminal %s enhanced font 'DejaVu Sans,%g' size %d,%d background rgb 'white'", \
    format eq 'svg' ? 'svg' : 'pngcairo', 11 * scale, wide * scale, high * scale)
set encoding utf8
set style line 1 linecolor rgb '#c8102e' linewidth 3 pointtype 7 pointsize 0.7   # abut
set style line 2 linecolor rgb '#1f77b4' linewidth 1.6 pointtype 5 pointsize 0.6
set style line 3 linecolor rgb '#2ca02c' linewidth 1.6 pointtype 9 pointsize 0.7
set style line 4 linecolor rgb '#98a832' linewidth 1.6 pointtype 11 pointsize 0.7
set style line 5 linecolor rgb '#9467bd' linewidth 1.6 pointtype 13 pointsize 0.7
set style line 6 linecolor rgb '#7f7f7f' linewidth 1.6 pointtype 4 pointsize 0.6 dashtype 2
set style line 7 linecolor rgb '#e08214' linewidth 1.6 pointtype 6 pointsize 0.6
set style line 8 linecolor rgb '#17a2b8' linewidth 1.6 pointtype 8 pointsize 0.6
set border 3 linecolor rgb '#404040'
set tics nomirror
set grid ytics linetype 1 linecolor rgb '#d0d0d0' linewidth 0.8
big = sprintf(',%g', 12 * scale)
