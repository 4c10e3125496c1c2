// For processors with AVX2 and FMA.

#define KERLAB_ISA v3
#include "device/emu/handlers/float_compare.inc"
