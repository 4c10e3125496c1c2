#define KERLAB_ISA v3
#include "device/emu/handlers/convert.inc"
