#include "cli/tune/tune_document.h"

#include "cli/frame/beside_screen.h"
#include "cli/frame/effort_screen.h"
#include "cli/frame/failure_screen.h"
#include "cli/frame/library_cells.h"
#include "cli/frame/shipped_screen.h"
#include "cli/frame/why_screen.h"
#include "cli/tune/ladder_screen.h"
#include "cli/tune/tune_sentences.h"
#include "report/text/roof_json.h"

namespace kerlab::cli {

namespace {

JsonValue::Object json_of(const WorkerSeconds& seconds) {
  return {{"prepare", seconds.prepare}, {"library", seconds.library}, {"load", seconds.load},
          {"check", seconds.check},     {"time", seconds.time},       {"other", seconds.other}};
}

JsonValue json_of(const std::optional<SideBySide>& beside) {
  if (!beside) return {};
  return JsonValue::Object{{"ratio", beside->ratio.ratio},
                           {"ratio_low", beside->ratio.interval.low},
                           {"ratio_high", beside->ratio.interval.high},
                           {"median_us", beside->summary.median},
                           {"rounds", beside->summary.count},
                           {"duel", beside->duel}};
}

JsonValue::Array rows_value(const std::vector<RankedTrial>& ranked) {
  JsonValue::Array rows;
  for (const RankedTrial& row : ranked) {
    rows.push_back(JsonValue::Object{{"trial", to_value(row.trial)},
                                     {"measurement", to_value(row.measurement)},
                                     {"tie", row.tie},
                                     {"beside_winner", json_of(row.beside)}});
  }
  return rows;
}

JsonValue::Array others_value(const std::vector<RankedTrial>& others) {
  JsonValue::Array values;
  for (const RankedTrial& other : others)
    values.push_back(JsonValue::Object{{"trial", to_value(other.trial)},
                                       {"median_us", other.measurement.median_us},
                                       {"timed", other.timed == Timed::sweep ? "sweep" : "before"}});
  return values;
}

JsonValue::Object importance_value(const std::vector<Importance>& entries) {
  JsonValue::Object importance;
  for (const Importance& entry : entries) importance.emplace_back(entry.parameter, entry.share);
  return importance;
}

/// What was searched, and what did not come through.
JsonValue::Object search_value(const TuneResult& result, const ToRepeat& again) {
  JsonValue::Object failed;
  for (const auto& [status, count] : result.failed) failed.emplace_back(std::string(name(status)), count);
  return {{"problem", result.problem.key},
          {"cache", has_hot_inputs(result.problem) ? temperatures(result.problem) : ""},
          {"device", result.device.name},
          {"device_class", result.device.device_class()},
          {"toolchain", result.toolchain},
          {"space", result.space},
          {"valid", result.valid},
          {"sampled", result.sampled},
          {"strategy", result.search.strategy},
          {"ended", result.ended},
          {"tried", result.counts.done - result.counts.hopeless},
          {"hopeless", result.counts.hopeless},
          {"stored_before", result.counts.stored},
          {"failed", std::move(failed)},
          {"culprits", first_of_each_status(result.failures)},
          {"failures", failure_values(result.failures, again)}};
}

/// What was found, and what it cost.
JsonValue::Object outcome_value(const TuneResult& result) {
  return {{"rows", rows_value(result.rows)},
          {"others", others_value(result.others)},
          {"rule", result.rule ? rule_text(*result.rule) : ""},
          {"kept", outside_sentence(result)},
          {"measured_now", result.measured_now},
          {"range_edges", result.range_edges},
          {"importance", importance_value(result.importance)},
          {"warnings", result.warnings},
          {"roof_us", result.roof.minimum_us},
          {"cost_from_data", result.cost_from_data},
          {"gpu_busy", result.gpu_busy},
          {"devices", devices_value(result.devices)},
          {"compilers_busy", result.compilers_busy},
          {"library", library_value(result.library)},
          {"library_note", result.library_note},
          {"beside", beside_value(result.beside)},
          {"verified", result.verified},
          {"small_problem", result.small_problem},
          {"left_for_all", result.left_for_all},
          {"variants", variants_value(result.variants)},
          {"bottleneck", to_value(result.bottleneck)},
          {"worker_respawns", result.respawns},
          {"library_s", result.library_s},
          {"wall_s", result.wall_s},
          {"open_s", result.open_s},
          {"finals_s", result.finals_s},
          {"worker_s", json_of(result.worker_s)}};
}

}  // namespace

JsonValue::Object tune_value(const TuneResult& result, const ToRepeat& again) {
  JsonValue::Object body = search_value(result, again);
  for (auto& entry : outcome_value(result)) body.push_back(std::move(entry));
  if (result.shipped) {
    JsonValue::Object shipped = shipped_value(*result.shipped);
    shipped.emplace_back("note", result.shipped_note);
    body.emplace_back("shipped", std::move(shipped));
  }
  if (!result.ladder.empty()) body.emplace_back("ladder", ladder_value(result));
  if (result.previous) {
    body.emplace_back("previous", JsonValue::Object{{"trial", result.previous->trial},
                                                    {"label", result.previous->label},
                                                    {"median_us", result.previous->median_us}});
  }
  return body;
}

std::string tune_json(const TuneResult& result, const ToRepeat& again) {
  return to_json(json_document("tune", tune_value(result, again))) + "\n";
}

std::string tune_plan_json(const TunePlan& plan) {
  JsonValue::Array variants;
  for (const auto& variant : plan.variants) {
    JsonValue::Array cuts;
    for (const auto& cut : variant.cuts)
      cuts.push_back(JsonValue::Object{{"constraint", cut.constraint}, {"remaining", cut.remaining}});
    variants.push_back(JsonValue::Object{
        {"name", variant.name}, {"raw", variant.raw}, {"valid", variant.valid}, {"cuts", std::move(cuts)}});
  }
  return to_json(json_document("tune", {{"dry_run", true},
                                        {"problem", plan.title},
                                        {"device", plan.device},
                                        {"flops", plan.flops},
                                        {"bytes", plan.bytes},
                                        {"minimum_us", plan.minimum_us},
                                        {"variants", std::move(variants)},
                                        {"strategy", plan.search.strategy},
                                        {"to_try", plan.to_try},
                                        {"stored", plan.stored},
                                        {"estimate_s", plan.estimate_s}})) +
         "\n";
}

}  // namespace kerlab::cli
