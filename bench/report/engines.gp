# Time a body over the number of bodies, for each engine on each scene.
here = ARG0[1:strlen(ARG0) - strlen('/engines.gp')]
value = 2
what = 'ns a body'
heading = 'Processor time a body and frame, one thread (lower is better)'
load here.'/panels.gp'
