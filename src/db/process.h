#pragma once
// Whether the process that wrote a row still lives.

#include <string>
#include <string_view>

#include "base/modules.h"

namespace kerlab::db {

/// "hostname pid starttime" of this process. The start time tells it from a later process with the same number.
std::string process_identity();
/// True when `identity` names a process of this host that has ended. Another host, or text of another form: false.
bool process_is_gone(std::string_view identity);

}  // namespace kerlab::db
