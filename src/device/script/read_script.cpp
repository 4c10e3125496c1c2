// Reads a script file: the only place of this module that knows TOML.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/format.h"
#include "base/toml_guard.h"
#include "device/script/script.h"

namespace kerlab::device {
namespace {

[[noreturn]] void fail(const std::string& file, const toml::source_region& at, const std::string& what) {
  throw Error(fmt::format("{}:{}:{}: {}", file, at.begin.line, at.begin.column, what));
}

/// Reads the keys of one table; `finish` rejects those that nobody asked for.
class Section {
 public:
  Section(const std::string& file, const toml::table& table) : file_(file), table_(table) {}

  void number(const char* key, double& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto read = node->value<double>();
    if (!read) fail(file_, node->source(), fmt::format("'{}' must be a number", key));
    if (!(*read >= 0)) fail(file_, node->source(), fmt::format("'{}' must not be negative", key));
    value = *read;
  }
  template <typename Integer>
  void integer(const char* key, Integer& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    const auto read = node->value<std::int64_t>();
    if (!node->is_integer() || !read || *read < 0 || !std::in_range<Integer>(*read))
      fail(file_, node->source(), fmt::format("'{}' must be a whole number, not negative", key));
    value = static_cast<Integer>(*read);
  }
  void boolean(const char* key, bool& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return;
    if (!node->is_boolean()) fail(file_, node->source(), fmt::format("'{}' must be true or false", key));
    value = *node->value<bool>();
  }
  /// True when the key is there.
  bool text(const char* key, std::string& value) {
    const toml::node* node = find(key);
    if (node == nullptr) return false;
    if (!node->is_string()) fail(file_, node->source(), fmt::format("'{}' must be a string", key));
    value = *node->value<std::string>();
    return true;
  }
  [[nodiscard]] bool has(const char* key) const { return table_.contains(key); }
  [[noreturn]] void reject(const char* key, const std::string& what) const {
    const toml::node* node = table_.get(key);
    fail(file_, node != nullptr ? node->source() : table_.source(), what);
  }
  void finish() const {
    for (const auto& [key, node] : table_) {
      const std::string text(key.str());
      if (known_.contains(text)) continue;
      const std::string near = nearest(text, {known_.begin(), known_.end()});
      fail(file_, key.source(),
           fmt::format("unknown key '{}'{}", text, near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  }

 private:
  const toml::node* find(const char* key) {
    known_.insert(key);
    return table_.get(key);
  }
  const std::string& file_;
  const toml::table& table_;
  std::set<std::string> known_;
};

DeviceInfo scripted_h200() {
  DeviceInfo info;
  info.set_kind(DeviceKind::script);
  info.name = "Scripted H200";
  info.uuid = "SCRIPTED";
  info.cc_major = 9;
  info.driver = "scripted";
  info.sms = 132;
  info.memory_bytes = 150754820096;
  info.l2_bytes = 62914560;
  info.shared_per_block = 232448;
  info.shared_per_sm = 233472;
  info.shared_reserved = 1024;
  info.registers_per_block = info.registers_per_sm = 65536;
  info.threads_per_block = 1024;
  info.threads_per_sm = 2048;
  info.blocks_per_sm = 32;
  info.clock_mhz = 1980;
  info.memory_clock_mhz = 3201;
  info.memory_bus_bits = 6144;
  info.fp64_ratio = 0.5;
  info.assume_clusters();
  return info;
}

void read_device(Section section, Script& script, const std::filesystem::path& folder) {
  DeviceInfo& info = script.device;
  if (section.text("neighbours", script.neighbours) && script.neighbours != "nvml")
    script.neighbours = (folder / script.neighbours).string();
  if (section.text("opened", script.opened)) script.opened = (folder / script.opened).string();
  if (section.text("conditions", script.conditions)) script.conditions = (folder / script.conditions).string();
  section.boolean("library", info.has_library);
  section.text("name", info.name);
  section.text("uuid", info.uuid);
  section.text("driver", info.driver);
  section.integer("driver_version", info.driver_version);
  if (std::string cc; section.text("cc", cc)) {
    const auto dot = cc.find('.');
    const auto digits = [](const std::string& part) {
      return !part.empty() && part.size() <= 2 && part.find_first_not_of("0123456789") == std::string::npos;
    };
    if (dot == std::string::npos || !digits(cc.substr(0, dot)) || !digits(cc.substr(dot + 1)))
      section.reject("cc", fmt::format("'cc' must look like \"9.0\", not \"{}\"", cc));
    info.cc_major = std::stoi(cc.substr(0, dot));
    info.cc_minor = std::stoi(cc.substr(dot + 1));
  }
  section.integer("sms", info.sms);
  info.assume_clusters();
  section.integer("memory_bytes", info.memory_bytes);
  section.integer("l2_bytes", info.l2_bytes);
  section.integer("shared_per_block", info.shared_per_block);
  section.integer("shared_per_sm", info.shared_per_sm);
  section.integer("shared_reserved", info.shared_reserved);
  section.integer("registers_per_block", info.registers_per_block);
  section.integer("registers_per_sm", info.registers_per_sm);
  section.integer("threads_per_block", info.threads_per_block);
  section.integer("threads_per_sm", info.threads_per_sm);
  section.integer("blocks_per_sm", info.blocks_per_sm);
  section.integer("warp_size", info.warp_size);
  section.integer("clock_mhz", info.clock_mhz);
  section.integer("memory_clock_mhz", info.memory_clock_mhz);
  section.integer("memory_bus_bits", info.memory_bus_bits);
  section.number("fp64_ratio", info.fp64_ratio);
  section.finish();
}

void read_timing(Section& section, ScriptTiming& timing) {
  section.number("us", timing.us);
  section.number("spread", timing.spread);
  section.number("noise", timing.noise);
  section.integer("registers", timing.registers);
}

Outcome parse_outcome(const Section& section, const std::string& text) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(Outcome::flaky); ++i) {
    names.emplace_back(name(static_cast<Outcome>(i)));
    if (names.back() == text) return static_cast<Outcome>(i);
  }
  section.reject("outcome", fmt::format("unknown outcome '{}'; there are {}", text, fmt::join(names, ", ")));
}

ScriptStage parse_stage(const Section& section, const std::string& text) {
  if (text == "load") return ScriptStage::load;
  if (text == "launch") return ScriptStage::launch;
  if (text == "time") return ScriptStage::time;
  section.reject("stage", fmt::format("unknown stage '{}'; there are load, launch, time", text));
}

ScriptRule read_rule(Section section, const ScriptTiming& defaults, const std::filesystem::path& folder) {
  ScriptRule rule;
  if (!section.text("match", rule.match)) section.reject("match", "a [[rule]] needs 'match', a glob on the label");
  rule.timing = defaults;
  if (section.has("us")) rule.timing.spread = 0;
  read_timing(section, rule.timing);
  if (std::string text; section.text("outcome", text)) rule.outcome = parse_outcome(section, text);
  if (rule.outcome == Outcome::load_failed || rule.outcome == Outcome::out_of_memory) rule.stage = ScriptStage::load;
  if (std::string text; section.text("stage", text)) rule.stage = parse_stage(section, text);
  section.integer("after", rule.after);
  if (std::string text; section.text("once_file", text)) rule.once_file = folder / text;
  section.finish();
  return rule;
}

const toml::table& as_table(const std::string& file, const toml::node& node, const char* what) {
  if (const toml::table* table = node.as_table()) return *table;
  fail(file, node.source(), fmt::format("{} must be a table", what));
}

void read_rules(Script& script, const std::string& file, const toml::node& node, const std::filesystem::path& folder) {
  const toml::array* rules = node.as_array();
  if (rules == nullptr) fail(file, node.source(), "write [[rule]], with two brackets");
  for (const toml::node& rule : *rules)
    script.rules.push_back(read_rule(Section(file, as_table(file, rule, "a rule")), script.timing, folder));
}

}  // namespace

Script read_script(const std::filesystem::path& path) {
  const std::string file = path.string();
  toml::table root;
  try {
    const std::string text = read_text(path);
    guard_toml(text, file);
    root = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
  Script script;
  script.device = scripted_h200();
  script.device.id = "script:" + file;
  for (const auto& [key, node] : root)
    if (key != "device" && key != "default" && key != "rule")
      fail(file, key.source(),
           fmt::format("unknown section '{}'; there are [device], [default] and [[rule]]", key.str()));
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (const toml::node* node = root.get("device"))
    read_device({file, as_table(file, *node, "[device]")}, script, folder);
  if (const toml::node* node = root.get("default")) {
    Section section(file, as_table(file, *node, "[default]"));
    read_timing(section, script.timing);
    section.number("launch_overhead_us", script.launch_overhead_us);
    section.boolean("real_sleep", script.real_sleep);
    section.finish();
  }
  if (const toml::node* node = root.get("rule")) read_rules(script, file, *node, folder);
  return script;
}

}  // namespace kerlab::device
