#include "session/find/suite.h"

#include <algorithm>

#include "base/duration.h"
#include "base/file.h"
#include "base/format.h"
#include "plan/accuracy_option.h"
#include "session/run/rig.h"
#include "session/run/space.h"
#include "spec/toml/source_path.h"
#include "spec/toml/spec_table.h"

namespace kerlab::session {

std::filesystem::path shipped_suites() {
  return share_folder() / "configs";
}

std::vector<std::string> suite_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".toml") names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

std::filesystem::path find_suite(const std::string& typed, std::vector<std::filesystem::path> folders) {
  std::error_code error;
  if (std::filesystem::is_regular_file(typed, error)) return typed;
  folders.push_back(shipped_suites());
  std::vector<std::string> known;
  for (const std::filesystem::path& folder : folders) {
    for (const std::string& name : {typed, typed + ".toml"})
      if (typed.find('/') == std::string::npos && std::filesystem::is_regular_file(folder / name, error))
        return folder / name;
    for (std::string& name : suite_names(folder)) known.push_back(std::move(name));
  }
  throw UsageError(fmt::format("--suite {}: no such file, and no suite of that name{} (there is {})",
                               typed.empty() ? "''" : typed, suggestion(typed, known), fmt::join(known, ", ")));
}

/// "may-be-nan", or a list of such words: what `kerlab tune --accuracy` takes.
Accuracy read_classes(const SpecTable& row, const TomlValue& value) {
  Accuracy accuracy;
  const std::vector<TomlValue> one = {value};
  for (const TomlValue& word : value.kind == TomlValue::Kind::array ? value.items : one) {
    if (word.kind != TomlValue::Kind::string || !admit(accuracy, word.text))
      row.fail("accuracy", fmt::format("expected {}, or a list of them", fmt::join(kAccuracyOptions, ", ")));
  }
  return accuracy;
}

SuiteOptions read_options(const SpecTable& table, std::string_view key, SuiteOptions options) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return options;
  const SpecTable row(*value, "options", {"trials", "time", "patience", "search", "seed", "all", "spills", "accuracy"});
  const auto positive = [&](std::string_view name) {
    const double number = row.number(name);
    if (number <= 0) row.fail(name, "must be above 0");
    return number;
  };
  if (row.has("trials")) {
    positive("trials");
    options.trials = static_cast<std::size_t>(row.integer("trials"));
  }
  if (const TomlValue* time = row.find("time"); time != nullptr && time->kind == TomlValue::Kind::string) {
    options.time_s = parse_seconds(time->text);
    if (!options.time_s || *options.time_s <= 0) row.fail("time", "expected a time, as in 90, \"90s\" or \"2m\"");
  } else if (time != nullptr) {
    options.time_s = positive("time");
  }
  if (row.has("patience")) {
    if (row.integer("patience") < 0) row.fail("patience", "must not be negative");
    options.patience = static_cast<std::size_t>(row.integer("patience"));
  }
  if (row.has("search")) {
    const std::vector<std::string> searches = {"exhaustive", "random", "local", "surrogate", "forecast", "auto"};
    options.search = searches[row.choice("search", searches, 0)];
  }
  if (row.has("seed")) options.seed = static_cast<std::uint64_t>(row.integer("seed"));
  if (row.has("all")) options.all = row.boolean("all", false);
  if (row.has("spills")) options.spills = row.boolean("spills", false);
  if (const TomlValue* classes = row.find("accuracy"); classes != nullptr)
    options.accuracy = read_classes(row, *classes);
  return options;
}

std::string scalar_text(const TomlValue& value) {
  switch (value.kind) {
    case TomlValue::Kind::string:
      return value.text;
    case TomlValue::Kind::integer:
      return fmt::format("{}", value.integer);
    case TomlValue::Kind::floating:
      return fmt::format("{}", value.floating);
    default:
      throw SpecError(value.where, "expected a number, a string, or a list of such");
  }
}

/// "1,8,16" for a list: what is typed on the command line.
std::string listed_text(const TomlValue& value) {
  if (value.kind != TomlValue::Kind::array) return scalar_text(value);
  std::vector<std::string> texts;
  for (const TomlValue& item : value.items) texts.push_back(scalar_text(item));
  if (texts.empty()) throw SpecError(value.where, "empty list");
  return fmt::format("{}", fmt::join(texts, ","));
}

