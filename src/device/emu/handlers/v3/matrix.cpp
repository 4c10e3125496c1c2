#define KERLAB_ISA v3
#include "device/emu/handlers/matrix.inc"
