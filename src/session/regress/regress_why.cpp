#include "session/regress/regress_why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "model/inspection.h"
#include "session/find/source_difference.h"
#include "session/find/source_text.h"
#include "session/run/modelled.h"
#include "spec/toml/source_path.h"

namespace kerlab::session {

namespace fs = std::filesystem;

namespace {

/// Number of the first line of `after` that is not as in `before`, from 1.
int first_changed_line(const std::string& before, const std::string& after) {
  int line = 1;
  std::size_t begin = 0;
  while (begin < before.size() && begin < after.size()) {
    const std::size_t end = std::min(after.find('\n', begin), after.size());
    if (before.compare(begin, end - begin + 1, after, begin, end - begin + 1) != 0) break;
    begin = end + 1;
    ++line;
  }
  return line;
}

/// Where a header lies: beside the kernel, or in the folders that includes are looked for in.
std::string header_path(const SourceBundle& source, const std::string& name) {
  const fs::path beside = fs::path(source.path).parent_path();
  for (const fs::path& folder : {beside, beside.parent_path(), share_folder() / "kernels"}) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) return shown_path(folder / name);
  }
  return name;
}

std::string extent(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

/// "-DBM" of "-DBM=128".
std::string option_name(const std::string& option) {
  return option.substr(0, option.find('='));
}

void compare_options(const std::vector<std::string>& before, const std::vector<std::string>& after,
                     std::vector<std::string>& differences) {
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const std::string& option : before) values[option_name(option)].first = option;
  for (const std::string& option : after) values[option_name(option)].second = option;
  for (const auto& [name, value] : values)
    if (value.first != value.second)
      differences.push_back(fmt::format("option {} -> {}", value.first.empty() ? "(none)" : value.first,
                                        value.second.empty() ? "(none)" : value.second));
}

std::string carveout(const Launch& launch) {
  return launch.carveout ? fmt::format("{} %", *launch.carveout) : "any";
}

void compare_launches(const LaunchPlan& before, const LaunchPlan& after, std::vector<std::string>& differences) {
  if (before.launches.size() != after.launches.size())
    differences.push_back(fmt::format("launches {} -> {}", before.launches.size(), after.launches.size()));
  for (std::size_t i = 0; i < std::min(before.launches.size(), after.launches.size()); ++i) {
    const Launch &a = before.launches[i], &b = after.launches[i];
    const auto note = [&](const char* what, const std::string& was, const std::string& is) {
      if (was != is) differences.push_back(fmt::format("launch {}: {} {} -> {}", b.kernel, what, was, is));
    };
    note("kernel", a.kernel, b.kernel);
    note("grid", extent(a.grid), extent(b.grid));
    note("block", extent(a.block), extent(b.block));
    note("cluster", extent(a.cluster), extent(b.cluster));
    note("programmatic", a.programmatic ? "yes" : "no", b.programmatic ? "yes" : "no");
    note("carve-out", carveout(a), carveout(b));
    note("dynamic shared bytes", fmt::format("{}", a.dynamic_shared), fmt::format("{}", b.dynamic_shared));
    if (a.arguments != b.arguments) differences.push_back(fmt::format("launch {}: other arguments", b.kernel));
  }
  if (before.workspaces != after.workspaces) differences.emplace_back("other workspaces");
}

struct LineSum {
  std::string place;
  double count = 0;
};

/// By file and text, since lines move.
std::map<std::pair<std::string, std::string>, LineSum> line_sums(const std::vector<CountedLaunch>& launches,
                                                                 const SourceBundle& source) {
  std::map<std::pair<std::string, std::string>, LineSum> sums;
  SourceText text(source);
  for (const CountedLaunch& launch : launches) {
    if (is_fill(launch) || launch.blocks_run == 0) continue;
    const double scale = static_cast<double>(launch.blocks) / static_cast<double>(launch.blocks_run);
    for (const SourceLine& line : by_source_line(launch.lines)) {
      const std::string file = fs::path(line.line.file).filename().string();
      CodeLine bare = line.line;
      bare.caller_file.clear();
      // The compiler makes paths absolute: the kernel's own file is known by its name.
      if (file == fs::path(source.path).filename()) bare.file = source.path;
      const std::string content = text.line(bare);
      LineSum& sum = sums[{file, content.empty() ? place_text(bare) : content}];
      if (sum.place.empty()) sum.place = place_text(bare);
      sum.count += scale * static_cast<double>(line.sum.warp_instructions);
    }
  }
  return sums;
}

}  // namespace

ChangedPlace changed_place(const SourceBundle& before, const SourceBundle& after) {
  if (before.text != after.text) return {shown_path(after.path), first_changed_line(before.text, after.text)};
  for (const Header& one : after.headers) {
    const std::string was = header_text(before, one.name);
    if (was != one.text) return {header_path(after, one.name), first_changed_line(was, one.text)};
  }
  return {shown_path(after.path), 1};
}

std::vector<std::string> other_differences(const Baseline& before, const std::vector<std::string>& options,
                                           const LaunchPlan& plan, const std::string& toolchain) {
  std::vector<std::string> differences;
  compare_options(before.options, options, differences);
  compare_launches(before.plan, plan, differences);
  if (before.toolchain != toolchain)
    differences.push_back(fmt::format("compiled by {} -> {}", before.toolchain, toolchain));
  return differences;
}

void point_at_hottest(const std::vector<LineChange>& lines, ChangedPlace& place) {
  const std::string prefix = fs::path(place.file).filename().string() + ":";
  const auto at = std::ranges::find_if(
      lines, [&](const LineChange& line) { return line.after > line.before && line.place.starts_with(prefix); });
  if (at != lines.end()) place.line = std::atoi(at->place.c_str() + prefix.size());
}

std::vector<LineChange> changed_lines(const std::vector<CountedLaunch>& before, const SourceBundle& before_source,
                                      const std::vector<CountedLaunch>& after, const SourceBundle& after_source) {
  std::map<std::pair<std::string, std::string>, LineChange> changes;
  for (const auto& [line, sum] : line_sums(before, before_source)) {
    changes[line] = {sum.place + " (baseline)", line.second, static_cast<std::int64_t>(std::llround(sum.count)), 0};
  }
  for (const auto& [line, sum] : line_sums(after, after_source)) {
    LineChange& change = changes[line];
    change.place = sum.place;
    change.source = line.second;
    change.after = static_cast<std::int64_t>(std::llround(sum.count));
  }
  std::vector<LineChange> list;
  for (auto& [line, change] : changes)
    if (change.before != change.after) list.push_back(std::move(change));
  std::ranges::stable_sort(list, [](const LineChange& a, const LineChange& b) {
    return std::abs(a.after - a.before) > std::abs(b.after - b.before);
  });
  return list;
}

}  // namespace kerlab::session
