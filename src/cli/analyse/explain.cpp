#include <algorithm>
#include <CLI/CLI.hpp>

#include "cli/frame/command.h"
#include "cli/frame/existing_database.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/subject_words.h"
#include "cli/frame/waiting.h"
#include "report/text/explain_text.h"
#include "session/analyse/explain.h"

namespace kerlab::cli {

namespace {

struct ExplainCommand {
  std::vector<std::string> words;  ///< the subject, then NAME=VALUE of its configuration
  std::string dtype, configuration;
  std::size_t what_if = 6;
  bool no_what_if = false;
};

/// Everything that commands about this problem repeat.
struct Repeated {
  std::string family;   ///< as typed: a name, or a folder
  std::string problem;  ///< " --M 4096 --dtype bf16"
  std::string options;  ///< " --device emu:h200"

  [[nodiscard]] std::string kernel(const std::string& variant, const std::string& values) const {
    return quoted(fmt::format("{}/{}{}{}", family, variant, values.empty() ? "" : ":", values));
  }
};

/// For a problem alone: a search, the roof, and the kernel that is likely the best to begin with.
std::vector<std::string> after_problem(const Explanation& e, const Repeated& again) {
  std::vector<std::string> list;
  const auto able = [&](const std::string& variant) {
    return std::ranges::any_of(e.variants,
                               [&](const VariantFit& fit) { return fit.variant == variant && fit.reason.empty(); });
  };
  std::string kernel;
  for (const VariantFit& fit : e.variants)
    if (fit.reason.empty()) kernel = again.kernel(fit.variant, "");
  for (const RooflinePoint& point : e.problem.points) {
    if (!able(point.trial.variant)) continue;
    std::string values = point.trial.configuration;
    std::ranges::replace(values, ' ', ',');
    kernel = again.kernel(point.trial.variant, values);
    break;
  }
  if (!kernel.empty()) list.push_back(fmt::format("kerlab explain {}{}{}", kernel, again.problem, again.options));
  list.push_back(fmt::format("kerlab tune {}{}{}", quoted(again.family), again.problem, again.options));
  list.push_back(fmt::format("kerlab roofline {}{}{}", quoted(again.family), again.problem, again.options));
  return list;
}

std::vector<std::string> after_kernel(const Explanation& e, const Repeated& again, std::int64_t trial) {
  const std::string& variant = e.kernel->trial.variant;
  const std::string same = trial > 0 ? std::to_string(trial) : again.kernel(variant, e.typed) + again.problem;
  std::vector<std::string> list{fmt::format("kerlab inspect {}{}", same, again.options)};
  std::string where;
  if (!e.what_if.empty() && e.what_if.front().best_ratio() > 0 && e.what_if.front().best_ratio() < 1) {
    const WhatIf& best = e.what_if.front();
    list.push_back(fmt::format("kerlab diff {} {}{}{}", again.kernel(variant, e.typed),
                               again.kernel(variant, best.typed), again.problem, again.options));
    where = fmt::format(" --where '{} == {}'", best.parameter, best.to);
  }
  list.push_back(fmt::format("kerlab tune {} --variant {}{}{}{}", quoted(again.family), variant, where, again.problem,
                             again.options));
  list.push_back(trial > 0 ? fmt::format("kerlab show {}{}", trial, again.options)
                           : fmt::format("kerlab roofline {}{}{}", quoted(again.family), again.problem, again.options));
  return list;
}

std::vector<std::string> commands_after(const Explanation& e, const SubjectName& name, const GlobalOptions& global) {
  const Repeated again{name.trial > 0 ? e.kernel->trial.family : name.family, e.problem_options,
                       repeated_options(global)};
  if (e.kernel && !e.kernel->launches.empty()) return after_kernel(e, again, name.trial);
  if (name.trial > 0) return {fmt::format("kerlab show {}{}", name.trial, again.options)};
  return after_problem(e, again);
}

ExitCode run(const ExplainCommand& command, const GlobalOptions& global) {
  ExplainOptions options;
  options.inspect.subject = subject_of_words(command.words, command.configuration);
  options.inspect.rig = rig_options(global, "");
  options.inspect.arguments = global.problem;
  options.inspect.dtype = command.dtype;
  options.what_if = command.no_what_if ? 0 : command.what_if;
  const auto database = database_if_there(global);
  const SubjectName name = options.inspect.subject;
  const Explanation explanation = Waiting("explain").run(explain(std::move(options), database ? &*database : nullptr));
  const std::vector<std::string> next = commands_after(explanation, name, global);
  if (global.json) {
    fmt::print("{}\n", to_json(json_document("explain", explain_value(explanation, next))));
  } else {
    fmt::print("{}", explain_text(explanation, next, {terminal_width(stdout), unicode_on(), color_on(global, stdout)}));
  }
  return explanation.code;
}

}  // namespace

Command add_explain(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App* parser = root.add_subcommand(
      "explain",
      "why a kernel takes as long as it does, and what a step of a parameter would do\n"
      "Needs no GPU: the emulated device counts, and the model's stated error stands beside what it predicts.");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab explain gemm/reg2d --M 1024 --dtype fp32 BM=64\n"
      "          kerlab explain 143\n"
      "          kerlab explain gemm --M 1 --N 4096 --K 4096");
  parser
      ->add_option(
          "kernel", command->words,
          "FAMILY[/VARIANT] and NAME=VALUE of its configuration, or a trial's id; FAMILY alone: its winner for "
          "the problem, or the problem")
      ->required();
  parser->add_option("--dtype", command->dtype, "default: the family's first that the device supports");
  parser->add_option("--config", command->configuration, "\"BM=128,BN=64\"; others take their defaults");
  parser->add_option("--what-if", command->what_if, "steps of parameters to compile and count (6)")
      ->check(takes_whole(0, 1000));
  parser->add_flag("--no-what-if", command->no_what_if, "none of them");
  return {parser, true, [command, &global] { return run(*command, global); }, false, [] { return true; }};
}

}  // namespace kerlab::cli
