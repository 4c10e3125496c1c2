#pragma once
// Tables and escaped text in HTML.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/form/table.h"

namespace kerlab::report {

/// A bar before a cell's text, in fractions of its room; `mark`: a line at a value such as 1.
struct HtmlBar {
  std::size_t column = 0;
  double from = 0, to = 0;
  std::optional<double> mark = {};
  std::string style = {};  ///< "library", "naive"; empty: ours
};

/// What a row has beside its texts. A table whose rows have any stacks its cells where the page is narrow.
struct HtmlRow {
  std::string attributes;  ///< " data-of=\"2\"", escaped
  std::string link = {};   ///< of its first cell: "#problem-2"
  std::vector<HtmlBar> bars = {};
};

/// A table with a caption for who cannot see the heading. `sortable`: page.js makes its column heads buttons.
std::string html_table(const Table& table, std::string_view caption, bool sortable = true,
                       const std::vector<HtmlRow>& rows = {});

/// JSON that may stand in a <script>: no text of it can end the element or the line.
std::string script_json(const std::string& json);

}  // namespace kerlab::report
