#pragma once
// Text files that the build puts into the program (cmake/embed.cmake): what must be there even when no file can be
// read.

#include <span>
#include <string_view>

namespace kerlab {

struct EmbeddedFile {
  std::string_view name;  ///< file name without its folder: "001_init.sql"
  std::string_view text;
};

/// tuning_db/schema/NNN_*.sql, in the order of their numbers.
extern const std::span<const EmbeddedFile> kSchemaFiles;
/// tuning_db/schema/older_rows: what brings rows of older kerlabs up to date.
extern const std::span<const EmbeddedFile> kOlderRows;

/// src/report/dispatch/*.h, each after those it includes: what every exported header begins with.
extern const std::span<const EmbeddedFile> kDispatchFiles;

/// src/cli/help/completion/kerlab.{bash,zsh,fish}.
extern const std::span<const EmbeddedFile> kCompletionFiles;

/// src/report/html: style sheets, themes and the script of a report.
extern const std::span<const EmbeddedFile> kReportFiles;

}  // namespace kerlab
