// SIGKILL at any instant of check and of regress record, accept and run: what was there stays whole, and the same
// command, given again, ends as if nothing had happened. (tune: tests/session/tune/kill_test.cpp, tests/drills/kill.)
#include <fmt/format.h>

#include <map>
#include <random>

#include "base/file.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) found[entry.path().lexically_relative(folder).string()] = read_text(entry.path());
  return found;
}

/// Kills the program after so many milliseconds, if it has not ended by then.
void run_killed(const Sandbox& sandbox, std::uint32_t milliseconds, const Sandbox::Words& arguments) {
  const ProcessResult result =
      sandbox.run_below({"timeout", "-s", "KILL", fmt::format("{:.3f}", milliseconds / 1e3)}, arguments);
  INFO(result.err);
  CHECK((result.exit_code == 0 || result.exit_code == 137));
}

}  // namespace

TEST_CASE("killed: check changes nothing that is stored, whenever it dies", "[cli][emulated]") {
  const Sandbox sandbox;
  const Sandbox::Words check = {"check", sandbox.family(), "--N", "4096", "--device", "emu:h200"};
  REQUIRE(sandbox.run({"tune", sandbox.family(), "--N", "4096", "--device", "emu:h200"}).exit_code == 0);
  REQUIRE(sandbox.run(check).exit_code == 0);
  const std::string trials = sandbox.run({"db", "trials", "--json"}).out;
  std::mt19937 random(1);
  for (int i = 0; i < 6; ++i) run_killed(sandbox, 10 + random() % 400, check);
  CHECK(sandbox.run(check).exit_code == 0);
  CHECK(sandbox.run({"db", "trials", "--json"}).out == trials);
}

TEST_CASE("killed: regress record and accept leave the old baseline or the new one", "[cli][emulated][regress]") {
  const Sandbox sandbox;
  const auto regress = [&](Sandbox::Words words) {
    words.insert(words.begin(), "regress");
    words.insert(words.end(), {"--device", "emu:h200", "--baselines", (sandbox / "baselines").string()});
    return words;
  };
  const Sandbox::Words record = regress({"record", sandbox.family(), "--N", "3000"});
  std::mt19937 random(2);
  for (int i = 0; i < 5; ++i) run_killed(sandbox, 10 + random() % 500, record);
  REQUIRE(sandbox.run(record).exit_code == 0);
  const auto first = files_in(sandbox / "baselines");
  CHECK(first.size() == 3);  // the baseline, its source, the header that it includes; nothing torn
  CHECK(sandbox.run(regress({})).exit_code == 0);

  sandbox.write("twice/flat.cu", std::string(kToyKernel) + "// another source, the same program\n");
  const Sandbox::Words accept = regress({"accept", "--all", "--why", "killed now and then"});
  for (int i = 0; i < 5; ++i) {
    run_killed(sandbox, 10 + random() % 500, accept);
    CHECK(sandbox.run(regress({"list"})).exit_code == 0);  // none is damaged
    run_killed(sandbox, 10 + random() % 300, regress({}));
  }
  REQUIRE(sandbox.run(accept).exit_code == 0);
  const auto last = files_in(sandbox / "baselines");
  CHECK(last.size() == 3);
  CHECK(last != first);
  CHECK(sandbox.run(regress({})).exit_code == 0);
}

TEST_CASE("killed: two recordings at once write one after the other", "[cli][emulated][regress]") {
  const Sandbox sandbox;
  const ProcessResult result =
      sandbox.run_below({"/bin/sh", "-c", "\"$0\" \"$@\" >/dev/null & \"$0\" \"$@\"; code=$?; wait $! && exit $code"},
                        {"regress", "record", sandbox.family(), "--N", "3000", "--device", "emu:h200", "--baselines",
                         (sandbox / "baselines").string()});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK(files_in(sandbox / "baselines").size() == 3);
}

TEST_CASE("killed: a full disk leaves the old baseline, and a reason too long to be read again is refused",
          "[cli][emulated][regress]") {
  const Sandbox sandbox;
  const auto regress = [&](Sandbox::Words words) {
    words.insert(words.begin(), "regress");
    words.insert(words.end(),
                 {"--device", "emu:h200", "--baselines", (sandbox / "baselines").string(), "--no-history"});
    return words;
  };
  REQUIRE(sandbox.run(regress({"record", sandbox.family(), "--N", "3000"})).exit_code == 0);
  const auto before = files_in(sandbox / "baselines");
  sandbox.write("twice/flat.cu", std::string(kToyKernel) + "// " + std::string(3000, 'x') + "\n");
  const ProcessResult wordy = sandbox.run(regress({"accept", "--all", "--why", std::string(5000, 'w')}));
  INFO(wordy.out << wordy.err);
  CHECK(wordy.exit_code != 0);
  CHECK(files_in(sandbox / "baselines") == before);
  const ProcessResult full = sandbox.run_below({"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""},
                                               regress({"accept", "--all", "--why", "on a full disk"}));
  INFO(full.out << full.err);
  CHECK(full.exit_code == 1);
  CHECK(files_in(sandbox / "baselines") == before);
}
