// Hot inputs beside cold ones: what is measured so is of another problem than what is all cold, wherever it is kept.

#include "catch.h"
#include "session/bench/bench.h"
#include "session/run/arguments.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

BenchRow one_bench(SessionFixture& fixture, const std::string& hot, const std::string& device, bool all_hot = false) {
  BenchOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = device;
  options.rounds = 8;
  options.hot = all_hot;
  options.configuration = "A=2 B=3";
  options.arguments = {{"N", "65536"}, {"inputs-hot", hot}};
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 1);
  REQUIRE(session.rows()[0].measurement);
  return session.rows()[0];
}

}  // namespace

TEST_CASE("temperature: a key says which inputs are hot, and is read so", "[session]") {
  const SessionFixture fixture;
  const Family family = open_catalogue({}).find("gemm").family;
  for (const std::string key : {"gemm M=1 N=64 K=64 bf16 layout=nn alpha=1 beta=0",
                                "gemm M=1 N=64 K=64 bf16 layout=nn alpha=1 beta=0 inputs-hot=A",
                                "gemm M=1 N=64 K=64 bf16 layout=nn alpha=1 beta=0 inputs-hot=A,C"})
    CHECK(make_problem(family, request_of_key(family, key)).key() == key);
  CHECK_THROWS_WITH(make_problem(family, make_request(family, {{"inputs-hot", "D"}}, "bf16")),
                    Catch::Contains("--inputs-hot D: gemm has the inputs A, B"));
}

TEST_CASE("temperature: a mixed measurement is told as such and compared with none that is cold", "[session]") {
  SessionFixture fixture;
  const BenchRow mixed = one_bench(fixture, "x", fixture.device()), cold = one_bench(fixture, "none", fixture.device());
  CHECK_THAT(mixed.measurement->protocol, Catch::Contains("-1, x hot"));
  CHECK(mixed.temperatures == "x hot");
  CHECK_THAT(cold.measurement->protocol, !Catch::Contains("hot"));
  CHECK(cold.temperatures.empty());
  CHECK(mixed.problem.key() == cold.problem.key() + " inputs-hot=x");
  CHECK(mixed.trial.key != cold.trial.key);
  const std::string device_class = mixed.trial.device_class;
  const auto stored = fixture.database().measurements(mixed.problem.key(), device_class);
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].protocol == mixed.measurement->protocol);  // as it comes back
  CHECK(fixture.database().measurements(cold.problem.key(), device_class).size() == 1);
  const BenchRow hot = one_bench(fixture, "x", fixture.device(), true);
  CHECK(hot.measurement->cache == CacheState::hot);  // what was typed for all of it wins
  CHECK(hot.temperatures.empty());
}

TEST_CASE("temperature: each has its own winner, which the next tune finds", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.arguments = {{"inputs-hot", "x"}};
  const TuneResult mixed = fixture.tune(options);
  REQUIRE_FALSE(mixed.rows.empty());
  CHECK_THAT(mixed.rows.front().measurement.protocol, Catch::Contains(", x hot"));
  CHECK_FALSE(fixture.tune(options).measured_now);
  const TuneResult cold = fixture.tune();
  CHECK(cold.measured_now);
  CHECK(cold.counts.stored == 0);
  CHECK_THAT(cold.rows.front().measurement.protocol, !Catch::Contains("hot"));
  const std::string device_class = cold.device.device_class();
  const auto of_mixed = fixture.database().winner(mixed.problem.key, device_class);
  const auto of_cold = fixture.database().winner(cold.problem.key, device_class);
  REQUIRE(of_mixed);
  REQUIRE(of_cold);
  CHECK(of_mixed->trial != of_cold->trial);
}

TEST_CASE("temperature: on an emulated device a hot input is no traffic, and its time is less", "[session]") {
  SessionFixture fixture;
  const auto bench = [&](const std::string& hot) {
    BenchOptions options;
    options.rig = fixture.options().rig;
    options.rig.device = "emu:h200";
    options.rig.target = "axpy";
    options.variants = {"streamed"};
    options.arguments = {{"N", "8388608"}, {"inputs-hot", hot}};
    BenchSession session(options, fixture.database());
    while (session.step()) {
    }
    REQUIRE(session.rows().at(0).measurement);
    return *session.rows()[0].measurement;
  };
  const Measurement cold = bench("none"), mixed = bench("X");
  INFO(cold.median_us << " us cold, " << mixed.median_us << " us with X hot");
  CHECK(mixed.median_us < 0.8 * cold.median_us);  // a third of its traffic is X, 32 MiB that fit into L2
}
