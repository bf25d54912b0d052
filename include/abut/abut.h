// The whole of abut: a world of bodies with shapes, which finds every contact between them, step after step.
#ifndef ABUT_ABUT_H
#define ABUT_ABUT_H

#include <abut/base.h>
#include <abut/character.h>
#include <abut/collide.h>
#include <abut/collider.h>
#include <abut/contacts.h>
#include <abut/draw.h>
#include <abut/fit.h>
#include <abut/math.h>
#include <abut/query.h>
#include <abut/record.h>
#include <abut/shape.h>
#include <abut/state.h>
#include <abut/statistics.h>
#include <abut/sweep.h>
#include <abut/tiles.h>
#include <abut/world.h>

#endif
