#include "report/text/explain_text.h"
#include "report/text/operations_text.h"
#include "report/text/roof_json.h"

namespace kerlab::report {
namespace {

JsonValue fill_value(const WaveFill& fill) {
  if (fill.items == 0) return nullptr;
  return JsonValue::Object{{"items", fill.items},
                           {"places", fill.places},
                           {"waves", fill.waves},
                           {"last", fill.last},
                           {"efficiency", fill.efficiency}};
}

JsonValue waves_value(const LaunchWaves& waves) {
  return JsonValue::Object{{"blocks", fill_value(waves.blocks)}, {"stays", waves.stays},
                           {"pieces", fill_value(waves.tiles)},  {"tail_us", waves.tail_us},
                           {"most_per_sm", waves.sms.most},      {"least_per_sm", waves.sms.least},
                           {"idle_sms", waves.sms.idle}};
}

JsonValue timed_value(const std::optional<TimedRatio>& timed) {
  if (!timed) return nullptr;
  return JsonValue::Object{{"ratio", timed->ratio},
                           {"ratio_low", timed->low},
                           {"ratio_high", timed->high},
                           {"trial", timed->trial},
                           {"device_class", timed->device_class},
                           {"clock", timed->clock},
                           {"same_session", timed->same_session}};
}

JsonValue what_if_value(const WhatIf& what) {
  JsonValue::Object value{{"parameter", what.parameter},
                          {"from", what.from_text.empty() ? JsonValue(what.from) : JsonValue(what.from_text)},
                          {"to", what.to_text.empty() ? JsonValue(what.to) : JsonValue(what.to_text)},
                          {"others", what.others},
                          {"configuration", what.configuration},
                          {"failure", what.failure},
                          {"timed", timed_value(what.timed)}};
  if (!what.failure.empty()) return value;
  value.insert(value.end(), {{"modelled_us", what.us},
                             {"modelled_ratio", what.ratio},
                             {"registers", what.registers},
                             {"spill_bytes", what.spill_bytes},
                             {"shared_bytes", what.shared_bytes},
                             {"blocks_per_sm", what.blocks_per_sm},
                             {"occupancy", what.occupancy},
                             {"waves", what.waves},
                             {"bottleneck", what.bottleneck}});
  return value;
}

JsonValue known_value(const KnownTime& time, const Explanation& e) {
  return JsonValue::Object{{"who", time.who},
                           {"median_us", time.us},
                           {"low_us", time.low_us},
                           {"high_us", time.high_us},
                           {"clock", time.clock},
                           {"where", short_class(time.where)},
                           {"of_theoretical", time.us > 0 ? e.problem.roof.minimum_us / time.us : 0}};
}

JsonValue place_value(const CounterPlace& place) {
  return JsonValue::Object{
      {"counter", place.counter}, {"place", place_text(place.line)}, {"source", place.source}, {"share", place.share}};
}

JsonValue variant_value(const VariantFit& variant) {
  return JsonValue::Object{{"name", variant.variant},
                           {"doc", variant.doc},
                           {"rung", variant.rung},
                           {"unsupported", variant.reason},
                           {"configuration", variant.configuration}};
}

template <typename Element, typename ToValue>
JsonValue::Array values_of(const std::vector<Element>& elements, ToValue to) {
  JsonValue::Array values;
  for (const Element& element : elements) values.push_back(to(element));
  return values;
}

}  // namespace

JsonValue::Object explain_value(const Explanation& e, const std::vector<std::string>& next) {
  const ProblemRoofline& problem = e.problem;
  return {
      {"title", problem.title},
      {"device", e.device.id},
      {"flops", problem.flops},
      {"bytes", problem.bytes},
      {"intensity", problem.roof.intensity},
      {"shape", problem.bottleneck.shape},
      {"bottleneck", to_value(e.bottleneck)},
      {"theoretical", roof_value(problem.theoretical, problem.roof)},
      {"practical",
       problem.measured && problem.measured_roof ? roof_value(*problem.measured, *problem.measured_roof) : JsonValue()},
      {"practical_on", measured_on(e)},
      {"known", values_of(e.known, [&](const KnownTime& time) { return known_value(time, e); })},
      {"kernel_name", e.kernel_name},
      {"kernel", e.kernel ? JsonValue(inspect_value(*e.kernel)) : JsonValue()},
      {"obstacle", e.obstacle},
      {"operations", to_value(e.operations)},
      {"excess", values_of(e.excess, place_value)},
      {"uneven", e.uneven},
      {"waves", values_of(e.waves, waves_value)},
      {"what_if", values_of(e.what_if, what_if_value)},
      {"steps", e.steps},
      {"variants", values_of(e.variants, variant_value)},
      {"next", next}};
}

}  // namespace kerlab::report
