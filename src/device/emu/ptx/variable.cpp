#include "device/emu/ptx/variable.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "device/emu/ptx/function.h"
#include "device/emu/ptx/literal.h"
#include "device/emu/ptx/names.h"

namespace kerlab::ptx {
namespace {

constexpr std::size_t kMostDimensions = 8;
constexpr std::int64_t kMostAlign = 1 << 16;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40;

class VariableParser {
 public:
  explicit VariableParser(TokenStream& tokens) : tokens_(tokens) {}

  Variable run() {
    result_.line = tokens_.peek().line;
    attributes();
    result_.name = tokens_.expect_word("the name of a variable");
    dimensions();
    if (tokens_.accept('=')) {
      if (open_) dimensions_[0] = kMostBytes / std::max<std::int64_t>(stride(1), 1);
      value(0, 0);
      if (open_)
        result_.bytes = round_up(static_cast<std::int64_t>(result_.image.size()), std::max<std::int64_t>(stride(1), 1));
    }
    return std::move(result_);
  }

 private:
  void attributes() {
    std::int64_t elements = 1;
    for (;;) {
      if (tokens_.accept(".align")) {
        const std::int32_t line = tokens_.peek().line;
        result_.align = tokens_.expect_integer("an alignment", 1, kMostAlign);
        if (!std::has_single_bit(static_cast<std::uint64_t>(result_.align))) {
          throw Error(at_line(line, fmt::format("alignment {} is not a power of two", result_.align)));
        }
        aligned_ = true;
      } else if (tokens_.accept(".attribute")) {
        tokens_.skip_past(')');
      } else if (tokens_.accept(".ptr")) {
        pointer_attributes();
      } else if (tokens_.peek().is(".v2") || tokens_.peek().is(".v4")) {
        elements = tokens_.next().text == ".v2" ? 2 : 4;
      } else {
        break;
      }
    }
    type(elements);
    if (tokens_.accept(".ptr")) pointer_attributes();
  }

  // ".param .u64 .ptr .global .align 16 name" tells what the pointer points to.
  void pointer_attributes() {
    for (const std::string_view space : {".const", ".global", ".local", ".shared"}) {
      if (tokens_.accept(space)) break;
    }
    if (tokens_.accept(".align")) tokens_.expect_integer("an alignment", 1, kMostAlign);
  }

  void type(std::int64_t elements) {
    const Token& token = tokens_.peek();
    if (token.kind != TokenKind::word || token.text[0] != '.') {
      tokens_.fail(fmt::format("a type expected, {} found", tokens_.shown()));
    }
    const std::optional<Type> type = find_type(token.text.substr(1));
    if (!type || bits(*type) < 8) {
      tokens_.unsupported(fmt::format("variables of type '{}': the emulated device has none", token.text));
    }
    tokens_.next();
    result_.type = *type;
    element_ = bits(*type) / 8;
    result_.bytes = element_ * elements;
    if (!aligned_) result_.align = result_.bytes;
    unit_ = result_.bytes;
  }

  void dimensions() {
    while (tokens_.accept('[')) {
      if (dimensions_.size() == kMostDimensions) tokens_.fail(fmt::format("more than {} dimensions", kMostDimensions));
      if (tokens_.accept(']')) {
        if (!dimensions_.empty()) tokens_.fail("only the first dimension may be left open");
        open_ = true;
        dimensions_.push_back(0);
        continue;
      }
      const std::int64_t size = tokens_.expect_integer("an array size", 0, kMostBytes);
      dimensions_.push_back(size);
      tokens_.expect(']');
    }
    std::int64_t bytes = unit_;
    for (std::size_t i = dimensions_.size(); i-- > 0;) {
      if (dimensions_[i] > 0 && bytes > kMostBytes / dimensions_[i]) {
        throw Error(at_line(result_.line, fmt::format("'{}' is larger than {} bytes", result_.name, kMostBytes)));
      }
      bytes *= dimensions_[i];
    }
    result_.bytes = bytes;
  }

  /// Bytes of what has the dimensions from `depth` on.
  [[nodiscard]] std::int64_t stride(std::size_t depth) const {
    std::int64_t bytes = unit_;
    for (std::size_t i = depth; i < dimensions_.size(); ++i) bytes *= dimensions_[i];
    return bytes;
  }

