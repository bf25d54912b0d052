// The polygons that the tests of a program draw from, and what opens and closes them for a group of tests.
#ifndef STOCK_2D_H
#define STOCK_2D_H

#include "random_2d.h"

static stock_2d stock;

static int open_stock(void **state)
{
    (void)state;
    stock_2d_open(&stock);
    return 0;
}

static int close_stock(void **state)
{
    (void)state;
    stock_2d_close(&stock);
    return 0;
}

#endif
