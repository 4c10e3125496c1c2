#include "base/pager.h"

#include "base/scoped_variable.h"
#include "catch.h"

using namespace kerlab;

TEST_CASE("pager: lines on a screen are folded, colours and UTF-8 take their room", "[base]") {
  CHECK(lines_on_screen("", 10) == 0);
  CHECK(lines_on_screen("a\nb\n", 10) == 2);
  CHECK(lines_on_screen("a\nb", 10) == 2);
  CHECK(lines_on_screen("\n\n", 10) == 2);
  CHECK(lines_on_screen("0123456789\n", 10) == 1);
  CHECK(lines_on_screen("0123456789a\n", 10) == 2);
  CHECK(lines_on_screen("\x1b[31m0123456789\x1b[0m\n", 10) == 1);
  CHECK(lines_on_screen("äöüäöüäöüä\n", 10) == 1);
  CHECK(lines_on_screen("abc", 0) == 3);  // no width is known
}

TEST_CASE("pager: which one is asked of the environment, kerlab's own first", "[base]") {
  const ScopedVariable path("PATH", "/no/such/folder");
  const ScopedVariable own("KERLAB_PAGER", nullptr), pager("PAGER", nullptr);
  CHECK(pager_command().empty());  // no less here
  {
    const ScopedVariable set("PAGER", "more -d");
    CHECK(pager_command() == "more -d");
    const ScopedVariable cat("KERLAB_PAGER", "cat");
    CHECK(pager_command().empty());
    const ScopedVariable none("KERLAB_PAGER", "");
    CHECK(pager_command().empty());
  }
  const ScopedVariable set("KERLAB_PAGER", "less -S");
  CHECK(pager_command() == "less -S");
}
