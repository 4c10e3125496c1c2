#include "cli/frame/command_model.h"

#include <algorithm>
#include <CLI/CLI.hpp>

#include "base/split.h"

namespace kerlab::cli {

namespace {

/// "example: kerlab list" and the lines after it that begin with kerlab.
std::vector<std::string> examples_of(const std::string& footer) {
  std::vector<std::string> examples;
  for (const std::string_view line : split_lines(footer)) {
    const std::size_t begin = line.find("kerlab ");
    if (begin != std::string_view::npos) examples.emplace_back(line.substr(begin));
  }
  return examples;
}

/// What an option of this name takes, in every command that has it; completions go by it.
std::string usual_value(const std::string& name) {
  if (name == "family") return "FAMILY";
  if (name == "kernel") return "KERNEL";
  if (name == "--dtype") return "DTYPE";
  if (name == "--variant") return "VARIANT|all";
  if (name == "--config") return "CONFIGURATION";
  if (name == "--suite") return "SUITE";
  if (name == "file") return "FILE";
  return {};
}

/// CLI11 says "TEXT:{a,b}" of an option that takes a or b.
void read_type(const std::string& type, OptionModel& model) {
  const std::size_t open = type.find(":{");
  if (open != std::string::npos && type.back() == '}') {
    model.choices = split(type.substr(open + 2, type.size() - open - 3), ',');
    model.value = fmt::format("{}", fmt::join(model.choices, "|"));
    return;
  }
  const std::string& kind = type;
  const std::string usual = usual_value(model.names.front());
  model.value = !usual.empty() ? usual : kind == "UINT" || kind == "INT" ? "N" : kind == "FLOAT" ? "NUMBER" : kind;
}

/// What was captured when the option was added, unless that only means "none" or the doc tells more.
std::string standard_of(const CLI::Option& option, const std::string& doc) {
  const std::string text = option.get_default_str();
  const bool none = text.empty() || text == "0" || text == "-1" || text == "[]" || text == "{}" || text == "\"\"";
  return none || doc.find("default") != std::string::npos ? "" : text;
}

OptionModel describe_option(const CLI::Option& option) {
  OptionModel model;
  for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  model.positional = option.nonpositional() ? false : option.get_positional();
  if (model.positional) model.names = {option.get_name(true)};
  if (option.get_items_expected_max() > 0) read_type(option.get_type_name(), model);
  model.doc = option.get_description();
  model.group = option.get_group();
  if (model.takes_value()) model.standard = standard_of(option, model.doc);
  model.required = option.get_required();
  model.repeated = option.get_items_expected_max() > 1;
  return model;
}

}  // namespace

const CommandModel* CommandModel::find(const std::string& command) const {
  const auto at = std::ranges::find(commands, command, &CommandModel::name);
  return at == commands.end() ? nullptr : &*at;
}

const CommandModel* CommandModel::find_path(const std::string& path) const {
  const std::vector<std::string> words = split(path, ' ');
  const CommandModel* found = words.empty() || words.front() != name ? nullptr : this;
  for (std::size_t i = 1; i < words.size() && found != nullptr; ++i) found = found->find(words[i]);
  return found;
}

CommandModel describe(const CLI::App& app) {
  CommandModel model;
  model.name = app.get_name();
  const std::string description = app.get_description();
  for (const std::string_view line : split_lines(description))
    if (!line.empty()) model.details.emplace_back(line);
  if (!model.details.empty()) {
    model.doc = model.details.front();
    model.details.erase(model.details.begin());
  }
  model.examples = examples_of(app.get_footer());
  model.group = app.get_group() == "Subcommands" ? "Actions" : app.get_group();
  model.hidden = model.group.empty();
  for (const CLI::Option* option : app.get_options()) {
    OptionModel described = describe_option(*option);
    if (described.group.empty()) continue;  // hidden
    (described.positional ? model.positionals : model.options).push_back(std::move(described));
  }
  for (const CLI::App* command : app.get_subcommands({})) model.commands.push_back(describe(*command));
  return model;
}

}  // namespace kerlab::cli
