#pragma once
// The vendor's library in tables and JSON.

#include "report/form/json.h"
#include "session/run/library_rows.h"

namespace kerlab::cli {

/// "library's best", "library's pick": a label as the title of a column that many problems share.
std::string library_way(const std::string& label);
/// "cuBLASLt best", "cuBLASLt pick": where there is little room.
std::string library_short(const std::string& label);
/// "0.972 [0.968,0.975]"; "-" where there is none.
std::string ratio_text(const std::optional<PairedRatio>& ratio);
/// A list with one object for each row; `ratio` is what its ratio is called.
JsonValue library_value(const std::vector<LibraryRow>& rows, const std::string& ratio = "winner_speedup");

}  // namespace kerlab::cli
