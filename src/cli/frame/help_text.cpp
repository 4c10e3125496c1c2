#include "cli/frame/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/terminal.h"
#include "cli/frame/help_topics.h"

namespace kerlab::cli {

namespace {

constexpr std::size_t kNameColumns = 26;

/// Words in lines of at most `width`; the first line begins at column `column`, the others at `indent`.
std::string folded_help(const std::string& text, std::size_t column, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string result;
  bool begins = true;
  for (std::string word; words >> word;) {
    if (!begins && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
      begins = true;
    }
    result += (begins ? "" : " ") + word;
    column += word.size() + (begins ? 0 : 1);
    begins = false;
  }
  return result;
}

/// "  --name VALUE            what it does", folded.
std::string row(const std::string& name, const std::string& text, std::size_t width,
                std::size_t columns = kNameColumns) {
  std::string result = "  " + name;
  if (result.size() + 2 > columns)
    result += text.empty() ? "" : "\n" + std::string(columns, ' ');
  else
    result += std::string(columns - result.size(), ' ');
  return result + folded_help(text, columns, columns, std::max(width, columns + 20)) + "\n";
}

std::string heading(const std::string& title, bool color) {
  return "\n" + styled(title, Style::bold, color) + "\n";
}

std::string commands_text(const CommandModel& command, int width, bool color) {
  std::vector<std::string> groups;
  for (const CommandModel& below : command.commands)
    if (!below.hidden && std::ranges::find(groups, below.group) == groups.end()) groups.push_back(below.group);
  std::string text;
  for (const std::string& group : groups) {
    text += heading(group, color);
    for (const CommandModel& below : command.commands)
      if (!below.hidden && below.group == group)
        text += row(below.name, below.doc, static_cast<std::size_t>(width), 14);
  }
  return text;
}

std::string options_text(const CommandModel& command, int width, bool color) {
  std::string text;
  for (const OptionGroup& group : grouped_options(command)) {
    text += heading(group.title, color);
    for (const OptionModel* option : group.options)
      text += row(option_title(*option), option_doc(*option), static_cast<std::size_t>(width));
  }
  return text;
}

std::string topics_text(const std::string& title, std::span<const HelpTopic> topics, int width, bool color) {
  std::string text = heading(title, color);
  for (const HelpTopic& topic : topics)
    text += row(std::string(topic.name), std::string(topic.text), static_cast<std::size_t>(width));
  return text;
}

}  // namespace

std::string option_title(const OptionModel& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  return option.positional || !option.takes_value() ? names : names + " " + option.value;
}

std::string option_doc(const OptionModel& option) {
  std::string text = option.doc;
  if (option.positional && option.value.find('|') != std::string::npos && option.choices.empty() && text.empty())
    text = option.value;
  return option.standard.empty() ? text : fmt::format("{} (default {})", text, option.standard);
}

std::vector<OptionGroup> grouped_options(const CommandModel& command) {
  std::vector<OptionGroup> groups;
  for (const OptionModel& option : command.options) {
    auto at = std::ranges::find(groups, option.group, &OptionGroup::title);
    if (at == groups.end()) at = groups.insert(groups.end(), {option.group, {}});
    at->options.push_back(&option);
  }
  // --help is in the parser's own group, which comes first though it says least.
  if (groups.size() > 1 && groups.front().options.size() == 1) std::ranges::rotate(groups, groups.begin() + 1);
  return groups;
}

std::string usage_line(const CommandModel& command, const std::string& name) {
  std::string text = name + " [OPTION]...";
  for (const OptionModel& positional : command.positionals) {
    const std::string word = positional.names.front() + (positional.repeated ? "..." : "");
    text += positional.required ? " " + word : " [" + word + "]";
  }
  if (!command.commands.empty()) text += " COMMAND";
  return command.takes_problem ? text + " [--DIMENSION VALUE]..." : text;
}

std::string overview_text(const CommandModel& root, int width, bool color) {
  std::string text = styled("kerlab", Style::bold, color) + ": " + root.doc + "\n" + commands_text(root, width, color);
  text += heading("Begin with", color);
  text += row("kerlab demo", "a guided tour of five minutes, with or without a GPU", 100, 30);
  text += row("kerlab tune gemm --M 4096", "the fastest verified configuration of a matrix product", 100, 30);
  text += row("kerlab new my_op", "a kernel of your own", 100, 30);
  return text +
         "\nkerlab help COMMAND explains one; kerlab --help also has the options of all, exit codes, environment\n";
}

std::string help_text(const CommandModel& command, const std::string& name, int width, bool color) {
  const bool root = name == "kerlab";
  std::string text = styled(name, Style::bold, color) + ": " +
                     folded_help(command.doc, name.size() + 2, 2, static_cast<std::size_t>(width)) + "\n";
  text += folded_help("usage: " + usage_line(command, name), 0, 7, static_cast<std::size_t>(width)) + "\n";
  for (const std::string& paragraph : command.details)
    text += "\n" + folded_help(paragraph, 0, 0, static_cast<std::size_t>(width)) + "\n";
  text += command.positionals.empty() && !command.takes_problem ? "" : "\n";
  for (const OptionModel& positional : command.positionals)
    text += row(option_title(positional), option_doc(positional), static_cast<std::size_t>(width));
  if (command.takes_problem)
    text +=
        row("--DIMENSION VALUE",
            "dimensions, flags and scalars that the family declares, as in --M 4K --layout nt (kerlab list FAMILY); "
            "--inputs-hot A,X: inputs that L2 holds when a timed run begins",
            static_cast<std::size_t>(width));
  text += commands_text(command, width, color) + options_text(command, width, color);
  if (!command.examples.empty()) text += heading("Examples", color);
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  if (root)
    return text + topics_text("Exit codes", exit_codes(), width, color) +
           topics_text("Environment", environment_variables(), width, color);
  return text + "\n" +
         folded_help("kerlab --help has exit codes, environment and the options of all commands", 0, 2,
                     static_cast<std::size_t>(width)) +
         "\n";
}

}  // namespace kerlab::cli
