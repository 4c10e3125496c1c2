#include "report/text/tuner_cache_file.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "base/json_reader.h"

namespace kerlab::report {
namespace {

constexpr std::string_view kClosing = "}\n}";

/// Less what closes it: the last two brackets of a whole file, the comma behind the last configuration of one that
/// grows.
std::string open_text(std::string text) {
  const auto cut_spaces = [&] { text.erase(text.find_last_not_of(" \n\r\t") + 1); };
  cut_spaces();
  if (text.ends_with(kClosing) || text.ends_with("}}}")) {
    for (int bracket = 0; bracket < 2; ++bracket) {
      text.pop_back();
      cut_spaces();
    }
  } else if (text.ends_with(",")) {
    text.pop_back();
  }
  return text;
}

void append(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream << text << std::flush;
  if (!stream) throw Error(fmt::format("cannot write {}", file.string()));
}

}  // namespace

TunerCacheFile::TunerCacheFile(std::filesystem::path file, const TunerSpace& space,
                               const std::vector<std::vector<TunerValue>>& listed)
    : file_(std::move(file)) {
  const JsonValue::Object head = kernel_tuner_head(space, listed);
  if (std::filesystem::exists(file_)) {
    go_on(head);
    return;
  }
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path());
  std::string text = to_json(JsonValue(head), false);
  while (text.ends_with("\n")) text.pop_back();
  text.pop_back();
  write_atomic(file_, text + ",\"cache\":{\n");
}

void TunerCacheFile::go_on(const JsonValue::Object& head) {
  const std::string text = open_text(read_text(file_));
  const JsonNode node = JsonNode::parse(text + std::string(kClosing), file_.string());
  for (const char* key : {"kernel_name", "problem_size", "tune_params_keys", "device_name"}) {
    const JsonNode there = node.at(key);
    const JsonNode ours = JsonNode::parse(to_json(JsonValue(head), false), "a tune").at(key);
    if (there.shown() != ours.shown())
      there.fail(fmt::format("the file holds what {} gave, this tune has {}: name another folder", there.shown(),
                             ours.shown()));
  }
  for (const auto& [key, entry] : node.at("cache").members()) keys_.insert(key);
  write_atomic(file_, text + (keys_.empty() ? "\n" : ",\n"));
}

bool TunerCacheFile::add(const TunerSpace& space, const TunerPoint& point) {
  auto [key, entry] = kernel_tuner_entry(space, point);
  if (!keys_.insert(key).second) return false;
  std::string line = to_json(JsonValue(JsonValue::Object{{key, std::move(entry)}}), false);
  while (line.ends_with("\n")) line.pop_back();
  append(file_, line.substr(1, line.size() - 2) + ",\n");
  return true;
}

void TunerCacheFile::close() {
  write_atomic(file_, open_text(read_text(file_)) + std::string(kClosing) + "\n");
}

}  // namespace kerlab::report
