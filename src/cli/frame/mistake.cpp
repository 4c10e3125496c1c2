#include "cli/frame/mistake.h"

#include <CLI/CLI.hpp>

#include "base/format.h"

namespace kerlab::cli {

namespace {

std::vector<std::string> shown_names(const CommandModel& parent) {
  std::vector<std::string> names;
  for (const CommandModel& command : parent.commands)
    if (!command.hidden) names.push_back(command.name);
  return names;
}

/// The first option that nobody knows; empty: there is none.
std::string unknown_option(const std::vector<std::string>& words, const KnownOptions& known) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.size() > 1 && name.starts_with("-") && !known.contains(name)) return name;
  }
  return {};
}

/// A group of commands of which none, or one that there is not, was named.
std::string group_mistake(const CLI::App& group, const std::vector<std::string>& words) {
  const CommandModel model = describe(group);
  if (!words.empty()) return fmt::format("{} {}", model.name, unknown_command(model, words.front()));
  return fmt::format("{}: name one of {}", model.name, fmt::join(shown_names(model), ", "));
}

/// "restore: save is missing: its number in kerlab history".
std::string missing_positional(const std::string& name, const CLI::App& command) {
  const CommandModel model = describe(command);
  for (const OptionModel& positional : model.positionals)
    if (positional.names.front() == name)
      return fmt::format("{}: {} is missing{}", model.name, name,
                         positional.doc.empty() ? "" : fmt::format(": {}", positional.doc));
  return name + " is missing";
}

/// "--strategy: ranom not in {random,local}", of CLI11.
std::string not_a_choice(const std::string& text) {
  const std::size_t colon = text.find(": "), middle = text.find(" not in {", colon);
  std::vector<std::string> choices;
  std::istringstream list(text.substr(middle + 9, text.size() - middle - 10));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return fmt::format("{} {}", text.substr(0, colon),
                     unknown_word("value", text.substr(colon + 2, middle - colon - 2), choices));
}

/// CLI11's own words where they are not plain.
std::string in_words(const CLI::ParseError& error, const CLI::App* command) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find(':'));
  if (text.ends_with(" missing")) return name + ": a value is missing";
  if (text.ends_with(" flag override")) return fmt::format("{}: takes no value", text.substr(0, text.find(' ')));
  if (const std::size_t at = text.find(": At Most "); at != std::string::npos)
    return fmt::format("{}: at most {} values", name, text.substr(at + 10, text.find(' ', at + 10) - at - 10));
  if (text.ends_with('}') && text.find(" not in {") != std::string::npos) return not_a_choice(text);
  if (text.ends_with(" is required") && command != nullptr)
    return missing_positional(text.substr(0, text.size() - 12), *command);
  if (const std::string begin = "Could not convert: "; text.starts_with(begin)) {
    const std::size_t equals = std::min(text.find(" = "), text.size() - 3);
    return fmt::format("{}: expected a number within its range, not '{}'",
                       text.substr(begin.size(), equals - begin.size()), text.substr(equals + 3));
  }
  return text;
}

/// The innermost command that was named; null: none.
const CLI::App* innermost(const CLI::App* command) {
  while (command != nullptr && !command->get_subcommands().empty()) command = command->get_subcommands().front();
  return command;
}

/// "db trials ", below the root.
std::string path_of(const CLI::App* command) {
  return command == nullptr || command->get_parent() == nullptr
             ? ""
             : path_of(command->get_parent()) + command->get_name() + " ";
}

}  // namespace

std::string unknown_word(const std::string& what, const std::string& word, const std::vector<std::string>& all) {
  const std::string near = nearest(word, all);
  return fmt::format(
      "{}: no such {}; {}", word.empty() ? "''" : word, what,
      near.empty() ? fmt::format("there is {}", fmt::join(all, ", ")) : fmt::format("did you mean {}?", near));
}

std::string unknown_command(const CommandModel& parent, const std::string& word) {
  return unknown_word("command", word, shown_names(parent));
}

std::string near_option(const KnownOptions& known, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [option, takes_value] : known)
    if (option.starts_with("--")) names.push_back(option.substr(2));
  const std::string near = nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), names);
  return near.empty() ? "" : "--" + near;
}

std::string missing_value(const KnownOptions& known, const std::string& option) {
  const std::string near = near_option(known, option);
  return near.empty() ? option + ": a value is missing"
                      : fmt::format("{}: no such option; did you mean {}?", option, near);
}

std::string mistake(const CLI::ParseError& error, const CLI::App& root, const CLI::App* command,
                    const KnownOptions& known) {
  const std::vector<std::string> left = root.remaining(true);
  const CLI::App* const inner = innermost(command);
  std::string text;
  if (const std::string name = unknown_option(left, known); !name.empty()) {
    const std::string near = near_option(known, name);
    text = fmt::format("{}: no such option{}", name, near.empty() ? "" : fmt::format("; did you mean {}?", near));
  } else if (command == nullptr) {
    text = "name a command: `kerlab` alone lists them";
  } else if (inner->get_require_subcommand_min() > 0) {
    text = group_mistake(*inner, left);
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    text = fmt::format("{}: not expected here", fmt::join(left, " "));
  } else {
    text = in_words(error, inner);
  }
  return fmt::format("{} (see kerlab {}--help)", text, path_of(inner));
}

}  // namespace kerlab::cli
