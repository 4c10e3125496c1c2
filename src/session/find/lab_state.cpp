#include "session/find/lab_state.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/format.h"
#include "base/split.h"
#include "session/run/space.h"

namespace kerlab::session {

namespace {

const Parameter* find_parameter(const Variant& variant, const std::string& name) {
  const auto at = std::ranges::find(variant.parameters, name, &Parameter::name);
  return at == variant.parameters.end() ? nullptr : &*at;
}

bool is_problem_name(const Family& family, const std::string& name) {
  const auto called = [&name](const auto& one) { return one.name == name; };
  return std::ranges::any_of(family.dimensions, called) || std::ranges::any_of(family.flags, called) ||
         std::ranges::any_of(family.scalars, called);
}

std::vector<std::string> known_names(const Family& family, const Variant& variant) {
  std::vector<std::string> names{"dtype"};
  for (const Dimension& dimension : family.dimensions) names.push_back(dimension.name);
  for (const Flag& flag : family.flags) names.push_back(flag.name);
  for (const ScalarDecl& scalar : family.scalars) names.push_back(scalar.name);
  for (const Parameter& parameter : variant.parameters) names.push_back(parameter.name);
  return names;
}

[[noreturn]] void throw_unknown(const std::string& name, const Family& family, const Variant& variant) {
  const std::vector<std::string> names = known_names(family, variant);
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format(
      "{}: {}/{} has no such name; {}", name, family.name, variant.name,
      near.empty() ? fmt::format("there is {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near)));
}

std::int64_t listed_value(const Parameter& parameter, const std::string& text) {
  const auto word = parse_value(parameter, text);
  const auto value = word || !parameter.words.empty() ? word : parse_size(parameter.name, text);
  if (!value || std::ranges::count(parameter.values, *value) == 0)
    throw UsageError(fmt::format("{}={}: listed are {}", parameter.name, text, listed_values(parameter)));
  return *value;
}

/// NAME VALUE or NAME=VALUE, each a pair.
std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (equals != std::string::npos)
      pairs.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
    else if (i + 1 < words.size())
      pairs.emplace_back(words[i], words[i + 1]), ++i;
    else
      throw UsageError(fmt::format("{0}: which value? {0}= takes its default back", words[i]));
  }
  for (auto& [name, value] : pairs)
    if (name.rfind("--", 0) == 0) name.erase(0, 2);  // as on the command line
  return pairs;
}

/// "BM=64,BN=64" or "BM=64 BN=64" as words.
std::vector<std::string> settings_of(std::string configuration) {
  std::ranges::replace(configuration, ',', ' ');
  std::istringstream stream(configuration);
  return {std::istream_iterator<std::string>(stream), {}};
}

void set_one(LabState& state, const KernelFolder& folder, const std::string& name, const std::string& value) {
  const Variant& variant = find_variant(folder, state.variant);
  const bool clear = value.empty() || value == "default";
  if (name == "dtype") {
    state.dtype = clear ? "" : value;
  } else if (const Parameter* parameter = find_parameter(variant, name)) {
    std::erase_if(state.parameters, [&](const auto& one) { return one.first == name; });
    if (!clear) state.parameters.emplace_back(name, value_text(*parameter, listed_value(*parameter, value)));
  } else if (is_problem_name(folder.family, name)) {
    std::erase_if(state.arguments, [&](const ProblemArgument& one) { return one.name == name; });
    if (!clear) state.arguments.push_back({name, value});
  } else {
    throw_unknown(name, folder.family, variant);
  }
}

/// Those that the variant lists.
std::vector<std::pair<std::string, std::string>> still_listed(
    const Variant& variant, const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const auto& [name, text] : parameters) {
    const Parameter* parameter = find_parameter(variant, name);
    const auto value = parameter != nullptr ? parse_value(*parameter, text) : std::nullopt;
    if (value && std::ranges::count(parameter->values, *value) > 0) listed.emplace_back(name, text);
  }
  return listed;
}

/// By rung; of one rung in the order of the files.
std::vector<const Variant*> ladder_of(const KernelFolder& folder) {
  std::vector<const Variant*> rungs;
  for (const Variant& variant : folder.variants) rungs.push_back(&variant);
  std::ranges::stable_sort(rungs, {}, &Variant::rung);
  return rungs;
}

std::vector<std::int64_t> listed_between(const Parameter& parameter, const std::string& text) {
  std::vector<std::int64_t> values;
  const std::size_t dots = text.find("..");
  if (text.empty()) return parameter.values;
  if (dots == std::string::npos) {
    if (parameter.words.empty())
      for (const std::int64_t value : parse_sizes(parameter.name, text))
        values.push_back(listed_value(parameter, std::to_string(value)));
    else
      for (const std::string& word : split(text, ',')) values.push_back(listed_value(parameter, word));
    return values;
  }
  if (!parameter.words.empty())
    throw UsageError(
        fmt::format("{}={}: words have no range; listed are {}", parameter.name, text, listed_values(parameter)));
  const std::int64_t first = dots == 0 ? INT64_MIN : parse_size(parameter.name, text.substr(0, dots));
  const std::int64_t last = dots + 2 == text.size() ? INT64_MAX : parse_size(parameter.name, text.substr(dots + 2));
  for (const std::int64_t value : parameter.values)
    if (first <= value && value <= last) values.push_back(value);
  if (values.empty())
    throw UsageError(
        fmt::format("{}={}: none is listed there; listed are {}", parameter.name, text, listed_values(parameter)));
  return values;
}

}  // namespace

