// kerlab regress from the outside: exit codes, what CI reads, bad input.

#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"

using namespace kerlab;

namespace {

class RegressBox {
 public:
  Sandbox sandbox;

  [[nodiscard]] ProcessResult run(Sandbox::Words words, const Sandbox::Words& environment = {}) const {
    words.insert(words.begin(), "regress");
    words.insert(words.end(), {"--device", "emu:h200", "--baselines", parent()});
    return sandbox.run(words, environment);
  }
  [[nodiscard]] std::string parent() const { return (sandbox / "baselines").string(); }
  [[nodiscard]] ProcessResult record() const { return run({"record", sandbox.family(), "--N", "3000"}); }
  void kernel(const std::string& body) const {
    sandbox.write("twice/flat.cu",
                  fmt::format("#include \"common/types.cuh\"\n"
                              "extern \"C\" __global__ void twice(const DTYPE* x, DTYPE* y, int N) {{\n"
                              "  const int i = blockIdx.x * THREADS + threadIdx.x;\n  {}\n}}\n",
                              body));
  }
  void slow() const { kernel("if (i < N) { y[i] = 1; __threadfence(); y[i] = 2 * x[i]; }"); }
  void wrong() const { kernel("if (i < N) y[i] = 2 * x[i] + (i == 2999);"); }
};

}  // namespace

TEST_CASE("cli: regress records, passes, fails with 2 and 3, accepts, and remembers", "[cli][emulated][regress]") {
  const RegressBox box;
  const ProcessResult before = box.run({});
  CHECK(before.exit_code == 5);
  CHECK_THAT(before.err, Catch::Contains("no baseline 'main'") && Catch::Contains("kerlab regress record --device"));

  const ProcessResult recorded = box.record();
  INFO(recorded.out << recorded.err);
  REQUIRE(recorded.exit_code == 0);
  CHECK_THAT(recorded.out, Catch::Contains("1 of 1 written to"));
  const ProcessResult same = box.run({});
  CHECK(same.exit_code == 0);
  CHECK_THAT(same.out, Catch::Contains("1 kernel: 1 identical"));

  box.slow();
  const std::string summary = (box.sandbox / "summary.md").string(), junit = (box.sandbox / "junit.xml").string();
  const ProcessResult slow = box.run({"--github", "--junit", junit, "--markdown", (box.sandbox / "out.md").string()},
                                     {"GITHUB_STEP_SUMMARY=" + summary});
  INFO(slow.out << slow.err);
  CHECK(slow.exit_code == 2);
  CHECK_THAT(slow.out, Catch::Contains("global_store_bytes") && Catch::Contains("+100 %"));
  CHECK_THAT(slow.out, Catch::Contains("planned? kerlab regress accept emu-h200-132sm/twice/flat-3000-fp32"));
  CHECK_THAT(slow.out, Catch::Contains("::error file=") && Catch::Contains("flat.cu,line=4,title=regressed"));
  CHECK_THAT(read_text(summary), Catch::StartsWith("## kerlab regress: 1 kernel: 1 regressed"));
  CHECK(read_text(box.sandbox / "out.md") == read_text(summary));
  CHECK_THAT(read_text(junit), Catch::Contains("failures=\"1\""));
  CHECK(box.run({"--fail-on", "3"}).exit_code == 0);
  CHECK(box.run({"--fail-on", "none"}).exit_code == 0);

  box.wrong();
  const ProcessResult wrong = box.run({"--json"});
  CHECK(wrong.exit_code == 3);
  const auto document = parse_json(wrong.out);
  REQUIRE(document);
  CHECK(document->find("exit_code")->text() == "3");
  CHECK(document->find("rows")->elements().front().find("verdict")->text() == "wrong");
  CHECK(box.run({"accept", "flat"}).exit_code == 3);

  box.slow();
  const ProcessResult accepted = box.run({"accept", "twice/flat", "--why", "because"});
  INFO(accepted.out << accepted.err);
  CHECK(accepted.exit_code == 0);
  CHECK_THAT(accepted.out, Catch::Contains("accepted"));
  CHECK(box.run({}).exit_code == 0);
  const ProcessResult history = box.run({"history"});
  CHECK(history.exit_code == 0);
  for (const char* verdict : {"recorded", "identical", "regressed", "wrong", "accepted"})
    CHECK_THAT(history.out, Catch::Contains(verdict));
  const auto runs = parse_json(box.run({"history", "flat", "--limit", "2", "--json"}).out);
  REQUIRE(runs);
  CHECK(runs->find("runs")->elements().size() == 2);
  const ProcessResult list = box.run({"list"});
  CHECK_THAT(list.out, Catch::Contains("emu-h200-132sm/twice/flat-3000-fp32"));
}

TEST_CASE("cli: regress leaves no folder where nothing came to be recorded", "[cli][regress]") {
  const RegressBox box;
  const std::string parent = (box.sandbox / "some" / "baselines").string();
  for (const Sandbox::Words& words : {Sandbox::Words{"regress", "record"}, {"regress", "accept", "x"}, {"regress"}}) {
    Sandbox::Words all = words;
    all.insert(all.end(), {"--device", "emu:none", "--baselines", parent});
    CHECK(box.sandbox.run(all).exit_code != 0);
    CHECK_FALSE(std::filesystem::exists(box.sandbox / "some"));
  }
  std::filesystem::create_directories(box.sandbox / "some");  // one that was there stays
  CHECK(box.sandbox.run({"regress", "record", "--device", "emu:none", "--baselines", parent}).exit_code != 0);
  CHECK(std::filesystem::is_directory(box.sandbox / "some"));
  CHECK_FALSE(std::filesystem::exists(parent));
}

