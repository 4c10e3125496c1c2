// kerlab check on wrong kernels, executed without a GPU: what it finds, and what it says.
#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"
#include "report/form/json.h"

using namespace kerlab;

namespace {

/// y = 2 x with the rule of a long sum, so that the last bits are free.
std::string loose_family() {
  std::string text(kToyFamily);
  const std::string rule = R"({ rule = "exact" })";
  return text.replace(text.find(rule), rule.size(), R"({ rule = "dot", length = 1000 })") +
         "[[recipe]]\nname = \"normal\"\n[[recipe]]\nname = \"uniform\"\n";
}

std::string loose_reference() {
  std::string text(kToyReference);
  const std::string scale = "scale[place] = 0;";
  return text.replace(text.find(scale), scale.size(), "scale[place] = fabs(value[place]);");
}

struct Checked {
  int code;
  std::string text, json;
  JsonValue document;
  /// A key of the first recipe of the first row that failed.
  [[nodiscard]] std::string failed(const char* key) const {
    for (const JsonValue& row : document.find("rows")->elements())
      for (const JsonValue& recipe : row.find("trial")->find("check_detail")->elements())
        if (recipe.find("passed")->text() == "false")
          return recipe.find(key) != nullptr ? recipe.find(key)->text() : "no " + std::string(key);
    return "nothing failed";
  }
};

Checked check(const Sandbox& sandbox, Sandbox::Words more = {"--N", "4096", "--only"}) {
  Sandbox::Words words{"check", sandbox.family(), "--device", "emu:h200", "--jobs", "1"};
  words.insert(words.end(), more.begin(), more.end());
  Checked checked;
  const auto text = sandbox.run(words);
  checked.text = text.out + text.err;
  words.emplace_back("--json");
  const auto json = sandbox.run(words);
  checked.code = json.exit_code;
  CHECK(text.exit_code == json.exit_code);
  checked.json = json.out;
  checked.document = parse_json(json.out).value_or(JsonValue());
  return checked;
}

void write_kernel(const Sandbox& sandbox, const std::string& before, const std::string& body) {
  sandbox.write("twice/flat.cu", fmt::format(R"(#include "common/types.cuh"
{}
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N) {{
  const int i = blockIdx.x * THREADS + threadIdx.x;
{}
}}
)",
                                             before, body));
}

}  // namespace

TEST_CASE("cli: check --row-padding shows a kernel that takes the width for the pitch, and how to see it again",
          "[cli][nvrtc]") {
  const Sandbox sandbox;
  std::string family(kToyFamily), variant(kToyVariant);
  const std::string shape = R"(shape = ["N"])";
  for (std::size_t at = family.find(shape); at != std::string::npos; at = family.find(shape))
    family.replace(at, shape.size(), R"(shape = ["N / 64", 64])");
  variant.replace(variant.find(R"("N"])"), 4, R"("N", "pitch.x", "pitch.y"])");
  sandbox.write("twice/family.toml", family);
  sandbox.write("twice/flat.toml", "pitch = [\"x\", \"y\"]\n" + variant);
  sandbox.write("twice/flat.cu", R"(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N, int pitch_x, int pitch_y) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N / 64 * 64) y[i / 64 * pitch_y + i % 64] = 2 * x[i];
}
)");
  CHECK(check(sandbox).code == 0);
  const std::string junit = (sandbox / "junit.xml").string();
  const Checked padded = check(sandbox, {"--N", "4096", "--row-padding", "32", "--only", "--junit", junit});
  CHECK(padded.code == 3);
  CHECK_THAT(padded.text, Catch::Contains("have gaps of 32 bytes behind them here"));
  CHECK_THAT(padded.text, Catch::Contains("--config THREADS=64 --N 4096 --dtype fp32 --row-padding 32 --only"));
  CHECK_THAT(padded.json, Catch::Contains(R"("problem": "twice N=4096 fp32 row-padding=32")"));
  CHECK_THAT(read_text(junit), Catch::Contains("row-padding=32"));
  // Asked for nothing, it is among the shapes that break kernels.
  CHECK_THAT(check(sandbox, {"--N", "4096"}).text, Catch::Contains("--row-padding 48 --only"));
  for (const char* wrong : {"8", "-16", "many", "1M"})
    CHECK(check(sandbox, {"--N", "4096", "--row-padding", wrong}).code == 64);
}

