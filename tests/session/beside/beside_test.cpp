// A command beside the kernels: what it is asked, what it may answer, and all the ways in which it fails.
#include "session/beside/beside.h"

#include <csignal>
#include <thread>

#include "base/file.h"
#include "base/interrupt.h"
#include "catch.h"
#include "session/bench/bench.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

std::vector<BesideRow> rows_of_line(const std::string& line, double fastest_us = 0) {
  return beside_rows(JsonNode::parse(line, "its answer"), fastest_us);
}

ProblemSetup asked_problem() {
  ProblemSetup setup;
  setup.problem.family = "gemm";
  setup.problem.dtype = DType::bf16;
  setup.problem.dimensions = {{"M", 64}, {"N", 32}};
  setup.problem.scalars = {{"alpha", 1.5}};
  setup.problem.flags = {{"layout", "nt"}};
  setup.plan.key = "gemm M=64 N=32 bf16 layout=nt alpha=1.5";
  setup.plan.flops = 4096;
  setup.plan.bytes = 1e10;
  setup.plan.minimum_us = 20;
  setup.plan.tensors = {{"A", DType::bf16, Role::input, {64, 32}}};
  return setup;
}

DeviceInfo pretended_gpu() {
  DeviceInfo device;
  device.set_kind(DeviceKind::cuda);
  device.id = "cuda:0";
  device.name = "a \"GPU\"";
  return device;
}

/// What a shell command says to the problem.
BesideAnswer answer_of(const std::string& script, double seconds = 20) {
  BesideCommand command(script, {"sh", "-c", script}, seconds);
  return command.ask(asked_problem(), pretended_gpu(), {}).value();
}

/// A script that answers every request with this.
std::string answers_always(const std::string& answer) {
  return "while read line; do echo '" + answer + "'; done";
}

BenchOptions beside_bench(const SessionFixture& fixture, const std::string& script) {
  BenchOptions options;
  options.rig = fixture.options().rig;
  options.rounds = 10;
  options.configuration = "A=2 B=3";
  options.beside = {std::make_shared<BesideCommand>("script", std::vector<std::string>{"sh", "-c", script}, 20)};
  return options;
}

}  // namespace

TEST_CASE("beside: a request has the problem, the device and how to time", "[session]") {
  BesideWish wish;
  wish.rounds = 7;
  wish.hot = true;
  const JsonNode request = JsonNode::parse(beside_request(asked_problem(), pretended_gpu(), wish), "request");
  CHECK(request.at("protocol").text() == "kerlab-beside-1");
  CHECK(request.at("family").text() == "gemm");
  CHECK(request.at("dtype").text() == "bf16");
  CHECK(request.at("dimensions").at("N").number() == 32);
  CHECK(request.at("scalars").at("alpha").number() == 1.5);
  CHECK(request.at("flags").at("layout").text() == "nt");
  const JsonNode tensor = request.at("tensors").elements().at(0);
  CHECK(tensor.at("role").text() == "input");
  CHECK(tensor.at("hot").whole() == 0);
  CHECK(tensor.at("shape").elements().at(1).number() == 32);
  CHECK(request.at("bytes").number() == 1e10);
  CHECK(request.at("flops").number() == 4096);
  CHECK(request.at("device").at("name").text() == "a \"GPU\"");
  CHECK(request.at("cache").text() == "hot");
  CHECK(request.at("rounds").number() == 7);
  CHECK(request.at("seconds").number() == 120);
}

TEST_CASE("beside: rows of samples and of a median alone", "[session]") {
  const auto rows = rows_of_line(
      R"({"rows": [{"name": "torch", "microseconds": [3, 1, 2], "note": "v2"}, {"name": "mine", "microseconds": 7.5}]})",
      3);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].summary.median == 2);
  CHECK(rows[0].summary.count == 3);
  CHECK(rows[0].note == "v2");
  CHECK(rows[0].impossible);  // 2 us where no run can take less than 3
  CHECK(rows[1].summary.median == 7.5);
  CHECK(rows[1].summary.count == 0);
  CHECK_FALSE(rows[1].impossible);
}

