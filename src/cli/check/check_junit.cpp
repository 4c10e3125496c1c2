// Checks as test cases.
#include "cli/frame/check_screen.h"

namespace kerlab::cli {

namespace {

std::string title(const CheckRow& row) {
  const std::string& configuration = row.trial.configuration;
  return configuration.empty() ? row.problem.title() : row.problem.title() + ", " + configuration;
}

std::string measured(const RecipeReport& report) {
  std::string text =
      fmt::format("error/bound {:.3g}, {} elements, {} runs", report.error_ratio, report.compared, report.runs);
  if (report.rounding.elements > 0)
    text +=
        fmt::format("; in half ulps rms {:.3f} (rounding alone {:.3f}), bias {:.2g} of at most {:.2g}",
                    report.rounding.rms, report.rounding.ideal_rms, report.rounding.bias, report.rounding.bias_limit);
  return text;
}

}  // namespace

std::vector<JUnitCase> check_cases(const std::vector<CheckRow>& rows, const std::string& again) {
  std::vector<JUnitCase> cases;
  for (const CheckRow& row : rows) {
    const std::string suite = fmt::format("kerlab.check.{}.{}", row.problem.family, row.trial.variant);
    const auto count = static_cast<double>(row.report.recipes.size());
    for (const RecipeReport& report : row.report.recipes) {
      JUnitCase test{suite,
                     fmt::format("{}, {} of {}{}", title(row), report.output, report.recipe,
                                 report.in_small ? ", small problem" : ""),
                     row.seconds / count,
                     "",
                     "",
                     "",
                     measured(report)};
      if (!report.passed) {
        CheckRow alone = row;
        alone.report.recipes = {report};
        test.kind = std::string(name(report.cause));
        test.failure =
            (report.culprit.empty() ? report.detail : report.culprit) + "\n" + failure_report(alone, again, false);
      }
      cases.push_back(std::move(test));
    }
    // A fault, a compile error, damage beside the outputs: nothing of one recipe.
    if (!is_failure(row) || (row.trial.status == TrialStatus::wrong && count > 0)) continue;
    cases.push_back(
        {suite, title(row), count > 0 ? 0 : row.seconds,
         row.trial.message.substr(0, row.trial.message.find('\n')) + "\n" + failure_report(row, again, false),
         never_ran(row.trial.status) ? "error" : std::string(name(row.trial.status)), ""});
  }
  return cases;
}

}  // namespace kerlab::cli
