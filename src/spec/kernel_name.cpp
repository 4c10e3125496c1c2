#include "spec/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "spec/parameter_value.h"
#include "spec/scope.h"

namespace kerlab::spec {
namespace {

/// `where` is that of the string, with its quote.
SourceLocation moved(SourceLocation where, std::size_t offset) {
  if (offset > 0) where.column += static_cast<int>(offset) + 1;
  return where;
}

/// Of what C++ names and template arguments are made.
bool is_name_text(std::string_view text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:<>,()*& .-") ==
         std::string_view::npos;
}

/// As sources that do not know kerlab call it.
std::string_view cuda_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return "double";
    case DType::fp32:
    case DType::tf32:
      return "float";
    case DType::bf16:
      return "__nv_bfloat16";
    case DType::fp16:
      return "__half";
    case DType::e4m3:
      return "__nv_fp8_e4m3";
    case DType::e5m2:
      return "__nv_fp8_e5m2";
    case DType::int64:
      return "long long";
    case DType::int32:
      return "int";
    case DType::int8:
      return "signed char";
    case DType::uint32:
      return "unsigned int";
    case DType::uint8:
    case DType::int4:
    case DType::uint4:
    case DType::e2m1:
    case DType::e8m0:
      return "unsigned char";
    case DType::boolean:
      return "bool";
    case DType::int16:
      return "short";
    case DType::uint16:
      return "unsigned short";
    case DType::uint64:
      return "unsigned long long";
    case DType::complex64:
      return "float2";
  }
  return info(dtype).device_type;
}

/// The piece of `text` that begins at `begin`, which it moves behind it.
KernelNamePiece next_piece(const std::string& text, std::size_t& begin, const SourceLocation& where,
                           const Scope& scope) {
  const std::size_t open = std::min(text.find('{', begin), text.size());
  KernelNamePiece piece{text.substr(begin, open - begin), {}, false};
  begin = open;
  if (open == text.size()) return piece;
  const std::size_t close = text.find('}', open);
  if (close == std::string::npos) throw SpecError(moved(where, open), "a { without its }");
  const std::string inside = text.substr(open + 1, close - open - 1);
  piece.dtype = inside == "DTYPE";
  if (const auto* words = scope.words(inside)) {
    piece.words = *words;
    piece.value = Expression::parse(inside, moved(where, open + 1));
  } else if (!piece.dtype) {
    piece.value = Expression::parse(inside, moved(where, open + 1));
    scope.check(piece.value);
  }
  begin = close + 1;
  return piece;
}

/// What stands for the brace of a piece.
std::string value_of(const KernelNamePiece& piece, const Environment& environment) {
  if (piece.value.empty()) return "";
  const std::int64_t value = piece.value.evaluate(environment);
  return piece.words.empty() ? std::to_string(value) : piece.words.at(static_cast<std::size_t>(value));
}

}  // namespace

std::vector<KernelNamePiece> parse_image_name(const std::string& text, const SourceLocation& where,
                                              const Scope& scope) {
  std::vector<KernelNamePiece> pieces;
  for (std::size_t begin = 0; begin < text.size();) pieces.push_back(next_piece(text, begin, where, scope));
  const bool is_beside = std::ranges::none_of(pieces, [](const KernelNamePiece& piece) {
    return piece.text.find_first_of("/*?[\\") != std::string::npos || piece.text.find('\0') != std::string::npos;
  });
  if (!is_beside || !text.ends_with(".ptx") || text == ".ptx")
    throw SpecError(where,
                    fmt::format("'{}' is not the name of a .ptx file beside this spec; {{BM}} in it stands for a "
                                "parameter",
                                text));
  return pieces;
}

std::vector<KernelNamePiece> parse_option(const std::string& text, const SourceLocation& where, const Scope& scope) {
  std::vector<KernelNamePiece> pieces;
  for (std::size_t begin = 0; begin < text.size();) pieces.push_back(next_piece(text, begin, where, scope));
  return pieces;
}

std::string image_name(const std::vector<KernelNamePiece>& image, const Environment& environment, DType dtype) {
  std::string name;
  for (const KernelNamePiece& piece : image) {
    name += piece.text;
    if (piece.dtype) name += plan::name(dtype);
    name += value_of(piece, environment);
  }
  return name;
}

std::string image_pattern(const std::vector<KernelNamePiece>& image) {
  std::string pattern;
  for (const KernelNamePiece& piece : image) pattern += piece.text + (piece.dtype || !piece.value.empty() ? "*" : "");
  return pattern;
}

std::vector<KernelNamePiece> parse_kernel_name(const std::string& text, const SourceLocation& where,
                                               const Scope& scope) {
  if (is_identifier(text)) return {};
  std::vector<KernelNamePiece> pieces;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t first = begin;
    KernelNamePiece piece = next_piece(text, begin, where, scope);
    if (!is_name_text(piece.text) || (first == 0 && !is_identifier(piece.text.substr(0, 1))))
      throw SpecError(moved(where, first),
                      fmt::format("'{}' is not a kernel: a name, ns::name, or name<{{BM}}, {{DTYPE}}>", text));
    if (holds_dtypes(piece.words))
      for (std::string& word : piece.words) word = cuda_type(*parse_dtype(word));
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

std::string kernel_name(const LaunchDecl& launch, const Environment& environment, DType dtype) {
  if (launch.kernel_name.empty()) return launch.kernel;
  std::string name;
  for (const KernelNamePiece& piece : launch.kernel_name) {
    name += piece.text;
    if (piece.dtype) name += cuda_type(dtype);
    name += value_of(piece, environment);
  }
  return name;
}

bool is_instance(const std::string& kernel) {
  return kernel.find('<') != std::string::npos;
}

}  // namespace kerlab::spec
