#pragma once
// Tables and escaped text in HTML.

#include <string>
#include <string_view>

#include "report/table.h"

namespace kerlab {

/// A table with a caption for who cannot see the heading. `sortable`: page.js makes its column heads buttons.
std::string html_table(const Table& table, std::string_view caption, bool sortable = true);

/// JSON that may stand in a <script>: no text of it can end the element or the line.
std::string script_json(const std::string& json);

}  // namespace kerlab
