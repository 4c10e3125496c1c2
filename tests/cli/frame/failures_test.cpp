// Failures as a user meets them: in the tune's screen, in `kerlab db failures`, in `kerlab show`; and the commands that
// these print, typed.

#include <fmt/format.h>

#include <sstream>

#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"

using namespace kerlab;
using Catch::Contains;

namespace {

constexpr std::string_view kSaltyVariant = R"toy(doc = "one element per thread"
dtypes = ["fp32"]
[[parameter]]
name = "THREADS"
values = [64, 128, 256, 512]
[[parameter]]
name = "SALT"
values = [1, 2, 3, 4, 5, 6]
[[launch]]
kernel = "twice"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "y", "N"]
)toy";

constexpr std::string_view kSaltyKernel = R"toy(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = 2 * x[i];
  if (N < 0) y[0] = SALT;  // never; makes every configuration a program of its own
}
)toy";

/// Every configuration with SALT of 5 or 6 traps, one of the others is wrong.
constexpr std::string_view kSaltyScript = R"toy([default]
us = 100.0
spread = 0.5
[[rule]]
match = "* SALT=[56]"
outcome = "trap"
[[rule]]
match = "* THREADS=64 SALT=1"
outcome = "wrong"
)toy";

struct SaltySandbox : Sandbox {
  SaltySandbox() {
    write("twice/flat.toml", kSaltyVariant);
    write("twice/flat.cu", kSaltyKernel);
    write("device.toml", kSaltyScript);
  }
  /// Types what stands behind "reproduce: ", up to the end of the line or three spaces.
  [[nodiscard]] ProcessResult reproduce(const std::string& text) const {
    const std::size_t begin = text.find("reproduce: kerlab ");
    REQUIRE(begin != std::string::npos);
    const std::string line = text.substr(begin + 18, text.find_first_of('\n', begin) - begin - 18);
    std::istringstream stream(line.substr(0, line.find("   ")));
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return run(words);
  }
};

std::string constraint_of(const JsonValue& failure) {
  const JsonValue* constraints = failure.find("constraints");
  REQUIRE(constraints != nullptr);
  return constraints->elements().empty() ? "" : constraints->elements().front().find("condition")->text();
}

}  // namespace

TEST_CASE("failures: the screen, the list and the story of a trial name the constraint", "[cli]") {
  const SaltySandbox sandbox;
  const ProcessResult tuned = sandbox.run_scripted({"tune", sandbox.family()});
  INFO(tuned.out << tuned.err);
  REQUIRE(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, Contains("8 trap: flat: on the small problem: kernel 'twice': the script says trap") &&
                            Contains("excluded by SALT < 5: 8 of 8, no healthy one of 15"));

  SECTION("db failures, and the command that it prints shows the fault") {
    const ProcessResult listed = sandbox.run({"db", "failures", "twice"});
    INFO(listed.out << listed.err);
    CHECK_THAT(listed.out, Contains("8 trap: flat") && Contains("condition = \"SALT < 5\"") && Contains("wrong: flat"));
    const ProcessResult again = sandbox.reproduce(listed.out);
    INFO(again.out << again.err);
    CHECK(again.exit_code == 1);
    CHECK_THAT(again.out, Contains("trap"));
    CHECK(sandbox.run({"db", "failures", "--status", "passed"}).exit_code == 64);
    CHECK_THAT(sandbox.run({"db", "failures", "--status", "wrong"}).out, !Contains("trap"));
    CHECK_THAT(sandbox.run({"db", "failures", "other"}).out, Contains("no failed trial"));
  }

  SECTION("as JSON, with each trial once") {
    const auto document = parse_json(sandbox.run({"db", "failures", "--json"}).out);
    REQUIRE(document);
    const JsonValue* failures = document->find("failures");
    REQUIRE(failures != nullptr);
    REQUIRE(failures->elements().size() == 2);
    CHECK(failures->elements()[0].find("trials")->elements().size() == 8);
    CHECK(constraint_of(failures->elements()[0]) == "SALT < 5");
    CHECK(constraint_of(failures->elements()[1]).empty());
    const auto again = parse_json(sandbox.run_scripted({"tune", sandbox.family(), "--json"}).out);
    REQUIRE(again);
    CHECK(constraint_of(again->find("failures")->elements()[0]) == "SALT < 5");
  }

  SECTION("show says how many others there are") {
    const auto document = parse_json(sandbox.run({"db", "failures", "--json"}).out);
    REQUIRE(document);
    const std::string id = document->find("failures")->elements()[0].find("trials")->elements()[0].text();
    const ProcessResult shown = sandbox.run({"show", id});
    CHECK_THAT(shown.out, Contains("7 others failed so") && Contains("condition = \"SALT < 5\""));
    CHECK(sandbox.reproduce(shown.out).exit_code == 1);
    const auto story = parse_json(sandbox.run({"show", id, "--json"}).out);
    REQUIRE(story);
    CHECK(constraint_of(*story->find("failure")) == "SALT < 5");
  }

  SECTION("with the constraint pasted nothing traps") {
    const std::string listed = sandbox.run({"db", "failures", "--status", "trap"}).out;
    const std::size_t begin = listed.find("[[constraint]]");
    REQUIRE(begin != std::string::npos);
    const std::string pasted = listed.substr(begin, listed.find("trials", begin) - begin);
    std::string variant(kSaltyVariant);
    variant.insert(variant.find("[[launch]]"), pasted);
    sandbox.write("twice/flat.toml", variant);
    const ProcessResult after = sandbox.run_scripted({"tune", sandbox.family(), "--fresh"});
    INFO(after.out << after.err);
    CHECK_THAT(after.out, Contains("24 configurations -> 16 valid") && !Contains("trap"));
  }
}

