#include "report/text/operations_text.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/form/table.h"

namespace kerlab::report {
namespace {

std::string cell(const std::optional<std::int64_t>& number, std::string_view unit) {
  if (!number) return "-";
  return grouped(*number) + (unit.empty() ? "" : fmt::format(" {}", unit));
}

}  // namespace

std::string operations_text(const Operations& operations, int indent, int width) {
  if (operations.rows.empty()) return "";
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  Table table{{{"of one run"}, {"predicted", Align::right}, {"counted", Align::right}, {"ratio", Align::right}}, {}};
  for (const Operation& row : operations.rows) {
    const std::optional<double> ratio = row.ratio();
    table.rows.push_back({std::string(row.title), cell(row.predicted, row.unit), cell(row.counted, row.unit),
                          ratio ? fmt::format("{:.4f}", *ratio) : "-"});
  }
  std::string text = "operations";
  if (!operations.scope.empty()) text += fmt::format(" (counted: {})", operations.scope);
  text += "\n" + text_table(table, false, indent, width);
  if (!operations.note.empty()) text += margin + operations.note + "\n";
  return text;
}

JsonValue to_value(const Operations& operations) {
  JsonValue::Array rows;
  for (const Operation& row : operations.rows) {
    rows.push_back(
        JsonValue::Object{{"name", std::string(row.name)}, {"predicted", row.predicted}, {"counted", row.counted}});
  }
  return JsonValue::Object{{"rows", std::move(rows)}, {"scope", operations.scope}, {"note", operations.note}};
}

}  // namespace kerlab::report
