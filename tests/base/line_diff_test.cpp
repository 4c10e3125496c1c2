#include "base/line_diff.h"

#include "catch.h"

using namespace kerlab;

namespace {

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("texts that are the same have no diff", "[base]") {
  CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y").empty());
  CHECK(unified_diff("", "", "x", "y").empty());
}

TEST_CASE("a diff has three lines of context, and one hunk for changes that are near", "[base]") {
  const std::string before = numbered(1, 30);
  std::string after = numbered(1, 4) + "five\n" + numbered(6, 9) + numbered(11, 24) + "new\n" + numbered(25, 30);
  CHECK(unified_diff(before, after, "old.cu", "new.cu") ==
        "--- old.cu\n+++ new.cu\n"
        "@@ -2,12 +2,11 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n"
        "@@ -22,6 +21,7 @@\n 22\n 23\n 24\n+new\n 25\n 26\n 27\n");
}

TEST_CASE("a diff from nothing and to nothing counts as diff does", "[base]") {
  CHECK(unified_diff("", "a\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("a\nb\n", "", "x", "y") == "--- x\n+++ y\n@@ -1,2 +0,0 @@\n-a\n-b\n");
}