TEST_CASE("cli: check says what a wrong kernel left out, where, and how to see it again", "[cli][nvrtc]") {
  const Sandbox sandbox;
  write_kernel(sandbox, "", "  if (i < N - 1) y[i] = 2 * x[i];");
  const std::string junit = (sandbox / "junit.xml").string();
  const Checked checked = check(sandbox, {"--N", "4096", "--only", "--junit", junit});
  CHECK(checked.code == 3);
  CHECK(checked.failed("cause") == "unwritten");
  CHECK(checked.failed("pattern") == "one element");
  CHECK_THAT(checked.text, Catch::Contains("what:  nobody wrote it: it holds what was there before the run"));
  CHECK_THAT(checked.text, Catch::Contains("[4095]"));
  const std::string command =
      "kerlab check " + sandbox.family() + " --variant flat --config THREADS=64 --N 4096 --dtype fp32 --only";
  CHECK_THAT(checked.text, Catch::Contains("reproduce: " + command) && Catch::Contains("--device emu:h200"));
  CHECK_THAT(checked.json, Catch::Contains(command));
  CHECK_THAT(checked.text, Catch::Contains("0 of 1 checks passed\n"));
  const std::string xml = read_text(junit);
  CHECK_THAT(xml, Catch::Contains("classname=\"kerlab.check.twice.flat\"") && Catch::Contains("type=\"unwritten\"") &&
                      Catch::Contains("reproduce: kerlab check"));
}

TEST_CASE("cli: check --fail-fast stops at the first failure and says so", "[cli][nvrtc]") {
  const Sandbox sandbox;
  write_kernel(sandbox, "", "  if (i < N) y[i] = i == 30 ? 0 : 2 * x[i];");
  const Checked all = check(sandbox, {"--N", "4096"}), one = check(sandbox, {"--N", "4096", "--fail-fast"});
  CHECK(one.code == 3);
  CHECK(all.document.find("rows")->elements().size() > 3);
  CHECK(one.document.find("rows")->elements().size() == 1);
  CHECK(one.document.find("left")->text() != "0");
  CHECK_THAT(one.text, Catch::Contains("stopped at the first failure (--fail-fast): 1 of "));
  write_kernel(sandbox, "", "  if (i < N) y[i] = 2 * x[i];");
  const Checked right = check(sandbox, {"--N", "4096", "--fail-fast"});
  CHECK(right.code == 0);
  CHECK(right.document.find("rows")->elements().size() == all.document.find("rows")->elements().size());
  CHECK(right.document.find("left")->text() == "0");
}

TEST_CASE("cli: check draws where errors are and counts what does not fit a screen", "[cli][nvrtc]") {
  const Sandbox sandbox;
  write_kernel(sandbox, "", "  if (i < N) y[i] = i % 128 < 64 ? 2 * x[i] : 2 * x[i - 64];");
  const Checked checked = check(sandbox, {"--N", "4096"});
  CHECK(checked.code == 3);
  CHECK_THAT(checked.text, Catch::Contains("where: elements 64..127 of every 128 only: "));
  CHECK_THAT(checked.text, Catch::Contains("hold what belongs 64 columns to the left"));
  CHECK_THAT(checked.text, Catch::Contains("a character is"));
  CHECK(std::count(checked.text.begin(), checked.text.end(), '\n') < 60);
}

