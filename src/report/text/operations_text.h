#pragma once
// Predicted beside counted operations, as `kerlab show` and `kerlab bench` print them.

#include <string>

#include "model/operations.h"
#include "report/form/json.h"

namespace kerlab::report {

/// "operations (6 of 1024 blocks on emu:h200)" and a row for each counter; empty when there is nothing to say.
std::string operations_text(const Operations& operations, int indent = 2, int width = 0);

JsonValue to_value(const Operations& operations);

}  // namespace kerlab::report
