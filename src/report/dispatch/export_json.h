#pragma once
// An exported library as data (docs/json.md, `export`): what the header holds, with the specs' own expressions.

#include "report/form/json.h"
#include "trial/exported_library.h"

namespace kerlab::report {

/// `cubins`: the folder of the cubins, as the document names it.
JsonValue export_value(const ExportedLibrary& library, const std::string& cubins);

}  // namespace kerlab::report
