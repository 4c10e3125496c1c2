#include "cli/database/db_exchange.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "cli/frame/existing_database.h"
#include "report/text/tuner_text.h"

namespace kerlab::cli {

void print_db_document(const std::string& action, JsonValue::Object body) {
  body.insert(body.begin(), {"action", action});
  fmt::print("{}\n", to_json(json_document("db", std::move(body))));
}

ExitCode export_to(const GlobalOptions& global, const std::string& file) {
  const Database database = open_existing_database(global);
  const std::string text = database.export_text();
  if (file.empty() || file == "-") {
    fmt::print("{}", text);  // already JSON, one object a line: --json changes nothing
    return ExitCode::passed;
  }
  if (!global.dry_run) write_atomic(file, text);
  const auto rows = std::count(text.begin(), text.end(), '\n') - 1;  // the first line is the format's
  if (global.json) {
    print_db_document("export", {{"file", file}, {"rows", rows}, {"dry_run", global.dry_run}});
  } else {
    fmt::print("{} {} to {}\n", global.dry_run ? "would write" : "wrote", format_count(rows, "row"), file);
  }
  return ExitCode::passed;
}

ExitCode export_spaces(const GlobalOptions& global, const std::string& folder, const std::string& format,
                       const std::string& family) {
  if (folder == "-")
    throw UsageError(
        fmt::format("--format {} writes one file for each kernel and problem: name a folder, not -", format));
  if (folder.empty())
    throw UsageError(
        fmt::format("--format {}: name a folder for its files: kerlab db export DIR --format {}", format, format));
  const Database database = open_existing_database(global);
  const std::vector<TunerSpace> spaces = tuner_spaces(database, family);
  if (spaces.empty())
    throw Error(fmt::format("{} holds nothing that a GPU measured{}: modelled times are not exported",
                            database.path().string(), family.empty() ? "" : " of " + family),
                ExitCode::no_baseline);
  JsonValue::Array files;
  for (const TunerSpace& space : spaces) {
    const std::filesystem::path file = std::filesystem::path(folder) / space.folder / (space.name + ".json");
    const std::string text = to_json(format == "t4" ? t4_results(space) : kernel_tuner_cache(space), false) + "\n";
    if (!global.dry_run) {
      std::filesystem::create_directories(file.parent_path());
      write_atomic(file, text);
    }
    files.emplace_back(JsonValue::Object{{"file", file.string()}, {"configurations", space.points.size()}});
    if (!global.json)
      fmt::print("{} {} to {}\n", global.dry_run ? "would write" : "wrote",
                 format_count(static_cast<std::int64_t>(space.points.size()), "configuration"), file.string());
  }
  if (global.json) print_db_document("export", {{"files", std::move(files)}, {"dry_run", global.dry_run}});
  return ExitCode::passed;
}

ExitCode import_from(const GlobalOptions& global, const std::string& file) {
  const std::string text = read_text(file);
  // A dry run reads the file as strictly, into a database that is thrown away.
  Database database = global.dry_run ? Database::in_memory() : Database::open(database_path(global));
  const int rows = database.import_text(text);
  if (global.json) {
    print_db_document(
        "import",
        {{"file", file}, {"path", database_path(global).string()}, {"new_rows", rows}, {"dry_run", global.dry_run}});
  } else if (global.dry_run) {
    fmt::print("{} holds {}; nothing was imported\n", file, format_count(rows, "row"));
  } else {
    fmt::print("{} from {} in {}\n", format_count(rows, "new row"), file, database.path().string());
  }
  return ExitCode::passed;
}

}  // namespace kerlab::cli
