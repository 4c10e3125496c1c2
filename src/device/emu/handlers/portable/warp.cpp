#define KERLAB_ISA portable
#include "device/emu/handlers/warp.inc"
