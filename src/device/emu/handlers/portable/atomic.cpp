#define KERLAB_ISA portable
#include "device/emu/handlers/atomic.inc"
