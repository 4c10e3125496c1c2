#include <algorithm>

#include "base/terminal.h"
#include "report/table.h"

namespace kerlab {

namespace {

constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string padded(std::string_view cell, int width, Align align) {
  const std::string padding(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  return align == Align::left ? std::string(cell) + padding : padding + std::string(cell);
}

std::string cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? row[column] : std::string();
}

std::vector<int> column_widths(const Table& table) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    int width = display_width(table.columns[c].title);
    for (const auto& row : table.rows) width = std::max(width, display_width(cell_of(row, c)));
    widths.push_back(width);
  }
  return widths;
}

std::string text_row(const Table& table, const std::vector<int>& widths, const std::vector<std::string>& row) {
  std::string line;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    if (c > 0) line += "  ";
    line += padded(cell_of(row, c), widths[c], table.columns[c].align);
  }
  line.resize(line.find_last_not_of(' ') + 1);  // nothing behind the last word
  return line;
}

}  // namespace

int display_width(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

std::string shortened(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  constexpr std::string_view kDots = "...";
  const int keep = std::max(0, width - static_cast<int>(kDots.size()));
  std::size_t end = 0;
  for (int characters = 0; end < text.size(); ++end) {
    if (!continues_character(text[end]) && characters++ == keep) break;
  }
  return std::string(text.substr(0, end)) + std::string(kDots.substr(0, static_cast<std::size_t>(std::max(0, width))));
}

std::string text_table(const Table& table, bool color, int indent) {
  const std::vector<int> widths = column_widths(table);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  std::string text = margin + styled(text_row(table, widths, titles), Style::bold, color) + "\n";
  for (const auto& row : table.rows) text += margin + text_row(table, widths, row) + "\n";
  return text;
}

}  // namespace kerlab
