#pragma once
// Outcomes that end or block the whole process, and whether an outcome is due.

#include "device/script/script.h"

namespace kerlab::device {

/// False when the rule's once_file says that it has happened before; else marks it as happened and returns true.
bool happens_now(const ScriptRule& rule);

/// As a hung GPU does to the thread that waits for it.
[[noreturn]] void hang_forever();

/// sigkill or abort.
[[noreturn]] void end_process(Outcome outcome);

}  // namespace kerlab::device
