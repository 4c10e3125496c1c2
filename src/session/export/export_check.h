#pragma once
// Whether an exported file still says what kerlab would say today.

#include "db/database.h"
#include "session/run/rig.h"
#include "trial/exported_library.h"

namespace kerlab::session {

struct ExportCheck {
  std::vector<std::string> stale;  ///< what is no longer so; empty: fresh
  std::vector<std::string> notes;  ///< what could not be compared
};

/// Compares sources, options and launch plans, the toolchain, the check version, the driver (where a device of the
/// file's class is here) and the decisions in `database` (null: there is none) with what the file says of itself.
ExportCheck check_export(const ExportIdentity& identity, const RigOptions& rig, const Database* database);

}  // namespace kerlab::session
