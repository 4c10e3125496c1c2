// What `kerlab tune --csv` writes.

#include "report/text/trials_table.h"
#include "catch.h"

using namespace kerlab;

namespace {

std::string cell(const Table& table, std::size_t row, const std::string& title) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].title == title) return table.rows[row][c];
  FAIL("no column " << title);
  return "";
}

}  // namespace

TEST_CASE("trials table: a column for each parameter of any variant", "[report]") {
  ListedTrial first, second;
  first.trial.id = 7;
  first.trial.variant = "reg2d";
  first.trial.configuration = "BM=128 BN=64";
  first.trial.status = TrialStatus::passed;
  first.measurement.emplace();
  first.measurement->median_us = 12.25;
  first.measurement->low_us = 12.125;
  first.measurement->samples_us = {12, 12.25, 13};
  first.measurement->stage = TimingStage::final;
  first.standing = "winner";
  second.trial.variant = "hopper";
  second.trial.configuration = "STAGES=4 BM=64";
  second.trial.status = TrialStatus::wrong;
  second.trial.message = "hopper: wrong, \"very\"";
  const Table table = trials_table({first, second});
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
  CHECK(cell(table, 0, "us") == "12.25");
  CHECK(cell(table, 0, "low_us") == "12.125");
  CHECK(cell(table, 0, "rounds") == "3");
  CHECK(cell(table, 0, "standing") == "winner");
  CHECK(cell(table, 0, "BN") == "64");
  CHECK(cell(table, 0, "STAGES").empty());
  CHECK(cell(table, 1, "BM") == "64");
  CHECK(cell(table, 1, "BN").empty());
  CHECK(cell(table, 1, "us").empty());
  CHECK(cell(table, 1, "status") == "wrong");
  CHECK_THAT(csv_table(table), Catch::Contains("\"hopper: wrong, \"\"very\"\"\""));
}
