#pragma once
// XXH3-128 digests: cache keys, trial keys, source identities. Not cryptographic.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kerlab {

/// 128-bit digest as 32 lower-case hex digits.
std::string digest(std::string_view text);
std::string digest(std::span<const std::byte> bytes);

/// Digest over fields; each is length-prefixed, so that ("ab","c") and ("a","bc") differ.
class FieldHasher {
 public:
  FieldHasher& field(std::string_view name, std::string_view value);
  [[nodiscard]] std::string hex() const;

 private:
  std::string framed_;
};

}  // namespace kerlab
