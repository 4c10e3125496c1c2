#define KERLAB_ISA v3
#define KERLAB_FAST_MATRIX
#include "device/emu/handlers/matrix_float.inc"
