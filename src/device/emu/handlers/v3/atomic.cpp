#define KERLAB_ISA v3
#include "device/emu/handlers/atomic.inc"