TEST_CASE("failures: a library that takes the worker with it is left out; nobody else is blamed", "[cli]") {
  const SaltySandbox sandbox;
  sandbox.write("device.toml", "[device]\nlibrary = true\n" + std::string(kSaltyScript));
  const ProcessResult tuned =
      sandbox.run_scripted({"tune", "gemm", "--M", "256", "--dtype", "fp32", "--variant", "naive", "--trials", "3"},
                           {"KERLAB_LIBRARY_FAULT=kill"});
  INFO(tuned.out << tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK_THAT(tuned.out,
             Contains("-> 1 tried\n") && Contains("library: left out: the library: the worker process ended"));
}

TEST_CASE("failures: a session that cannot go on says what is kept", "[cli]") {
  const SaltySandbox sandbox;
  sandbox.write("device.toml",
                "[default]\nus = 100.0\nspread = 0.5\n[[rule]]\nmatch = \"* SALT=4\"\noutcome = \"sigkill\"\n");
  sandbox.write("start.sh",
                "n=$(($(cat starts 2>/dev/null || echo 0) + 1)); echo $n > starts\n"
                "[ $n -gt 2 ] && { echo 'no device left' >&2; exit 7; }\nexec \"$@\"\n");
  const ProcessResult tuned =
      sandbox.run_scripted({"tune", sandbox.family(), "--worker-command",
                            fmt::format("/bin/sh -c 'cd {} && exec sh start.sh \"$@\"' sh {} worker",
                                        (sandbox / "").string(), kerlab_program().string())});
  INFO(tuned.out << tuned.err);
  CHECK(tuned.exit_code == 1);
  CHECK_THAT(tuned.err, Contains("no worker can be started any more") && Contains("no device left") &&
                            Contains("results are kept: the same command goes on from there; the best so far: "));
  CHECK(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
}

TEST_CASE("failures: a reference that breaks is nobody else's fault", "[cli]") {
  const Sandbox sandbox;
  std::string broken(kToyReference);
  broken.insert(broken.find("  value[place]"), "  *reinterpret_cast<volatile int*>(16) = 1;\n");
  sandbox.write("twice/reference.cu", broken);
  const Sandbox::Words tune{"tune", sandbox.family(), "--N", "4K", "--device", "emu:h200"};
  const ProcessResult failed = sandbox.run(tune);
  INFO(failed.out << failed.err);
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, Contains("nothing can be checked against reference.cu: the reference: kernel 'reference'"));
  sandbox.write("twice/reference.cu", kToyReference);
  const ProcessResult mended = sandbox.run(tune);  // nobody was blamed, so all are tried
  INFO(mended.out << mended.err);
  CHECK(mended.exit_code == 0);
  CHECK_THAT(mended.out, Contains("4 valid -> 4 tried") && !Contains("failed"));
}

TEST_CASE("failures: who modifies an input spoils nobody else's check", "[cli][emulated]") {
  const SaltySandbox sandbox;
  std::string kernel(kSaltyKernel);
  kernel.insert(kernel.find("  if (N < 0)"), "  if (SALT >= 5 && i < N) const_cast<DTYPE*>(x)[i] += 1;\n");
  sandbox.write("twice/flat.cu", kernel);
  const ProcessResult tuned = sandbox.run({"tune", sandbox.family(), "--N", "4K", "--device", "emu:h200"});
  INFO(tuned.out << tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK_THAT(tuned.out, Contains("24 tried; failed: 8 input_modified\n") && Contains("excluded by SALT < 5"));
}
