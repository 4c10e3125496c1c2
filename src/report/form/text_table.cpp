#include <algorithm>
#include <optional>

#include "base/terminal.h"
#include "report/form/table.h"

namespace kerlab::report {

namespace {

constexpr int kGap = 2;
constexpr int kNarrowest = 24;  // of a column that wraps: narrower ones make towers of words

/// The columns that stand side by side, each with its width.
struct Block {
  std::vector<std::size_t> columns;
  std::vector<int> widths;
};

std::string padded(std::string_view cell, int width, Align align) {
  const std::string padding(static_cast<std::size_t>(std::max(0, width - display_width(cell))), ' ');
  return align == Align::left ? std::string(cell) + padding : padding + std::string(cell);
}

std::string_view cell_of(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? std::string_view(row[column]) : std::string_view();
}

int longest_word(std::string_view text) {
  int longest = 0;
  for (const std::string& word : word_lines(text, 1)) longest = std::max(longest, display_width(word));
  return longest;
}

/// What a column takes when nothing is broken, and when all that may be broken is.
struct Span {
  int least = 0, most = 0;
};

Span span_of(const Table& table, std::size_t column) {
  Span span{longest_word(table.columns[column].title), display_width(table.columns[column].title)};
  for (const auto& row : table.rows) {
    const std::string_view cell = cell_of(row, column);
    const int whole = display_width(cell);
    span.most = std::max(span.most, whole);
    span.least = std::max(span.least, table.columns[column].wraps ? longest_word(cell) : whole);
  }
  if (table.columns[column].wraps) span.least = std::max(span.least, std::min(span.most, kNarrowest));
  return span;
}

int total(const std::vector<int>& widths) {
  int sum = 0;
  for (const int width : widths) sum += width + kGap;
  return std::max(0, sum - kGap);
}

/// Titles break first, those that gain most before the others: a line more above the table instead of one in each row.
/// Then the widest column gives, one at a time: the others keep their lines as long as they can.
void squeeze(std::vector<int>& widths, const std::vector<Span>& spans, const std::vector<bool>& wraps, int room) {
  const auto gain = [&](std::size_t c) { return widths[c] - spans[c].least; };
  const auto best = [&](bool wrapping, auto&& value) {
    std::optional<std::size_t> found;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (wraps[c] == wrapping && gain(c) > 0 && (!found || value(c) > value(*found))) found = c;
    return found;
  };
  while (total(widths) > room) {
    if (const auto title = best(false, gain))
      widths[*title] = spans[*title].least;
    else if (const auto widest = best(true, [&](std::size_t c) { return widths[c]; }))
      --widths[*widest];
    else
      return;
  }
}

/// As many columns side by side as fit when each is as narrow as it can be; the rest below, the first repeated.
std::vector<Block> blocks_of(const Table& table, const std::vector<Span>& spans, int room) {
  std::vector<Block> blocks(1);
  std::vector<int> least;
  for (std::size_t c = 0; c < spans.size(); ++c) {
    least.push_back(spans[c].least);
    const std::size_t repeated = blocks.size() > 1 ? 1 : 0;
    if (room > 0 && total(least) > room && blocks.back().columns.size() > repeated && c > 1) {
      blocks.push_back({{0}, {}});
      least = {spans[0].least, spans[c].least};
    }
    blocks.back().columns.push_back(c);
  }
  for (Block& block : blocks) {
    std::vector<Span> own;
    std::vector<bool> wraps;
    for (const std::size_t c : block.columns) {
      own.push_back(spans[c]);
      wraps.push_back(table.columns[c].wraps);
      block.widths.push_back(spans[c].most);
    }
    if (room > 0) squeeze(block.widths, own, wraps, room);
  }
  return blocks;
}

/// One row of a block: as many lines as its tallest cell takes. Titles stand at the foot of theirs.
std::string block_row(const Table& table, const Block& block, const std::vector<std::string>& row, bool title,
                      int indent, bool color) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const std::string_view cell = cell_of(row, block.columns[i]);
    const bool broken = display_width(cell) > block.widths[i];
    cells.push_back(broken ? word_lines(cell, block.widths[i]) : std::vector<std::string>{std::string(cell)});
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t above = title ? height - cells[i].size() : 0;
      const bool empty = y < above || y - above >= cells[i].size();
      if (i > 0) line += std::string(kGap, ' ');
      line += padded(empty ? "" : cells[i][y - above], block.widths[i], table.columns[block.columns[i]].align);
    }
    line.resize(line.find_last_not_of(' ') + 1);  // nothing behind the last word
    text += std::string(line.empty() ? 0 : static_cast<std::size_t>(indent), ' ') +
            (title ? styled(line, Style::bold, color) : line) + "\n";
  }
  return text;
}

}  // namespace

int least_width(const Table& table) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) widths.push_back(span_of(table, c).least);
  return total(widths);
}

int unbroken_width(const Table& table) {
  std::vector<int> widths;
  for (std::size_t c = 0; c < table.columns.size(); ++c) widths.push_back(span_of(table, c).most);
  return total(widths);
}

void leave_out(Table& table, const std::vector<std::string>& titles, int width) {
  for (const std::string& title : titles) {
    if (least_width(table) <= width) return;
    const auto column = std::ranges::find(table.columns, title, &Column::title) - table.columns.begin();
    if (column == static_cast<std::ptrdiff_t>(table.columns.size())) continue;
    table.columns.erase(table.columns.begin() + column);
    for (auto& row : table.rows)
      if (static_cast<std::ptrdiff_t>(row.size()) > column) row.erase(row.begin() + column);
  }
}

std::string text_table(const Table& table, bool color, int indent, int width) {
  std::vector<Span> spans;
  std::vector<std::string> titles;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    spans.push_back(span_of(table, c));
    titles.push_back(table.columns[c].title);
  }
  const int room = width > 0 ? std::max(1, width - indent) : 0;
  std::string text;
  for (const Block& block : blocks_of(table, spans, room)) {
    if (!text.empty()) text += "\n";
    text += block_row(table, block, titles, true, indent, color);
    for (const auto& row : table.rows) text += block_row(table, block, row, false, indent, false);
  }
  return text;
}

}  // namespace kerlab::report
