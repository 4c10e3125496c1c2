#include "report/html/environment.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/html/html_table.h"

namespace kerlab::report {

namespace {

constexpr std::size_t kMostListed = 8;

std::string listed(const std::vector<std::string>& values) {
  if (values.empty()) return "-";
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kMostListed; ++i) text += (i > 0 ? "; " : "") + values[i];
  if (values.size() > kMostListed) text += fmt::format("; and {} more", values.size() - kMostListed);
  return text;
}

std::string clock_text(const ReportEnvironment& environment) {
  if (environment.clock == ClockKind::modelled)
    return "modelled: no clock ran, times are computed from what was counted";
  if (environment.most_mhz <= 0) return std::string(name(environment.clock));
  return fmt::format("{}, SM clock {:.0f} to {:.0f} MHz", name(environment.clock), environment.least_mhz,
                     environment.most_mhz);
}

}  // namespace

std::string environment_html(const LabReport& report) {
  std::string text;
  for (const ReportEnvironment& one : report.environments) {
    const Table table{{{"what"}, {"value"}},
                      {{"device", one.device_class},
                       {"kind", one.device_kind},
                       {"times", clock_text(one)},
                       {"device ids", listed(one.devices)},
                       {"driver", listed(one.drivers)},
                       {"toolchain", listed(one.toolchains)},
                       {"protocol", listed(one.protocols)},
                       {"inputs", listed(one.recipes)},
                       {"conditions", listed(one.conditions)},
                       {"others on the device", listed(one.neighbours)}}};
    text += html_table(table, "Environment: " + one.device_class, false);
  }
  Table sessions{
      {{"session", Align::right}, {"begun"}, {"took", Align::right}, {"state"}, {"device"}, {"kerlab"}, {"command"}},
      {}};
  for (const SessionRecord& session : report.sessions)
    sessions.rows.push_back({fmt::format("{}", session.id), session.created.substr(0, 16),
                             format_seconds(session.wall_s), std::string(name(session.state)), session.device,
                             session.version, session.command});
  return text + html_table(sessions, "Sessions");
}

}  // namespace kerlab::report
