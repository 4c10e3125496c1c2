#pragma once
// A portfolio made into a library of cubins and plans, to be written out as a header or as data.

#include <set>

#include "session/export/portfolio.h"
#include "trial/exported_library.h"

namespace kerlab::session {

/// Compiles what the session's portfolio chose. Throws Error when something does not compile.
ExportedLibrary export_portfolio(PortfolioSession& session, const PortfolioOptions& options);

/// Derived values whose names stand in the source or its headers, and so may change the program.
std::set<std::string> mentioned_in(const SourceBundle& source, const Family& family, const Variant& variant);

}  // namespace kerlab::session
