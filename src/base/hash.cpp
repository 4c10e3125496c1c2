#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdint>

namespace kerlab {
namespace {

std::string hex_of(const void* data, std::size_t size) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Eight bytes, lowest first, on every host: a key must not depend on the machine that made it.
void append_length(std::string& out, std::uint64_t length) {
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>((length >> shift) & 0xff));
}

}  // namespace

std::string digest(std::string_view text) {
  return hex_of(text.data(), text.size());
}
std::string digest(std::span<const std::byte> bytes) {
  return hex_of(bytes.data(), bytes.size());
}

FieldHasher& FieldHasher::field(std::string_view name, std::string_view value) {
  for (const std::string_view part : {name, value}) {
    append_length(framed_, part.size());
    framed_ += part;
  }
  return *this;
}

std::string FieldHasher::hex() const {
  return digest(framed_);
}

}  // namespace kerlab
