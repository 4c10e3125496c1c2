#include "report/picture/figure.h"

#include <fmt/format.h>

#include <map>

#include "base/embedded.h"
#include "base/error.h"
#include "report/form/xml_text.h"

namespace kerlab::report {

namespace {

constexpr double kTitleHeight = 76, kCharacter = 6.5;

/// "--ink: #1f2328;" of a theme, by name.
std::map<std::string, std::string> theme_values(const std::string& file) {
  std::map<std::string, std::string> values;
  const std::string text = theme_declarations(file);
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at)) {
    const std::size_t colon = text.find(':', at), end = text.find(';', colon);
    if (end == std::string::npos) break;
    values[text.substr(at, colon - at)] = text.substr(colon + 2, end - colon - 2);
    at = end;
  }
  return values;
}

/// Every var(--name) by its value: not every viewer of SVG knows variables.
std::string with_values(const std::string& css, const std::map<std::string, std::string>& values) {
  constexpr std::string_view kOpen = "var(";
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = css.find(kOpen); at != std::string::npos; at = css.find(kOpen, from)) {
    const std::size_t close = css.find(')', at);
    result += css.substr(from, at - from) + values.at(css.substr(at + kOpen.size(), close - at - kOpen.size()));
    from = close + 1;
  }
  return result + css.substr(from);
}

std::string both_themes() {
  const std::string css = embedded_text("figure.css");
  return with_values(css, theme_values("light.css")) + "@media (prefers-color-scheme: dark) {\n" +
         with_values(css, theme_values("dark.css")) + "}\n";
}

}  // namespace

std::string embedded_text(const std::string& name) {
  for (const EmbeddedFile& file : kReportFiles)
    if (file.name == name) return std::string(file.text);
  throw Error("report: " + name + " is not in this program");
}

std::string theme_declarations(const std::string& file) {
  const std::string text = embedded_text(file);
  const std::size_t open = text.find('{') + 1;
  return text.substr(open, text.find('}') - open);
}

std::string inline_svg(const ReportFigure& figure) {
  return fmt::format(
      "<svg class=\"drawing\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-desc\">\n<title id=\"{2}-title\">{3}</title>\n<desc "
      "id=\"{2}-desc\">{4}</desc>\n{5}</svg>\n",
      figure.width, figure.height, figure.id, xml_text(figure.title), xml_text(figure.description), figure.body);
}

std::string standalone_svg(const ReportFigure& figure) {
  const double height = figure.height + kTitleHeight;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"drawing\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">{2}</title>\n"
      "<desc id=\"desc\">{3}</desc>\n<style>{4}</style>\n<rect class=\"paper\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n"
      "<text x=\"16\" y=\"26\" class=\"ink heading\">{2}</text>\n<text x=\"16\" y=\"45\" "
      "class=\"ink\">{7}</text>\n<text x=\"16\" y=\"63\" class=\"dim\">{5}</text>\n"
      "<g transform=\"translate(0 {6:.0f})\">\n{8}</g>\n</svg>\n",
      figure.width, height, xml_text(figure.title), xml_text(figure.description), both_themes(),
      xml_text(shortened(figure.caption, static_cast<int>((figure.width - 32) / kCharacter))), kTitleHeight,
      xml_text(figure.subject), figure.body);
}

}  // namespace kerlab::report
