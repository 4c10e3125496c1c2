#include "report/form/table.h"

namespace kerlab::report {

namespace {

std::string markdown_cell(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "<br>";
    } else if (c != '\r') {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string markdown_table(const Table& table) {
  std::string text = "|", rule = "|";
  for (const Column& column : table.columns) {
    text += " " + markdown_cell(column.title) + " |";
    rule += column.align == Align::left ? " --- |" : " ---: |";
  }
  text += "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text += " " + (c < row.size() ? markdown_cell(row[c]) : "") + " |";
    text += "\n";
  }
  return text;
}

}  // namespace kerlab::report
