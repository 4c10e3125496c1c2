#include <CLI/CLI.hpp>

#include "base/format.h"
#include "cli/frame/command.h"
#include "cli/frame/settings_screen.h"
#include "db/database.h"
#include "report/form/json.h"
#include "report/form/table.h"
#include "session/run/devices.h"

namespace kerlab::cli {

namespace {

std::string rate_text(double value, const char* unit) {
  return value > 0 ? format_si(value, unit) : "-";
}

/// By blocks of a cluster; none where there are no clusters, or nobody has asked.
JsonValue clusters_value(const DeviceInfo& device) {
  JsonValue::Object clusters;
  for (const int size : kClusterSizes)
    if (const int count = device.clusters_at_once(size); count > 0) clusters.emplace_back(std::to_string(size), count);
  return clusters;
}

std::string clusters_text(const DeviceInfo& device) {
  std::vector<std::string> parts;
  for (const int size : kClusterSizes)
    if (const int count = device.clusters_at_once(size); count > 0)
      parts.push_back(fmt::format("{} of {}", count, size));
  if (parts.empty()) return "";
  return fmt::format("  clusters at once, one block an SM: {} blocks\n", fmt::join(parts, ", "));
}

JsonValue json_of(const DeviceInfo& device) {
  return JsonValue::Object{{"id", device.id},
                           {"name", device.name},
                           {"uuid", device.uuid},
                           {"compute_capability", fmt::format("{}.{}", device.cc_major, device.cc_minor)},
                           {"device_class", device.device_class()},
                           {"driver", device.driver},
                           {"driver_version", device.driver_version},
                           {"sms", device.sms},
                           {"clock_mhz", device.clock_mhz},
                           {"memory_clock_mhz", device.memory_clock_mhz},
                           {"memory_bus_bits", device.memory_bus_bits},
                           {"memory_bytes", device.memory_bytes},
                           {"l2_bytes", device.l2_bytes},
                           {"shared_per_block", device.shared_per_block},
                           {"shared_per_sm", device.shared_per_sm},
                           {"registers_per_sm", device.registers_per_sm},
                           {"threads_per_sm", device.threads_per_sm},
                           {"max_active_clusters", clusters_value(device)}};
}

std::string device_json(const DeviceReport& report, const GlobalOptions& global) {
  JsonValue::Array gpus, emulated, pipes;
  for (const DeviceInfo& gpu : report.gpus) gpus.push_back(json_of(gpu));
  for (const DeviceInfo& profile : report.emulated) emulated.push_back(json_of(profile));
  for (const PipeRate& pipe : report.pipes) {
    pipes.push_back(JsonValue::Object{{"dtype", pipe.dtype},
                                      {"unit", pipe.unit},
                                      {"theoretical", pipe.theoretical},
                                      {"practical", pipe.measured > 0 ? JsonValue(pipe.measured) : JsonValue()}});
  }
  JsonValue::Object measured;
  for (const Ceiling& row : report.measured.rows) measured.emplace_back(row.name, row.value);
  return to_json(json_document("device",
                               {{"gpus", std::move(gpus)},
                                {"none_because", report.none_because},
                                {"emulated", std::move(emulated)},
                                {"device", report.chosen ? json_of(*report.chosen) : JsonValue()},
                                {"theoretical_bytes_per_s", report.theoretical_bytes_per_s},
                                {"pipes", std::move(pipes)},
                                {"practical", std::move(measured)},
                                {"practical_clock", report.measured.rows.empty() ? "" : name(report.measured.clock)},
                                {"practical_created", report.measured.created},
                                {"settings", settings_value(global)}})) +
         "\n";
}

std::string device_table(const std::vector<DeviceInfo>& devices) {
  Table table{{{"device"}, {"name"}, {"cc"}, {"SMs", Align::right}, {"memory", Align::right}}, {}};
  for (const DeviceInfo& device : devices) {
    table.rows.push_back({device.id, device.name, fmt::format("{}.{}", device.cc_major, device.cc_minor),
                          fmt::format("{}", device.sms), format_bytes(device.memory_bytes)});
  }
  return text_table(table, false, 0, table_width(0));
}

std::string device_list(const DeviceReport& report) {
  std::string text =
      report.gpus.empty() ? fmt::format("no CUDA device: {}\n", report.none_because) : device_table(report.gpus);
  if (report.emulated.empty()) return text;
  return text + "\nprofiles to emulate; kernels run on the CPU, their times are modelled, never measured\n" +
         device_table(report.emulated);
}

std::string facts(const DeviceInfo& device, bool color) {
  std::string text = fmt::format("{} ({})\n", styled(device.name, Style::bold, color), device.id);
  if (device.is_scripted) text += "  pretended: nothing it says is a measurement of a GPU\n";
  if (!device.has_clock)
    text += "  a profile: what the vendor publishes; kernels run on this CPU, their times are modelled\n";
  text += fmt::format("  compute capability {}.{} ({}), {} SMs, at most {} MHz\n", device.cc_major, device.cc_minor,
                      device.arch(), device.sms, device.clock_mhz);
  text += fmt::format("  memory {} at {} MHz, {} bit; L2 {}\n", format_bytes(device.memory_bytes),
                      device.memory_clock_mhz, device.memory_bus_bits, format_bytes(device.l2_bytes));
  text += fmt::format("  shared memory {} a block, {} an SM; {} registers and {} threads an SM\n",
                      format_bytes(device.shared_per_block), format_bytes(device.shared_per_sm),
                      device.registers_per_sm, device.threads_per_sm);
  text += clusters_text(device);
  if (device.driver_version > 0) {
    text += fmt::format("  driver {}(CUDA {}.{})\n", device.driver.empty() ? "" : device.driver + " ",
                        device.driver_version / 1000, device.driver_version % 1000 / 10);
  }
  if (!device.uuid.empty()) text += fmt::format("  {}\n", device.uuid);
  return text;
}

std::string share(double value, double of) {
  return value > 0 && of > 0 ? fmt::format("{:.0f} %", 100 * value / of) : "-";
}

std::string ceilings_text(const DeviceReport& report, bool color) {
  const MeasuredCeilings& measured = report.measured;
  const std::string title = std::string(name(measured.rows.empty() ? ClockKind::measured : measured.clock));
  Table table{{{"ceiling"}, {"theoretical", Align::right}, {title, Align::right}, {"", Align::right}}, {}};
  for (const char* kind : {"copy", "read", "write"}) {
    const double value = measured.value(kind);
    table.rows.push_back({fmt::format("memory, {}", kind), rate_text(report.theoretical_bytes_per_s, "B/s"),
                          rate_text(value, "B/s"), share(value, report.theoretical_bytes_per_s)});
  }
  for (const PipeRate& pipe : report.pipes) {
    table.rows.push_back({fmt::format("{}, {}", pipe.dtype, pipe.unit), rate_text(pipe.theoretical, "FLOP/s"),
                          rate_text(pipe.measured, "FLOP/s"), share(pipe.measured, pipe.theoretical)});
  }
  std::string text = text_table(table, color, 2, table_width(0));
  if (measured.rows.empty()) return text + "  nothing measured yet: kerlab device --measure\n";
  return text + fmt::format("  {} {}; the tensor pipe by mma.sync\n", name(measured.clock), measured.created);
}

/// Of a device that nothing can be measured on.
std::string profile_ceilings_text(const DeviceReport& report, bool color) {
  Table table{{{"ceiling"}, {"profile", Align::right}}, {}};
  table.rows.push_back({"memory", rate_text(report.theoretical_bytes_per_s, "B/s")});
  for (const PipeRate& pipe : report.pipes)
    table.rows.push_back({fmt::format("{}, {}", pipe.dtype, pipe.unit), rate_text(pipe.theoretical, "FLOP/s")});
  return text_table(table, color, 2, table_width(0));
}

ExitCode run(bool measure, const GlobalOptions& global) {
  const bool color = color_on(global, stdout);
  Database database = Database::open(database_path(global));
  const DeviceReport report = look_at_devices(rig_options(global, ""), measure && !global.dry_run, database);
  if (global.json) {
    fmt::print("{}", device_json(report, global));
    return ExitCode::passed;
  }
  fmt::print("{}\n{}", device_list(report), settings_text(global, color));
  if (!report.chosen) return ExitCode::passed;
  fmt::print("\n{}\n{}", facts(*report.chosen, color),
             report.chosen->has_clock ? ceilings_text(report, color) : profile_ceilings_text(report, color));
  return ExitCode::passed;
}

}  // namespace

Command add_device(CLI::App& root, const GlobalOptions& global) {
  auto measure = std::make_shared<bool>(false);
  CLI::App* parser =
      root.add_subcommand("device", "devices there are, what the chosen one can do, and which settings hold");
  parser->group("Understand");
  parser->footer(
      "examples: kerlab device --device emu:h200\n"
      "          kerlab device --measure   # bandwidths and peaks of the GPU");
  parser->add_flag("--measure", *measure, "measure bandwidths and peaks now, and store them");
  return {parser, false, [measure, &global] { return run(*measure, global); }};
}

}  // namespace kerlab::cli
