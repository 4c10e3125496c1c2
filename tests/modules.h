#pragma once
// Tests see every module but the emulator; through `cli` and `session` all that these may include.
#include "base/modules.h"

using namespace kerlab::cli;
