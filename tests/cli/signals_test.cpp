// Signals in the middle of a sweep: those that ask end it in order (130, the best so far on the screen), those that
// kill lose nothing; after either the next run goes on from what is stored.
#include <fmt/format.h>

#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// Milliseconds that really pass, or only count.
std::string script(bool real) {
  return fmt::format(
      "[default]\nus = 20000.0\nspread = 0.5\nreal_sleep = {}\n[[rule]]\nmatch = \"* THREADS=128*\"\nus = 10000.0\n",
      real);
}

/// A sweep of some seconds that gets a signal once two results are stored, however slow the machine is; `then` is what
/// else the shell does before it waits.
class Interrupted {
 public:
  Interrupted() {
    sandbox.write("device.toml", script(false));
    REQUIRE(sandbox.run_scripted({"tune", sandbox.family(), "--db", (sandbox / "warm.db").string()}).exit_code == 0);
    sandbox.write("device.toml", script(true));
  }
  [[nodiscard]] ProcessResult tune(const std::string& signal, const std::string& then = "true",
                                   const std::string& before = "") const {
    const std::string two_results = R"(for i in $(seq 500); do
      [ $("$0" db trials 2>/dev/null | grep -c passed) -ge 2 ] && break
      sleep 0.02
    done)";
    const std::string script =
        fmt::format("{} \"$0\" \"$@\" & p=$!; {}; kill -{} $p; {}; wait $p", before, two_results, signal, then);
    return sandbox.run_below({"/bin/sh", "-c", script}, {"tune", sandbox.family(), "--device", sandbox.device()});
  }
  /// The rest, without waiting: nothing is lost, nobody is blamed.
  void check_rest() const {
    sandbox.write("device.toml", script(false));
    const ProcessResult rest = sandbox.run_scripted({"tune", sandbox.family()});
    CHECK(rest.exit_code == 0);
    CHECK_THAT(rest.out, Catch::Contains("4 configurations -> 4 valid -> 4 tried") &&
                             Catch::Contains("winner: flat THREADS=128\n") && !Catch::Contains("rejected"));
  }

  const Sandbox sandbox;
};

}  // namespace

TEST_CASE("cli: a signal that asks ends a sweep in order, and the next run goes on", "[cli]") {
  const std::string signal = GENERATE("INT", "TERM", "HUP");
  CAPTURE(signal);
  const Interrupted interrupted;
  const ProcessResult result = interrupted.tune(signal);
  INFO(result.out << result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err, Catch::Contains("interrupted\n") && Catch::Contains(" results are kept"));
  interrupted.check_rest();
}

TEST_CASE("cli: a signal that kills loses nothing, and the next run goes on", "[cli]") {
  const auto [signal, number] = GENERATE(table<const char*, int>({{"PIPE", 13}, {"SEGV", 11}, {"KILL", 9}}));
  CAPTURE(signal);
  const Interrupted interrupted;
  CHECK(interrupted.tune(signal).exit_code == 128 + number);
  interrupted.check_rest();
}

TEST_CASE("cli: a sweep that is stopped goes on where it was, and nobody has timed out meanwhile", "[cli]") {
  const Interrupted interrupted;
  const ProcessResult result = interrupted.tune("STOP", "sleep 1; kill -CONT $p");
  CHECK(result.exit_code == 0);
  interrupted.check_rest();
}

TEST_CASE("cli: below nohup a sweep outlives its terminal", "[cli]") {
  const Interrupted interrupted;
  CHECK(interrupted.tune("HUP", "true", "trap '' HUP;").exit_code == 0);
  interrupted.check_rest();
}

TEST_CASE("cli: Ctrl-C in a check says what was not checked, at once", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("device.toml", script(true));
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result =
      sandbox.run_below({"/bin/sh", "-c", "\"$0\" \"$@\" & p=$!; sleep 2.5; kill -INT $p; wait $p"},
                        {"check", sandbox.family(), "--variant", "flat", "--device", sandbox.device()});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  INFO(result.out << result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.out,
             Catch::Contains("interrupted: ") && Catch::Contains("no verdict") && !Catch::Contains("checks passed"));
  CHECK(took.count() < 10);
}

TEST_CASE("cli: Ctrl-C ends bench in the middle of a measurement", "[cli]") {
  const Sandbox sandbox;
  const std::string kernel = sandbox.family() + "/flat";
  const bool compares = GENERATE(false, true);
  sandbox.write("device.toml", "[default]\nus = 400000.0\nreal_sleep = true\n");  // 30 rounds of each
  const auto begin = std::chrono::steady_clock::now();
  Sandbox::Words typed = {"bench", kernel, "--device", sandbox.device()};
  if (compares) typed.insert(typed.begin() + 1, kernel + ":THREADS=128");
  const ProcessResult result =
      sandbox.run_below({"/bin/sh", "-c", "\"$0\" \"$@\" & p=$!; sleep 1.5; kill -INT $p; wait $p"}, typed);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  INFO(result.out << result.err);
  CHECK(result.exit_code == 130);
  CHECK(took.count() < 5);
}

TEST_CASE("cli: Ctrl-C ends regress while it waits, and what is known is kept", "[cli][regress]") {
  const Sandbox sandbox;
  const Sandbox::Words place = {"--baselines", (sandbox / "baselines").string(), "--device", sandbox.device()};
  const auto with_place = [&](Sandbox::Words words) {
    words.insert(words.end(), place.begin(), place.end());
    return words;
  };
  sandbox.write("device.toml", script(false));
  REQUIRE(sandbox.run(with_place({"regress", "record", sandbox.family(), "--variant", "flat"})).exit_code == 0);
  sandbox.write("device.toml", script(true));  // 40 launches of 20 ms in each of five processes
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = sandbox.run_below(
      {"/bin/sh", "-c", "\"$0\" \"$@\" & p=$!; sleep 2.5; kill -INT $p; sleep 0.1; kill -INT $p; wait $p"},
      with_place({"regress", "--rerun"}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  INFO(result.out << result.err);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.out, Catch::Contains("(interrupted)"));
  CHECK(took.count() < 8);
}
