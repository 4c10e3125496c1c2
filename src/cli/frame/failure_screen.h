#pragma once
// How failed trials are shown: those that failed alike in one block, with the cause, the command that shows it again
// and the constraint that would have excluded them.

#include <optional>

#include "cli/frame/command.h"
#include "db/database.h"
#include "report/form/json.h"
#include "session/find/failures.h"

namespace kerlab::cli {

/// Two lines at most for each group: "  14 illegal_address: reg2d: ...  (kerlab show 88)", "     excluded by ...".
std::string failure_lines(const std::vector<FailureGroup>& groups, bool color, std::size_t most);

JsonValue::Array failure_values(const std::vector<FailureGroup>& groups, const ToRepeat& again);
/// Of each status the first trial.
JsonValue::Array first_of_each_status(const std::vector<FailureGroup>& groups);

/// What commands about a stored trial must repeat: the options given, the device where it is not a GPU, and the
/// family's folder where the session that tried it was given one.
ToRepeat repeated_for(const Database& database, const Trial& trial, const GlobalOptions& global);
/// The command that shows a stored trial's fault again.
std::string reproduction_of(const Trial& trial, const ToRepeat& again);

/// Those that failed like this trial, itself among them; none: it did not fail.
std::optional<FailureGroup> alike(const Database& database, const Trial& trial);
/// How many others failed so, and the constraints; empty where it is alone.
std::string alike_text(const FailureGroup& group);

/// `kerlab db failures`.
ExitCode print_failures(const GlobalOptions& global, const std::string& family, const std::string& status);

}  // namespace kerlab::cli
