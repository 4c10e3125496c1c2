#include "report/form/table.h"

namespace kerlab::report {

namespace {

std::string csv_cell(std::string_view cell) {
  const bool outer_space = !cell.empty() && (cell.front() == ' ' || cell.back() == ' ');
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos && !outer_space) return std::string(cell);
  std::string text = "\"";
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

}  // namespace

std::string csv_table(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += (c > 0 ? "," : "") + csv_cell(table.columns[c].title);
  text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      text += (c > 0 ? "," : "") + (c < row.size() ? csv_cell(row[c]) : "");
    }
    text += "\n";
  }
  return text;
}

}  // namespace kerlab::report
