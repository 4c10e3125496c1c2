#include "session/regress/regress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spec/toml/spec_table.h"
#include "spec/toml/toml_text.h"
#include "worker/plan_text.h"

namespace kerlab::session {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr double kLargestExact = 9007199254740992.0;  // 2^53

std::string number_text(double value) {
  const bool whole = std::floor(value) == value && std::abs(value) < kLargestExact;
  return whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.6g}", value);
}

/// A string on each line.
std::string list_text(const std::vector<std::string>& texts) {
  std::string list = "[\n";
  for (const std::string& text : texts) list += "  " + toml_string(text) + ",\n";
  return list + "]";
}

std::vector<std::string> file_lines(const std::vector<SourceFile>& files) {
  std::vector<std::string> lines;
  for (const SourceFile& file : files) lines.push_back(file.hash + " " + file.name);
  return lines;
}

class Writer {
 public:
  void table(const std::string& name) { text_ += "\n[" + name + "]\n"; }
  void add(const std::string& key, const std::string& value) { text_ += key + " = " + toml_string(value) + "\n"; }
  void raw(const std::string& key, const std::string& value) { text_ += key + " = " + value + "\n"; }
  void number(const std::string& key, double value) { raw(key, number_text(value)); }
  std::string text_;
};

void write_time(Writer& out, const BaselineTime& time) {
  out.table("time");
  out.number("median_us", time.median_us);
  out.number("low_us", time.low_us);
  out.number("high_us", time.high_us);
  out.number("samples", static_cast<double>(time.samples));
  if (!time.samples_digest.empty()) out.add("samples_digest", time.samples_digest);
  out.add("protocol", time.protocol);
  out.add("cache", time.cache);
  out.add("clock", time.clock);
  out.add("recipe", time.recipe);
  out.add("driver", time.driver);
  out.add("device_uuid", time.device_uuid);
  out.number("sm_clock_mhz", time.sm_clock_mhz);
  out.add("fingerprint", time.fingerprint);
  out.add("cubin", time.cubin);
}

BaselineTime read_time(const TomlValue& value) {
  const SpecTable table(value, "time",
                        {"median_us", "low_us", "high_us", "samples", "samples_digest", "protocol", "cache", "clock",
                         "recipe", "driver", "device_uuid", "sm_clock_mhz", "fingerprint", "cubin"});
  BaselineTime time;
  time.median_us = table.number("median_us");
  if (!(time.median_us > 0)) table.fail("median_us", "must be above 0");
  time.low_us = table.number("low_us");
  time.high_us = table.number("high_us");
  time.samples = table.integer("samples");
  time.samples_digest = table.text("samples_digest", "");
  time.protocol = table.text("protocol");
  time.cache = table.text("cache");
  time.clock = table.text("clock");
  time.recipe = table.text("recipe");
  time.driver = table.text("driver");
  time.device_uuid = table.text("device_uuid");
  time.sm_clock_mhz = table.number("sm_clock_mhz");
  time.fingerprint = table.text("fingerprint");
  time.cubin = table.text("cubin");
  return time;
}

/// "0123456789abcdef0123456789abcdef common/types.cuh"
std::vector<SourceFile> read_files(const SpecTable& table) {
  std::vector<SourceFile> files;
  for (const auto& [line, where] : table.located_texts("files")) {
    const std::size_t space = line.find(' ');
    const std::string hash = line.substr(0, space);
    const bool valid =
        space == 32 && hash.find_first_not_of("0123456789abcdef") == std::string::npos && line.size() > space + 1;
    if (!valid) throw SpecError(where, "expected the digest of a file (32 digits), a space and its name");
    files.push_back({line.substr(space + 1), hash});
  }
  if (files.empty()) table.fail("files", "at least the kernel's own file is needed");
  return files;
}

void read_program(const TomlValue& value, Baseline& baseline) {
  const SpecTable table(value, "program", {"source_hash", "toolchain", "files", "options", "tensors", "plan"});
  baseline.source_hash = table.text("source_hash");
  baseline.toolchain = table.text("toolchain");
  baseline.files = read_files(table);
  baseline.options = table.texts("options");
  baseline.tensors = table.texts("tensors");
  const std::string plan = table.text("plan");
  try {
    baseline.plan = parse_plan_text(plan);
  } catch (const Error& error) {
    table.fail("plan", error.what());
  }
  if (baseline.plan.launches.empty()) table.fail("plan", "a plan without launches");
}