  void value(std::size_t depth, std::int64_t at) {
    if (!tokens_.accept('{')) {
      scalar(at);
      return;
    }
    if (depth > dimensions_.size()) tokens_.fail("more braces than dimensions");
    const std::int64_t end = at + stride(depth);
    while (!tokens_.accept('}')) {
      if (tokens_.peek().is('{')) {
        value(depth + 1, at);
        at += stride(depth + 1);
      } else {
        at += scalar(at);
      }
      if (at > end) tokens_.fail(fmt::format("more values than '{}' has room for", result_.name));
      if (!tokens_.accept(',') && !tokens_.peek().is('}')) tokens_.expect('}');
    }
  }

  /// One value at a place of the image; returns how many bytes it took.
  std::int64_t scalar(std::int64_t at) {
    const Token& token = tokens_.peek();
    if (token.kind == TokenKind::string) return string(at);
    if (token.kind == TokenKind::word) return whole_address(at);
    const bool negative = tokens_.accept('-');
    if (tokens_.peek().kind != TokenKind::number)
      tokens_.fail(fmt::format("a value expected, {} found", tokens_.shown()));
    const Literal number = literal(tokens_.next());
    if (tokens_.accept('(')) return masked(at, number.bits);
    put(at, bits_as(result_.type, number, negative), element_);
    return element_;
  }

  std::int64_t string(std::int64_t at) {
    const std::string_view text = tokens_.next().text;
    for (const char c : text) put(at++, static_cast<unsigned char>(c), 1);
    return static_cast<std::int64_t>(text.size());
  }

  std::int64_t whole_address(std::int64_t at) {
    if (element_ != 8) tokens_.unsupported("an address that is not stored in 64 bits");
    result_.addresses.push_back(address(at));
    put(at, 0, 8);
    return 8;
  }

  /// "name + 4" or "generic(name) + 4".
  Variable::Address address(std::int64_t at) {
    Variable::Address result;
    result.at = at;
    result.line = tokens_.peek().line;
    result.symbol = tokens_.expect_word("a variable's name");
    if (result.symbol == "generic" && tokens_.accept('(')) {
      result.generic = true;
      result.symbol = tokens_.expect_word("a variable's name");
      tokens_.expect(')');
    }
    if (tokens_.peek().is('+') || tokens_.peek().is('-')) result.addend = tokens_.expect_integer("an offset");
    return result;
  }

  /// "0xFF00(address)": one byte of an address (PTX ISA, section Initializers). The eight bytes of one address follow
  /// each other; the first stands for all.
  std::int64_t masked(std::int64_t at, std::uint64_t mask) {
    if (element_ != 1) tokens_.unsupported("a masked address in elements wider than a byte");
    const Variable::Address found = address(at);
    tokens_.expect(')');
    if (mask == 0xff) {
      result_.addresses.push_back(found);
      put(at, 0, 8);
      return 1;
    }
    const std::int64_t byte = result_.addresses.empty() ? 8 : at - result_.addresses.back().at;
    const bool continues = byte < 8 && mask == 0xffull << (8 * byte) && found.symbol == result_.addresses.back().symbol;
    if (!continues) tokens_.unsupported("a part of an address");
    return 1;
  }

  void put(std::int64_t at, std::uint64_t value, std::int64_t bytes) {
    if (at + bytes > (open_ ? kMostImageBytes : std::min(result_.bytes, kMostImageBytes))) {
      tokens_.fail(fmt::format("more values than '{}' has room for", result_.name));
    }
    if (result_.image.size() < static_cast<std::size_t>(at + bytes))
      result_.image.resize(static_cast<std::size_t>(at + bytes));
    for (std::int64_t i = 0; i < bytes; ++i) {
      result_.image[static_cast<std::size_t>(at + i)] = i < 8 ? static_cast<std::byte>(value >> (8 * i)) : std::byte{0};
    }
  }

  TokenStream& tokens_;
  Variable result_;
  std::vector<std::int64_t> dimensions_;
  std::int64_t element_ = 1, unit_ = 1;  ///< bytes of a value, of an array element
  bool aligned_ = false, open_ = false;
};

}  // namespace

Variable parse_variable(TokenStream& tokens) {
  return VariableParser(tokens).run();
}

}  // namespace kerlab::ptx
