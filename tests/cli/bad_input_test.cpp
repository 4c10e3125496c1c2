// Bad input: a clear message on standard error, nothing on standard output, the exit code of base/error.h, nothing
// lost.
#include <fmt/format.h>

#include "base/duration.h"
#include "catch.h"
#include "cli/commands.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

void check_refused(const ProcessResult& result, int code, const std::string& part) {
  INFO("standard output: " << result.out);
  CHECK(result.exit_code == code);
  CHECK_THAT(result.err, Catch::Contains(part));
  CHECK_THAT(result.err, Catch::StartsWith("kerlab: "));
  CHECK(result.out.empty());
}

struct Refusal {
  Sandbox::Words words;
  int code;
  std::string part;  ///< of the message
};

}  // namespace

TEST_CASE("cli: what was typed wrong is named, with what is there instead", "[cli]") {
  const std::vector<Refusal> refusals = {
      {{}, 64, "kerlab --help"},
      {{"tnue", "gemm"}, 64, "tnue: no such command; did you mean tune?"},
      {{"tune"}, 64, "family"},
      {{"tune", "gem"}, 64, "gemm"},
      {{"tune", "gemm", "--M", "0"}, 64, "M = 0 is outside 1.."},
      {{"tune", "gemm", "--M", "-1"}, 64, "-1"},
      {{"tune", "gemm", "--M", "99999999999"}, 64, "99999999999"},
      {{"tune", "gemm", "--M", "99999999999999999999999"}, 64, "99999999999999999999999"},
      {{"tune", "gemm", "--M", "4x"}, 64, "4x"},
      {{"tune", "gemm", "--M", ""}, 64, "--M"},
      {{"tune", "gemm", "--M"}, 64, "--M: a value is missing"},
      {{"tune", "gemm", "--m", "4"}, 64, "did you mean --M?"},
      {{"tune", "gemm", "--layout", "nm"}, 64, "nn, nt, tn, tt"},
      {{"tune", "gemm", "--alpha", "x"}, 64, "alpha"},
      {{"tune", "gemm", "--dtype", "bf61"}, 64, "bf16"},
      {{"tune", "gemm", "--dtype", "fp64"}, 4, "fp64"},
      {{"tune", "gemm", "--M", "2147483647"}, 64, "2^62"},
      {{"tune", "gemm", "--M", "400000"}, 64, "memory"},
      {{"tune", "gemm", "--variant", "reg2b"}, 64, "reg2d"},
      {{"tune", "gemm", "--strategy", "magic"}, 64, "--strategy"},
      {{"tune", "gemm", "--trials", "0"}, 64, "--trials: expected a whole number of at least 1, not '0'"},
      {{"tune", "gemm", "--strategy", "randm"}, 64, "did you mean random?"},
      {{"tune", "gemm", "--color", "purple"}, 64, "--color"},
      {{"tune", "gemm", "--worker-command", "'kerlab"}, 64, "quote"},
      {{"list", "gem"}, 64, "gemm"},
      {{"check", "gem"}, 64, "gemm"},
      {{"check", "gemm", "--config", "XX=1", "--variant", "reg2d"}, 64, "XX"},
      {{"bench"}, 64, "--trial"},
      {{"bench", "gem"}, 64, "gemm"},
      {{"bench", "--trial", "7"}, 64, "--trial 7"},
      {{"bench", "gemm", "--M", "16..1"}, 64, "16..1"},
      {{"roofline", "gem"}, 64, "gemm"},
      {{"show", "7"}, 64, "no trial 7"},
      {{"tune", "gemm", "--trials="}, 64, "--trials: a value is missing"},
      {{"db"}, 64, "db: name one of path, stats"},
      {{"db", "expot"}, 64, "db expot: no such command; did you mean export?"},
      {{"db", "export", "a", "b"}, 64, "b: not expected here (see kerlab db export --help)"},
      {{"regress", "recrd"}, 64, "did you mean record?"},
      {{"completion", "zhs"}, 64, "did you mean zsh?"},
      {{"restore"}, 64, "save is missing: its number in kerlab history"},
      {{"--json"}, 64, "name a command"},
      {{"db", "import", "/no/such/file"}, 1, "/no/such/file"},
      {{"new", "9lives"}, 64, "9lives"},
      {{"list", "/no/such/folder"}, 64, "/no/such/folder"},
  };
  const Sandbox sandbox;
  for (const Refusal& refusal : refusals) {
    INFO(fmt::format("kerlab {}", fmt::join(refusal.words, " ")));
    check_refused(sandbox.run_scripted(refusal.words), refusal.code, refusal.part);
  }
}