TEST_CASE("cli: regress says what was typed wrong", "[cli][regress]") {
  const RegressBox box;
  struct Refusal {
    Sandbox::Words words;
    int code;
    std::string part;
  };
  const std::vector<Refusal> refusals = {
      {{"rum"}, 64, "no such action"},
      {{"--name", "../up"}, 64, "a baseline's name has letters"},
      {{"--fail-on", "1"}, 64, "exit codes of 2"},
      {{"--fail-on", "2,,3"}, 64, "exit codes of 2"},
      {{"--against", "memory"}, 64, "only stored"},
      {{"--margin", "instrutions=2%"}, 64, "did you mean instructions?"},
      {{"--margin", "instructions=-2%"}, 64, "not negative"},
      {{"--margins", "/nowhere/m.toml"}, 1, "/nowhere/m.toml"},
      {{"--M", "7"}, 64, "takes no problem"},
      {{"run", "flat"}, 64, "--only flat"},
      {{"accept"}, 64, "say which baselines"},
      {{"record", "--dry-run"}, 64, "writes elsewhere"},
      {{"list"}, 5, "no baseline 'main'"},
      {{"record", "--suite", "nothing-like-it"}, 64, "no such file"},
      {{"record", "twice", "--suite", "regress"}, 64, "the suite says which"},
      {{"record", "--variant", "flat"}, 64, "name a family"},
      {{"record"}, 4, "no winner is stored"},
      {{"record", "nofamily"}, 64, "nofamily"},
  };
  for (const Refusal& refusal : refusals) {
    const ProcessResult result = box.run(refusal.words);
    INFO(fmt::format("{}", fmt::join(refusal.words, " ")) << "\n" << result.out << result.err);
    CHECK(result.exit_code == refusal.code);
    CHECK_THAT(result.err, Catch::Contains(refusal.part));
  }
  CHECK_FALSE(std::filesystem::exists(box.parent() + "/main/emu-h200-132sm"));
}

TEST_CASE("cli: regress never falls back to an emulated device by itself", "[cli][regress]") {
  const RegressBox box;
  REQUIRE(box.record().exit_code == 0);
  const ProcessResult result = box.sandbox.run({"regress", "--baselines", box.parent()});
  if (result.exit_code == 5) return;  // there is a GPU, and nothing recorded on it
  CHECK(result.exit_code != 0);
  CHECK_THAT(result.err, Catch::Contains("--device emu:h200"));
  // Baselines of another device are none.
  const ProcessResult other = box.sandbox.run({"regress", "--baselines", box.parent(), "--device", "emu:a100"});
  CHECK(other.exit_code == 5);
  CHECK_THAT(other.err, Catch::Contains("has nothing of Emulated A100") && Catch::Contains("1 of Emulated H200"));
}

TEST_CASE("cli: a second suite is recorded beside the first, or refused where its margins differ",
          "[cli][emulated][regress]") {
  const RegressBox box;
  const auto suite = [&](const std::string& name, int number, const std::string& margins) {
    box.sandbox.write(name + ".toml",
                      fmt::format("[[problem]]\nfamily = \"./twice\"\ndimensions = {{ N = {} }}\n{}", number, margins));
    return box.run({"record", "--suite", (box.sandbox / (name + ".toml")).string()});
  };
  const ProcessResult first = suite("first", 3000, "[margins]\ninstructions = \"2%\"\n");
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  const std::string settings = read_text(box.sandbox / "baselines/main/baseline.toml");
  CHECK_THAT(settings, Catch::Contains("suite = \"first\"") && Catch::Contains("instructions"));
  CHECK(suite("second", 4000, "[margins]\ninstructions = \"2%\"\n").exit_code == 0);
  CHECK(read_text(box.sandbox / "baselines/main/baseline.toml") == settings);
  const ProcessResult third = suite("third", 5000, "");
  CHECK(third.exit_code == 1);
  CHECK_THAT(third.err, Catch::Contains("which differ from those of 'third'") && Catch::Contains("--name third"));
  CHECK(read_text(box.sandbox / "baselines/main/baseline.toml") == settings);
}

TEST_CASE("cli: regress record into a folder that cannot be written says so and leaves nothing", "[cli][regress]") {
  const RegressBox box;
  box.sandbox.write("baselines", "a file where a folder should be");
  const ProcessResult result = box.record();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("baselines"));
  CHECK(read_text(box.sandbox / "baselines") == "a file where a folder should be");
}

TEST_CASE("cli: regress refuses options that its action would ignore", "[cli][regress]") {
  const RegressBox box;
  for (const auto& [words, said] :
       {std::pair<Sandbox::Words, std::string>{{"list", "--prune"}, "--prune: goes with kerlab regress record"},
        {{"--why", "because"}, "--why: goes with kerlab regress record, accept, not with run"},
        {{"history", "--junit", "x.xml"}, "--junit: goes with kerlab regress run"}}) {
    const ProcessResult result = box.run(words);
    CHECK(result.exit_code == 64);
    CHECK_THAT(result.err, Catch::Contains(said));
  }
}
