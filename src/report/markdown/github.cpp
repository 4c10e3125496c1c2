#include "report/markdown/github.h"

#include <fmt/format.h>

#include "report/form/markdown_text.h"
#include "report/form/table.h"
#include "report/text/regress_text.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kMostOfALevel = 10;
constexpr std::size_t kLongestAnnotation = 3500;  // GitHub cuts at 4 KiB
constexpr std::size_t kLongestDiff = 4000;

/// Data of a workflow command; `property` values may hold neither ':' nor ','.
std::string escaped(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    if (c == '%')
      result += "%25";
    else if (c == '\r')
      result += "%0D";
    else if (c == '\n')
      result += "%0A";
    else if (property && c == ':')
      result += "%3A";
    else if (property && c == ',')
      result += "%2C";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t')
      result += c;
  }
  return result;
}

std::string_view word(Annotation::Level level) {
  switch (level) {
    case Annotation::Level::error:
      return "error";
    case Annotation::Level::warning:
      return "warning";
    case Annotation::Level::notice:
      break;
  }
  return "notice";
}

std::string fenced(const std::string& text, const char* language) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += "`";
  return fmt::format("{}{}\n{}{}{}\n", fence, language, text, text.ends_with("\n") ? "" : "\n", fence);
}

bool is_news(const RegressRow& row) {
  return row.verdict < RegressVerdict::passed || !row.notes.empty();
}

std::string summary_table(const std::vector<const RegressRow*>& rows) {
  Table table{{{"verdict"}, {"kernel"}, {"err/bound", Align::right}, {"would have seen", Align::right}, {"why"}}, {}};
  for (const RegressRow* row : rows)
    table.rows.push_back(
        {std::string(name(row->verdict)), plain_markdown(regress_label(*row)),
         row->error_ratio > 0 ? fmt::format("{:.2f}", row->error_ratio) : "-", power_text(*row),
         plain_markdown(shortened(row->why.empty() && !row->notes.empty() ? row->notes.front() : row->why, 300))});
  return markdown_table(table);
}

std::string detail(const RegressRow& row) {
  std::string text =
      fmt::format("\n### {}\n\n{}: {}\n", plain_markdown(row.key), name(row.verdict), plain_markdown(row.why));
  if (row.time) text += "\n" + time_text(*row.time) + "\n";
  if (!row.changes.empty()) text += "\n" + markdown_table(change_table(row.changes, row.changes.size()));
  std::string lines;
  for (std::size_t i = 0; i < row.lines.size() && i < kMostOfALevel; ++i)
    lines += fmt::format("{}  {} -> {}  {}\n", row.lines[i].place, row.lines[i].before, row.lines[i].after,
                         row.lines[i].source);
  if (!lines.empty()) text += "\nWarp instructions by line:\n\n" + fenced(lines, "");
  for (const std::string& difference : row.differences) text += "\n- " + plain_markdown(difference);
  if (!row.differences.empty()) text += "\n";
  if (!row.source_diff.empty()) {
    const bool cut = row.source_diff.size() > kLongestDiff;
    text += "\n" + fenced(row.source_diff.substr(0, kLongestDiff) + (cut ? "\n(cut)" : ""), "diff");
  }
  return text + "\n" + fenced(row.reproduce, "");
}

}  // namespace

std::string annotations_text(const std::vector<Annotation>& annotations) {
  std::string text;
  for (const Annotation::Level level :
       {Annotation::Level::error, Annotation::Level::warning, Annotation::Level::notice}) {
    std::size_t all = 0, shown = 0;
    for (const Annotation& one : annotations) all += one.level == level ? 1 : 0;
    for (const Annotation& one : annotations) {
      if (one.level != level || shown == kMostOfALevel) continue;
      ++shown;
      std::string message = one.message.substr(0, kLongestAnnotation);
      if (shown == kMostOfALevel && all > shown)
        message += fmt::format("\n({} more are not shown here, see the step's summary)", all - shown);
      text += fmt::format("::{} file={},line={},title={}::{}\n", word(level), escaped(one.file, true), one.line,
                          escaped(one.title, true), escaped(message, false));
    }
  }
  return text;
}

std::vector<Annotation> regress_annotations(const RegressReport& report) {
  std::vector<Annotation> annotations;
  for (const RegressRow& row : report.rows) {
    if (row.verdict > RegressVerdict::not_comparable) continue;
    const bool fails = row.verdict <= RegressVerdict::failed;
    std::string message = row.why;
    if (!row.reproduce.empty()) message += "\nagain: " + row.reproduce;
    annotations.push_back({fails ? Annotation::Level::error : Annotation::Level::warning, row.file, row.line,
                           fmt::format("{}: {}", name(row.verdict), regress_label(row)), std::move(message)});
  }
  return annotations;
}

std::string regress_markdown(const RegressReport& report, std::size_t most) {
  std::string head = fmt::format("## kerlab regress: {}\n\n{}, {}, {}\n", plain_markdown(regress_counts(report)),
                                 plain_markdown(report.device), plain_markdown(report.toolchain),
                                 plain_markdown("baseline " + report.name));
  for (const std::string& note : report.notes) head += "\n" + plain_markdown(note) + "\n";
  if (const std::string power = power_summary(report); !power.empty()) head += "\n" + plain_markdown(power) + "\n";
  std::vector<const RegressRow*> news;
  for (const RegressRow& row : report.rows)
    if (is_news(row)) news.push_back(&row);
  if (news.empty()) return head;
  const std::string cut = "\n(what does not fit is left out: `--json` has it all)\n";
  std::string table = summary_table(news);
  while (head.size() + table.size() + cut.size() > most && !news.empty()) {
    news.resize(news.size() / 2);
    table = summary_table(news);
  }
  std::string text = head + "\n" + table;
  for (const RegressRow* row : news) {
    if (row->verdict > RegressVerdict::regressed) continue;
    const std::string more = detail(*row);
    if (text.size() + more.size() + cut.size() > most) return text + cut;
    text += more;
  }
  return text;
}

std::vector<JUnitCase> regress_cases(const RegressReport& report) {
  std::vector<JUnitCase> cases;
  for (const RegressRow& row : report.rows) {
    JUnitCase one{"kerlab.regress." + report.name, row.key, row.seconds, "", "", ""};
    std::string text = row.why;
    if (row.time) text += "\ntime " + time_text(*row.time);
    for (const FigureChange& change : row.changes) text += fmt::format("\n{}", fmt::join(change_cells(change), "  "));
    if (!row.source_diff.empty()) text += "\n" + row.source_diff;
    if (!row.reproduce.empty()) text += "\nagain: " + row.reproduce;
    if (row.verdict <= RegressVerdict::failed) {
      one.failure = text;
      one.kind = row.verdict == RegressVerdict::failed ? "error" : std::string(name(row.verdict));
    } else if (row.verdict <= RegressVerdict::not_comparable) {
      one.skipped = fmt::format("{}: {}", name(row.verdict), row.why);
    } else if (row.time) {
      one.output = "time " + time_text(*row.time);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace kerlab::report
