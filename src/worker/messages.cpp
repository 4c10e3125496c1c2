// Messages as CBOR: a struct is a map of its fields, a variant a map with its alternative's name under "is". Decoding
// is strict: a field missing, extra, of another type or out of range is an Error.
#include "worker/messages.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "worker/fields.h"
#include "worker/frame_depth.h"
#include "worker/plan_text.h"

namespace kerlab::worker {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaximumDepth = 32;
constexpr const char* kAlternative = "is";

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsVariant : std::false_type {};
template <typename... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <typename Variant>
constexpr auto& alternative_names() {
  if constexpr (std::is_same_v<Variant, Argument>) {
    return kArgumentNames;
  } else if constexpr (std::is_same_v<Variant, Request>) {
    return kRequestNames;
  } else {
    return kReplyNames;
  }
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

template <typename T>
Json write(const T& value);

class Writer {
 public:
  template <typename T>
  void operator()(const char* name, const T& value) {
    map_[name] = write(value);
  }
  template <typename E>
  void operator()(const char* name, const E& value, E) {
    map_[name] = static_cast<std::underlying_type_t<E>>(value);
  }
  Json take() { return std::move(map_); }

 private:
  Json map_ = Json::object();
};

template <typename T>
Json write_struct(const T& value) {
  Writer writer;
  fields(writer, const_cast<T&>(value));  // one list serves reader and writer; the writer only reads
  return writer.take();
}

template <typename Variant>
Json write_variant(const Variant& value) {
  Json map = std::visit([](const auto& alternative) { return write_struct(alternative); }, value);
  map[kAlternative] = alternative_names<Variant>()[value.index()];
  return map;
}

template <typename T>
Json write(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return Json(value);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(value.data());
    return Json::binary(std::vector<std::uint8_t>(begin, begin + value.size()));
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(write(item));
    return list;
  } else if constexpr (IsVariant<T>::value) {
    return write_variant(value);
  } else {
    return write_struct(value);
  }
}

// ---- reading
// ---------------------------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& where, const char* problem) {
  throw Error(fmt::format("worker protocol: field '{}' {}; are both ends of the same kerlab version?", where, problem));
}

template <typename T>
void read(const Json& from, T& value, const std::string& where);

class Reader {
 public:
  Reader(const Json& map, std::string where, std::size_t already_read)
      : map_(map), where_(std::move(where)), read_(already_read) {
    if (!map_.is_object()) refuse(where_, "is not a map");
  }
  template <typename T>
  void operator()(const char* name, T& value) {
    read(member(name), value, where_ + "." + name);
  }
  template <typename E>
  void operator()(const char* name, E& value, E last) {
    std::underlying_type_t<E> number{};
    read(member(name), number, where_ + "." + name);
    if (number > static_cast<std::underlying_type_t<E>>(last)) refuse(where_ + "." + name, "is out of range");
    value = static_cast<E>(number);
  }
  void finish() const {
    if (read_ != map_.size()) refuse(where_, "has fields that this version does not know");
  }

 private:
  const Json& member(const char* name) {
    const auto found = map_.find(name);
    if (found == map_.end()) refuse(where_ + "." + name, "is missing");
    ++read_;
    return *found;
  }
  const Json& map_;
  std::string where_;
  std::size_t read_;
};

template <typename T>
void read_struct(const Json& from, T& value, const std::string& where, std::size_t already_read) {
  Reader reader(from, where, already_read);
  fields(reader, value);
  reader.finish();
}

template <typename Variant, std::size_t kIndex = 0>
void read_variant(const Json& from, const std::string& name, Variant& value, const std::string& where) {
  if constexpr (kIndex == std::variant_size_v<Variant>) {
    refuse(where, "is of no known kind");
  } else if (name == alternative_names<Variant>()[kIndex]) {
    read_struct(from, value.template emplace<kIndex>(), where.empty() ? name : where, 1);
  } else {
    read_variant<Variant, kIndex + 1>(from, name, value, where);
  }
}

