#pragma once
// Structs as CBOR frames, for messages between processes and for files that only kerlab reads: a struct is a map of its
// fields, a variant a map with its alternative's name under "is". Reading is strict: a field missing, extra, of another
// type or out of range is an Error.
//
// A module names its protocol, and lists the fields of each struct once, for both ways:
//   struct Protocol { static constexpr const char* kName = "worker protocol"; };  // leads its errors
//   template <typename Archive> void fields(Archive& a, Dim3& v) { a("x", v.x); ... }  // enums name their last value
//   constexpr auto& alternative_names(Protocol, const Variant&)  // of a variant's alternatives, in their order
// A number that may be missing is never negative, and -1 in a frame where there is none.
// These are found by the protocol's namespace, whatever namespace the struct is of.

#include <fmt/format.h>

#include <concepts>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/frame_depth.h"

namespace kerlab::archive {

using Json = nlohmann::json;

inline constexpr std::size_t kMaximumDepth = 32;
inline constexpr const char* kAlternative = "is";

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <std::integral T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsVariant : std::false_type {};
template <typename... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <typename Protocol, typename T>
Json write(const T& value);

template <typename Protocol>
class Writer {
 public:
  template <typename T>
  void operator()(const char* name, const T& value) {
    map_[name] = write<Protocol>(value);
  }
  template <typename E>
  void operator()(const char* name, const E& value, E) {
    map_[name] = static_cast<std::underlying_type_t<E>>(value);
  }
  /// Left out where it is as it is made: for what came later, so that frames of others stay what they were.
  template <typename T>
  void unless_default(const char* name, const T& value) {
    if (value != T{}) map_[name] = write<Protocol>(value);
  }
  Json take() { return std::move(map_); }

 private:
  Json map_ = Json::object();
};

template <typename Protocol, typename T>
Json write_struct(const T& value) {
  Writer<Protocol> writer;
  fields(writer, const_cast<T&>(value));  // one list serves reader and writer; the writer only reads
  return writer.take();
}

template <typename Protocol, typename Variant>
Json write_variant(const Variant& value) {
  Json map = std::visit([](const auto& alternative) { return write_struct<Protocol>(alternative); }, value);
  map[kAlternative] = alternative_names(Protocol{}, value)[value.index()];
  return map;
}

template <typename Protocol, typename T>
Json write(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return Json(value);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return Json(value.string());
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(value.data());
    return Json::binary(std::vector<std::uint8_t>(begin, begin + value.size()));
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(write<Protocol>(item));
    return list;
  } else if constexpr (IsOptional<T>::value) {
    return Json(value.value_or(-1));
  } else if constexpr (IsVariant<T>::value) {
    return write_variant<Protocol>(value);
  } else {
    return write_struct<Protocol>(value);
  }
}

template <typename Protocol>
[[noreturn]] void refuse(const std::string& where, const char* problem) {
  throw Error(
      fmt::format("{}: field '{}' {}; are both ends of the same kerlab version?", Protocol::kName, where, problem));
}

template <typename Protocol, typename T>
void read(const Json& from, T& value, const std::string& where);

template <typename Protocol>
class Reader {
 public:
  Reader(const Json& map, std::string where, std::size_t already_read)
      : map_(map), where_(std::move(where)), read_(already_read) {
    if (!map_.is_object()) refuse<Protocol>(where_, "is not a map");
  }
  template <typename T>
  void operator()(const char* name, T& value) {
    read<Protocol>(member(name), value, where_ + "." + name);
  }
  template <typename E>
  void operator()(const char* name, E& value, E last) {
    std::underlying_type_t<E> number{};
    read<Protocol>(member(name), number, where_ + "." + name);
    if (number > static_cast<std::underlying_type_t<E>>(last)) refuse<Protocol>(where_ + "." + name, "is out of range");
    value = static_cast<E>(number);
  }
  template <typename T>
  void unless_default(const char* name, T& value) {
    value = T{};
    if (map_.contains(name)) (*this)(name, value);
  }
  void finish() const {
    if (read_ != map_.size()) refuse<Protocol>(where_, "has fields that this version does not know");
  }

