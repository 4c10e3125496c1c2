// Every mistake in a spec is reported with its place and the name of what it concerns.

#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {
struct Mistake {
  std::string from, to, expected;
};

void check_family(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    CHECK(load_error(replaced(kFamily, mistake.from, mistake.to), kVariant) == mistake.expected);
  }
}

void check_variant(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    CHECK(load_error(kFamily, replaced(kVariant, mistake.from, mistake.to)) == mistake.expected);
  }
}
}  // namespace

TEST_CASE("specs without mistakes load", "[spec]") {
  CHECK(load_error(kFamily, kVariant) == "no error");
}

TEST_CASE("family mistakes have their place", "[spec]") {
  check_family({
      {"name = \"demo\"", "name = \"demo\"\nnmae = 1",
       "family.toml:2:1: unknown key 'nmae', did you mean 'name'? (family)"},
  });
}

TEST_CASE("variant mistakes have their place", "[spec]") {
  check_variant({
      {"doc = \"a tile\"", "dco = \"a tile\"", "tile.toml:1:1: unknown key 'dco', did you mean 'doc'? (variant)"},
  });
}