template <typename T>
void read_integer(const Json& from, T& value, const std::string& where) {
  if (!from.is_number_integer()) refuse(where, "is not an integer");
  const bool fits = from.is_number_unsigned() ? std::in_range<T>(from.get<std::uint64_t>())
                                              : std::in_range<T>(from.get<std::int64_t>());
  if (!fits) refuse(where, "is out of range");
  value = from.get<T>();
}

template <typename T>
void read(const Json& from, T& value, const std::string& where) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!from.is_boolean()) refuse(where, "is not true or false");
    value = from.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    read_integer(from, value, where);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!from.is_number_float()) refuse(where, "is not a number");
    value = from.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!from.is_string()) refuse(where, "is not text");
    value = from.get_ref<const std::string&>();
  } else if constexpr (std::is_same_v<T, Bytes>) {
    if (!from.is_binary()) refuse(where, "is not bytes");
    const auto* begin = reinterpret_cast<const std::byte*>(from.get_binary().data());
    value.assign(begin, begin + from.get_binary().size());
  } else if constexpr (IsVector<T>::value) {
    if (!from.is_array()) refuse(where, "is not a list");
    value.clear();
    for (const Json& item : from) read(item, value.emplace_back(), where);
  } else if constexpr (IsVariant<T>::value) {
    if (!from.is_object() || !from.contains(kAlternative) || !from[kAlternative].is_string())
      refuse(where, "does not say what it is");
    read_variant(from, from[kAlternative].get_ref<const std::string&>(), value, where);
  } else {
    read_struct(from, value, where, 0);
  }
}

template <typename Message>
Bytes to_frame(const Message& message) {
  std::vector<std::uint8_t> frame;
  Json::to_cbor(write(message), frame);
  const auto* begin = reinterpret_cast<const std::byte*>(frame.data());
  return {begin, begin + frame.size()};
}

template <typename Message>
Message from_frame(std::span<const std::byte> frame) {
  if (nested_deeper_than(frame, kMaximumDepth)) throw Error("worker protocol: a frame is nested too deeply");
  Message message;
  try {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(frame.data());
    const Json map = Json::from_cbor(begin, begin + frame.size(), true, true, Json::cbor_tag_handler_t::error);
    read(map, message, "");
  } catch (const Json::exception& error) {
    throw Error(fmt::format("worker protocol: a frame of {} bytes is not a message: {}", frame.size(), error.what()));
  }
  return message;
}

}  // namespace

Bytes encode(const Request& request) {
  return to_frame(request);
}
Bytes encode(const Reply& reply) {
  return to_frame(reply);
}
Request decode_request(std::span<const std::byte> frame) {
  return from_frame<Request>(frame);
}
Reply decode_reply(std::span<const std::byte> frame) {
  return from_frame<Reply>(frame);
}

// ---- plans as text
// ---------------------------------------------------------------------------------------------------------

namespace {

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

}  // namespace

std::string plan_text(const LaunchPlan& plan) {
  const Json map = write(plan);
  const auto launch = [](Json one) {
    const std::string arguments = listed(one["arguments"], [](const Json& a) { return line_text(hexadecimal(a)); });
    one.erase("arguments");
    std::string head = line_text(one);
    head.pop_back();
    return head + ",\"arguments\":" + arguments + "}";
  };
  const std::string alignment =
      plan.alignment == kLeastAlignment ? "" : fmt::format("\"alignment\":{},\n", plan.alignment);
  const std::string pitches = plan.pitches.empty() ? "" : "\"pitches\":" + listed(map["pitches"], line_text) + ",\n";
  return "{" + alignment + pitches + "\"workspaces\":" + listed(map["workspaces"], line_text) +
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
    if (map.is_object() && map.contains("launches") && map["launches"].is_array())
      for (Json& launch : map["launches"])
        if (launch.is_object() && launch.contains("arguments") && launch["arguments"].is_array())
          for (Json& argument : launch["arguments"]) take_bytes(argument);
    read(map, plan, "plan");
  } catch (const Json::exception& error) {
    throw Error(fmt::format("launch plan: not such a text: {}", error.what()));
  }
  return plan;
}

}  // namespace kerlab::worker
