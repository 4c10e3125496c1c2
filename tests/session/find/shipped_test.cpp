// Shipped winners: written from a database, read as strictly as any spec, tried first, and nothing more.

#include "session/find/shipped.h"

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "db/fixture.h"
#include "session/bench/bench.h"
#include "session/check/check.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr const char* kClass = "NVIDIA H200 sm_90 132 SM 143771 MiB 1980/3201 MHz 6144 bit";

/// A database in which a GPU decided `problem` in favour of configuration BM=`number`.
struct ShippedDecision {
  Database database = Database::in_memory();
  std::int64_t session = db_test::begin(database);

  void add(const std::string& problem, int number, double us, ClockKind clock = ClockKind::measured) {
    Trial trial = db_test::a_trial(session, number);
    trial.family = "gemm";
    trial.variant = "mma_pipe";
    trial.problem = problem;
    trial.device_class = kClass;
    trial.device_kind = clock == ClockKind::measured ? "cuda" : clock == ClockKind::modelled ? "emulated" : "script";
    seal(trial);
    database.put(trial);
    Measurement measurement = db_test::measurement(trial, us);
    measurement.clock = clock;
    database.put(measurement);
    Decision decision = db_test::decision(trial, measurement);
    decision.problem = problem;
    decision.family = "gemm";
    decision.device_class = kClass;
    database.put(decision);
  }
};

void write(const std::vector<ShippedFile>& files) {
  for (const ShippedFile& file : files) {
    std::filesystem::create_directories(file.path.parent_path());
    write_atomic(file.path, std::string_view(file.text));
  }
}

/// A file that ships `configuration` for the fixture's problem and device.
std::string shipped_text(const TuneResult& known, const std::string& configuration) {
  return fmt::format(
      "format = 1\nfamily = \"scale\"\ndevice_class = \"{}\"\n[[winner]]\nproblem = \"{}\"\nvariant = \"simple\"\n"
      "configuration = \"{}\"\nmedian_us = 70.5\nlow_us = 70.0\nhigh_us = 71.0\ndate = \"2026-11-21\"\n"
      "toolchain = \"NVRTC 13.0\"\ndriver = \"580\"\nsm_clock_mhz = 1980.0\nsource_hash = \"0\"\n",
      known.device.device_class(), known.problem.key, configuration);
}

void put_shipped(const std::filesystem::path& folder, const TuneResult& known, const std::string& text) {
  const auto file = folder / shipped_device(known.device) / "scale.toml";
  std::filesystem::create_directories(file.parent_path());
  write_atomic(file, std::string_view(text));
}

}  // namespace

TEST_CASE("shipped: winners that a GPU measured become text, sorted, and can be read again", "[session]") {
  ShippedDecision decided;
  decided.add("gemm M=8 N=8 K=8 bf16 layout=nn alpha=1 beta=0", 2, 12.5);
  decided.add("gemm M=4 N=8 K=8 bf16 layout=nn alpha=1 beta=0", 1, 291.25);
  decided.add("gemm M=5 N=8 K=8 bf16 layout=nn alpha=1 beta=0", 3, 1.0, ClockKind::modelled);
  decided.add("gemm M=6 N=8 K=8 bf16 layout=nn alpha=1 beta=0", 4, 1.0, ClockKind::scripted);
  const TemporaryFolder folder;
  const auto files = ship_winners(decided.database, folder.path());
  REQUIRE(files.size() == 1);
  CHECK(files[0].path == folder / "h200-132sm" / "gemm.toml");
  CHECK(files[0].winners == 2);
  CHECK_THAT(files[0].text, Catch::StartsWith("# Winners measured on H200 132 SM.\n"));
  CHECK(files[0].text.find("M=4 ") < files[0].text.find("M=8 "));
  write(files);
  const ShippedWinners read = read_shipped(folder.path());
  CHECK(read.warnings.empty());
  REQUIRE(read.winners.size() == 2);
  CHECK(read.winners[0].problem == "gemm M=4 N=8 K=8 bf16 layout=nn alpha=1 beta=0");
  CHECK(read.winners[0].configuration == "BM=1");
  CHECK(read.winners[0].median_us == 291.25);
  CHECK(read.winners[0].device_class == kClass);
  CHECK(shipped_device_title(read.winners[0].device_class) == "H200 132 SM");
  CHECK(read_shipped(folder.path(), "h200-132sm", "gemm").winners.size() == 2);
  CHECK(read_shipped(folder.path(), "h200-132sm", "reduce").winners.empty());
  CHECK(read_shipped(folder.path(), "a100-108sm").winners.empty());
  CHECK(read_shipped(folder / "nowhere").winners.empty());
}

