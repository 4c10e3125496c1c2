#include "cli/help/completion.h"

#include <algorithm>
#include <utility>

namespace kerlab::cli {

namespace {

/// Where in a command line the cursor is.
struct Place {
  std::vector<const CommandModel*> commands;  ///< kerlab, tune: the innermost last; options of all are taken
  std::vector<std::string> words;             ///< positional ones
  const OptionModel* option = nullptr;        ///< whose value comes next
  std::string problem_option;                 ///< "M": a dimension, flag or scalar whose value comes next
  bool only_positionals = false;              ///< after --
  KernelRoots kernels;                        ///< of --kernels, then of the settings
  std::vector<std::filesystem::path> suites;

  [[nodiscard]] const CommandModel& command() const { return *commands.back(); }
  [[nodiscard]] const OptionModel* find_option(const std::string& name) const {
    for (const CommandModel* command : commands)
      for (const OptionModel& candidate : command->options)
        if (std::ranges::find(candidate.names, name) != candidate.names.end()) return &candidate;
    return nullptr;
  }
};

/// "FAMILY|all" has FAMILY, and the literal word all.
std::vector<std::string> alternatives(const OptionModel& option) {
  std::vector<std::string> all;
  std::string rest = option.value;
  while (!rest.empty()) {
    const std::size_t bar = rest.find('|');
    all.push_back(rest.substr(0, bar));
    rest = bar == std::string::npos ? "" : rest.substr(bar + 1);
  }
  return all;
}

bool takes(const OptionModel& option, std::string_view kind) {
  const std::vector<std::string> all = alternatives(option);
  return std::ranges::find(all, kind) != all.end();
}

/// The positional argument that word number `index` goes to; null: there are too many.
const OptionModel* positional(const CommandModel& command, std::size_t index) {
  if (index < command.positionals.size()) return &command.positionals[index];
  const bool more = !command.positionals.empty() && command.positionals.back().repeated;
  return more ? &command.positionals.back() : nullptr;
}

/// The kernel or family that the command is about.
std::string subject_of(const Place& place) {
  for (std::size_t i = 0; i < place.words.size(); ++i) {
    const OptionModel* model = positional(place.command(), i);
    const bool named = model != nullptr && (takes(*model, "FAMILY") || takes(*model, "KERNEL"));
    if (named && !takes(*model, place.words[i])) return place.words[i];
  }
  return {};
}

void note_value(Place& place, const OptionModel& option, const std::string& value) {
  if (std::ranges::find(option.names, "--kernels") != option.names.end()) place.kernels.families.emplace_back(value);
}

void step_over_option(Place& place, const std::string& word) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(0, equals);
  const OptionModel* option = place.find_option(name);
  if (equals != std::string::npos) {
    if (option != nullptr) note_value(place, *option, word.substr(equals + 1));
  } else if (option != nullptr) {
    place.option = option->takes_value() ? option : nullptr;
  } else if (name.starts_with("--") && place.command().takes_problem) {
    place.problem_option = name.substr(2);
  }
}

void step_over(Place& place, const std::string& word) {
  if (place.option != nullptr) {
    note_value(place, *std::exchange(place.option, nullptr), word);
  } else if (!place.problem_option.empty()) {
    place.problem_option.clear();
  } else if (word == "--") {
    place.only_positionals = true;
  } else if (!place.only_positionals && word.size() > 1 && word.front() == '-') {
    step_over_option(place, word);
  } else if (const CommandModel* command = place.command().find(word); command != nullptr && place.words.empty()) {
    place.commands.push_back(command);
  } else {
    place.words.push_back(word);
  }
}

Completions complete_commands(const CommandModel& command, const std::string& word) {
  Completions completions;
  for (const CommandModel& candidate : command.commands)
    if (!candidate.hidden && candidate.name.starts_with(word)) completions.push_back({candidate.name, candidate.doc});
  return completions;
}

void add(Completions& all, Completions more) {
  for (Completion& completion : more) all.push_back(std::move(completion));
}

/// Names of things that a command is about are told by the type of the option: FAMILY, DTYPE, FILE.
Completions complete_kind(const Place& place, const std::string& kind, const std::string& word) {
  if (kind == "FAMILY") return complete_family(place.kernels, word);
  if (kind == "KERNEL") {
    const std::string subject = subject_of(place);
    const bool configured = !subject.empty() && place.command().positionals.back().repeated;
    return configured ? complete_parameter(place.kernels, subject, word, place.words)
                      : complete_kernel(place.kernels, word);
  }
  if (kind == "VARIANT") return complete_variant(place.kernels, family_part(subject_of(place)), word);
  if (kind == "DTYPE") return complete_dtype(place.kernels, subject_of(place), word);
  if (kind == "CONFIGURATION") return complete_parameter(place.kernels, subject_of(place), word);
  if (kind == "DEVICE") return complete_device(word);
  if (kind == "SUITE") return complete_suite(place.suites, word);
  if (kind == "FILE") return complete_path(word, false);
  if (kind == "DIR") return complete_path(word, true);
  if (kind == "COMMAND") {
    const CommandModel* below = place.words.empty() ? nullptr : place.commands.front()->find(place.words.front());
    return complete_commands(below != nullptr ? *below : *place.commands.front(), word);
  }
  const bool literal = !kind.empty() && std::islower(static_cast<unsigned char>(kind.front())) != 0;
  return literal && kind.starts_with(word) ? Completions{{kind, ""}} : Completions{};
}

Completions complete_value_of(const Place& place, const OptionModel& option, const std::string& word) {
  Completions completions;
  for (const std::string& kind : alternatives(option)) add(completions, complete_kind(place, kind, word));
  return completions;
}

/// After "--strategy=": the whole word is replaced.
Completions behind(const std::string& head, Completions completions) {
  for (Completion& completion : completions) completion.text = head + completion.text;
  return completions;
}

Completions complete_option(const Place& place, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos) {
    const std::string head = word.substr(0, equals + 1), rest = word.substr(equals + 1);
    if (const OptionModel* option = place.find_option(word.substr(0, equals)))
      return behind(head, complete_value_of(place, *option, rest));
    return behind(head, complete_flag(place.kernels, subject_of(place), word.substr(2, equals - 2), rest));
  }
  Completions all;
  if (place.command().takes_problem) add(all, behind("--", complete_problem(place.kernels, subject_of(place), "")));
  for (auto command = place.commands.rbegin(); command != place.commands.rend(); ++command)
    for (const OptionModel& option : (*command)->options)
      for (const std::string& name : option.names)
        if (name.size() > 2 && (name != "--help" || command == place.commands.rbegin()) && name != "--version")
          all.push_back({name, option.doc});
  if (place.commands.size() == 1) all.push_back({"--version", "print the version"});
  std::erase_if(all, [&](const Completion& completion) { return !completion.text.starts_with(word); });
  return all;
}

Completions complete_at(const Place& place, const std::string& word) {
  if (place.option != nullptr) return complete_value_of(place, *place.option, word);
  if (!place.problem_option.empty()) return complete_flag(place.kernels, subject_of(place), place.problem_option, word);
  if (!place.only_positionals && word.starts_with('-')) return complete_option(place, word);
  Completions all;
  if (place.words.empty()) all = complete_commands(place.command(), word);
  if (const OptionModel* model = positional(place.command(), place.words.size()))
    add(all, complete_value_of(place, *model, word));
  const bool nothing_else = all.empty() && word.empty() && !place.only_positionals;
  return nothing_else && place.commands.size() > 1 ? complete_option(place, "--") : all;
}

}  // namespace

Completions complete(const CommandModel& root, const std::vector<std::string>& words, const std::string& word,
                     const KnownFolders& folders) {
  Place place;
  place.commands.push_back(&root);
  for (const std::string& other : words) step_over(place, other);
  auto& families = place.kernels.families;
  families.insert(families.end(), folders.kernels.families.begin(), folders.kernels.families.end());
  place.suites = folders.suites;
  return complete_at(place, word);
}

}  // namespace kerlab::cli
