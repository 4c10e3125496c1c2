#include "report/form/table.h"

#include <random>
#include <set>
#include <sstream>

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

TEST_CASE("table: words are lines of a width, a number stays with its unit", "[report]") {
  using Lines = std::vector<std::string>;
  CHECK(word_lines("one two three", 7) == Lines{"one two", "three"});
  CHECK(word_lines("one two three", 100) == Lines{"one two three"});
  CHECK(word_lines("a /very/long/path b", 5) == Lines{"a", "/very/long/path", "b"});
  CHECK(word_lines("it takes 12 us, or 9.2 % more", 11) == Lines{"it takes", "12 us, or", "9.2 % more"});
  CHECK(word_lines("BM=128 BN=64", 8) == Lines{"BM=128", "BN=64"});
  CHECK(word_lines("1 2 3 4", 3) == Lines{"1 2", "3 4"});
  CHECK(word_lines("", 8) == Lines{""});
  CHECK(folded("one two three four", 9, 2) == "one two\n  three\n  four\n");
  CHECK(folded("one two three four", 0) == "one two three four\n");
  CHECK(folded("  one two three", 9, 4) == "  one two\n    three\n");
}

TEST_CASE("table: what is too wide wraps between words, the rest stays", "[report]") {
  const Table table{{{"#", Align::right}, {"us modelled", Align::right}, {"configuration", Align::left, true}},
                    {{"1", "291.4", "mma_pipe BM=128 BN=256 BK=64 STAGES=4"}, {"2", "1292.0", "naive BLOCK=8"}}};
  const std::string whole =
      "#  us modelled  configuration\n"
      "1        291.4  mma_pipe BM=128 BN=256 BK=64 STAGES=4\n"
      "2       1292.0  naive BLOCK=8\n";
  CHECK(text_table(table) == whole);
  CHECK(text_table(table, false, 0, 53) == whole);
  // A title breaks before what is in the rows: one line more, not one in each row.
  CHECK(text_table(table, false, 0, 50) ==
        "         us\n"
        "#  modelled  configuration\n"
        "1     291.4  mma_pipe BM=128 BN=256 BK=64 STAGES=4\n"
        "2    1292.0  naive BLOCK=8\n");
  CHECK(text_table(table, false, 2, 40) ==
        "           us\n"
        "  #  modelled  configuration\n"
        "  1     291.4  mma_pipe BM=128 BN=256\n"
        "               BK=64 STAGES=4\n"
        "  2    1292.0  naive BLOCK=8\n");
}

TEST_CASE("table: more columns than fit go on below, with the first one again", "[report]") {
  const Table table{{{"name"}, {"one", Align::right}, {"two", Align::right}, {"where"}},
                    {{"alpha", "123456", "234567", "/a/path/of/a/file.cu"}, {"b", "1", "2", "c.cu"}}};
  CHECK(text_table(table, false, 0, 27) ==
        "name      one     two\n"
        "alpha  123456  234567\n"
        "b           1       2\n"
        "\n"
        "name   where\n"
        "alpha  /a/path/of/a/file.cu\n"
        "b      c.cu\n");
  // Nothing but the path is longer than the line.
  CHECK(text_table(table, false, 0, 16).find("alpha  /a/path/of/a/file.cu\n") != std::string::npos);
}

TEST_CASE("table: at every width all words are there, whole, and no line is longer", "[report]") {
  std::mt19937 random(7);
  const auto below = [&](unsigned n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    Table table;
    const unsigned columns = 1 + below(12);
    for (unsigned c = 0; c < columns; ++c)
      table.columns.push_back({"title" + std::to_string(c) + (below(2) != 0 ? " of" : ""),
                               below(2) != 0 ? Align::left : Align::right, below(3) == 0});
    std::multiset<std::string> words;
    for (unsigned r = 0; r < 1 + below(4); ++r) {
      std::vector<std::string> row;
      for (unsigned c = 0; c < columns; ++c) {
        std::string cell;
        for (unsigned w = 0; w < (table.columns[c].wraps ? below(12) : 1); ++w) {
          const std::string word = "w" + std::string(below(9), 'x') + "_" + std::to_string(c);
          if (c > 0) words.insert(word);  // the first column may be there more than once
          cell += (cell.empty() ? "" : " ") + word;
        }
        row.push_back(cell);
      }
      table.rows.push_back(row);
    }
    for (const int width : {80, 100, 120, 200}) {
      std::istringstream text(text_table(table, false, 2, width));
      std::multiset<std::string> shown;
      for (std::string line; std::getline(text, line);) {
        INFO(width << ": " << line);
        REQUIRE(display_width(line) <= width);
        std::istringstream parts(line);
        for (std::string word; parts >> word;)
          if (word.front() == 'w' && !word.ends_with("_0")) shown.insert(word);
      }
      REQUIRE(shown == words);
    }
  }
}
