// Requests and replies as frames (base/archive.h), and launch plans as text.
#include "worker/messages.h"

#include "base/archive.h"
#include "base/error.h"
#include "worker/fields.h"
#include "worker/plan_text.h"

namespace kerlab::worker {

Bytes encode(const Request& request) {
  return archive::to_frame<Protocol>(request);
}
Bytes encode(const Reply& reply) {
  return archive::to_frame<Protocol>(reply);
}
Request decode_request(std::span<const std::byte> frame) {
  return archive::from_frame<Protocol, Request>(frame);
}
Reply decode_reply(std::span<const std::byte> frame) {
  return archive::from_frame<Protocol, Reply>(frame);
}

namespace {

using archive::Json, archive::kMaximumDepth;

constexpr std::size_t kMaximumPlanText = std::size_t{1} << 20;

std::string line_text(const Json& value) {
  std::string text = value.dump(-1, ' ', true);
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos;) text.replace(at, 1, "\\u0027");
  return text;
}

Json hexadecimal(Json argument) {
  if (!argument.contains("bytes")) return argument;
  std::string text;
  for (const std::uint8_t byte : argument["bytes"].get_binary()) text += fmt::format("{:02x}", byte);
  argument["bytes"] = std::move(text);
  return argument;
}

/// Undoes `hexadecimal`; what is no such text stays, for the strict reader to refuse.
void take_bytes(Json& argument) {
  if (!argument.is_object() || !argument.contains("bytes") || !argument["bytes"].is_string()) return;
  const auto& text = argument["bytes"].get_ref<const std::string&>();
  if (text.size() % 2 != 0 || text.find_first_not_of("0123456789abcdef") != std::string::npos) return;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  argument["bytes"] = Json::binary(std::move(bytes));
}

/// A list with each element on a line of its own.
template <typename Line>
std::string listed(const Json& list, Line&& line) {
  std::string text = "[";
  for (const Json& item : list) text += (text.size() == 1 ? "\n" : ",\n") + line(item);
  return text + "]";
}

/// What texts leave out where it is not so.
constexpr const char* kOfFewLaunches[] = {"cooperative", "in_order"};

/// A launch of a text as it is in a frame.
void complete_launch(Json& launch) {
  if (!launch.is_object()) return;
  for (const char* word : kOfFewLaunches)
    if (!launch.contains(word)) launch[word] = false;
  if (!launch.contains("arguments") || !launch["arguments"].is_array()) return;
  for (Json& argument : launch["arguments"]) take_bytes(argument);
}

}  // namespace

std::string plan_text(const LaunchPlan& plan) {
  Json map = archive::write<Protocol>(plan);
  if (!plan.accuracy.against_kernel) map["accuracy"].erase("against_kernel");  // as texts were before there was it
  const auto launch = [](Json one) {
    const std::string arguments = listed(one["arguments"], [](const Json& a) { return line_text(hexadecimal(a)); });
    one.erase("arguments");
    for (const char* word : kOfFewLaunches)
      if (!one[word].get<bool>()) one.erase(word);
    std::string head = line_text(one);
    head.pop_back();
    return head + ",\"arguments\":" + arguments + "}";
  };
  const std::string alignment =
      plan.alignment == kLeastAlignment ? "" : fmt::format("\"alignment\":{},\n", plan.alignment);
  const std::string pitches = plan.pitches.empty() ? "" : "\"pitches\":" + listed(map["pitches"], line_text) + ",\n";
  const std::string start = plan.start == Start::held ? "" : fmt::format("\"start\":{},\n", map["start"].dump());
  const std::string accuracy = plan.accuracy.weaker() ? "\"accuracy\":" + line_text(map["accuracy"]) + ",\n" : "";
  const std::string symbols = plan.symbols.empty() ? "" : "\"symbols\":" + listed(map["symbols"], line_text) + ",\n";
  const std::string prepare = plan.prepare.empty() ? "" : "\"prepare\":" + listed(map["prepare"], launch) + ",\n";
  return "{" + accuracy + alignment + pitches + start + symbols + prepare +
         "\"workspaces\":" + listed(map["workspaces"], line_text) +
         ",\n\"launches\":" + listed(map["launches"], launch) + "}\n";
}

LaunchPlan parse_plan_text(std::string_view text) {
  if (text.size() > kMaximumPlanText) throw Error("launch plan: larger than 1 MiB");
  int depth = 0;
  const auto shallow = [&](int at, Json::parse_event_t, Json&) {
    depth = std::max(depth, at);
    if (depth > static_cast<int>(kMaximumDepth)) throw Error("launch plan: nested too deeply");
    return true;
  };
  LaunchPlan plan;
  try {
    Json map = Json::parse(text, shallow);
    if (map.is_object() && !map.contains("alignment")) map["alignment"] = kLeastAlignment;
    if (map.is_object() && !map.contains("pitches")) map["pitches"] = Json::array();
    if (map.is_object() && !map.contains("start")) map["start"] = static_cast<int>(Start::held);
    if (map.is_object() && !map.contains("accuracy")) map["accuracy"] = archive::write<Protocol>(Accuracy{});
    if (map.is_object() && map["accuracy"].is_object() && !map["accuracy"].contains("against_kernel"))
      map["accuracy"]["against_kernel"] = false;
    for (const char* list : {"symbols", "prepare"})
      if (map.is_object() && !map.contains(list)) map[list] = Json::array();
    for (const char* list : {"launches", "prepare"}) {
      if (!map.is_object() || !map.contains(list) || !map[list].is_array()) continue;
      for (Json& launch : map[list]) complete_launch(launch);
    }
    archive::read<Protocol>(map, plan, "plan");
  } catch (const Json::exception& error) {
    throw Error(fmt::format("launch plan: not such a text: {}", error.what()));
  }
  return plan;
}

}  // namespace kerlab::worker