TEST_CASE("cli: a kernel that counts its runs is found by its bits and by its variable", "[cli][nvrtc]") {
  const Sandbox sandbox;
  sandbox.write("twice/family.toml", loose_family());
  sandbox.write("twice/reference.cu", loose_reference());
  write_kernel(sandbox, "__device__ int runs = 0;",
               "  if (i < N) y[i] = 2 * x[i] * (runs % 2 == 0 ? 1.0f : 1.0000002f);\n"
               "  if (i == N - 1) runs = runs + 1;");
  const Checked checked = check(sandbox);
  CHECK(checked.code == 3);
  CHECK(checked.failed("cause") == "rerun");
  CHECK(checked.failed("runs") == "10");
  CHECK_THAT(checked.text, Catch::Contains("the variable runs: every run must leave it as it was"));
  sandbox.write("twice/flat.toml", "nondeterministic = true\n" + std::string(kToyVariant));
  CHECK_THAT(check(sandbox).text, Catch::Contains("flat.toml:1:20") && Catch::Contains("say why"));
}

TEST_CASE("cli: blocks come in another order now and then; sums by atomics show it, and must say why", "[cli][nvrtc]") {
  const Sandbox sandbox;
  sandbox.write("twice/family.toml", loose_family());
  sandbox.write("twice/reference.cu", loose_reference());
  std::string variant(kToyVariant);
  variant.replace(variant.find(R"(["x", "y", "N"])"), 15, R"(["x", "sum", "N"])");
  variant += R"toml([[launch]]
kernel = "finish"
grid = ["ceil_div(N, THREADS)"]
block = ["THREADS"]
arguments = ["x", "y", "sum", "N"]
[[workspace]]
name = "sum"
bytes = "4"
init = "zero"
)toml";
  sandbox.write("twice/flat.toml", variant);
  sandbox.write("twice/flat.cu", R"cuda(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, float* sum, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) atomicAdd(sum, x[i] / 3);
}
extern "C" __global__ void finish(const DTYPE* x, DTYPE* y, const float* sum, int N) {
  const int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < N) y[i] = 2 * x[i] * (1.0f + (__float_as_int(*sum) % 5) * 2e-7f);
}
)cuda");
  const Checked checked = check(sandbox);
  CHECK(checked.code == 3);
  CHECK(checked.failed("cause") == "rerun");
  CHECK_THAT(checked.text, Catch::Contains("differ from the first bit by bit"));
  sandbox.write("twice/flat.toml", "nondeterministic = \"the order of its sums\"\n" + variant);
  CHECK(check(sandbox).code == 0);
}

TEST_CASE("cli: a kernel that keeps results for an address is found out", "[cli][nvrtc]") {
  const Sandbox sandbox;
  // Each element keeps its own address: one for all would be a race between blocks, found out earlier at times.
  write_kernel(sandbox, "__device__ float kept[4096];\n__device__ DTYPE* of[4096];",
               "  if (i >= N) return;\n"
               "  if (of[i] != y) kept[i] = 2 * x[i];\n"
               "  y[i] = kept[i];\n"
               "  of[i] = y;");
  const Checked checked = check(sandbox);
  CHECK(checked.code == 3);
  CHECK_THAT(checked.failed("recipe"), Catch::Contains("normal v1 seed 1000001"));
}

TEST_CASE("cli: what a workspace holds by chance must not matter, and zero_once is a promise", "[cli][nvrtc]") {
  const Sandbox sandbox;
  std::string variant(kToyVariant);
  const std::string arguments = R"(arguments = ["x", "y", "N"])";
  variant.replace(variant.find(arguments), arguments.size(), R"(arguments = ["x", "y", "N", "sums"])");
  const auto with = [&](const std::string& init) {
    sandbox.write("twice/flat.toml",
                  variant + "[[workspace]]\nname = \"sums\"\nbytes = \"4 * N\"\ninit = \"" + init + "\"\n");
    return check(sandbox);
  };
  const auto write = [&](const std::string& body) {
    sandbox.write("twice/flat.cu", fmt::format(R"(#include "common/types.cuh"
extern "C" __global__ void twice(const DTYPE* x, DTYPE* y, int N, float* sums) {{
  const int i = blockIdx.x * THREADS + threadIdx.x;
  {}
}}
)",
                                               body));
  };
  write("if (i < N) y[i] = 2 * x[i] + sums[i];");
  CHECK(with("zero").code == 0);
  CHECK(with("none").code == 3);  // zero at first, on an emulated device
  write("if (i < N) y[i] = 2 * x[i] + 0 * sums[i];\n  if (i == 5) sums[i] = 1;");
  CHECK(with("zero").code == 0);
  const Checked left = with("zero_once");
  CHECK(left.code == 3);
  CHECK_THAT(left.text, Catch::Contains("guard_violation") &&
                            Catch::Contains("workspace sums: every run must leave it zero (init = \"zero_once\")"));
}