TEST_CASE("shipped: what is shipped again replaces its problem and leaves the others", "[session]") {
  const TemporaryFolder folder;
  ShippedDecision before, now;
  before.add("gemm M=4", 1, 100);
  before.add("gemm M=8", 2, 100);
  write(ship_winners(before.database, folder.path()));
  now.add("gemm M=8", 3, 90);
  const auto files = ship_winners(now.database, folder.path());
  REQUIRE(files.size() == 1);
  CHECK(files[0].replaced == 1);
  CHECK(files[0].kept == 1);
  write(files);
  const auto winners = read_shipped(folder.path()).winners;
  REQUIRE(winners.size() == 2);
  CHECK(winners[0].median_us == 100);
  CHECK(winners[1].configuration == "BM=3");
  CHECK(ship_winners(now.database, folder.path())[0].text == files[0].text);  // again: nothing changes
}

TEST_CASE("shipped: an emulated device begins where the GPU it pretends to be does", "[session]") {
  DeviceInfo gpu, emulated;
  gpu.name = "NVIDIA H200";
  emulated.name = "Emulated H200";
  gpu.sms = emulated.sms = 132;
  CHECK(shipped_device(gpu) == "h200-132sm");
  CHECK(shipped_device(emulated) == shipped_device(gpu));
}

TEST_CASE("shipped: a tune tries it first, says so, and takes nothing over", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.shipped = fixture.folder() / "shipped";
  options.search = "random";
  options.trials = 1;
  const TuneResult known = fixture.tune(options);
  CHECK_FALSE(known.shipped);
  put_shipped(options.shipped, known, shipped_text(known, "A=2 B=3"));
  const TuneResult result = fixture.tune(options);
  REQUIRE(result.shipped);
  CHECK(result.shipped->median_us == 70.5);
  CHECK(result.shipped_note == "its kernel has changed since");
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  CHECK(result.rows.front().measurement.median_us == Approx(80).epsilon(0.01));  // its own time, not the shipped one
}

TEST_CASE("shipped: what is not in the space is not tried", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.shipped = fixture.folder() / "shipped";
  const TuneResult known = fixture.tune(options);
  put_shipped(options.shipped, known, shipped_text(known, "A=9 B=9"));
  const TuneResult result = fixture.tune(options);
  CHECK(result.shipped_note == "not in this space");
  CHECK(result.counts.stored == 12);
  CHECK_FALSE(result.measured_now);
}

TEST_CASE("shipped: a file that cannot be read is a warning with its place", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  options.shipped = fixture.folder() / "shipped";
  const TuneResult known = fixture.tune(options);
  for (const auto& [from, to, what] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"median_us = 70.5", "median_us = \"fast\"", "scale.toml:8:13: "},
           {"variant =", "varaint =", "unknown key 'varaint', did you mean 'variant'?"},
           {"format = 1", "format = 2", "2 is not known here, only 1"},
           {"[[winner]]", "[winner", "scale.toml:4:"}}) {
    INFO(from);
    std::string text = shipped_text(known, "A=2 B=3");
    text.replace(text.find(from), from.size(), to);
    put_shipped(options.shipped, known, text);
    const TuneResult result = fixture.tune(options);
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Catch::StartsWith("shipped results left out: ") && Catch::Contains(what));
    CHECK_FALSE(result.rows.empty());
  }
}

namespace {

/// A fixture with a shipped winner and nothing stored.
struct Shipped {
  SessionFixture fixture;
  std::filesystem::path folder = fixture.folder() / "shipped";

  explicit Shipped(const std::string& configuration, const std::string& variant = "simple") {
    SessionFixture other;
    std::string text = shipped_text(other.tune(), configuration);
    const std::string named = "variant = \"simple\"";
    text.replace(text.find(named), named.size(), "variant = \"" + variant + "\"");
    put_shipped(folder, other.tune(), text);
  }
  [[nodiscard]] BenchOptions bench_options() const {
    BenchOptions options;
    options.rig = fixture.options().rig;
    options.rounds = 5;
    options.shipped = folder;
    return options;
  }
  [[nodiscard]] CheckOptions check_options() const {
    CheckOptions options;
    options.rig = fixture.options().rig;
    options.only_asked = true;
    options.shipped = folder;
    return options;
  }
};

template <typename Session>
void finish(Session& session) {
  while (session.step()) {
  }
}

}  // namespace

