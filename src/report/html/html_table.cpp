#include "report/html/html_table.h"

#include <fmt/format.h>

#include "report/form/xml_text.h"

namespace kerlab::report {

namespace {

std::string bar_html(const HtmlBar& bar) {
  std::string text =
      fmt::format("<span class=\"bar\"><i{} style=\"left:{:.1f}%;width:{:.1f}%\"></i>",
                  bar.style.empty() ? "" : " class=\"" + bar.style + "\"", 100 * bar.from, 100 * (bar.to - bar.from));
  if (bar.mark) text += fmt::format("<b style=\"left:{:.1f}%\"></b>", 100 * *bar.mark);
  return text + "</span>";
}

std::string cell(const char* element, const Column& column, const std::string& more, const std::string& content) {
  const char* style = column.align == Align::right ? " class=\"number\"" : "";
  return fmt::format("<{}{}{}>{}</{}>", element, more, style, content, element);
}

std::string row_html(const Table& table, const std::vector<std::string>& texts, const HtmlRow* row) {
  std::string text = fmt::format("<tr{}>", row != nullptr ? row->attributes : "");
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::string content = xml_text(c < texts.size() ? texts[c] : "");
    if (row == nullptr) {
      text += cell("td", table.columns[c], "", content);
      continue;
    }
    if (c == 0 && !row->link.empty()) content = fmt::format("<a href=\"{}\">{}</a>", row->link, content);
    for (const HtmlBar& bar : row->bars)
      if (bar.column == c) content.insert(0, bar_html(bar));
    text += cell("td", table.columns[c], fmt::format(" data-h=\"{}\"", xml_text(table.columns[c].title)), content);
  }
  return text + "</tr>\n";
}

}  // namespace

std::string html_table(const Table& table, std::string_view caption, bool sortable, const std::vector<HtmlRow>& rows) {
  std::string style = sortable ? "sortable" : "";
  if (!rows.empty()) style += style.empty() ? "stack" : " stack";
  std::string text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table{1}>\n<caption>{0}</caption>\n<thead><tr>",
      xml_text(caption), style.empty() ? "" : " class=\"" + style + "\"");
  for (const Column& column : table.columns) text += cell("th", column, " scope=\"col\"", xml_text(column.title));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    text += row_html(table, table.rows[r], r < rows.size() ? &rows[r] : nullptr);
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

}  // namespace kerlab::report
