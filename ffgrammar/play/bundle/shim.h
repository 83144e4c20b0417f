/* Included before each C file of the WebAssembly build. WASI's C library has other clocks than Emscripten's, which is the one
   that Pyodide has at run time: there a clock is a number. */
#include <signal.h>
#include <time.h>
#undef CLOCK_MONOTONIC
#define CLOCK_MONOTONIC ((clockid_t)1)
#undef CLOCK_REALTIME
#define CLOCK_REALTIME ((clockid_t)0)
#ifndef SIG_SETMASK
#define SIG_SETMASK 2
#endif
/* There, a clock_t has 32 bits. */
long page_clock(void) __asm__("clock");
#undef CLOCKS_PER_SEC
#define CLOCKS_PER_SEC 1000000L
#define clock() ((clock_t)page_clock())
