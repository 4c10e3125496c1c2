#include "base/hash.h"

#include <array>

#include "catch.h"

using namespace kerlab;

TEST_CASE("hash: XXH3-128 of known texts", "[base]") {
  // Published values of `xxhsum -H128`: stored keys must stay what they are.
  CHECK(digest("") == "99aa06d3014798d86001c324468d497f");
  CHECK(digest("a") == "a96faf705af16834e6c632b61e964e1f");
  const std::array bytes = {std::byte{'a'}};
  CHECK(digest(bytes) == digest("a"));
}

TEST_CASE("hash: fields are framed", "[base]") {
  const auto hash = [](std::string_view name, std::string_view value) {
    return FieldHasher().field(name, value).hex();
  };
  CHECK(hash("ab", "c") != hash("a", "bc"));
  CHECK(hash("a", "") != hash("", "a"));
  CHECK(FieldHasher().field("x", "1").field("y", "2").hex() != FieldHasher().field("y", "2").field("x", "1").hex());
  CHECK(FieldHasher().field("x", "1").hex().size() == 32);
  CHECK(hash("x", std::string_view("\0", 1)) != hash("x", ""));
}
