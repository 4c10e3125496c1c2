#include "cli/frame/settings_screen.h"

#include <fmt/format.h>

#include <sstream>

#include "base/file.h"
#include "report/form/table.h"
#include "session/find/suite.h"

namespace kerlab::cli {

namespace {

struct NamedSetting {
  std::string name;
  Setting setting;
};

/// "instructions = 0.02, registers = false"; empty: the defaults.
std::string margins_line(const Margins& margins) {
  std::istringstream text(margins.text());
  std::string line, all;
  while (std::getline(text, line))
    if (line != "[margins]") all += (all.empty() ? "" : ", ") + line;
  return all;
}

/// In the order in which they are looked at.
std::vector<NamedSetting> all_settings(const GlobalOptions& global) {
  const Settings& settings = *global.settings;
  std::vector<NamedSetting> all;
  all.push_back({"device", {global.device, global.device_typed ? "--device" : settings.device.from}});
  all.push_back({"db", {database_path(global).string(), global.database.empty() ? settings.database.from : "--db"}});
  for (const std::string& folder : global.kernels) all.push_back({"kernels", {folder, "--kernels"}});
  for (const Setting& folder : settings.kernels) all.push_back({"kernels", folder});
  all.push_back({"kernels", {(share_folder() / "kernels").string(), "shipped"}});
  for (const Setting& folder : settings.suites) all.push_back({"suites", folder});
  all.push_back({"suites", {shipped_suites().string(), "shipped"}});
  for (const std::string& folder : global.includes) all.push_back({"include", {folder, "--include"}});
  for (const Setting& folder : settings.includes) all.push_back({"include", folder});
  for (const std::string& file : global.libraries) all.push_back({"library", {file, "--library"}});
  if (global.libraries.empty())
    for (const Setting& file : settings.libraries) all.push_back({"library", file});
  if (!settings.margins_from.empty())
    all.push_back({"margins", {margins_line(settings.margins), settings.margins_from}});
  return all;
}

}  // namespace

std::string settings_text(const GlobalOptions& global, bool color) {
  Table table{{{"setting"}, {"value", Align::left, true}, {"from", Align::left, true}}, {}};
  std::string before;
  for (const auto& [name, setting] : all_settings(global)) {
    table.rows.push_back({name == before ? "" : name, setting.value, setting.from});
    before = name;
  }
  std::string text = text_table(table, color, 2, table_width(0));
  if (global.settings->file.empty()) text += "  no kerlab.toml here or in a folder above (docs/configuration.md)\n";
  return text;
}

JsonValue settings_value(const GlobalOptions& global) {
  JsonValue::Array values;
  for (const auto& [name, setting] : all_settings(global))
    values.push_back(JsonValue::Object{{"name", name}, {"value", setting.value}, {"from", setting.from}});
  return JsonValue::Object{{"file", global.settings->file.string()}, {"values", JsonValue(std::move(values))}};
}

}  // namespace kerlab::cli
