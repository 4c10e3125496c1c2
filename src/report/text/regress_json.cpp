#include "report/text/regress_text.h"

namespace kerlab::report {

namespace {

std::string_view name(FigureChange::Judgement judgement) {
  switch (judgement) {
    case FigureChange::Judgement::worse:
      return "worse";
    case FigureChange::Judgement::better:
      return "better";
    case FigureChange::Judgement::within:
      return "within";
    case FigureChange::Judgement::untold:
      break;
  }
  return "not_gated";
}

JsonValue to_values(const std::vector<FigureChange>& changes) {
  JsonValue::Array values;
  for (const FigureChange& change : changes)
    values.push_back(JsonValue::Object{{"name", change.name},
                                       {"baseline", change.before},
                                       {"today", change.after},
                                       {"margin", change.margin},
                                       {"judgement", name(change.judgement)}});
  return values;
}

JsonValue to_value(const std::optional<TimeRatio>& time) {
  if (!time) return {};
  return JsonValue::Object{{"ratio", time->ratio},        {"low", time->low},
                           {"high", time->high},          {"mde", time->mde},
                           {"sees_from", time->sure},     {"baseline_us", time->base_us},
                           {"today_us", time->today_us},  {"toolchain_ratio", time->toolchain_ratio},
                           {"processes", time->processes}};
}

JsonValue to_value(const RegressRow& row) {
  JsonValue::Array lines;
  for (const LineChange& line : row.lines)
    lines.push_back(JsonValue::Object{
        {"place", line.place}, {"source", line.source}, {"baseline", line.before}, {"today", line.after}});
  return JsonValue::Object{{"key", row.key},
                           {"problem", row.title},
                           {"variant", row.variant},
                           {"configuration", row.configuration},
                           {"verdict", name(row.verdict)},
                           {"why", row.why},
                           {"notes", row.notes},
                           {"figures", to_values(row.changes)},
                           {"error_ratio", row.error_ratio},
                           {"baseline_error_ratio", row.base_error_ratio},
                           {"time", to_value(row.time)},
                           {"toolchain", to_values(row.toolchain)},
                           {"differences", row.differences},
                           {"lines", std::move(lines)},
                           {"source_diff", row.source_diff},
                           {"file", row.file},
                           {"line", row.line},
                           {"reproduce", row.reproduce},
                           {"seconds", row.seconds}};
}

}  // namespace

JsonValue::Object regress_value(const RegressReport& report) {
  JsonValue::Array rows;
  for (const RegressRow& row : report.rows) rows.push_back(to_value(row));
  return {{"name", report.name},
          {"device", report.device},
          {"device_class", report.device_class},
          {"toolchain", report.toolchain},
          {"rows", std::move(rows)},
          {"notes", report.notes},
          {"interrupted", report.interrupted},
          {"wall_s", report.seconds}};
}

JsonValue to_value(const RegressRun& run) {
  JsonValue::Object value{{"id", run.id}};
  columns(run, [&](std::string_view column, const auto& member) { value.emplace_back(std::string(column), member); });
  return value;
}

}  // namespace kerlab::report