TEST_CASE("cli: check takes recipes by name, and configurations that are valid", "[cli]") {
  const Sandbox sandbox;
  const auto one = sandbox.run_scripted({"check", sandbox.family(), "--only", "--recipe", "uniform", "--json"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.out, Catch::Contains("\"recipe\": \"uniform v1 seed 1\"") && !Catch::Contains("small_integer"));
  const auto none = sandbox.run_scripted({"check", sandbox.family(), "--recipe", "nonsense"});
  CHECK(none.exit_code == 64);
  CHECK_THAT(none.err, Catch::Contains("twice has no recipe 'nonsense'; it has normal, uniform, small_integer"));
  sandbox.write("twice/flat.toml",
                std::string(kToyVariant) + "[[constraint]]\nname = \"few\"\ncondition = \"THREADS < 512\"\n");
  const auto broken = sandbox.run_scripted({"check", sandbox.family(), "--variant", "flat", "--config", "THREADS=512"});
  CHECK(broken.exit_code == 64);
  CHECK_THAT(broken.err, Catch::Contains("THREADS=512 is not valid for twice") && Catch::Contains("few"));
  CHECK_THAT(broken.out, !Catch::Contains("0 of 0"));
  sandbox.write("twice/flat.toml",
                std::string(kToyVariant) + "[[constraint]]\nname = \"never\"\ncondition = \"THREADS < 2\"\n");
  const auto never = sandbox.run_scripted({"check", sandbox.family()});
  CHECK(never.exit_code == 64);
  CHECK_THAT(never.err, Catch::Contains("no configuration that was asked for is valid"));
}

TEST_CASE("cli: check without a family looks at every stored winner", "[cli]") {
  const Sandbox sandbox;
  const std::string kernels = sandbox.database().parent_path().string();
  const Sandbox::Words where{"--kernels", kernels};
  const auto run = [&](Sandbox::Words words) {
    words.insert(words.end(), where.begin(), where.end());
    return sandbox.run_scripted(words);
  };
  const auto before = run({"check"});
  CHECK(before.exit_code == 4);
  CHECK_THAT(before.err, Catch::Contains("no winner for this device is stored"));
  REQUIRE(run({"tune", "twice"}).exit_code == 0);
  REQUIRE(run({"tune", "twice", "--N", "2097152"}).exit_code == 0);
  const auto after = run({"check", "--json"});
  CHECK(after.exit_code == 0);
  const auto document = parse_json(after.out);
  REQUIRE(document);
  REQUIRE(document->find("rows")->elements().size() == 2);
  for (const JsonValue& row : document->find("rows")->elements()) {
    CHECK(row.find("adversarial")->text() == "false");
    CHECK(row.find("history")->elements().size() == 1);  // the trial that won
  }
  // A winner that has become wrong is found, and loses its place.
  sandbox.write("device.toml", "[default]\nus = 100.0\n[[rule]]\nmatch = \"*\"\noutcome = \"wrong\"\n");
  CHECK(run({"check"}).exit_code == 3);
  CHECK(run({"check"}).exit_code == 4);
  CHECK(run({"check", "--N", "5"}).exit_code == 64);
}
