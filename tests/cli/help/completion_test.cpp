// What may be typed next, as it is asked for by shells and by the lab's prompt.
#include "cli/help/completion.h"

#include <algorithm>

#include "catch.h"
#include "cli/commands.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// The texts that the last of `words` may become.
std::vector<std::string> completed(std::vector<std::string> words) {
  const std::string word = words.back();
  words.pop_back();
  std::vector<std::string> texts;
  for (const Completion& completion : complete(command_table(), words, word)) texts.push_back(completion.text);
  return texts;
}

using Texts = std::vector<std::string>;

bool has(const Texts& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

}  // namespace

TEST_CASE("completion: commands, and what is below them; hidden ones are not told", "[cli]") {
  CHECK(completed({"tu"}) == Texts{"tune"});
  CHECK(has(completed({""}), "regress"));
  CHECK_FALSE(has(completed({"comp"}), "complete"));
  CHECK(completed({"db", "wi"}) == Texts{"winners"});
  CHECK(completed({"regress", "re"}) == Texts{"record"});
  CHECK(completed({"--device", "emu:h200", "--json", "chec"}) == Texts{"check"});
  CHECK(completed({"nonsense", "x"}).empty());
}

TEST_CASE("completion: options of the command and those of all, and what the family declares", "[cli]") {
  CHECK(completed({"tune", "--stra"}) == Texts{"--strategy"});
  CHECK(completed({"tune", "gemm", "--devi"}) == Texts{"--device"});
  CHECK(completed({"tune", "gemm", "--lay"}) == Texts{"--layout"});
  CHECK(completed({"tune", "--lay"}).empty());       // of no family
  CHECK(completed({"device", "--layout"}).empty());  // takes no problem
  CHECK(completed({"db", "trials", "--st"}) == Texts{"--status"});
}

TEST_CASE("completion: values of options", "[cli]") {
  CHECK(completed({"tune", "gemm", "--strategy", "ex"}) == Texts{"exhaustive"});
  CHECK(completed({"tune", "gemm", "--strategy=lo"}) == Texts{"--strategy=local"});
  CHECK(completed({"tune", "gemm", "--layout", "t"}) == Texts{"tn", "tt"});
  CHECK(completed({"tune", "gemm", "--layout=n"}) == Texts{"--layout=nn", "--layout=nt"});
  CHECK(completed({"tune", "gemm", "--M", "4096", "--dtype", "fp1"}) == Texts{"fp16"});
  CHECK(completed({"bench", "gemm", "--dtype", "fp16,b"}) == Texts{"fp16,bf16"});
  CHECK(completed({"bench", "gemm", "--dtype", "fp16,fp1"}).empty());
  CHECK(completed({"tune", "gemm", "--variant", "naive,reg2"}) == Texts{"naive,reg2d"});
  CHECK(completed({"tune", "gemm", "--variant", "al"}) == Texts{"all"});
  CHECK(completed({"--device", "emu:h2"}) == Texts{"emu:h200"});
  CHECK(completed({"tune", "--suite", "gemm-sm"}) == Texts{"gemm-sm80", "gemm-smoke"});
  CHECK(completed({"tune", "gemm", "--trials", "1"}).empty());
}

TEST_CASE("completion: kernels, their parameters and values", "[cli]") {
  CHECK(completed({"tune", "gemm_g"}) == Texts{"gemm_grouped"});
  CHECK(completed({"inspect", "gemm_g"}) == Texts{"gemm_grouped/"});
  CHECK(completed({"inspect", "gemm/reg2"}) == Texts{"gemm/reg2d"});
  CHECK(completed({"inspect", "gemm/reg2d", "BM=6"}) == Texts{"BM=64"});
  CHECK(completed({"inspect", "gemm/reg2d", "BM=64", "BM"}).empty());  // said already
  CHECK(completed({"inspect", "gemm/reg2d", "BM=64", "BN=12"}) == Texts{"BN=128"});
  CHECK(completed({"diff", "gemm/reg2d:BM=64,BN=6"}) == Texts{"gemm/reg2d:BM=64,BN=64"});
  CHECK(completed({"diff", "gemm/reg2d:BM=64", "gemm/na"}) == Texts{"gemm/naive"});
  const Completions parameters = complete_parameter({}, "gemm/reg2d", "");
  REQUIRE_FALSE(parameters.empty());
  CHECK(parameters.front().text == "BM=");
  CHECK_FALSE(parameters.front().whole);
  CHECK_THAT(parameters.front().doc, Catch::Contains("rows of D per block") && Catch::Contains("default 128"));
  CHECK(complete_value({}, "gemm/reg2d", "BM", "2").front().text == "256");
}

TEST_CASE("completion: families in folders, of --kernels and by path; what is broken has no words", "[cli]") {
  const Sandbox sandbox;
  const std::string folder = sandbox.family();
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  CHECK(has(completed({"--kernels", parent, "tune", "tw"}), "twice"));
  CHECK(completed({"tune", parent + "/tw"}) == Texts{folder});
  CHECK(completed({"inspect", parent + "/tw"}) == Texts{folder + "/"});
  CHECK(completed({"inspect", folder + "/f"}) == Texts{folder + "/flat"});
  CHECK(completed({"inspect", folder + "/flat", "THREADS=6"}) == Texts{"THREADS=64"});
  CHECK(completed({"inspect", folder, "THREADS=6"}) == Texts{"THREADS=64"});  // the only variant
  CHECK(completed({"tune", folder, "--dtype", "fp6"}) == Texts{"fp64"});
  sandbox.write("twice/flat.toml", "[[parameter");
  CHECK(completed({"inspect", folder + "/flat", "T"}).empty());
  CHECK(completed({"tune", folder, "--dtype", "fp6"}) == Texts{"fp64"});
  sandbox.write("twice/family.toml", "name = ");
  CHECK(completed({"tune", folder, "--"}).size() > 10);  // the command's own
  CHECK(completed({"tune", "/no/such/folder/"}).empty());
}

TEST_CASE("completion: the hidden command answers without a word of trouble and makes nothing", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult families = sandbox.run({"complete", "--", "tune", "redu"});
  CHECK_THAT(families.out, Catch::StartsWith("reduce\ts = sum(x), max(x) or min(x)\n"));
  for (const Sandbox::Words& words : {Sandbox::Words{"complete"},
                                      {"complete", "--"},
                                      {"complete", "--", ""},
                                      {"complete", "--", "--db"},
                                      {"complete", "--", "tune", "/no/such/", "--M"},
                                      {"complete", "--", "--", "-"}}) {
    const ProcessResult result = sandbox.run(words);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
  }
  CHECK_FALSE(std::filesystem::exists(sandbox.database()));
}
