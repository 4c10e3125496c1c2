#include "cli/frame/library_cells.h"

namespace kerlab::cli {

std::string library_way(const std::string& label) {
  const std::size_t comma = label.find(", ");
  const std::string way = comma == std::string::npos ? label : label.substr(comma + 2);
  if (way.starts_with("best of ")) return "library's best";  // of how many differs from problem to problem
  return way == "its own pick" ? "library's pick" : way;
}

std::string library_short(const std::string& label) {
  const std::string name = label.substr(0, label.find_first_of(" ,")), way = library_way(label);
  const std::size_t space = way.rfind(' ');
  return way == label ? label : name + (space == std::string::npos ? " " + way : way.substr(space));
}

std::string ratio_text(const std::optional<PairedRatio>& ratio) {
  if (!ratio) return "-";
  return fmt::format("{:.3f} [{:.3f},{:.3f}]", ratio->ratio, ratio->interval.low, ratio->interval.high);
}

JsonValue library_value(const std::vector<LibraryRow>& rows, const std::string& ratio) {
  JsonValue::Array values;
  for (const LibraryRow& row : rows) {
    JsonValue::Object value{{"label", row.label},
                            {"median_us", row.summary.median},
                            {"low_us", row.summary.low},
                            {"high_us", row.summary.high}};
    if (row.ratio) {
      value.emplace_back(ratio, row.ratio->ratio);
      value.emplace_back(ratio + "_low", row.ratio->interval.low);
      value.emplace_back(ratio + "_high", row.ratio->interval.high);
    }
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace kerlab::cli
