#include "cli/frame/why_screen.h"

#include <algorithm>

#include "base/format.h"
#include "cli/frame/library_cells.h"
#include "report/form/table.h"

namespace kerlab::cli {

namespace {

std::string slower_text(double behind) {
  return behind >= 1 ? fmt::format("{:.1f} times slower", behind + 1) : fmt::format("{:.1f} % slower", 100 * behind);
}

std::string other_text(const VariantOutcome& other) {
  if (other.best_us <= 0) return fmt::format("{} never passed", other.name);
  if (other.tie) return fmt::format("{} ties ({:+.1f} %)", other.name, 100 * other.behind);
  return fmt::format("{} is {}{}", other.name, slower_text(std::max(other.behind, 0.0)),
                     other.finalist ? "" : " in the sweep");
}

std::string compile_of(const VariantOutcome& variant) {
  return fmt::format("{:.0f} ms (mean {:.0f}, {})", variant.compile_median_ms, variant.compile_mean_ms,
                     variant.compiled);
}

}  // namespace

std::string variants_text(const std::vector<VariantOutcome>& variants) {
  if (variants.size() < 2) return {};
  std::string text = fmt::format("{} wins", variants.front().name);
  for (std::size_t i = 1; i < variants.size(); ++i) text += (i == 1 ? "; " : ", ") + other_text(variants[i]);
  return text;
}

std::string compile_text(const std::vector<VariantOutcome>& variants) {
  std::string text;
  for (const VariantOutcome& variant : variants) {
    if (variant.compiled == 0) continue;
    text += text.empty() ? "compiled in " : ", ";
    text += variants.size() > 1 ? fmt::format("{} {}", variant.name, compile_of(variant)) : compile_of(variant);
  }
  return text;
}

std::string limit_text(const TuneResult& result) {
  if (result.rows.empty()) return {};
  return "bottleneck of the problem: " + sentence(result.bottleneck);
}

std::string left_out_text(const std::vector<LeftOut>& left_out, int width) {
  struct Group {
    std::string reason, names;
    std::size_t count = 0;
  };
  std::vector<Group> groups;
  for (const LeftOut& one : left_out) {
    auto group = std::ranges::find(groups, one.brief, &Group::reason);
    if (group == groups.end()) group = groups.insert(group, {one.brief, "", 0});
    group->names += (group->count++ == 0 ? "" : ", ") + one.variant;
  }
  constexpr int kRoomForMore = 18;  // ", and 12 more (-v)" instead of the next
  std::string text;
  std::size_t shown = 0;
  for (const Group& group : groups) {
    const std::string next =
        fmt::format("{}{} ({})", text.empty() ? "not for this problem: " : ", ", group.names, group.reason);
    if (width > 0 && shown > 0 && display_width(text + next) + kRoomForMore > width) continue;
    text += next;
    shown += group.count;
  }
  return shown < left_out.size() ? text + fmt::format(", and {} more (-v)", left_out.size() - shown) : text;
}

JsonValue variants_value(const std::vector<VariantOutcome>& variants) {
  JsonValue::Array values;
  for (const VariantOutcome& variant : variants)
    values.push_back(JsonValue::Object{{"name", variant.name},
                                       {"tried", variant.tried},
                                       {"passed", variant.passed},
                                       {"best_us", variant.best_us > 0 ? JsonValue(variant.best_us) : JsonValue()},
                                       {"behind", variant.best_us > 0 ? JsonValue(variant.behind) : JsonValue()},
                                       {"finalist", variant.finalist},
                                       {"tie", variant.tie},
                                       {"compiled", variant.compiled},
                                       {"compile_median_ms", variant.compile_median_ms},
                                       {"compile_mean_ms", variant.compile_mean_ms}});
  return values;
}

}  // namespace kerlab::cli