 private:
  const Json& member(const char* name) {
    const auto found = map_.find(name);
    if (found == map_.end()) refuse<Protocol>(where_ + "." + name, "is missing");
    ++read_;
    return *found;
  }
  const Json& map_;
  std::string where_;
  std::size_t read_;
};

template <typename Protocol, typename T>
void read_struct(const Json& from, T& value, const std::string& where, std::size_t already_read) {
  Reader<Protocol> reader(from, where, already_read);
  fields(reader, value);
  reader.finish();
}

template <typename Protocol, typename Variant, std::size_t kIndex = 0>
void read_variant(const Json& from, const std::string& name, Variant& value, const std::string& where) {
  if constexpr (kIndex == std::variant_size_v<Variant>) {
    refuse<Protocol>(where, "is of no known kind");
  } else if (name == alternative_names(Protocol{}, value)[kIndex]) {
    read_struct<Protocol>(from, value.template emplace<kIndex>(), where.empty() ? name : where, 1);
  } else {
    read_variant<Protocol, Variant, kIndex + 1>(from, name, value, where);
  }
}

template <typename Protocol, typename T>
void read_integer(const Json& from, T& value, const std::string& where) {
  if (!from.is_number_integer()) refuse<Protocol>(where, "is not an integer");
  const bool fits = from.is_number_unsigned() ? std::in_range<T>(from.get<std::uint64_t>())
                                              : std::in_range<T>(from.get<std::int64_t>());
  if (!fits) refuse<Protocol>(where, "is out of range");
  value = from.get<T>();
}

template <typename Protocol, typename T>
void read(const Json& from, T& value, const std::string& where) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!from.is_boolean()) refuse<Protocol>(where, "is not true or false");
    value = from.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    read_integer<Protocol>(from, value, where);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!from.is_number_float()) refuse<Protocol>(where, "is not a number");
    value = from.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!from.is_string()) refuse<Protocol>(where, "is not text");
    value = from.get_ref<const std::string&>();
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    if (!from.is_string()) refuse<Protocol>(where, "is not text");
    value = from.get_ref<const std::string&>();
  } else if constexpr (std::is_same_v<T, std::vector<std::byte>>) {
    if (!from.is_binary()) refuse<Protocol>(where, "is not bytes");
    const auto* begin = reinterpret_cast<const std::byte*>(from.get_binary().data());
    value.assign(begin, begin + from.get_binary().size());
  } else if constexpr (IsVector<T>::value) {
    if (!from.is_array()) refuse<Protocol>(where, "is not a list");
    value.clear();
    for (const Json& item : from) read<Protocol>(item, value.emplace_back(), where);
  } else if constexpr (IsOptional<T>::value) {
    read_integer<Protocol>(from, value.emplace(), where);
    if (*value < 0) value.reset();
  } else if constexpr (IsVariant<T>::value) {
    if (!from.is_object() || !from.contains(kAlternative) || !from[kAlternative].is_string())
      refuse<Protocol>(where, "does not say what it is");
    read_variant<Protocol>(from, from[kAlternative].get_ref<const std::string&>(), value, where);
  } else {
    read_struct<Protocol>(from, value, where, 0);
  }
}

template <typename Protocol, typename Message>
std::vector<std::byte> to_frame(const Message& message) {
  std::vector<std::uint8_t> frame;
  Json::to_cbor(write<Protocol>(message), frame);
  const auto* begin = reinterpret_cast<const std::byte*>(frame.data());
  return {begin, begin + frame.size()};
}

/// Throws Error for anything but such a frame.
template <typename Protocol, typename Message>
Message from_frame(std::span<const std::byte> frame) {
  if (nested_deeper_than(frame, kMaximumDepth))
    throw Error(fmt::format("{}: a frame is nested too deeply", Protocol::kName));
  Message message;
  try {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(frame.data());
    const Json map = Json::from_cbor(begin, begin + frame.size(), true, true, Json::cbor_tag_handler_t::error);
    read<Protocol>(map, message, "");
  } catch (const Json::exception& error) {
    throw Error(
        fmt::format("{}: a frame of {} bytes is not a message: {}", Protocol::kName, frame.size(), error.what()));
  }
  return message;
}

}  // namespace kerlab::archive
