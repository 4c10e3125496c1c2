#include "spec/kernel_name.h"

#include <fmt/format.h>

#include "spec/scope.h"

namespace kerlab::spec {
namespace {

SourceLocation moved(SourceLocation where, std::size_t offset) {
  where.column += static_cast<int>(offset);
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
      return "unsigned char";
  }
  return info(dtype).device_type;
}

}  // namespace

std::vector<KernelNamePiece> parse_kernel_name(const std::string& text, const SourceLocation& where,
                                               const Scope& scope) {
  if (is_identifier(text)) return {};
  std::vector<KernelNamePiece> pieces;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t open = std::min(text.find('{', begin), text.size());
    KernelNamePiece piece{text.substr(begin, open - begin), {}, false};
    if (!is_name_text(piece.text) || (begin == 0 && !is_identifier(piece.text.substr(0, 1))))
      throw SpecError(moved(where, begin),
                      fmt::format("'{}' is not a kernel: a name, ns::name, or name<{{BM}}, {{DTYPE}}>", text));
    begin = open;
    if (open < text.size()) {
      const std::size_t close = text.find('}', open);
      if (close == std::string::npos) throw SpecError(moved(where, open), "a { without its }");
      const std::string inside = text.substr(open + 1, close - open - 1);
      piece.dtype = inside == "DTYPE";
      if (!piece.dtype) {
        piece.value = Expression::parse(inside, moved(where, open + 1));
        scope.check(piece.value);
      }
      begin = close + 1;
    }
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
    if (!piece.value.empty()) name += std::to_string(piece.value.evaluate(environment));
  }
  return name;
}

bool is_instance(const std::string& kernel) {
  return kernel.find('<') != std::string::npos;
}

}  // namespace kerlab::spec
