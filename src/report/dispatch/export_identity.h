#pragma once
// What an exported file says of itself, as JSON inside it; and back.

#include <optional>
#include <string>

#include "report/form/json.h"
#include "trial/exported_library.h"

namespace kerlab::report {

ExportIdentity identity_of(const ExportedLibrary& library);
/// A comment of C++ that holds it.
std::string identity_comment(const ExportIdentity& identity);
JsonValue to_value(const ExportIdentity& identity);

/// Of a header or a JSON document that `kerlab export` wrote; none: it is neither.
std::optional<ExportIdentity> read_identity(std::string_view text);

}  // namespace kerlab::report
