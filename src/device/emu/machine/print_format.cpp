#include "device/emu/machine/print_format.h"

#include <cstdio>
#include <cstring>

namespace kerlab::emu {
namespace {

/// Takes the arguments out of their buffer, each at its own alignment.
class Arguments {
 public:
  explicit Arguments(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool take(T& value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (at_ + sizeof(T) > bytes_.size()) return false;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

template <class T>
std::string print_one(const std::string& specification, T value) {
  const int size = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (size < 0) return {};
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), specification.c_str(), value);
  text.pop_back();
  return text;
}

/// "%-8.3f" without its length modifier, and what that was.
struct Specification {
  std::string flags;  ///< from '%' to before the length modifier, stars replaced
  bool is_long = false, is_half = false, is_char = false;
  char conversion = 0;
  std::size_t end = 0;  ///< behind it
};

Specification parse(std::string_view format, std::size_t at, Arguments& arguments, int& taken) {
  Specification s;
  s.flags = "%";
  ++at;
  while (at < format.size() && std::strchr("-+ #0123456789.*", format[at]) != nullptr) {
    if (format[at] == '*') {
      std::int32_t value = 0;
      arguments.take(value);
      ++taken;
      s.flags += std::to_string(value);
    } else {
      s.flags += format[at];
    }
    ++at;
  }
  while (at < format.size() && std::strchr("hlLqjzt", format[at]) != nullptr) {
    if (format[at] == 'h') {
      s.is_char = s.is_half;
      s.is_half = !s.is_half;
    } else {
      s.is_long = true;  // long has 64 bits
    }
    ++at;
  }
  s.conversion = at < format.size() ? format[at] : '\0';
  s.end = at < format.size() ? at + 1 : at;
  return s;
}

std::string print_integer(const Specification& s, Arguments& arguments) {
  const bool is_signed = s.conversion == 'd' || s.conversion == 'i';
  const std::string with_length = s.flags + "ll" + s.conversion;
  std::int64_t wide = 0;
  if (s.is_long) {
    if (!arguments.take(wide)) return "(missing)";
  } else {
    std::int32_t value = 0;
    if (!arguments.take(value)) return "(missing)";
    if (s.is_half) value = is_signed ? static_cast<std::int16_t>(value) : value & 0xffff;
    if (s.is_char) value = is_signed ? static_cast<std::int8_t>(value) : value & 0xff;
    wide = is_signed ? value : static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
  }
  return is_signed ? print_one(with_length, static_cast<long long>(wide))
                   : print_one(with_length, static_cast<unsigned long long>(wide));
}

std::string print_argument(const Specification& s, Arguments& arguments,
                           const std::function<std::string(std::uint64_t)>& string_at) {
  switch (s.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return print_integer(s, arguments);
    case 'c': {
      std::int32_t value = 0;
      return arguments.take(value) ? print_one(s.flags + "c", value) : "(missing)";
    }
    case 's': {
      std::uint64_t address = 0;
      return arguments.take(address) ? print_one(s.flags + "s", string_at(address).c_str()) : "(missing)";
    }
    case 'p': {
      std::uint64_t address = 0;
      return arguments.take(address) ? print_one(s.flags + "s", print_one("%#llx", address).c_str()) : "(missing)";
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
      double value = 0;
      return arguments.take(value) ? print_one(s.flags + s.conversion, value) : "(missing)";
    }
    default:
      return s.flags + s.conversion;
  }
}

}  // namespace

std::string format_printf(std::string_view format, std::string_view arguments,
                          const std::function<std::string(std::uint64_t)>& string_at, int& taken) {
  std::string text;
  Arguments left(arguments);
  taken = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    if (at + 1 < format.size() && format[at + 1] == '%') {
      text += '%';
      at += 2;
      continue;
    }
    const Specification s = parse(format, at, left, taken);
    text += print_argument(s, left, string_at);
    ++taken;
    at = s.end;
  }
  return text;
}

}  // namespace kerlab::emu
