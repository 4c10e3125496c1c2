#pragma once
// `kerlab device` tells every setting and which flag, variable or line of kerlab.toml it comes from.

#include <string>

#include "cli/frame/command.h"
#include "report/form/json.h"

namespace kerlab::cli {

/// A table: setting, value, where it comes from.
std::string settings_text(const GlobalOptions& global, bool color);
/// {"file": "/a/kerlab.toml", "values": [{"name": "device", "value": "emu:h200", "from": "KERLAB_DEVICE"}]}
JsonValue settings_value(const GlobalOptions& global);

}  // namespace kerlab::cli
