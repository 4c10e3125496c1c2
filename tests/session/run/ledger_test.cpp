#include "session/run/ledger.h"

#include "base/temporary_folder.h"
#include "catch.h"
#include "db/fixture.h"

using namespace kerlab;

TEST_CASE("ledger: what a failed commit would have written is forgotten, whoever owned it may go", "[session]") {
  const TemporaryFolder folder;
  Database database = Database::open(folder / "ledger.db");
  SessionRecord record;
  record.command = "test";
  db_test::begin(database);  // and the source that the trials name
  Ledger ledger(database, record);
  {
    auto bad = std::make_unique<Trial>(db_test::a_trial(0, 1));
    bad->device_kind = "no such kind";  // the schema refuses it
    ledger.result(*bad);
    CHECK_THROWS_AS(ledger.flush(), Error);
  }
  Trial good = db_test::a_trial(0, 2);
  ledger.result(good);
  ledger.flush();
  CHECK(good.id > 0);
  CHECK(database.trial(good.id)->status == TrialStatus::passed);
  CHECK_NOTHROW(ledger.close(SessionState::finished));
}
