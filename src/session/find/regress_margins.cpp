#include "session/find/regress_margins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "plan/counters.h"
#include "session/find/figures.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {

namespace {

/// Accuracy is judged on err / bound: a tenth of a bound more or less is the luck of one draw.
constexpr double kErrorFloor = 0.02;
/// A class of instructions that is a thousandth of all of them may double unnoticed.
constexpr double kClassFloor = 0.001;

/// Repeats of a little work cost little; more work, memory that spills, and fewer blocks at once are never free.
std::vector<FigureRule> default_rules() {
  std::vector<FigureRule> rules = {
      {"error_ratio", 0.25},
      {"instructions", 0.01},
      {"global_requests", 0.01},
      {"global_sectors", 0.01},
      {"shared_requests", 0.01},
      {"shared_wavefronts", 0.01},
      {"divergent_branches", 0.01, true, true, kClassFloor},
      {"launches", 0},
      {"spill_bytes", 0},
      {"occupancy", 0, true, false},
      {"time", 0.01},
      // Told, since they explain; what they cost shows in occupancy, or is a model's word.
      {"registers", 0, false},
      {"shared_bytes", 0, false},
      {"threads", 0, false},
      {"barrier_waits", 0, false},
      {"modelled_us", 0, false},
  };
  const auto known = [&](std::string_view name) {
    return std::ranges::any_of(rules, [&](const FigureRule& rule) { return rule.name == name; });
  };
  for (const Counter& counter : counters())
    if (!known(counter.name)) rules.push_back({std::string(counter.name), 0});
  for (std::size_t i = 0; i < kPipes; ++i)
    rules.push_back({fmt::format("instructions_{}", name(static_cast<Pipe>(i))), 0.01, true, true, kClassFloor});
  return rules;
}

FigureChange judged(const std::string& name, double before, double after, const FigureRule& rule, double all) {
  FigureChange change{name, before, after, rule.margin, FigureChange::Judgement::untold};
  if (!rule.gated) return change;
  change.judgement = FigureChange::Judgement::within;
  const double grown = rule.more_is_worse ? after - before : before - after;
  const double allowed = std::max(rule.margin * before, rule.floor * all);
  // A little more than the margin by rounding in the text is not more.
  const double slack = 1e-9 * std::max(before, after);
  if (grown > allowed + slack) change.judgement = FigureChange::Judgement::worse;
  if (-grown > allowed + slack) change.judgement = FigureChange::Judgement::better;
  return change;
}

double relative(const FigureChange& change) {
  if (change.before == 0) return change.after == 0 ? 0 : 1e9;
  return std::abs(change.after / change.before - 1);
}

}  // namespace

Margins::Margins() {
  for (FigureRule& rule : default_rules()) rules_.emplace(rule.name, std::move(rule));
}

FigureRule& Margins::rule(const std::string& name) {
  const auto at = rules_.find(name);
  if (at != rules_.end()) return at->second;
  std::vector<std::string> names;
  for (const auto& [known, rule] : rules_) names.push_back(known);
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format(
      "margin '{}': no such figure; {}", name,
      near.empty() ? fmt::format("there is {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near)));
}

void Margins::apply(FigureRule& rule, const std::string& value) {
  if (value == "off") {
    rule.gated = false;
    return;
  }
  char* end = nullptr;
  double margin = std::strtod(value.c_str(), &end);
  std::string rest = end == value.c_str() ? "?" : end;
  if (rest == "%" || rest == " %") {
    margin /= 100;
    rest.clear();
  }
  if (!rest.empty() || !std::isfinite(margin) || margin < 0)
    throw UsageError(
        fmt::format("margin {}={}: expected a share that is not negative, as in 2% or 0.02, or off", rule.name, value));
  rule.margin = margin;
  rule.gated = true;
}

void Margins::set(const std::string& typed) {
  const std::size_t equal = typed.find('=');
  if (equal == std::string::npos)
    throw UsageError(fmt::format("--margin {}: expected FIGURE=SHARE, as in instructions=2%", typed));
  apply(rule(typed.substr(0, equal)), typed.substr(equal + 1));
}

void Margins::read(const TomlValue& table) {
  if (table.kind != TomlValue::Kind::table) throw SpecError(table.where, "[margins]: expected a table");
  for (std::size_t i = 0; i < table.items.size(); ++i) {
    const TomlValue& item = table.items[i];
    try {
      FigureRule& one = rule(table.keys[i]);
      if (item.kind == TomlValue::Kind::boolean && !item.boolean)
        one.gated = false;
      else if (item.kind == TomlValue::Kind::string)
        apply(one, item.text);
      else if (item.kind == TomlValue::Kind::integer || item.kind == TomlValue::Kind::floating)
        apply(one, fmt::format("{}", item.kind == TomlValue::Kind::integer ? static_cast<double>(item.integer)
                                                                           : item.floating));
      else
        throw UsageError(fmt::format("margin {}: expected a number, a text such as \"2%\", or false", one.name));
    } catch (const UsageError& error) {
      throw SpecError(table.key_where[i], error.what());
    }
  }
}

std::string Margins::text() const {
  const Margins defaults;
  std::string text;
  for (const auto& [name, one] : rules_) {
    const FigureRule& other = defaults.rules_.at(name);
    if (one.margin == other.margin && one.gated == other.gated) continue;
    text += one.gated ? fmt::format("{} = {}\n", name, one.margin) : name + " = false\n";
  }
  return text.empty() ? "" : "[margins]\n" + text;
}

void Margins::read_file(const std::string& file) {
  const TomlValue value = parse_toml(read_text(file), shown_path(file));
  const SpecTable top(value, "the file", {"format", "doc", "suite", "options", "problem", "margins"});
  if (const TomlValue* table = top.find("margins")) read(*table);
}

Margins read_margins(const std::string& file) {
  Margins margins;
  std::error_code error;
  if (std::filesystem::exists(file, error)) margins.read_file(file);
  return margins;
}

std::vector<FigureChange> compare_figures(const std::vector<Figure>& before, const std::vector<Figure>& after,
                                          const Margins& margins) {
  std::vector<Figure> all = before;
  for (const Figure& one : after)
    if (std::ranges::find(before, one.name, &Figure::name) == before.end()) all.push_back({one.name, 0});
  std::vector<FigureChange> changes;
  for (const Figure& one : all) {
    const double now = figure(after, one.name), then = figure(before, one.name);
    if (now == then) continue;
    const auto known = margins.rules().find(one.name);
    const FigureRule rule = known == margins.rules().end() ? FigureRule{one.name, 0, false} : known->second;
    changes.push_back(judged(one.name, then, now, rule, figure(before, "instructions")));
  }
  // Work that moved from one class to another and became less on the whole is no loss.
  const auto whole = std::ranges::find(changes, "instructions", &FigureChange::name);
  if (whole != changes.end() && whole->judgement == FigureChange::Judgement::better)
    for (FigureChange& change : changes)
      if (change.name.starts_with("instructions_") && change.judgement == FigureChange::Judgement::worse)
        change.judgement = FigureChange::Judgement::within;
  std::ranges::stable_sort(changes, [](const FigureChange& a, const FigureChange& b) {
    if (a.judgement != b.judgement) return a.judgement > b.judgement;
    return relative(a) > relative(b);
  });
  return changes;
}

bool less_exact(double before, double after, const Margins& margins) {
  const FigureRule& rule = margins.rules().at("error_ratio");
  return rule.gated && after > before * (1 + rule.margin) + kErrorFloor;
}

}  // namespace kerlab::session