std::vector<Figure> read_figures(const TomlValue& value) {
  if (value.kind != TomlValue::Kind::table) throw SpecError(value.where, "[figures]: expected a table");
  std::vector<std::pair<SourceLocation, Figure>> placed;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const TomlValue& item = value.items[i];
    const bool number = item.kind == TomlValue::Kind::integer || item.kind == TomlValue::Kind::floating;
    const double amount = item.kind == TomlValue::Kind::integer ? static_cast<double>(item.integer) : item.floating;
    if (!number || !std::isfinite(amount) || amount < 0)
      throw SpecError(item.where, fmt::format("figure '{}': expected a number that is not negative", value.keys[i]));
    placed.push_back({value.key_where[i], {value.keys[i], amount}});
  }
  std::ranges::stable_sort(placed, {}, [](const auto& one) { return one.first.line; });  // as they were written
  std::vector<Figure> figures;
  for (auto& [where, one] : placed) figures.push_back(std::move(one));
  return figures;
}

}  // namespace

std::string baseline_text(const Baseline& baseline) {
  Writer out;
  out.text_ =
      "# Written by `kerlab regress record` and `kerlab regress accept`. What may be edited by hand: min_tflops, "
      "why.\n";
  out.number("format", kFormat);
  out.add("family", baseline.family);
  if (!baseline.folder.empty()) out.add("folder", baseline.folder);
  out.add("variant", baseline.variant);
  out.add("configuration", baseline.configuration);
  out.add("problem", baseline.problem);
  out.add("title", baseline.title);
  out.add("dtype", baseline.dtype);
  out.add("device_class", baseline.device_class);
  out.add("device_kind", baseline.device_kind);
  out.add("chosen", baseline.chosen);
  out.add("recorded", baseline.recorded);
  if (!baseline.why.empty()) out.add("why", baseline.why);
  if (baseline.min_tflops > 0) out.number("min_tflops", baseline.min_tflops);
  if (baseline.unchecked_values) out.raw("unchecked_values", "true");
  out.table("figures");
  for (const Figure& one : baseline.figures) out.number(one.name, one.value);
  out.table("check");
  out.number("error_ratio", baseline.error_ratio);
  out.add("identity", baseline.check_identity);
  out.add("counted_by", baseline.counted_by);
  if (baseline.time) write_time(out, *baseline.time);
  out.table("program");
  out.add("source_hash", baseline.source_hash);
  out.add("toolchain", baseline.toolchain);
  out.raw("files", list_text(file_lines(baseline.files)));
  out.raw("options", list_text(baseline.options));
  out.raw("tensors", list_text(baseline.tensors));
  out.raw("plan", "'''\n" + plan_text(baseline.plan) + "'''");
  return out.text_;
}

Baseline parse_baseline(const std::string& text, const std::string& file) {
  const TomlValue value = parse_toml(text, file);
  const SpecTable top(value, "the baseline",
                      {"format", "family", "folder", "variant", "configuration", "problem", "title", "dtype",
                       "device_class", "device_kind", "chosen", "recorded", "why", "min_tflops", "unchecked_values",
                       "figures", "check", "time", "program"});
  if (const std::int64_t format = top.integer("format"); format != kFormat)
    top.fail("format", fmt::format("{} is not known here, only {}: update kerlab", format, kFormat));
  Baseline baseline;
  baseline.file = file;
  baseline.family = top.text("family");
  baseline.folder = top.text("folder", "");
  baseline.variant = top.text("variant");
  baseline.configuration = top.text("configuration");
  baseline.problem = top.text("problem");
  baseline.title = top.text("title");
  baseline.dtype = top.text("dtype");
  baseline.device_class = top.text("device_class");
  const std::vector<std::string> kinds = {"cuda", "emulated", "script"};
  baseline.device_kind = kinds[top.choice("device_kind", kinds, 0)];
  baseline.chosen = top.text("chosen", "");
  baseline.recorded = top.text("recorded", "");
  baseline.why = top.text("why", "");
  baseline.min_tflops = top.number("min_tflops", 0);
  if (!(baseline.min_tflops >= 0)) top.fail("min_tflops", "must not be negative");
  baseline.unchecked_values = top.boolean("unchecked_values", false);
  for (const char* table : {"figures", "check", "program"})
    if (!top.has(table)) throw SpecError(top.where(), fmt::format("no [{}]", table));
  baseline.figures = read_figures(*top.find("figures"));
  const SpecTable check(*top.find("check"), "check", {"error_ratio", "identity", "counted_by"});
  baseline.error_ratio = check.number("error_ratio");
  baseline.check_identity = check.text("identity");
  baseline.counted_by = check.text("counted_by");
  if (top.has("time")) baseline.time = read_time(*top.find("time"));
  read_program(*top.find("program"), baseline);
  return baseline;
}

}  // namespace kerlab::session
