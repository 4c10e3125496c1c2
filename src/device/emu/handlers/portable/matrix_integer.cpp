#define KERLAB_ISA portable
#include "device/emu/handlers/matrix_integer.inc"
