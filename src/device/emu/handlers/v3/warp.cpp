#define KERLAB_ISA v3
#include "device/emu/handlers/warp.inc"