TEST_CASE("shipped: bench takes it where nothing is stored, and says so", "[session]") {
  Shipped shipped("A=2 B=3");
  BenchOptions options = shipped.bench_options();
  for (const char* variant : {"", "simple", "all"}) {
    INFO(variant);
    options.variants.clear();
    if (*variant != '\0') options.variants = {variant};
    Database nothing = Database::in_memory();
    BenchSession session(options, nothing);
    finish(session);
    REQUIRE(session.rows().size() == 1);
    CHECK(session.rows()[0].trial.configuration == "A=2 B=3");
    CHECK(session.rows()[0].chosen == "shipped winner of 2026-11-21");
  }
  BenchOptions typed = shipped.bench_options();
  typed.configuration = "A=1,B=1";
  BenchSession first(typed, shipped.fixture.database());  // leaves a stored trial, no winner
  finish(first);
  options.variants.clear();
  BenchSession winner(options, shipped.fixture.database());
  finish(winner);
  CHECK(winner.rows().at(0).chosen == "shipped winner of 2026-11-21");
}

TEST_CASE("shipped: what is stored goes before it", "[session]") {
  Shipped shipped("A=2 B=3");
  TuneOptions tune = shipped.fixture.options();
  tune.shipped = shipped.fixture.folder() / "nowhere";
  const std::string best = shipped.fixture.tune(tune).rows.front().trial.configuration;
  REQUIRE(best != "A=2 B=3");
  BenchOptions options = shipped.bench_options();
  BenchSession winner(options, shipped.fixture.database());
  finish(winner);
  CHECK(winner.rows().at(0).chosen == "winner");
  options.variants = {"simple"};
  BenchSession named(options, shipped.fixture.database());
  finish(named);
  CHECK(named.rows().at(0).chosen == "best stored");
  for (const std::vector<std::string>& variants : {std::vector<std::string>{}, {"simple"}}) {
    CheckOptions check = shipped.check_options();
    check.variants = variants;
    CheckSession session(check, shipped.fixture.database());
    finish(session);
    REQUIRE(session.rows().size() == 1);
    CHECK(session.rows()[0].trial.configuration == best);
  }
}

TEST_CASE("shipped: check takes it where nothing is stored, and says so", "[session]") {
  Shipped shipped("A=2 B=3");
  for (const std::vector<std::string>& variants : {std::vector<std::string>{}, {"simple"}, {"all"}}) {
    CheckOptions options = shipped.check_options();
    options.variants = variants;
    CheckSession session(options, shipped.fixture.database());
    finish(session);
    REQUIRE(session.rows().size() == 1);
    CHECK(session.rows()[0].trial.configuration == "A=2 B=3");
    REQUIRE(session.notes().size() == 1);
    CHECK_THAT(session.notes()[0], Catch::EndsWith("simple, shipped winner of 2026-11-21"));
  }
}

TEST_CASE("shipped: one that is not valid any more is a note, and the default is taken", "[session]") {
  for (const auto& [configuration, variant, why] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"A=2 B=3 GONE=1", "simple", "GONE"}, {"A=9 B=9", "simple", "A=9"}, {"A=2 B=3", "former", "former"}}) {
    INFO(configuration << " of " << variant);
    Shipped shipped(configuration, variant);
    CheckSession check(shipped.check_options(), shipped.fixture.database());
    finish(check);
    REQUIRE(check.rows().size() == 1);
    CHECK(check.rows()[0].trial.configuration == "A=1 B=1");
    REQUIRE(check.notes().size() == 1);
    CHECK_THAT(check.notes()[0],
               Catch::Contains("the shipped winner of 2026-11-21 is left out: ") && Catch::Contains(why));
    BenchSession bench(shipped.bench_options(), shipped.fixture.database());
    CHECK_THROWS_WITH(finish(bench), Catch::Contains("no winner is stored or shipped"));
    CHECK(bench.notes().size() == 1);
  }
}

TEST_CASE("shipped: every file of this tree is read", "[session]") {
  const ShippedWinners all = read_shipped(shipped_folder());
  CHECK(all.winners.size() > 100);
  for (const std::string& warning : all.warnings) UNSCOPED_INFO(warning);
  CHECK(all.warnings.empty());
}
