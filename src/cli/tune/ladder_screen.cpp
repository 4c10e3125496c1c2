#include "cli/tune/ladder_screen.h"

#include "base/format.h"
#include "base/terminal.h"
#include "cli/frame/library_cells.h"

namespace kerlab::cli {

namespace {

void add_time(LadderRow& row, const TuneResult& result, double median_us, double low_us, double high_us) {
  row.median_us = median_us;
  row.low_us = low_us;
  row.high_us = high_us;
  if (median_us <= 0) return;
  row.flops_per_s = result.problem.flops / median_us * 1e6;
  row.roof_fraction = result.roof.minimum_us / median_us;
}

LadderRow to_row(const TuneResult& result, const LadderRung& rung, LadderRow::Kind kind) {
  LadderRow row;
  row.rung = rung.rung;
  row.name = rung.variant;
  row.kind = kind;
  const auto& time = kind == LadderRow::Kind::best ? rung.best : rung.at_default;
  if (!time) {
    row.reason = rung.reason;
    return row;
  }
  row.trial = time->trial;
  row.name = variant_text(time->trial);
  row.clock = time->measurement.clock;
  add_time(row, result, time->measurement.median_us, time->measurement.low_us, time->measurement.high_us);
  if (result.device.threads_per_sm > 0)
    row.occupancy = static_cast<double>(row.trial->blocks_per_sm * row.trial->threads) / result.device.threads_per_sm;
  row.step = rung.step;
  if (kind == LadderRow::Kind::at_default) {
    row.best_us = rung.best ? rung.best->measurement.median_us : row.median_us;
    row.predicted_step = rung.predicted_step;
  }
  if (kind == LadderRow::Kind::best)
    row.step = rung.at_default ? rung.at_default->measurement.median_us / row.median_us : 0;
  return row;
}

JsonValue json_of(const std::optional<TimedTrial>& time, const TuneResult& result) {
  if (!time) return nullptr;
  const double us = time->measurement.median_us;
  return JsonValue::Object{{"trial", to_value(time->trial)},
                           {"measurement", to_value(time->measurement)},
                           {"flops_per_s", result.problem.flops / us * 1e6},
                           {"roof_fraction", result.roof.minimum_us / us}};
}

}  // namespace

std::vector<LadderRow> ladder_rows(const TuneResult& result) {
  std::vector<LadderRow> rows;
  for (const LadderRung& rung : result.ladder) {
    rows.push_back(to_row(result, rung, LadderRow::Kind::at_default));
    if (rung.best) rows.push_back(to_row(result, rung, LadderRow::Kind::best));
  }
  for (const LibraryRow& library : result.library) {
    LadderRow row;
    row.name = library_short(library.label);
    row.reason = library.label;
    row.kind = LadderRow::Kind::library;
    add_time(row, result, library.summary.median, library.summary.low, library.summary.high);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string ladder_text(const TuneResult& result, bool color, int width) {
  if (result.ladder.empty()) return "";
  const Roofline& roof = result.roof;
  return fmt::format(
      "the ladder: each rung at its defaults, and at its best where better is known; predicted: by the counts of the "
      "descriptions, were the busiest unit never to wait; the roof is {} us, bound by {}\n{}",
      format_us(roof.minimum_us), roof.memory_bound ? "memory" : "compute",
      text_table(ladder_table(ladder_rows(result), width), color, 2, width));
}

JsonValue ladder_value(const TuneResult& result) {
  JsonValue::Array rungs;
  for (const LadderRung& rung : result.ladder) {
    rungs.push_back(
        JsonValue::Object{{"rung", rung.rung},
                          {"variant", rung.variant},
                          {"default", json_of(rung.at_default, result)},
                          {"best", json_of(rung.best, result)},
                          {"predicted_step", rung.predicted_step > 0 ? JsonValue(rung.predicted_step) : JsonValue()},
                          {"step", rung.step > 0 ? JsonValue(rung.step) : JsonValue()},
                          {"reason", rung.reason}});
  }
  return rungs;
}

}  // namespace kerlab::cli
