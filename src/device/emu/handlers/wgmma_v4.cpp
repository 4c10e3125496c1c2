#define KERLAB_ISA v4
#define KERLAB_FAST_MATRIX
#include "device/emu/handlers/wgmma.inc"
