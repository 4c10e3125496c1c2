#include "cli/frame/shipped_screen.h"

#include "base/file.h"
#include "base/format.h"
#include "cli/frame/existing_database.h"
#include "report/form/table.h"
#include "report/text/tune_table.h"

namespace kerlab::cli {

std::string shipped_text(const ShippedWinner& shipped, const std::string& note) {
  return fmt::format("shipped: {} us on {}, {}, {}{}", format_us(shipped.median_us),
                     shipped_device_title(shipped.device_class), shipped.date, shipped.variant,
                     note.empty() ? "" : fmt::format(" ({})", note));
}

JsonValue::Object shipped_value(const ShippedWinner& winner) {
  return {{"device_class", winner.device_class},
          {"family", winner.family},
          {"problem", winner.problem},
          {"variant", winner.variant},
          {"configuration", winner.configuration},
          {"median_us", winner.median_us},
          {"low_us", winner.low_us},
          {"high_us", winner.high_us},
          {"date", winner.date},
          {"toolchain", winner.toolchain},
          {"driver", winner.driver},
          {"sm_clock_mhz", winner.sm_clock_mhz},
          {"source_hash", winner.source_hash}};
}

ExitCode list_shipped(const GlobalOptions& global, const std::string& family) {
  const ShippedWinners shipped = read_shipped(shipped_folder(), "", family);
  for (const std::string& warning : shipped.warnings) fmt::print(stderr, "warning: {}\n", warning);
  if (global.json) {
    JsonValue::Array values;
    for (const ShippedWinner& winner : shipped.winners) values.push_back(shipped_value(winner));
    fmt::print("{}\n", to_json(json_document("list", {{"folder", shipped_folder().string()},
                                                      {"shipped", std::move(values)},
                                                      {"warnings", shipped.warnings}})));
    return ExitCode::passed;
  }
  if (shipped.winners.empty()) fmt::print("nothing is shipped in {}\n", shipped_folder().string());
  Table table{{{"problem", Align::left, true},
               {"us [95 %]"},
               {"device", Align::left, true},
               {"when"},
               {"toolchain"},
               {"configuration", Align::left, true}},
              {}};
  for (const ShippedWinner& winner : shipped.winners) {
    table.rows.push_back({winner.problem, median_with_interval(winner.median_us, winner.low_us, winner.high_us),
                          shipped_device_title(winner.device_class), winner.date, winner.toolchain,
                          winner.configuration.empty() ? winner.variant : winner.variant + " " + winner.configuration});
  }
  if (!table.rows.empty()) fmt::print("{}", text_table(table, color_on(global, stdout), 0, table_width(0)));
  return ExitCode::passed;
}

ExitCode ship(const GlobalOptions& global, const std::string& out) {
  const Database database = open_existing_database(global);
  const std::filesystem::path folder = out.empty() ? shipped_folder() : std::filesystem::path(out);
  const std::vector<ShippedFile> files = ship_winners(database, folder);
  JsonValue::Array values;
  for (const ShippedFile& file : files) {
    if (!global.dry_run) {
      std::filesystem::create_directories(file.path.parent_path());
      write_atomic(file.path, std::string_view(file.text));
    }
    values.push_back(JsonValue::Object{
        {"file", file.path.string()}, {"winners", file.winners}, {"replaced", file.replaced}, {"kept", file.kept}});
  }
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("db", {{"action", "ship"},
                                                    {"path", database.path().string()},
                                                    {"dry_run", global.dry_run},
                                                    {"files", std::move(values)}})));
    return ExitCode::passed;
  }
  if (files.empty()) fmt::print("no winner in {} that a GPU measured: nothing to ship\n", database.path().string());
  for (const ShippedFile& file : files) {
    fmt::print("{} {}: {} winners, {} of them in place of older ones, {} others stay\n",
               global.dry_run ? "would write" : "wrote", file.path.string(), file.winners, file.replaced, file.kept);
  }
  return ExitCode::passed;
}

}  // namespace kerlab::cli
