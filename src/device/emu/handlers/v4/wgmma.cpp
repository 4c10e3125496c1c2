// For processors with AVX-512 and VNNI. GCC 12 warns of its own intrinsics, which leave a register undefined on
// purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define KERLAB_ISA v4
#define KERLAB_FAST_MATRIX
#include "device/emu/handlers/wgmma.inc"