/// Takes `key`, a table of names that the family knows.
template <typename Declaration>
void read_arguments(const SpecTable& row, std::string_view key, const Family& family,
                    const std::vector<Declaration>& declared, std::vector<ProblemArgument>& arguments) {
  const TomlValue* table = row.find(key);
  if (table == nullptr) return;
  if (table->kind != TomlValue::Kind::table) row.fail(key, "expected a table, as in { NAME = VALUE }");
  std::vector<std::string> known;
  for (const Declaration& declaration : declared) known.push_back(declaration.name);
  for (std::size_t i = 0; i < table->keys.size(); ++i) {
    const std::string& name = table->keys[i];
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw SpecError(table->key_where[i],
                      fmt::format("{} has no '{}' among its {}{}", family.name, name, key, suggestion(name, known)));
    arguments.push_back({name, listed_text(table->items[i])});
  }
}

std::vector<ProblemArgument> arguments_of(const ProblemRequest& request) {
  std::vector<ProblemArgument> arguments;
  for (const auto& [name, value] : request.dimensions) arguments.push_back({name, fmt::format("{}", value)});
  for (const auto& [name, value] : request.flags) arguments.push_back({name, value});
  for (const auto& [name, value] : request.scalars) arguments.push_back({name, fmt::format("{}", value)});
  return arguments;
}

class SuiteReader {
 public:
  SuiteReader(std::filesystem::path file, const KernelPlaces& kernels) : catalogue_(open_catalogue(kernels)) {
    suite_.file = std::move(file);
    suite_.name = suite_.file.stem().string();
  }

  Suite read() {
    const TomlValue value = parse_toml(read_text(suite_.file), shown_path(suite_.file));
    const SpecTable top(value, "the suite", {"doc", "options", "problem", "margins"});
    suite_.doc = top.text("doc", "");
    const SuiteOptions options = read_options(top, "options", {});
    const std::vector<TomlValue> problems = top.tables("problem");
    if (problems.empty()) throw SpecError(top.where(), "no [[problem]]");
    for (const TomlValue& problem : problems) {
      add(SpecTable::named(
              problem, "problem",
              {"name", "family", "dtype", "dimensions", "flags", "scalars", "variants", "options", "min_tflops"}),
          options);
    }
    return std::move(suite_);
  }

 private:
  void add(const SpecTable& row, const SuiteOptions& defaults) {
    SuiteProblem problem;
    problem.family = row.text("family");
    if (problem.family.find('/') != std::string::npos && problem.family.front() != '/')
      problem.family = (suite_.file.parent_path() / problem.family).string();
    problem.options = read_options(row, "options", defaults);
    const KernelFolder folder = checked(row, "family", [&] { return catalogue_.find(problem.family); });
    const Family& family = folder.family;
    problem.name = row.text("name", family.name);
    problem.min_tflops = row.number("min_tflops", 0);
    if (!(problem.min_tflops >= 0)) row.fail("min_tflops", "must not be negative");
    for (const auto& [variant, where] : row.located_texts("variants")) {
      if (variant != "all") checked(row, "variants", [&] { return find_variant(folder, variant).rung; });
      problem.variants.push_back(variant);
    }
    std::vector<ProblemArgument> arguments;
    read_arguments(row, "dimensions", family, family.dimensions, arguments);
    read_arguments(row, "flags", family, family.flags, arguments);
    read_arguments(row, "scalars", family, family.scalars, arguments);
    const TomlValue* dtype = row.find("dtype");
    const std::string dtypes = dtype == nullptr ? "" : listed_text(*dtype);
    for (const ProblemRequest& request :
         checked(row, "dimensions", [&] { return make_requests(family, arguments, dtypes); })) {
      problem.title = checked(row, "dimensions", [&] { return make_problem(family, request).title(); });
      problem.arguments = arguments_of(request);
      problem.dtype = request.dtype;
      suite_.problems.push_back(problem);
    }
  }

  /// What typing would be told is told with the place in the file.
  template <typename Work>
  static auto checked(const SpecTable& row, std::string_view key, Work&& work) -> decltype(work()) {
    try {
      return work();
    } catch (const UsageError& error) {
      row.fail(key, error.what());
    }
  }

  Catalogue catalogue_;
  Suite suite_;
};

}  // namespace

Suite read_suite(const std::string& file, const KernelPlaces& kernels,
                 const std::vector<std::filesystem::path>& folders) {
  return SuiteReader(find_suite(file, folders), kernels).read();
}

}  // namespace kerlab::session
