#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/form/xml_text.h"
#include "report/html/figures.h"
#include "report/picture/plot.h"

namespace kerlab::report {

namespace {

constexpr double kWidth = 960, kLeft = 400, kRight = 936, kTop = 10, kRow = 24;
constexpr std::size_t kMostKeys = 40, kMostRuns = 40, kMostTold = 200;

const char* style_of(const std::string& verdict) {
  if (verdict == "wrong" || verdict == "regressed" || verdict == "failed") return "bad";
  return verdict == "improved" || verdict == "accepted" || verdict == "recorded" ? "good" : "neutral";
}

Table runs_table(const LabReport& report) {
  Table table{
      {{"when"}, {"verdict"}, {"baseline"}, {"time, today / then", Align::right}, {"err/bound", Align::right}, {"why"}},
      {}};
  for (const RegressRun& run : report.runs) {
    if (table.rows.size() == kMostTold) break;
    table.rows.push_back({run.created.substr(0, 16), run.verdict, run.key,
                          run.ratio > 0 ? fmt::format("{:.3f} [{:.3f},{:.3f}]", run.ratio, run.low, run.high) : "-",
                          run.error_ratio > 0 ? fmt::format("{:.3g}", run.error_ratio) : "-", run.why});
  }
  return table;
}

}  // namespace

ReportFigure regress_figure(const LabReport& report) {
  ReportFigure figure{
      "regress",
      "Runs of kerlab regress",
      "A row for each baseline, its runs from left to right, the newest last; the word is the newest verdict.",
      "Oldest left, newest right. Red: wrong, regressed or failed; blue: improved, recorded or accepted; grey: as "
      "before.",
      kWidth,
      0,
      "",
      runs_table(report)};
  if (report.runs.empty()) return figure;
  std::vector<std::string> keys;  // the newest first
  std::map<std::string, std::vector<const RegressRun*>> by_key;
  for (const RegressRun& run : report.runs) {
    auto& runs = by_key[run.key];
    if (runs.empty()) keys.push_back(run.key);
    if (runs.size() < kMostRuns) runs.push_back(&run);
  }
  if (keys.size() > kMostKeys) keys.resize(kMostKeys);
  double y = kTop + kRow / 2;
  for (const std::string& key : keys) {
    const auto& runs = by_key[key];
    figure.body += svg_text(kLeft - 12, y + 4, shortened(key, 62), "ink", "end");
    const double step = std::min(18.0, (kRight - kLeft - 110) / static_cast<double>(kMostRuns));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const RegressRun& run = *runs[runs.size() - 1 - i];
      figure.body += fmt::format("<path class=\"dots {}\" d=\"M{:.1f} {:.1f}h0\"><title>{}</title></path>\n",
                                 style_of(run.verdict), kLeft + 6 + step * static_cast<double>(i), y,
                                 xml_text(fmt::format("{} {} {}", run.created.substr(0, 16), run.verdict, run.why)));
    }
    figure.body +=
        svg_text(kLeft + 6 + step * static_cast<double>(runs.size()) + 4, y + 4, runs.front()->verdict, "dim");
    y += kRow;
  }
  figure.height = y + 4;
  return figure;
}

}  // namespace kerlab::report
