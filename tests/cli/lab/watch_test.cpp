// watch, history and restore from the outside: a kernel is edited while the program looks on.
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "base/child_process.h"
#include "base/scoped_variable.h"
#include "catch.h"
#include "cli/sandbox.h"

using namespace kerlab;
using namespace std::chrono_literals;

namespace {

/// `kerlab watch` in the background.
class Watching {
 public:
  Watching(const Sandbox& sandbox, const std::vector<std::string>& arguments) {
    std::vector<std::string> words{kerlab_program().string(), "watch"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    process_ = start_process(words, {"HOME=" + sandbox.family(), "KERLAB_CACHE=" + (sandbox / "cache").string(),
                                     "KERLAB_DB=" + sandbox.database().string(), "NO_COLOR=1"});
  }
  ~Watching() {
    if (!ended_) kill_and_reap(process_.pid);
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  /// Reads until a line holds the text, and gives that line. What was read before is not looked at again.
  std::string line_with(const std::string& text) {
    for (const auto end = std::chrono::steady_clock::now() + 60s; std::chrono::steady_clock::now() < end;) {
      for (std::size_t at = said_.find('\n', seen_); at != std::string::npos; at = said_.find('\n', seen_)) {
        const std::string line = said_.substr(seen_, at - seen_);
        seen_ = at + 1;
        if (line.find(text) != std::string::npos) return line;
      }
      if (!drain(process_.output.get(), said_)) break;
      std::this_thread::sleep_for(10ms);
    }
    drain(process_.error.get(), errors_);
    FAIL("no line with '" << text << "' in:\n" << said_ << errors_);
    return "";
  }
  /// Its exit code after SIGINT.
  int interrupt() {
    ::kill(process_.pid, SIGINT);
    for (int i = 0; i < 6000 && !has_ended(process_.pid); ++i) std::this_thread::sleep_for(10ms);
    const int status = kill_and_reap(process_.pid);
    ended_ = true;
    drain(process_.output.get(), said_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  StartedProcess process_;
  std::string said_, errors_;
  std::size_t seen_ = 0;
  bool ended_ = false;
};

std::string edited(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string kKernel(kToyKernel);
constexpr const char* kEndless = "for (volatile int wait = 1; wait > 0;) continue;\n  if (i < N)";

}  // namespace

TEST_CASE("cli: watch tells of every save what became of it", "[cli]") {
  const Sandbox sandbox;
  Watching watch(sandbox, {sandbox.family() + "/flat", "--N", "4096", "--device", "emu:h200"});
  CHECK_THAT(watch.line_with("twice"), Catch::Contains("flat THREADS=64 (default)") && Catch::Contains("emu:h200"));
  CHECK_THAT(watch.line_with("save 1 "), Catch::Contains("correct") && Catch::Contains("us modelled"));
  sandbox.write("twice/flat.cu", edited(kKernel, "i < N", "i < M"));
  CHECK_THAT(watch.line_with("save 2 "), Catch::Contains("does not compile  flat.cu:4:11: error: identifier \"M\""));
  sandbox.write("twice/flat.cu", edited(kKernel, "2 * x", "3 * x"));
  CHECK_THAT(watch.line_with("save 3 "), Catch::Contains("wrong  y[0]: got"));
  sandbox.write("twice/flat.cu", edited(kKernel, "x[i]", "x[i + (1 << 28)]"));
  CHECK_THAT(watch.line_with("save 4 "), Catch::Contains("illegal address"));
  sandbox.write("twice/flat.cu", edited(kKernel, "#include", "#include \"half.cuh\"\n#include"));
  CHECK_THAT(watch.line_with("not tried"), Catch::Contains("flat.cu:1: cannot find #include \"half.cuh\""));
  sandbox.write("twice/half.cuh", "#pragma once\n");
  CHECK_THAT(watch.line_with("save 6 "), Catch::Contains("correct") && Catch::Contains("vs last"));
  sandbox.write("twice/half.cuh", "#pragma once\n#define HALF 0.5\n");
  CHECK_THAT(watch.line_with("save 7 "), Catch::Contains("correct"));
  sandbox.write("twice/flat.toml", edited(std::string(kToyVariant), "[[launch]]", "[launch"));
  CHECK_THAT(watch.line_with("save 8 "), Catch::Contains("not tried") && Catch::Contains("flat.toml:6:"));
  sandbox.write("twice/flat.toml", edited(std::string(kToyVariant), "[64, 128", "[128"));
  CHECK_THAT(watch.line_with("flat THREADS="), Catch::Contains("twice") && Catch::Contains("flat THREADS=128"));
  CHECK_THAT(watch.line_with("save 9 "), Catch::Contains("correct"));
  CHECK(watch.interrupt() == 0);
  CHECK_THAT(watch.said(), Catch::Contains("best: save"));

  const ProcessResult history = sandbox.run({"history", sandbox.family()});
  CHECK(history.exit_code == 0);
  CHECK_THAT(history.out, Catch::Contains("twice/flat") && Catch::Contains("wrong") && Catch::Contains("+1 -1"));
  CHECK_THAT(sandbox.run({"history", "--diff", "2"}).out, Catch::Contains("+  if (i < M)"));
  CHECK_THAT(sandbox.run({"history", "--json"}).out, Catch::Contains("\"verdict\": \"compile_error\""));

  const ProcessResult dry = sandbox.run({"restore", "1", "--dry-run"});
  CHECK_THAT(dry.out, Catch::Contains("would write") && Catch::Contains("flat.cu"));
  CHECK_FALSE(read_text(sandbox / "twice/flat.cu") == kKernel);
  const ProcessResult restored = sandbox.run({"restore", "1"});
  CHECK(restored.exit_code == 0);
  CHECK_THAT(restored.out, Catch::Contains("wrote") && Catch::Contains("what was there before: kerlab restore 9"));
  CHECK(read_text(sandbox / "twice/flat.cu") == kKernel);
  CHECK(read_text(sandbox / "twice/flat.toml") == kToyVariant);
  CHECK(sandbox.run({"restore", "77"}).exit_code == 64);
}

TEST_CASE("cli: a save ends the attempt under way, and nothing of it is lost", "[cli]") {
  const Sandbox sandbox;
  Watching watch(sandbox, {sandbox.family() + "/flat", "--N", "4096", "--limit", "100", "--device", "emu:h200"});
  CHECK_THAT(watch.line_with("save 1 "), Catch::Contains("correct"));
  sandbox.write("twice/flat.cu", edited(kKernel, "if (i < N)", kEndless));
  std::this_thread::sleep_for(1s);
  const auto mended = std::chrono::steady_clock::now();
  sandbox.write("twice/flat.cu", edited(kKernel, "2 * x", "x[i] + x"));
  CHECK_THAT(watch.line_with("save 2 "), Catch::Contains("saved again before its verdict"));
  CHECK_THAT(watch.line_with("save 3 "), Catch::Contains("correct"));
  CHECK(std::chrono::steady_clock::now() - mended < 50s);  // of 100 that the limit allows
  sandbox.write("twice/flat.cu", edited(kKernel, "if (i < N)", kEndless));
  std::this_thread::sleep_for(1s);
  CHECK(watch.interrupt() == 130);
  const std::string history = sandbox.run({"history", sandbox.family()}).out;
  CHECK_THAT(history, Catch::Contains("interrupted"));
  CHECK_THAT(sandbox.run({"history", "--diff", "4"}).out, Catch::Contains("volatile int wait"));
}

TEST_CASE("cli: a kernel that never ends is ended at the limit, which follows the last good run", "[cli]") {
  const ScopedVariable budget("KERLAB_EMU_BUDGET", "1000000000000");  // that the emulator does not end it first
  const Sandbox sandbox;
  Watching watch(sandbox, {sandbox.family() + "/flat", "--N", "4096", "--device", "emu:h200"});
  CHECK_THAT(watch.line_with("save 1 "), Catch::Contains("correct"));
  sandbox.write("twice/flat.cu", edited(kKernel, "if (i < N)", kEndless));
  CHECK_THAT(watch.line_with("save 2 "), Catch::Contains("timeout  not done after "));
  sandbox.write("twice/flat.cu", kKernel);
  CHECK_THAT(watch.line_with("save 3 "), Catch::Contains("correct"));
  CHECK(watch.interrupt() == 0);
  CHECK_THAT(watch.said(), Catch::Contains("--limit"));
}

TEST_CASE("cli: watch as JSON is an object a line; --once ends as bench does", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult right = sandbox.run(
      {"watch", sandbox.family(), "THREADS=128", "--once", "--json", "--N", "4096", "--device", "emu:h200"});
  INFO(right.err);
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Catch::StartsWith("{\"schema_version\":2,\"command\":\"watch\",\"number\":1,\"save\":1,") &&
                            Catch::Contains("\"label\":\"flat THREADS=128\""));
  CHECK(std::ranges::count(right.out, '\n') == 1);
  sandbox.write("twice/flat.cu", edited(kKernel, "2 * x", "3 * x"));
  CHECK(sandbox.run({"watch", sandbox.family(), "--once", "--N", "4096", "--device", "emu:h200"}).exit_code == 3);
  sandbox.write("twice/flat.cu", "nonsense");
  CHECK(sandbox.run({"watch", sandbox.family(), "--once", "--N", "4096", "--device", "emu:h200"}).exit_code == 1);
}

TEST_CASE("cli: watch refuses what was typed wrong instead of waiting for a save", "[cli]") {
  const Sandbox sandbox;
  const auto code = [&](const std::string& kernel, const std::string& word) {
    return sandbox.run({"watch", kernel, word, "--device", "emu:h200"}).exit_code;
  };
  CHECK(code("nothing_like_it", "THREADS=64") == 64);
  CHECK(code(sandbox.family() + "/flat", "THREADS=65") == 64);
  CHECK(code(sandbox.family() + "/flat", "THREADS") == 64);
  CHECK(code(sandbox.family() + "/bent", "THREADS=64") == 64);
}

TEST_CASE("cli: Ctrl-C in the middle of an attempt ends it at once, with 130", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("device.toml", "[default]\nus = 50000000.0\nreal_sleep = true\n");
  Watching watch(sandbox, {sandbox.family() + "/flat", "--json", "--device", sandbox.device()});
  for (int i = 0; i < 3000 && !std::filesystem::exists(sandbox / "cache"); ++i) std::this_thread::sleep_for(10ms);
  CHECK(watch.interrupt() == 130);
}
