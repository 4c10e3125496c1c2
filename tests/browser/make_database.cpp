// make_database FILE [trials [hostile text [problem...]]]: a database with made-up results, for the test of reports in
// a browser.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "session/report_fixture.h"

int main(int count, char** words) {
  if (count < 2) {
    std::fprintf(stderr, "usage: make_database FILE [trials [hostile text [problem...]]]\n");
    return 64;
  }
  try {
    kerlab::testing::MadeUp what;
    if (count > 2) what.trials = std::stoul(words[2]);
    if (count > 3) what.hostile = words[3];
    if (count > 4) what.problems.assign(words + 4, words + count);
    std::filesystem::remove(words[1]);
    kerlab::db::Database database = kerlab::db::Database::open(words[1]);
    kerlab::testing::make_up(database, what);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_database: %s\n", error.what());
    return 1;
  }
  return 0;
}
