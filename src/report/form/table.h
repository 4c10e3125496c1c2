#pragma once
// A table of texts, and the three ways to write it.

#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool wraps = false;  ///< its cells may take several lines, broken between words, where the table is too wide
};

/// A row may be shorter than the columns: the rest is empty.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Columns two spaces apart, indented by `indent`, titles bold when `color`. Cells count as they show: one column for
/// each UTF-8 character. Ends in a newline.
///
/// `width`: what a line may take, the indent included; 0: any. A table that is wider has its wrapping columns and its
/// titles broken between words. Where that is not enough it is continued below, the first column repeated. A word is
/// never broken: only one that is longer than `width` stands out.
std::string text_table(const Table& table, bool color = false, int indent = 0, int width = 0);
/// Columns that it takes when all that may be broken is, without an indent.
int least_width(const Table& table);
/// Columns that it takes when nothing is broken, without an indent.
int unbroken_width(const Table& table);
/// Leaves out columns of these titles, in this order, until the table fits into `width`.
void leave_out(Table& table, const std::vector<std::string>& titles, int width);
/// GitHub's Markdown; pipes and line breaks in cells are escaped.
std::string markdown_table(const Table& table);
/// RFC 4180 with "\n" ends: quoted where a cell holds a comma, a quote, a line break or an outer space.
std::string csv_table(const Table& table);

/// Its lines when no line is longer than `width`, broken between words; a longer word has a line of its own. A
/// number stays with the word behind it: "12 us". At least one line.
std::vector<std::string> word_lines(std::string_view text, int width);
/// Several sentences or items as lines of at most `width` columns, each ended; those after the first are indented.
/// `width` 0: one line.
std::string folded(std::string_view text, int width, int indent = 2);
/// Parts that stay whole, such as commands, three spaces apart on one line, or where that is wider than `width` each on
/// its own. `width` 0: one line.
std::string whole_parts(const std::vector<std::string>& parts, int width);
/// Characters of a UTF-8 text; colours take none.
int display_width(std::string_view text);
/// At most `width` characters; what is cut off ends in "...".
std::string shortened(std::string_view text, int width);

}  // namespace kerlab::report
