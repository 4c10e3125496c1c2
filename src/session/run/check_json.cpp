// What a check showed as JSON, for the database and the reports.
#include <cmath>

#include "base/json_text.h"
#include "session/run/candidate.h"

namespace kerlab::session {
namespace {

std::string number(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "null";
}

/// NaN and infinities are what one wants to see here.
std::string shown(double value) {
  return std::isfinite(value) ? number(value, 9) : json_string(fmt::format("{}", value));
}

template <typename Items, typename Write>
std::string list(const Items& items, const Write& write) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ",") + write(item);
  return "[" + text + "]";
}

std::string rounding_json(const RoundingReport& r) {
  return fmt::format(R"({{"elements":{},"rms":{},"ideal_rms":{},"bias":{},"outward":{},"bias_limit":{}}})", r.elements,
                     number(r.rms), number(r.ideal_rms), number(r.bias), number(r.outward), number(r.bias_limit));
}

std::string mismatch_json(const Mismatch& m) {
  return fmt::format(R"({{"place":{},"got":{},"expected":{},"bound":{}}})", json_string(m.place), shown(m.got),
                     shown(m.expected), number(m.tolerance));
}

/// Only where something is wrong, or this grows every stored trial.
std::string findings_json(const RecipeReport& r) {
  std::string text = fmt::format(R"(,"cause":{})", json_string(name(r.cause)));
  if (!r.first.empty()) text += fmt::format(R"(,"first":{})", list(r.first, mismatch_json));
  if (!r.picture.empty())
    text += fmt::format(R"(,"picture":{},"picture_scale":{})", list(r.picture, json_string), json_string(r.scale));
  if (!r.pattern.empty()) text += fmt::format(R"(,"pattern":{})", json_string(r.pattern));
  if (!r.culprit.empty()) text += fmt::format(R"(,"culprit":{})", json_string(r.culprit));
  return text;
}

std::string report_json(const RecipeReport& r) {
  return fmt::format(R"({{"recipe":{},"output":{},"passed":{},"compared":{},"mismatches":{},"nans":{},)"
                     R"("error_ratio":{},"rms_ratio":{},"runs":{},"small":{}{}{},"detail":{}}})",
                     json_string(r.recipe), json_string(r.output), r.passed, r.compared, r.mismatches, r.nans,
                     number(r.error_ratio), number(r.rms_ratio), r.runs, r.in_small,
                     r.rounding.elements > 0 ? R"(,"rounding":)" + rounding_json(r.rounding) : "",
                     r.passed ? "" : findings_json(r), json_string(r.detail));
}

}  // namespace

std::string check_json(const CheckReport& report) {
  return list(report.recipes, report_json);
}

}  // namespace kerlab::session