std::string LabState::configuration() const {
  std::string text;
  for (const auto& [name, value] : parameters) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

SubjectName LabState::subject() const {
  return {0, target, variant, configuration()};
}

LabState with_kernel(const LabState& state, const SubjectName& name, const KernelFolder& folder) {
  refuse_revision(name);
  LabState next = state;
  next.target = name.family;
  next.variant = name.variant.empty() ? ladder_of(folder).front()->name : find_variant(folder, name.variant).name;
  const Variant& variant = find_variant(folder, next.variant);
  std::erase_if(next.arguments, [&](const ProblemArgument& one) { return !is_problem_name(folder.family, one.name); });
  if (const auto dtype = parse_dtype(next.dtype); !dtype || std::ranges::count(folder.family.dtypes, *dtype) == 0)
    next.dtype.clear();
  next.parameters = still_listed(variant, next.parameters);
  return with_settings(next, folder, settings_of(name.configuration));
}

LabState with_settings(const LabState& state, const KernelFolder& folder, const std::vector<std::string>& words) {
  LabState next = state;
  for (const auto& [name, value] : pairs_of(words)) set_one(next, folder, name, value);
  make_problem(folder.family, make_request(folder.family, next.arguments, next.dtype));  // judged before it is kept
  return next;
}

LabState with_rung(const LabState& state, const KernelFolder& folder, const DeviceInfo& device, int steps) {
  const std::vector<const Variant*> rungs = ladder_of(folder);
  const Problem problem = problem_for_device(folder, make_request(folder.family, state.arguments, state.dtype), device);
  auto at = std::ranges::find(rungs, state.variant, &Variant::name) - rungs.begin();
  std::string cannot;
  const int step = steps < 0 ? -1 : 1;
  for (int left = std::abs(steps); left > 0;) {
    at += step;
    if (at < 0 || at >= std::ssize(rungs)) {
      const int done = std::abs(steps) - left;
      const char* way = steps < 0 ? "below" : "above";
      const std::string what =
          done > 0 ? fmt::format("only {} {} it", format_count(done, "rung"), way)
                   : fmt::format("it is the {} rung of {}", steps < 0 ? "lowest" : "highest", folder.family.name);
      throw UsageError(fmt::format("{}: {} for {}{}", state.variant, what, problem.title(), cannot));
    }
    const Variant& variant = *rungs[static_cast<std::size_t>(at)];
    const std::string reason = unsupported_reason(variant, problem, device);
    if (reason.empty())
      --left;
    else
      cannot += fmt::format("\n  {}: {}", variant.name, reason);
  }
  const Variant& reached = *rungs[static_cast<std::size_t>(at)];
  LabState next = state;
  next.variant = reached.name;
  next.parameters = still_listed(reached, state.parameters);
  // Listed one by one they may still be no valid configuration together.
  if (!complete_configuration(reached, problem, device, next.subject().configuration).valid) next.parameters.clear();
  return next;
}

std::vector<ParameterChoice> parse_choices(const Variant& variant, const std::vector<std::string>& words) {
  std::vector<ParameterChoice> choices;
  std::vector<std::string> joined;  // NAME=RANGE or NAME; a range begins with a figure, a name does not
  for (const std::string& word : words) {
    const bool range = !word.empty() && (std::isdigit(static_cast<unsigned char>(word.front())) != 0 || word[0] == '.');
    if (range && !joined.empty() && joined.back().find('=') == std::string::npos)
      joined.back() += "=" + word;
    else
      joined.push_back(word);
  }
  for (const std::string& word : joined) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == std::string::npos ? "" : word.substr(equals + 1);
    const Parameter* parameter = find_parameter(variant, name);
    if (parameter == nullptr) {
      std::vector<std::string> names;
      for (const Parameter& one : variant.parameters) names.push_back(one.name);
      const std::string near = nearest(name, names);
      throw UsageError(fmt::format(
          "{}: {} has no such parameter; {}", name, variant.name,
          near.empty() ? fmt::format("it has {}", fmt::join(names, ", ")) : fmt::format("did you mean {}?", near)));
    }
    choices.push_back({name, listed_between(*parameter, value)});
  }
  return choices;
}

}  // namespace kerlab::session
