#pragma once
// What `kerlab export` prints.

#include "cli/frame/command.h"
#include "session/export/export_check.h"
#include "session/export/portfolio.h"

namespace kerlab::cli {

/// Every shape is as near its own best as was asked for.
bool met(const PortfolioResult& result, const PortfolioOptions& options);

void print_portfolio(PortfolioSession& session, const PortfolioOptions& options,
                     const std::vector<std::string>& written, const GlobalOptions& global);
void print_check(const std::string& file, const ExportIdentity& identity, const ExportCheck& check,
                 const GlobalOptions& global);

}  // namespace kerlab::cli
