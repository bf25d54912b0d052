# Memory a body over the number of bodies.
here = ARG0[1:strlen(ARG0) - strlen('/memory.gp')]
value = 3
what = 'bytes a body'
heading = 'Memory a body, contacts included (lower is better)'
load here.'/panels.gp'
