// wasi-libc's own refuses to be included: there is nothing to jump with. cmocka.h here needs none.
#ifndef WASI_SETJMP_H
#define WASI_SETJMP_H

#endif
