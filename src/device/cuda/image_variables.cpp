#include "device/cuda/image_variables.h"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace kerlab::device {
namespace {

/// Object number `index` of an array at `offset`, if the image is long enough.
template <typename T>
std::optional<T> object_at(std::span<const std::byte> image, std::uint64_t offset, std::uint64_t index) {
  if (index > image.size() / sizeof(T) || offset > image.size()) return std::nullopt;
  const std::uint64_t at = offset + index * sizeof(T);
  if (at > image.size() || image.size() - at < sizeof(T)) return std::nullopt;
  T object;
  std::memcpy(&object, image.data() + at, sizeof object);
  return object;
}

/// The text that begins `offset` bytes into a section; empty where it does not end there.
std::string text_at(std::span<const std::byte> image, const Elf64_Shdr& section, std::uint64_t offset) {
  if (section.sh_offset > image.size() || section.sh_size > image.size() - section.sh_offset) return {};
  if (offset >= section.sh_size) return {};
  const char* begin = reinterpret_cast<const char*>(image.data()) + section.sh_offset + offset;
  const auto* end = static_cast<const char*>(std::memchr(begin, 0, section.sh_size - offset));
  return end == nullptr ? std::string{} : std::string(begin, end);
}

}  // namespace

std::vector<ImageVariable> image_variables(std::span<const std::byte> image) {
  std::vector<ImageVariable> found;
  const auto header = object_at<Elf64_Ehdr>(image, 0, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return found;
  const auto section = [&](std::uint64_t index) { return object_at<Elf64_Shdr>(image, header->e_shoff, index); };
  const auto names = section(header->e_shstrndx);
  for (std::uint64_t s = 0; names && s < header->e_shnum; ++s) {
    const auto symbols = section(s);
    if (!symbols || symbols->sh_type != SHT_SYMTAB) continue;
    const auto texts = section(symbols->sh_link);
    if (!texts) continue;
    for (std::uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = object_at<Elf64_Sym>(image, symbols->sh_offset, i);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0) continue;
      const auto home = section(symbol->st_shndx);
      if (!home) continue;
      const std::string where = text_at(image, *names, home->sh_name);
      const bool constant = where == ".nv.constant3";
      if (where != ".nv.global" && where != ".nv.global.init" && !constant) continue;
      found.push_back({text_at(image, *texts, symbol->st_name), symbol->st_size, constant});
    }
  }
  return found;
}

}  // namespace kerlab::device
