// For every x86-64 processor.

#define KERLAB_ISA portable
#include "device/emu/handlers/approximate.inc"
