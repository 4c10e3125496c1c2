#include "cli/help/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/command.h"
#include "cli/frame/help_text.h"
#include "cli/frame/help_topics.h"

namespace kerlab::cli {

namespace {

/// Text as roff takes it: no escapes, no hyphens that are minus signs, no line that is a request.
std::string plain(std::string_view text) {
  std::string result = !text.empty() && (text.front() == '.' || text.front() == '\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '`' || c == '\'')
      result += c == '`' ? "\\(ga" : "\\(aq";
    else if (c == '^' || c == '~')
      result += c == '^' ? "\\(ha" : "\\(ti";
    else
      result += c;
  }
  return result;
}

/// Lines of at most 78 columns, for those who read the source; none begins like a request.
std::string folded_page(const std::string& text) {
  std::string result;
  std::size_t column = 0, at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    if (word.empty()) continue;
    const bool breaks = column > 0 && column + 1 + word.size() > 78 && word.front() != '.' && word.front() != '\'';
    if (column > 0) result += breaks ? '\n' : ' ';
    column = (breaks ? 0 : column + (column > 0 ? 1 : 0)) + word.size();
    result += word;
  }
  return result;
}

std::string section(std::string_view title) {
  return fmt::format(".SH {}\n", title);
}

/// A tagged paragraph.
std::string item(const std::string& tag, std::string_view text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(tag), text.empty() ? "\\&" : folded_page(plain(text)));
}

std::string items(std::string_view title, std::span<const HelpTopic> topics) {
  std::string text = section(title);
  for (const HelpTopic& topic : topics) text += item(std::string(topic.name), topic.text);
  return text;
}

std::string description(const CommandModel& command) {
  std::string text = section("DESCRIPTION") + folded_page(plain(command.doc) + ".") + "\n";
  for (const std::string& paragraph : command.details) text += ".PP\n" + folded_page(plain(paragraph)) + "\n";
  if (command.takes_problem)
    text +=
        ".PP\nDimensions, flags and scalars of the problem are options that its family\ndeclares, as in "
        "\\fB\\-\\-M 4096 \\-\\-layout nt\\fR;\n\\fBkerlab list\\fR \\fIFAMILY\\fR shows them.\n";
  for (const OptionModel& positional : command.positionals)
    text += item(option_title(positional), option_doc(positional));
  return text;
}

std::string options(const CommandModel& command) {
  std::string text;
  for (const OptionGroup& group : grouped_options(command)) {
    text += group.title == "Options" ? "" : ".SS " + plain(group.title) + "\n";
    for (const OptionModel* option : group.options) text += item(option_title(*option), option_doc(*option));
  }
  return text;
}

std::string commands(const CommandModel& root, const CommandModel& command) {
  if (command.commands.empty()) return "";
  std::string text = section("COMMANDS");
  for (const CommandModel& below : command.commands) {
    if (below.hidden) continue;
    text += item(below.name, below.doc);
    if (&root == &command) continue;
    for (const OptionModel& positional : below.positionals)
      text += ".RS\n" + item(option_title(positional), option_doc(positional)) + ".RE\n";
    for (const OptionModel& option : below.options)
      if (option.names.back() != "--help") text += ".RS\n" + item(option_title(option), option_doc(option)) + ".RE\n";
  }
  return text;
}

std::string examples(const CommandModel& command) {
  if (command.examples.empty()) return "";
  std::string text = section("EXAMPLES") + ".nf\n";
  for (const std::string& example : command.examples) text += plain(example) + "\n";
  return text + ".fi\n";
}

std::string see_also(const CommandModel& root, const CommandModel& command) {
  std::vector<std::string> names;
  if (&root != &command) names.push_back(man_name(root, root));
  for (const CommandModel& other : root.commands)
    if (!other.hidden && &other != &command) names.push_back(man_name(root, other));
  std::string text = section("SEE ALSO");
  for (const std::string& name : names)
    text += fmt::format(".BR {} (1){}\n", plain(name), &name == &names.back() ? "" : " ,");
  return text;
}

}  // namespace

std::string man_name(const CommandModel& root, const CommandModel& command) {
  return &root == &command ? root.name : fmt::format("{}-{}", root.name, command.name);
}

std::string man_page(const CommandModel& root, const CommandModel& command, const std::string& date) {
  const bool whole = &root == &command;
  const std::string name = man_name(root, command);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  std::string text = fmt::format(".TH {} 1 {} \"kerlab {}\" \"kerlab manual\"\n", title, date, version());
  text += section("NAME") + folded_page(plain(name) + " \\- " + plain(command.doc)) + "\n";
  text += section("SYNOPSIS") +
          folded_page(plain(usage_line(command, whole ? root.name : root.name + " " + command.name))) + "\n";
  text += description(command);
  text += commands(root, command);
  text += section("OPTIONS") + options(command);
  if (!whole) text += ".SS Of every command\n" + options(root);
  text += examples(command) + items("EXIT STATUS", exit_codes()) + items("ENVIRONMENT", environment_variables()) +
          items("FILES", known_files()) + see_also(root, command);
  return text;
}

}  // namespace kerlab::cli
