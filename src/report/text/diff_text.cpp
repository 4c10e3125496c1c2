#include "report/text/diff_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/format.h"
#include "base/terminal.h"
#include "model/operations.h"
#include "report/form/table.h"
#include "report/text/operations_text.h"
#include "report/text/tune_table.h"

namespace kerlab::report {

namespace {

/// "BM=128 BN=64" -> BM: 128, BN: 64, in this order.
std::vector<std::pair<std::string, std::string>> parameters(const std::string& configuration) {
  std::vector<std::pair<std::string, std::string>> list;
  std::istringstream words(configuration);
  for (std::string word; words >> word;) {
    const std::size_t equal = std::min(word.find('='), word.size());
    list.emplace_back(word.substr(0, equal), equal < word.size() ? word.substr(equal + 1) : "");
  }
  return list;
}

class Rows {
 public:
  void text(std::string name, std::string a, std::string b) {
    if (!a.empty() || !b.empty()) rows_.push_back({std::move(name), std::move(a), std::move(b), std::nullopt});
  }
  /// `shown`: as text; both 0: left out.
  template <typename Show>
  void number(std::string name, double a, double b, Show shown) {
    if (a == 0 && b == 0) return;
    rows_.push_back({std::move(name), shown(a), shown(b), a > 0 ? std::optional(b / a) : std::nullopt});
  }
  std::vector<DiffRow> take() { return std::move(rows_); }

 private:
  std::vector<DiffRow> rows_;
};

std::string whole(double number) {
  return grouped(static_cast<std::int64_t>(number));
}
std::string us(double number) {
  return format_us(number) + " us";
}
std::string decimal(double number) {
  return fmt::format("{:.4g}", number);
}

DiffSection identity(const Inspection& a, const Inspection& b) {
  Rows rows;
  rows.text("problem", a.title, b.title);
  rows.text("variant", variant_text(a.trial), variant_text(b.trial));
  std::vector<std::string> names;
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : parameters(a.trial.configuration)) {
    names.push_back(name);
    values[name].first = value;
  }
  for (const auto& [name, value] : parameters(b.trial.configuration)) {
    if (!values.contains(name)) names.push_back(name);
    values[name].second = value;
  }
  for (const std::string& name : names) rows.text(name, values[name].first, values[name].second);
  rows.text("source", a.trial.source_hash, b.trial.source_hash);
  rows.text("toolchain", a.trial.toolchain, b.trial.toolchain);
  rows.text("status", std::string(name(a.trial.status)), std::string(name(b.trial.status)));
  return {"parameters", rows.take()};
}

/// Of all launches; shapes and resources of the one that takes longest.
struct Total {
  const LaunchInspection* heaviest = nullptr;
  Counts counts;
  double conflicts = 0, sectors = 0;  ///< wavefronts over the fewest, sectors over the fewest; 0: no such accesses
};

Total total(const Inspection& kernel) {
  Total total;
  LineCounts sum;
  for (const LaunchInspection& launch : kernel.launches) {
    if (total.heaviest == nullptr || launch.time.us > total.heaviest->time.us) total.heaviest = &launch;
    for (int i = 0; i < launch.times; ++i) total.counts += launch.counts;
    for (const SourceLine& line : launch.lines) {
      sum.sectors += line.sum.sectors;
      sum.least_sectors += line.sum.least_sectors;
      sum.wavefronts += line.sum.wavefronts;
      sum.least_wavefronts += line.sum.least_wavefronts;
    }
  }
  if (sum.least_wavefronts > 0)
    total.conflicts = static_cast<double>(sum.wavefronts) / static_cast<double>(sum.least_wavefronts);
  if (sum.least_sectors > 0) total.sectors = static_cast<double>(sum.sectors) / static_cast<double>(sum.least_sectors);
  return total;
}

std::string extent(const std::vector<int>& extent) {
  return fmt::format("{}", fmt::join(extent, " x "));
}

std::string yes(bool so) {
  return so ? "yes" : "no";
}

std::string carveout(const LaunchInspection& launch) {
  return launch.carveout ? fmt::format("{} %", *launch.carveout) : "any";
}

DiffSection resources(const Total& a, const Total& b) {
  static const LaunchInspection kNothing;
  const LaunchInspection& left = a.heaviest == nullptr ? kNothing : *a.heaviest;
  const LaunchInspection& right = b.heaviest == nullptr ? kNothing : *b.heaviest;
  Rows rows;
  rows.text("kernel", left.kernel, right.kernel);
  rows.text("grid", extent(left.grid), extent(right.grid));
  rows.text("block", extent(left.block), extent(right.block));
  rows.text("cluster", extent(left.cluster), extent(right.cluster));
  if (left.programmatic || right.programmatic)
    rows.text("programmatic", yes(left.programmatic), yes(right.programmatic));
  if (left.carveout || right.carveout) rows.text("carve-out", carveout(left), carveout(right));
  rows.number("registers", left.registers, right.registers, whole);
  rows.number("spilled bytes", left.spill_bytes, right.spill_bytes, whole);
  rows.number("shared bytes", left.shared_bytes, right.shared_bytes, whole);
  rows.number("blocks per SM", left.resident.blocks, right.resident.blocks, whole);
  rows.number("occupancy %", 100 * left.resident.fraction, 100 * right.resident.fraction, decimal);
  rows.text("limited by", left.resident.limiter, right.resident.limiter);
  rows.number("waves", left.waves.waves, right.waves.waves, decimal);
  rows.number("last wave %", 100 * left.waves.last, 100 * right.waves.last, decimal);
  return {"resources", rows.take()};
}

DiffSection counts(const Total& a, const Total& b) {
  Rows rows;
  const auto number = [&](std::string name, std::int64_t left, std::int64_t right) {
    rows.number(std::move(name), static_cast<double>(left), static_cast<double>(right), whole);
  };
  for (std::size_t i = 0; i < kPipes; ++i)
    number(fmt::format("{} instructions", name(static_cast<Pipe>(i))), a.counts.warp_instructions[i],
           b.counts.warp_instructions[i]);
  const std::vector<CountedNumber> left = counted_numbers(a.counts), right = counted_numbers(b.counts);
  for (std::size_t i = 0; i < left.size(); ++i)
    number(fmt::format("{}{}", left[i].title, left[i].unit.empty() ? "" : fmt::format(", {}", left[i].unit)),
           left[i].value, right[i].value);
  rows.number("wavefronts over the fewest", a.conflicts, b.conflicts, decimal);
  rows.number("sectors over the fewest", a.sectors, b.sectors, decimal);
  return {"counts of one run", rows.take()};
}

/// Measurements that may be compared: of one device class, protocol, cache and clock.
DiffSection times(const Inspection& a, const Inspection& b) {
  Rows rows;
  rows.number("modelled", a.modelled_us, b.modelled_us, us);
  const auto limiter = [](const Inspection& kernel) {
    const Total sum = total(kernel);
    return sum.heaviest == nullptr ? std::string() : sum.heaviest->bottleneck.name;
  };
  rows.text("bottleneck", limiter(a), limiter(b));
  std::vector<DiffRow> list = rows.take();
  const auto key = [](const StoredTime& time) {
    const Measurement& m = time.measurement;
    return fmt::format("{}, {}, {}, {}", time.device_class, name(m.clock), name(m.cache), m.protocol);
  };
  std::set<std::string> keys;
  for (const Inspection* kernel : {&a, &b})
    for (const StoredTime& time : kernel->stored) keys.insert(key(time));
  for (const std::string& wanted : keys) {
    const auto left = std::ranges::find(a.stored, wanted, key), right = std::ranges::find(b.stored, wanted, key);
    DiffRow row{wanted, "", "", std::nullopt};
    if (left != a.stored.end()) row.a = median_with_interval(left->measurement) + " us";
    if (right != b.stored.end()) row.b = median_with_interval(right->measurement) + " us";
    if (!row.a.empty() && !row.b.empty()) row.ratio = right->measurement.median_us / left->measurement.median_us;
    list.push_back(std::move(row));
  }
  return {"times", std::move(list)};
}

std::string heading(const Inspection& kernel) {
  return kernel.trial.id > 0 ? fmt::format("trial {}", kernel.trial.id) : kernel.trial.variant;
}

}  // namespace

