// What `kerlab regress` leaves behind: the screen, and what a CI system reads.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/format.h"
#include "base/terminal.h"
#include "cli/regress/regress_command.h"
#include "report/markdown/github.h"
#include "report/text/regress_text.h"
#include "session/find/figures.h"

namespace kerlab::cli {

namespace {

/// GitHub's file grows by what every step appends.
void append(const std::string& file, const std::string& text) {
  std::FILE* out = std::fopen(file.c_str(), "a");
  const bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  const bool closed = out != nullptr && std::fclose(out) == 0;
  if (!written || !closed)
    throw Error(fmt::format("GITHUB_STEP_SUMMARY {}: {}", file, std::system_category().message(errno)));
}

void write_for_ci(const RegressCommand& command, const GlobalOptions& global, const RegressReport& report) {
  if (!command.junit.empty())
    write_output(command.junit, junit_text("kerlab regress " + report.name, regress_cases(report)));
  if (!command.markdown.empty()) write_output(command.markdown, regress_markdown(report));
  if (!command.github) return;
  const std::string annotations = annotations_text(regress_annotations(report));
  fmt::print(global.json ? stderr : stdout, "{}", annotations);
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (summary != nullptr && *summary != '\0') append(summary, regress_markdown(report));
}

}  // namespace

ExitCode print_regress(const RegressCommand& command, const GlobalOptions& global, const RegressReport& report,
                       ExitCode code) {
  if (global.json) {
    JsonValue::Object body = regress_value(report);
    body.emplace_back("exit_code", static_cast<int>(code));
    fmt::print("{}\n", to_json(json_document("regress", std::move(body))));
  } else {
    fmt::print("{}", regress_text(report, regress_repeat(command, global), command.all || !command.only.empty(),
                                  table_width(0), color_on(global, stdout)));
    if (code == ExitCode::no_baseline && command.fail_on.find('5') == std::string::npos)
      fmt::print("nothing could be compared: exit code 5, whatever --fail-on says\n");
  }
  write_for_ci(command, global, report);
  std::fflush(stdout);
  return code;
}

ExitCode print_baselines(const BaselineFolder& folder, const GlobalOptions& global) {
  const BaselineFolder::Listing listing = folder.read();
  if (global.json) {
    JsonValue::Array values, damaged;
    for (const Baseline& one : listing.baselines)
      values.push_back(JsonValue::Object{{"key", one.key},
                                         {"problem", one.problem},
                                         {"variant", one.variant},
                                         {"configuration", one.configuration},
                                         {"device_class", one.device_class},
                                         {"toolchain", one.toolchain},
                                         {"recorded", one.recorded},
                                         {"chosen", one.chosen},
                                         {"why", one.why},
                                         {"error_ratio", one.error_ratio},
                                         {"source_hash", one.source_hash}});
    for (const BaselineFolder::Damaged& one : listing.damaged)
      damaged.push_back(JsonValue::Object{{"key", one.key}, {"why", one.why}});
    fmt::print("{}\n", to_json(json_document("regress list", {{"name", folder.name()},
                                                              {"folder", folder.path().string()},
                                                              {"baselines", std::move(values)},
                                                              {"damaged", std::move(damaged)}})));
  } else {
    Table table{{{"key"},
                 {"recorded"},
                 {"chosen", Align::left, true},
                 {"err/bound", Align::right},
                 {"instructions", Align::right}},
                {}};
    for (const Baseline& one : listing.baselines)
      table.rows.push_back({one.key, one.recorded, one.chosen, fmt::format("{:.3f}", one.error_ratio),
                            fmt::format("{:.4g}", figure(one.figures, "instructions"))});
    fmt::print("{}", text_table(table, color_on(global, stdout), 0, table_width(0)));
    for (const BaselineFolder::Damaged& one : listing.damaged) fmt::print("{}: {}\n", one.key, one.why);
    fmt::print("{} in {}\n", format_count(std::ssize(listing.baselines), "baseline"), folder.path().string());
  }
  return listing.damaged.empty() ? ExitCode::passed : ExitCode::failed;
}

}  // namespace kerlab::cli
