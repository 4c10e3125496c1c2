// For processors with AVX2 and FMA.

#define KERLAB_ISA v3
#include "device/emu/handlers/floating.inc"
