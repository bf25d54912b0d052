// The body of stb_ds, apart from the storage that it takes: a module without a terminal has a storage of its own.
#define STB_DS_IMPLEMENTATION
#include "storage.h"