std::vector<DiffSection> diff_sections(const Inspection& a, const Inspection& b) {
  const Total left = total(a), right = total(b);
  return {identity(a, b), resources(left, right), counts(left, right), times(a, b)};
}

std::string diff_text(const Inspection& a, const Inspection& b, const std::string& source, bool all, bool color,
                      int width) {
  std::string text = styled(fmt::format("A  {}: {}", a.title, label_text(a.trial)), Style::bold, color);
  text += "\n" + styled(fmt::format("B  {}: {}", b.title, label_text(b.trial)), Style::bold, color) + "\n";
  for (const Inspection* kernel : {&a, &b}) {
    if (!kernel->note.empty()) text += kernel->note + "\n";
    if (kernel->launches.empty()) text += fmt::format("{}: not counted: {}\n", heading(*kernel), kernel->trial.message);
  }
  std::size_t hidden = 0;
  for (const DiffSection& section : diff_sections(a, b)) {
    Table table{{{section.title}, {"A", Align::right}, {"B", Align::right}, {"B/A", Align::right}}, {}};
    for (const DiffRow& row : section.rows) {
      if (!all && row.a == row.b) {
        ++hidden;
        continue;
      }
      table.rows.push_back({row.name, row.a.empty() ? "-" : row.a, row.b.empty() ? "-" : row.b,
                            row.ratio ? fmt::format("{:.3f}", *row.ratio) : ""});
    }
    if (!table.rows.empty()) text += "\n" + text_table(table, color, 0, width);
  }
  if (hidden > 0) text += fmt::format("\n{} rows are equal (--all shows them)\n", hidden);
  if (source.empty()) return text + "the sources are the same\n";
  return text + "\n" + source;
}

JsonValue::Object diff_value(const Inspection& a, const Inspection& b, const std::string& source) {
  JsonValue::Array sections;
  for (const DiffSection& section : diff_sections(a, b)) {
    JsonValue::Array rows;
    for (const DiffRow& row : section.rows)
      rows.push_back(JsonValue::Object{
          {"name", row.name}, {"a", row.a}, {"b", row.b}, {"ratio", row.ratio}, {"equal", row.a == row.b}});
    sections.push_back(JsonValue::Object{{"title", section.title}, {"rows", std::move(rows)}});
  }
  return {{"a", inspect_value(a)},
          {"b", inspect_value(b)},
          {"sections", std::move(sections)},
          {"same_source", source.empty()},
          {"source_diff", source}};
}

}  // namespace kerlab::report
