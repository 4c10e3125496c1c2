#pragma once
// The database as text, for another kerlab or another tuner.

#include "cli/frame/command.h"
#include "report/form/json.h"

namespace kerlab::cli {

/// What `kerlab db ACTION --json` prints.
void print_db_document(const std::string& action, JsonValue::Object body);

/// `file`: empty: standard output.
ExitCode export_to(const GlobalOptions& global, const std::string& file);
/// `format`: kernel-tuner or t4: one file for each kernel and problem, in a folder for each device. `family`: empty:
/// all.
ExitCode export_spaces(const GlobalOptions& global, const std::string& folder, const std::string& format,
                       const std::string& family);
ExitCode import_from(const GlobalOptions& global, const std::string& file);

}  // namespace kerlab::cli