TEST_CASE("cli: every numeric option says what it takes and what was typed, in one short line", "[cli]") {
  const auto refusal = [](std::vector<std::string> words) {
    try {
      require_valid_words(std::move(words));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  int numeric = 0;
  const auto check_options = [&](const CommandModel& model, const std::vector<std::string>& path) {
    for (const OptionModel& option : model.options) {
      if (option.value != "N" && option.value != "NUMBER" && option.value != "TIME" && option.value != "BYTES")
        continue;
      if (option.names.front() == "--line") continue;  // a place in a file
      for (const std::string typed : {"foo", "-7", "1e400", "99999999999999999999999"}) {
        std::vector<std::string> words = path;
        words.push_back(option.names.front() + "=" + typed);
        const std::string message = refusal(words);
        INFO(fmt::format("{} -> {}", fmt::join(words, " "), message));
        CHECK_THAT(message,
                   Catch::StartsWith(option.names.front() + ": expected a ") && Catch::Contains("not '" + typed + "'"));
        CHECK(message.size() < 160);
      }
      ++numeric;
    }
  };
  const CommandModel table = command_table();
  check_options(table, {"list"});
  for (const CommandModel& command : table.commands) check_options(command, {command.name});
  CHECK(numeric > 20);
}

TEST_CASE("cli: a time is seconds, or has a unit, wherever one is taken", "[cli]") {
  for (const std::string time : {"5", "5s", "2m", "30 s", "500ms", "0.5h"}) {
    INFO(time);
    for (const std::string option : {"--time", "--timeout", "--compile-timeout", "--exclusive"})
      CHECK_NOTHROW(require_valid_words({"tune", "gemm", option + "=" + time}));
    CHECK_NOTHROW(require_valid_words({"tune", "gemm", "--time", time}));
  }
  CHECK(parse_seconds("90") == 90);
  CHECK(parse_seconds("2m") == 120);
  CHECK(parse_seconds("1.5 h") == 5400);
  CHECK(parse_seconds("250ms") == 0.25);
  for (const char* wrong : {"", "s", "5q", "1.2.3", "-5", "5 s s", "inf", "nan", "0x10", "1e3"}) {
    INFO(wrong);
    CHECK_FALSE(parse_seconds(wrong));
  }
}

TEST_CASE("cli: a device that is none is refused", "[cli]") {
  const Sandbox sandbox;
  check_refused(sandbox.run({"tune", "gemm", "--device", "tpu"}), 64, "script:FILE");
  check_refused(sandbox.run({"tune", "gemm", "--device", "cuda:x"}), 64, "cuda:x");
  check_refused(sandbox.run({"tune", "gemm", "--device", "script:/no/such/file"}), 1, "/no/such/file");
}

TEST_CASE("cli: a dtype or an architecture that no variant has is unsupported", "[cli]") {
  const Sandbox sandbox;
  check_refused(sandbox.run_scripted({"tune", sandbox.family(), "--dtype", "fp64"}), 4, "flat");
  sandbox.write("device.toml", "[device]\ncc = \"7.0\"\n");
  sandbox.write("twice/flat.toml", "minimum_cc = 80\n" + std::string(kToyVariant));
  check_refused(sandbox.run_scripted({"tune", sandbox.family()}), 4, "flat");
}

TEST_CASE("cli: malformed TOML is refused with file, line and column", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("twice/family.toml", "name = \"twice\"\ndtypes = [\"fp32\"\n");
  check_refused(sandbox.run_scripted({"tune", sandbox.family()}), 1, "twice/family.toml:");
  sandbox.write("twice/family.toml", "name = \"twice\"\ncolour = 1\n" + std::string(kToyFamily).substr(15));
  check_refused(sandbox.run_scripted({"tune", sandbox.family()}), 1, "twice/family.toml:2:1");
  sandbox.write("twice/family.toml", kToyFamily);
  sandbox.write("twice/flat.toml",
                std::string(kToyVariant) + "[[constraint]]\nname = \"never\"\ncondition = \"THREADS < 1\"\n");
  check_refused(sandbox.run_scripted({"tune", sandbox.family()}), 1, "never");
}

TEST_CASE("cli: a kernel that does not compile is shown with its first error and line", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("twice/flat.cu", "extern \"C\" __global__ void twice() {\n  undeclared = 1;\n}\n");
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out + result.err, Catch::Contains("flat.cu") && Catch::Contains("undeclared"));
  CHECK_THAT(result.out + result.err, Catch::Contains("flat.cu(2)") || Catch::Contains("flat.cu:2"));
}

TEST_CASE("cli: a reference that does not compile is an error of the family", "[cli]") {
  const Sandbox sandbox;
  sandbox.write("twice/reference.cu", "extern \"C\" __global__ void reference() {\n  undeclared = 1;\n}\n");
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("reference.cu") && Catch::Contains("undeclared"));
}

TEST_CASE("cli: a cache that cannot be written is a warning", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()}, {"KERLAB_CACHE=/proc/kerlab"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::Contains("warning") && Catch::Contains("/proc/kerlab") && Catch::Contains("KERLAB_CACHE"));
  CHECK_THAT(result.out, Catch::Contains("THREADS=128"));
}

TEST_CASE("cli: a database that cannot be used is refused and left as it is", "[cli]") {
  const Sandbox sandbox;
  const auto tune = [&](const std::filesystem::path& database) {
    return sandbox.run_scripted({"tune", sandbox.family(), "--db", database.string()});
  };
  check_refused(tune(sandbox / "twice"), 1, "twice");
  check_refused(tune("/proc/kerlab.db"), 1, "/proc/kerlab.db");
  const std::string text = "this is no database, it is a shopping list: bread, butter, 16 eggs";
  sandbox.write("list.db", text);
  check_refused(tune(sandbox / "list.db"), 1, "list.db");
  CHECK(read_text(sandbox / "list.db") == text);
}

TEST_CASE("cli: a disk that is full stops the session with a message, and what was stored stays", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run_scripted({"tune", sandbox.family()}).exit_code == 0);
  // A limit on the size of files stands for the full disk: write() fails beyond it (in blocks of 512 bytes).
  const ProcessResult result = sandbox.run_below({"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""},
                                                 {"tune", sandbox.family(), "--fresh", "--device", sandbox.device()});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("kerlab.db"));
  CHECK_THAT(sandbox.run_scripted({"tune", sandbox.family()}).out, Catch::Contains("(4 stored before)"));
}

TEST_CASE("cli: no NVRTC is an error that says where to get it", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult result = sandbox.run_scripted({"tune", sandbox.family()}, {"KERLAB_NVRTC=/no/such/libnvrtc.so"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("/no/such/libnvrtc.so") && Catch::Contains("KERLAB_NVRTC"));
}
