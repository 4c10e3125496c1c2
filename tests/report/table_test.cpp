#include "report/table.h"

#include "catch.h"

using namespace kerlab;

namespace {
Table sample() {
  return {{{"name", Align::left}, {"us", Align::right}, {"note", Align::left}},
          {{"a|b", "9.5", "x, \"y\""}, {"longer", "120.0"}, {"\xc3\xbc", "1", "two\nlines"}}};
}
}  // namespace

TEST_CASE("table: text is aligned by characters, not bytes", "[report]") {
  Table table = sample();
  table.rows[2][2] = "end";
  CHECK(text_table(table) ==
        "name       us  note\n"
        "a|b       9.5  x, \"y\"\n"
        "longer  120.0\n"
        "\xc3\xbc           1  end\n");
  CHECK(text_table({{{"a"}}, {{"1"}}}, false, 2) == "  a\n  1\n");
  CHECK(text_table({{{"a"}}, {}}, true).find("\x1b[") == 0);
  CHECK(text_table({{{"a"}}, {}}, false) == "a\n");
}

TEST_CASE("table: Markdown escapes what would break it", "[report]") {
  CHECK(markdown_table(sample()) ==
        "| name | us | note |\n"
        "| --- | ---: | --- |\n"
        "| a\\|b | 9.5 | x, \"y\" |\n"
        "| longer | 120.0 |  |\n"
        "| \xc3\xbc | 1 | two<br>lines |\n");
}

TEST_CASE("table: CSV quotes what would break it", "[report]") {
  CHECK(csv_table(sample()) ==
        "name,us,note\n"
        "a|b,9.5,\"x, \"\"y\"\"\"\n"
        "longer,120.0,\n"
        "\xc3\xbc,1,\"two\nlines\"\n");
  CHECK(csv_table({{{"a"}}, {{" outer"}}}) == "a\n\" outer\"\n");
}

TEST_CASE("table: long text is shortened at a character", "[report]") {
  CHECK(shortened("short", 5) == "short");
  CHECK(shortened("a longer text", 8) == "a lon...");
  CHECK(shortened("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4) == "\xc3\xbc...");
  CHECK(shortened("abc", 2) == "..");
  CHECK(shortened("abc", 0).empty());
  CHECK(display_width("\xc3\xbc=") == 2);
}
