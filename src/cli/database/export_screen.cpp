#include "cli/database/export_screen.h"

#include <algorithm>

#include "base/format.h"
#include "report/form/json.h"
#include "report/text/modelled_remark.h"
#include "report/text/portfolio_table.h"

namespace kerlab::cli {

namespace {

std::vector<PortfolioLine> lines_of(const PortfolioResult& result) {
  std::vector<PortfolioLine> lines;
  if (!result.chosen) return lines;
  const Portfolio& chosen = *result.portfolio();
  for (std::size_t s = 0; s < result.shapes.size(); ++s) {
    const TunedShape& shape = result.shapes[s];
    const PortfolioKernel& kernel = result.kernels[chosen.of_shape[s]];
    const PortfolioCell& cell = result.cells[s][chosen.of_shape[s]];
    lines.push_back({shape.problem.title(), kernel.label(), cell.us, shape.measurement.median_us,
                     std::max(0.0, cell.ratio - 1), kernel == shape.winner ? "" : shape.winner.label(),
                     cell.source == PortfolioCell::Source::measured});
  }
  return lines;
}

std::vector<PortfolioCost> costs_of(const PortfolioResult& result) {
  std::vector<PortfolioCost> costs;
  for (const Portfolio& portfolio : result.portfolios)
    costs.push_back(
        {portfolio.kernels.size(), portfolio.worst_loss, portfolio.mean_loss, &portfolio == result.portfolio()});
  return costs;
}

/// The smallest of the larger ones that is near enough: "; 4 kernels would do".
std::string what_would_do(const PortfolioResult& result, const PortfolioOptions& options) {
  for (const Portfolio& portfolio : result.portfolios)
    if (portfolio.kernels.size() > options.largest && portfolio.worst_loss <= options.within)
      return fmt::format("; {} kernels would do", portfolio.kernels.size());
  return "";
}

std::string kernels_text(std::size_t count) {
  return fmt::format("{} kernel{}", count, count == 1 ? "" : "s");
}

std::string verdict(const PortfolioResult& result, const PortfolioOptions& options) {
  if (!result.chosen)
    return options.largest == 0 ? std::string("no set of kernels has a known time on every shape")
                                : fmt::format("no {} have a known time on every shape{}", kernels_text(options.largest),
                                              result.portfolios.empty()
                                                  ? ""
                                                  : fmt::format("; {} have", result.portfolios.front().kernels.size()));
  const Portfolio& chosen = *result.portfolio();
  const std::string has = fmt::format("{} for {}, worst loss {}", kernels_text(chosen.kernels.size()),
                                      format_count(std::ssize(result.shapes), "shape"), loss_text(chosen.worst_loss));
  if (met(result, options)) return has;
  return fmt::format("--within {} cannot be met with {}: {}, {:.1f} points too much{}", loss_text(options.within),
                     kernels_text(options.largest), has, 100 * (chosen.worst_loss - options.within),
                     what_would_do(result, options));
}

JsonValue json_of(const PortfolioLine& line) {
  return JsonValue::Object{{"problem", line.problem},          {"kernel", line.kernel}, {"us", line.us},
                           {"own_best_us", line.best_us},      {"loss", line.loss},     {"own_best", line.own_best},
                           {"measured_now", line.measured_now}};
}

void print_json(const PortfolioResult& result, const PortfolioOptions& options, const DeviceInfo& device,
                const std::vector<std::string>& written) {
  JsonValue::Array shapes, portfolios;
  for (const PortfolioLine& line : lines_of(result)) shapes.push_back(json_of(line));
  for (const PortfolioCost& cost : costs_of(result))
    portfolios.push_back(JsonValue::Object{{"kernels", cost.kernels},
                                           {"worst_loss", cost.worst_loss},
                                           {"mean_loss", cost.mean_loss},
                                           {"chosen", cost.chosen}});
  fmt::print("{}\n", to_json(json_document("export", {{"device_class", device.device_class()},
                                                      {"clock", result.clock},
                                                      {"shapes", std::move(shapes)},
                                                      {"portfolios", std::move(portfolios)},
                                                      {"met", met(result, options)},
                                                      {"verdict", verdict(result, options)},
                                                      {"left_out", result.left_out},
                                                      {"notes", result.notes},
                                                      {"written", written}})));
}

}  // namespace

bool met(const PortfolioResult& result, const PortfolioOptions& options) {
  const bool limited = options.within > 0 || options.largest == 0;
  return result.chosen && (!limited || result.portfolio()->worst_loss <= options.within);
}

void print_portfolio(PortfolioSession& session, const PortfolioOptions& options,
                     const std::vector<std::string>& written, const GlobalOptions& global) {
  const PortfolioResult& result = session.result();
  const DeviceInfo& device = session.rig().device();
  for (const std::string& text : result.left_out) fmt::print(stderr, "left out: {}\n", text);
  for (const std::string& text : result.notes) fmt::print(stderr, "{}\n", text);
  if (global.json) return print_json(result, options, device, written);
  const bool to_stdout = !written.empty() && written.front() == "-";
  std::FILE* const out = to_stdout ? stderr : stdout;
  const bool color = color_on(global, out);
  fmt::print(out, "{} {}  {}  times are {}\n", device.id, device.name, session.rig().toolchain(), name(result.clock));
  if (result.chosen) fmt::print(out, "{}\n", text_table(portfolio_table(lines_of(result)), color, 0, table_width(0)));
  if (!result.portfolios.empty())
    fmt::print(out, "{}\n", text_table(portfolio_costs(costs_of(result)), color, 0, table_width(0)));
  if (result.clock == ClockKind::modelled)
    fmt::print(out, "{}\n",
               modelled_remark(session.rig().folder().family.name, name(result.shapes.front().problem.dtype)));
  fmt::print(out, "{}\n", verdict(result, options));
  for (const std::string& file : written)
    if (file != "-") fmt::print(out, "wrote {}\n", file);
}

void print_check(const std::string& file, const ExportIdentity& identity, const ExportCheck& check,
                 const GlobalOptions& global) {
  if (global.json) {
    fmt::print(
        "{}\n",
        to_json(json_document(
            "export",
            {{"checked", file}, {"fresh", check.stale.empty()}, {"stale", check.stale}, {"notes", check.notes}})));
    return;
  }
  for (const std::string& text : check.stale) fmt::print("stale: {}\n", text);
  for (const std::string& text : check.notes) fmt::print("note: {}\n", text);
  fmt::print("{}: {} (exported {}, {}, {})\n", file, check.stale.empty() ? "fresh" : "stale", identity.exported,
             format_count(std::ssize(identity.shapes), "shape"), identity.device_class);
}

}  // namespace kerlab::cli
