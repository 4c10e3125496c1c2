#include "session/find/shipped.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/file.h"
#include "session/run/device_class.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"
#include "spec/toml/toml_text.h"

namespace kerlab::session {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kShippedFormat = 1;

/// "NVIDIA H200", "Emulated H200": without the first word.
std::string model_of(const std::string& device_name) {
  const std::size_t space = device_name.find(' ');
  return space == std::string::npos ? device_name : device_name.substr(space + 1);
}

auto order(const ShippedWinner& winner) {
  return std::tie(winner.device_class, winner.family, winner.problem);
}

std::vector<ShippedWinner> read_file(const fs::path& file) {
  const TomlValue value = parse_toml(read_text(file), shown_path(file));
  const SpecTable top(value, "shipped winners", {"format", "family", "device_class", "winner"});
  if (const std::int64_t format = top.integer("format"); format != kShippedFormat)
    top.fail("format", fmt::format("{} is not known here, only {}: update kerlab", format, kShippedFormat));
  std::vector<ShippedWinner> winners;
  const std::vector<TomlValue> tables = top.tables("winner");
  for (const TomlValue& table : tables) {
    const SpecTable row = SpecTable::named(table, "winner",
                                           {"problem", "variant", "configuration", "median_us", "low_us", "high_us",
                                            "date", "toolchain", "driver", "sm_clock_mhz", "source_hash"},
                                           "problem");
    ShippedWinner winner{top.text("device_class"), top.text("family"),        row.text("problem"),
                         row.text("variant"),      row.text("configuration"), row.number("median_us"),
                         row.number("low_us"),     row.number("high_us"),     row.text("date"),
                         row.text("toolchain"),    row.text("driver"),        row.number("sm_clock_mhz"),
                         row.text("source_hash")};
    if (winner.median_us <= 0) row.fail("median_us", "must be above 0");
    winners.push_back(std::move(winner));
  }
  return winners;
}

std::string file_text(const std::vector<ShippedWinner>& winners) {
  std::string text = fmt::format(
      "# Winners measured on {}.\n# `kerlab db ship` writes this file from a database, `kerlab tune` tries them first; "
      "they never win untried.\nformat = {}\nfamily = {}\ndevice_class = {}\n",
      shipped_device_title(winners.front().device_class), kShippedFormat, toml_string(winners.front().family),
      toml_string(winners.front().device_class));
  for (const ShippedWinner& winner : winners) {
    text += fmt::format(
        "\n[[winner]]\nproblem = {}\nvariant = {}\nconfiguration = {}\nmedian_us = {:.4f}\nlow_us = {:.4f}\nhigh_us = "
        "{:.4f}\ndate = {}\ntoolchain = {}\ndriver = {}\nsm_clock_mhz = {:.1f}\nsource_hash = {}\n",
        toml_string(winner.problem), toml_string(winner.variant), toml_string(winner.configuration), winner.median_us,
        winner.low_us, winner.high_us, toml_string(winner.date), toml_string(winner.toolchain),
        toml_string(winner.driver), winner.sm_clock_mhz, toml_string(winner.source_hash));
  }
  return text;
}

/// The standing winners that a GPU measured.
std::vector<ShippedWinner> winners_of(const Database& database) {
  std::vector<ShippedWinner> winners;
  for (const Decision& decision : database.winners()) {
    const auto trial = database.trial(decision.trial);
    if (!trial || trial->status != TrialStatus::passed || !stored_capabilities(trial->device_kind).is_hardware)
      continue;
    for (const Measurement& measurement : database.measurements(decision.trial)) {
      if (measurement.id != decision.measurement || measurement.clock != ClockKind::measured) continue;
      winners.push_back({decision.device_class, decision.family, decision.problem, trial->variant, trial->configuration,
                         measurement.median_us, measurement.low_us, measurement.high_us, decision.created.substr(0, 10),
                         trial->toolchain, measurement.driver, measurement.sm_clock_mhz, trial->source_hash});
    }
  }
  return winners;
}

}  // namespace

fs::path shipped_folder() {
  return share_folder() / "tuning_db" / "shipped";
}

std::string shipped_device(const DeviceInfo& device) {
  std::string name = fmt::format("{} {}sm", model_of(device.name), device.sms);
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = '-';
  }
  return name;
}

std::string shipped_device_title(const std::string& device_class) {
  const DeviceInfo device = device_of_class(device_class);
  return device.name.empty() ? device_class : fmt::format("{} {} SM", model_of(device.name), device.sms);
}

ShippedWinners read_shipped(const fs::path& folder, const std::string& device, const std::string& family) {
  ShippedWinners shipped;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!device.empty() && entry->path().filename() != device) continue;
    std::error_code inner;
    for (fs::directory_iterator file(entry->path(), inner); !inner && file != end; file.increment(inner)) {
      if (file->path().extension() != ".toml" || (!family.empty() && file->path().stem() != family)) continue;
      try {
        for (ShippedWinner& winner : read_file(file->path())) shipped.winners.push_back(std::move(winner));
      } catch (const Error& wrong) {
        shipped.warnings.push_back(fmt::format("shipped results left out: {}", wrong.what()));
      }
    }
  }
  std::sort(shipped.winners.begin(), shipped.winners.end(),
            [](const ShippedWinner& a, const ShippedWinner& b) { return order(a) < order(b); });
  return shipped;
}

std::vector<ShippedFile> ship_winners(const Database& database, const fs::path& folder) {
  std::map<fs::path, std::vector<ShippedWinner>> found;
  for (ShippedWinner& winner : winners_of(database)) {
    const std::string device = shipped_device(device_of_class(winner.device_class));
    found[folder / device / (winner.family + ".toml")].push_back(std::move(winner));
  }
  std::vector<ShippedFile> files;
  for (auto& [path, winners] : found) {
    ShippedFile file;
    file.path = path;
    file.winners = winners.size();
    std::error_code error;
    for (ShippedWinner& old : fs::exists(path, error) ? read_file(path) : std::vector<ShippedWinner>{}) {
      const bool replaced = std::any_of(winners.begin(), winners.begin() + static_cast<std::ptrdiff_t>(file.winners),
                                        [&](const ShippedWinner& winner) { return winner.problem == old.problem; });
      ++(replaced ? file.replaced : file.kept);
      if (!replaced) winners.push_back(std::move(old));
    }
    std::sort(winners.begin(), winners.end(),
              [](const ShippedWinner& a, const ShippedWinner& b) { return a.problem < b.problem; });
    file.text = file_text(winners);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace kerlab::session
