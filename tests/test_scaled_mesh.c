#include "scaled_surfaces.h"
int main(void){return 0;}
