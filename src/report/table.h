#pragma once
// A table of texts, and the three ways to write it.

#include <string>
#include <string_view>
#include <vector>

namespace kerlab {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
};

/// A row may be shorter than the columns: the rest is empty.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Columns two spaces apart, indented by `indent`, titles bold when `color`. Cells count as they show: one column for
/// each UTF-8 character. Ends in a newline.
std::string text_table(const Table& table, bool color = false, int indent = 0);
/// GitHub's Markdown; pipes and line breaks in cells are escaped.
std::string markdown_table(const Table& table);
/// RFC 4180 with "\n" ends: quoted where a cell holds a comma, a quote, a line break or an outer space.
std::string csv_table(const Table& table);

/// Characters of a UTF-8 text.
int display_width(std::string_view text);
/// At most `width` characters; what is cut off ends in "...".
std::string shortened(std::string_view text, int width);

}  // namespace kerlab