TEST_CASE("beside: what is no answer is said with its place", "[session]") {
  const auto refused = [](const std::string& line, const std::string& why) {
    INFO(line);
    CHECK_THROWS_WITH(rows_of_line(line), Catch::Contains(why));
  };
  refused("[]", "is no object");
  refused("{}", "has no \"rows\"");
  refused(R"({"rows": []})", "has no row");
  refused(R"({"rows": 3})", "at /rows: is no list");
  refused(R"({"error": "no such family"})", "it says: no such family");
  refused(R"({"rows": [{"name": "a"}]})", "at /rows/0: has no \"microseconds\"");
  refused(R"({"rows": [{"name": "", "microseconds": 1}]})", "at /rows/0/name: is empty");
  refused(R"({"rows": [{"name": "a\u001b[31m", "microseconds": 1}]})", "control characters");
  refused(R"({"rows": [{"name": "a", "microseconds": -1}]})", "at /rows/0/microseconds: -1 is no time");
  refused(R"({"rows": [{"name": "a", "microseconds": [1, 0]}]})", "at /rows/0/microseconds/1: 0 is no time");
  refused(R"({"rows": [{"name": "a", "microseconds": []}]})", "has no sample");
  refused(R"({"rows": [{"name": "a", "microseconds": "fast"}]})", "is no number of microseconds");
  refused(R"({"rows": [{"name": "a", "microseconds": 1}, {"name": "a", "microseconds": 2}]})", "two rows a");
  // As deep as a line may be: a mistake, not a full stack.
  const std::string deep(300000, '[');
  refused(R"({"rows": [{"name": "a", "microseconds": )" + deep + std::string(deep.size(), ']') + "}]}",
          "is no number of microseconds");
}

TEST_CASE("beside: a command is asked again and again", "[session]") {
  const std::string counts =
      "n=0; while read line; do n=$((n+1)); echo '{\"rows\": [{\"name\": \"n\", \"microseconds\": '$n'}]}'; done";
  BesideCommand command("counts", {"sh", "-c", counts}, 20);
  for (const double expected : {1, 2, 3}) {
    const auto answer = command.ask(asked_problem(), pretended_gpu(), {});
    REQUIRE(answer);
    INFO(answer->error);
    REQUIRE(answer->rows.size() == 1);
    CHECK(answer->rows[0].summary.median == expected);
  }
  // An error of its own ends nothing.
  BesideCommand refuses("refuses", {"sh", "-c", answers_always(R"({"error": "not this"})")}, 20);
  for (int i = 0; i < 2; ++i)
    CHECK(refuses.ask(asked_problem(), pretended_gpu(), {}).value().error == "it says: not this");
}

TEST_CASE("beside: what ends a command is told once, with its last words", "[session]") {
  const BesideAnswer ended = answer_of("read line; echo 'no torch here' >&2; exit 3");
  CHECK(ended.error == "it ended (exit code 3) before it answered");
  CHECK(ended.last_words == "no torch here\n");
  CHECK_THAT(answer_of("kill -9 $$").error, Catch::Contains("killed by signal 9 (SIGKILL)"));
  CHECK_THAT(answer_of(answers_always("Downloading weights ...")).error,
             Catch::Contains("its answer:1: no JSON") && Catch::Contains("standard output is for answers alone"));
  CHECK_THAT(answer_of("read line; exec sleep 60", 0.2).error,
             Catch::Contains("no answer within 200 ms") && Catch::Contains("--beside-timeout"));
  CHECK_THAT(answer_of("read line; exec 1>&-; exec sleep 60").error, Catch::Contains("closed its output"));
  CHECK_THAT(answer_of("read line; yes | tr -d '\\n'").error, Catch::Contains("more than 1048576 bytes"));
  BesideCommand absent("absent", {"kerlab-no-such-program"}, 20);
  CHECK_THAT(absent.ask(asked_problem(), pretended_gpu(), {}).value().error,
             Catch::Contains("'kerlab-no-such-program': not found in PATH"));
  CHECK_FALSE(absent.ask(asked_problem(), pretended_gpu(), {}));  // told once

  BesideCommand talks(
      "talks", {"sh", "-c", answers_always("{\"rows\": [{\"name\": \"a\", \"microseconds\": 1}]}'; echo 'more")}, 20);
  CHECK(talks.ask(asked_problem(), pretended_gpu(), {}).value().error.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK_THAT(talks.ask(asked_problem(), pretended_gpu(), {}).value().error,
             Catch::Contains("5 bytes that nobody asked for"));
}

TEST_CASE("beside: an interrupt ends the wait, and the command with it", "[session]") {
  const SessionFixture fixture;
  const std::filesystem::path file = fixture.folder() / "pid";
  BesideCommand command("hangs", {"sh", "-c", "echo $$ > " + file.string() + "; read line; exec sleep 60"}, 50);
  const InterruptFlag flag;
  const InterruptedWaitsEnd waits;
  std::thread presses([&file] {
    while (!std::filesystem::exists(file) || read_text(file).empty())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::raise(SIGINT);
  });
  const auto begin = Clock::now();
  CHECK_THROWS_WITH(command.ask(asked_problem(), pretended_gpu(), {}), "interrupted");
  presses.join();
  CHECK(Clock::now() - begin < std::chrono::seconds(20));
  CHECK(::kill(std::stoi(read_text(file)), 0) != 0);
}

TEST_CASE("beside: bench asks for each problem after its kernels, and stores nothing of it", "[session]") {
  SessionFixture fixture;
  BenchOptions options =
      beside_bench(fixture, answers_always(R"({"rows": [{"name": "torch", "microseconds": [1, 2, 3]}]})"));
  options.arguments = {{"N", "1024,2048"}};
  BenchSession session(options, fixture.database());
  while (session.step()) {
  }
  REQUIRE(session.rows().size() == 2);
  REQUIRE(session.beside().size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const BesideAnswer& answer = session.beside()[i];
    INFO(answer.error);
    CHECK(answer.problem == session.rows()[i].problem.key());
    REQUIRE(answer.rows.size() == 1);
    REQUIRE(answer.ours_us);
    CHECK(*answer.ours_us == session.rows()[i].measurement->median_us);
  }
  CHECK(fixture.database().library_times(session.rows()[0].measurement->id).empty());
  CHECK(fixture.database().stats().trials == 2);
}

TEST_CASE("beside: a tune with a command that fails has its winner", "[session]") {
  SessionFixture fixture(fast("A=2 B=3"));
  TuneOptions options = fixture.options();
  options.beside = {
      std::make_shared<BesideCommand>("fails", std::vector<std::string>{"false"}, 20),
      std::make_shared<BesideCommand>(
          "works",
          std::vector<std::string>{"sh", "-c", answers_always(R"({"rows": [{"name": "a", "microseconds": 8}]})")}, 20)};
  const TuneResult result = fixture.tune(options);
  REQUIRE_FALSE(result.rows.empty());
  CHECK(result.rows.front().trial.configuration == "A=2 B=3");
  REQUIRE(result.beside.size() == 2);
  CHECK_THAT(result.beside[0].error, Catch::Contains("exit code 1"));
  REQUIRE(result.beside[1].rows.size() == 1);
  CHECK(result.beside[1].ours_us == result.rows.front().measurement.median_us);
  const auto winner = fixture.database().winner(result.problem.key, result.device.device_class());
  REQUIRE(winner);
  CHECK(winner->trial == result.rows.front().trial.id);
}
