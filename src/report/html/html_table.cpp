#include "report/html/html_table.h"

#include <fmt/format.h>

#include "report/xml_text.h"

namespace kerlab {

namespace {

std::string cell(const char* element, const Column& column, const std::string& more, std::string_view text) {
  const char* style = column.align == Align::right ? " class=\"number\"" : "";
  return fmt::format("<{}{}{}>{}</{}>", element, more, style, xml_text(text), element);
}

}  // namespace

std::string html_table(const Table& table, std::string_view caption, bool sortable) {
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table{1}>\n<caption>{0}</caption>\n<thead><tr>",
      xml_text(caption), sortable ? " class=\"sortable\"" : "");
  for (const Column& column : table.columns) text += cell("th", column, " scope=\"col\"", column.title);
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text += cell("td", table.columns[c], "", c < row.size() ? row[c] : "");
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

std::string script_json(const std::string& json) {
  // Only inside strings can these bytes stand: everything else of JSON is ASCII without '<' and '&'.
  std::string result;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = std::string_view(json).substr(i);
    if (json[i] == '<') {
      result += "\\u003c";
    } else if (json[i] == '>') {
      result += "\\u003e";
    } else if (json[i] == '&') {
      result += "\\u0026";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      result += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      result += json[i];
    }
  }
  return result;
}

}  // namespace kerlab
