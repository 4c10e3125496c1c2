#include <thread>

#include "catch.h"
#include "cli/lab/line_editor.h"
#include "cli/pseudo_terminal.h"
#include "cli/sandbox.h"

using Words = std::vector<std::string>;

namespace {

constexpr const char* kPrompt = " fp32> ";  // of a chosen kernel

/// A second rung: two elements a thread.
void write_second_rung(const Sandbox& sandbox) {
  std::string variant(kToyVariant);
  variant.replace(variant.find("THREADS)"), 8, "2 * THREADS)");
  sandbox.write("twice/pairs.toml", "rung = 1\n" + variant);
  std::string kernel(kToyKernel);
  kernel.replace(kernel.find("  const int i"), std::string::npos,
                 "  for (int i = blockIdx.x * 2 * THREADS + threadIdx.x, j = 0; j < 2; ++j, i += THREADS)\n"
                 "    if (i < N) y[i] = 2 * x[i];\n}\n");
  sandbox.write("twice/pairs.cu", kernel);
}

Words environment(const Sandbox& sandbox) {
  return {"HOME=" + (sandbox / "").string(),
          "XDG_CACHE_HOME=" + (sandbox / "cache").string(),
          "XDG_DATA_HOME=" + (sandbox / "data").string(),
          "KERLAB_DB=" + sandbox.database().string(),
          "NO_COLOR=1",
          "TERM=vt100",
          "KERLAB_PAGER="};
}

/// kerlab lab on the emulated device, at a terminal.
struct AtTerminal {
  Sandbox sandbox;
  PseudoTerminal terminal;
  explicit AtTerminal(const Words& more = {}) : terminal(command(more), environment(sandbox), (sandbox / "").string()) {
    write_second_rung(sandbox);
    CHECK(terminal.wait_for("kerlab> "));
  }
  static Words command(const Words& more) {
    Words words{kerlab_program().string(), "lab", "--device", "emu:h200"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// The answer to a line.
  std::string ask(const std::string& line, const std::string& prompt = kPrompt) {
    terminal.type(line + "\n");
    INFO("typed: " << line);
    CHECK(terminal.wait_for(line));  // the echo
    CHECK(terminal.wait_for("\n"));
    CHECK(terminal.wait_for(prompt));
    return terminal.answer();
  }
};

kerlab::ProcessResult play(const Sandbox& sandbox, const std::string& script) {
  sandbox.write("script.lab", script);
  return sandbox.run_below({"/bin/sh", "-c", "exec \"$@\" < '" + (sandbox / "script.lab").string() + "'", "sh"},
                           {"lab", "--device", "emu:h200"});
}

}  // namespace

TEST_CASE("cli: what words that begin alike have in common", "[cli]") {
  CHECK(kerlab::cli::common_beginning({"STAGES=2", "STAGES=4"}) == "STAGES=");
  CHECK(kerlab::cli::common_beginning({"run"}) == "run");
  CHECK(kerlab::cli::common_beginning({"a", "b"}).empty());
  CHECK(kerlab::cli::common_beginning({}).empty());
}

TEST_CASE("cli: a session of forty lines at a terminal is answered as documented", "[cli][nvrtc]") {
  AtTerminal lab;
  const std::string folder = lab.sandbox.family();
  struct Line {
    std::string typed;
    Words answered;
  };
  const std::vector<Line> lines = {
      {"?", {"choose a kernel", "sweep     try values", "quit"}},
      {"? sweep", {"sweep NAME [FIRST..LAST]", "try values", "example: sweep BM 32..128"}},
      {"run", {"no kernel is chosen"}},
      {"list saxpy", {"saxpy"}},
      {"use nosuch", {"nosuch"}},
      {"use " + folder, {"flat THREADS=64", "twice 1048576 fp32"}},
      {"show", {"one element per thread", "[64] 128 256 512", "N"}},
      {"set N 4096", {"twice 4096 fp32"}},
      {"N=8K", {"twice 8192 fp32"}},
      {"undo", {"twice 4096 fp32"}},
      {"run", {"#1", "correct", "us modelled", "registers", "trial 1"}},
      {"THREADS=256", {"flat THREADS=256"}},
      {"run", {"#2", " % vs last and best (#1)"}},
      {"diff last", {"THREADS"}},
      {"diff best", {}},
      {"sweep THREADS 64..256", {"THREADS=64", "THREADS=128", "THREADS=256", "best"}},
      {"sweep THREADS 1000..", {"none is listed there; listed are 64, 128, 256, 512"}},
      {"sweep NUMBER", {"no such parameter"}},
      {"sweep N 1K..4K:x2", {"1024", "2048", "4096"}},
      {"try THREADS=128,512", {"THREADS=128", "THREADS=512", "now: flat THREADS="}},
      {"undo 1", {"flat THREADS=256"}},
      {"run THREADS=128", {"#3", "THREADS=128", "correct"}},
      {"check", {"passed"}},
      {"check normal", {"passed"}},
      {"inspect", {"flat.cu"}},
      {"roofline", {"roof"}},
      {"ptx", {"PTX of flat THREADS=128", "if (i < N)", "instructions"}},
      {"ptx 4", {"st.global", "if (i < N)"}},
      {"ptx 999", {"line 999 of flat.cu made no code; lines near it did"}},
      {"up", {"pairs THREADS=128"}},
      {"run", {"#4", "pairs", "correct"}},
      {"up", {"pairs: it is the highest rung"}},
      {"down 5", {"pairs: only 1 rung below it"}},
      {"down", {"flat THREADS=128"}},
      {"tune 30s", {"now: flat THREADS="}},
      {"save winner", {"flat THREADS="}},
      {"show 1", {"trial 1"}},
      {"set THREADS 77", {"THREADS=77: listed are 64, 128, 256, 512"}},
      {"frobnicate", {"no such command"}},
      {"swep THREADS", {"did you mean sweep?"}},
      {"db stats", {"trials"}},
      {"kerlab db stats", {"trials"}},
      {"? nope", {"nope: no such command; ? lists them"}},
      {"lab", {"not from within the lab"}},
      {"log", {"use " + folder, "# #1 ", "sweep THREADS 64..256", "tune 30s"}},
      {"log kept.lab", {"again: kerlab lab < kept.lab"}},
  };
  CHECK(lines.size() >= 40);
  bool chosen = false;
  for (const Line& line : lines) {
    chosen = chosen || line.typed == "use " + folder;
    const std::string answer = lab.ask(line.typed, chosen ? kPrompt : "kerlab> ");
    INFO("typed " << line.typed << "\nanswered " << answer);
    for (const std::string& part : line.answered) CHECK_THAT(answer, Catch::Contains(part));
    CHECK(std::count(answer.begin(), answer.end(), '\n') < 60);
  }
  lab.terminal.type("quit\n");
  CHECK(lab.terminal.end() == 0);
  const std::string kept = kerlab::read_text(lab.sandbox / "kept.lab");
  const kerlab::ProcessResult again = play(lab.sandbox, kept);
  INFO(again.out << again.err);
  CHECK(again.exit_code == 0);
}

TEST_CASE("cli: the lab completes commands, kernels, parameters and values", "[cli]") {
  AtTerminal lab;
  lab.terminal.type("swe\t");
  CHECK(lab.terminal.wait_for("ep "));  // what was missing
  lab.terminal.type("\x15use gemm_g\t");
  CHECK(lab.terminal.wait_for("rouped/"));
  lab.terminal.type("\x15use softmax/row\t\t");
  CHECK(lab.terminal.wait_for("row_in_registers"));
  lab.terminal.type("\x15");
  lab.ask("use " + lab.sandbox.family());
  lab.terminal.type("run THR\t");
  CHECK(lab.terminal.wait_for("EADS="));
  lab.terminal.type("\t\t");
  CHECK(lab.terminal.wait_for("THREADS=512"));
}

TEST_CASE("cli: Ctrl-C stops the run and not the lab", "[cli][nvrtc]") {
  AtTerminal lab;
  std::string endless(kToyKernel);
  endless.replace(endless.find("  if (i < N)"), 0, "  while (x[0] == x[0] && N > 0) __threadfence();\n");
  lab.sandbox.write("twice/flat.cu", endless);
  lab.ask("use " + lab.sandbox.family() + " N=4096");
  lab.terminal.type("run\n");
  CHECK(lab.terminal.wait_for("run\r\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(800));  // it compiles, or hangs already
  lab.terminal.type("\x03");
  CHECK(lab.terminal.wait_for("interrupted", std::chrono::seconds(20)));
  CHECK(lab.terminal.wait_for(kPrompt));
  lab.sandbox.write("twice/flat.cu", kToyKernel);
  CHECK_THAT(lab.ask("run"), Catch::Contains("correct"));
  for (int i = 0; i < 50; ++i) {  // at once behind the prompt: none of them is lost, none ends the lab
    lab.terminal.type("half a li\x03");
    REQUIRE(lab.terminal.wait_for(kPrompt, std::chrono::seconds(10)));
  }
  lab.terminal.type("? h\xc3\xa4lp\n");  // a character of two bytes is one
  CHECK(lab.terminal.wait_for("kerlab:"));
  CHECK(lab.terminal.wait_for(kPrompt));
  lab.terminal.type("\x04");  // Ctrl-D
  CHECK(lab.terminal.end() == 0);
}

TEST_CASE("cli: watch in the lab goes on from its runs, and every save can be had back there", "[cli][nvrtc]") {
  AtTerminal lab;
  lab.ask("use " + lab.sandbox.family() + " N=4096");
  CHECK_THAT(lab.ask("run"), Catch::Contains("#1 ") && Catch::Contains("correct"));
  lab.terminal.type("watch\n");
  CHECK(lab.terminal.wait_for("save 1  correct"));
  CHECK(lab.terminal.wait_for("vs last"));  // the run before
  std::string wrong(kToyKernel);
  wrong.replace(wrong.find("2 * x[i]"), 8, "3 * x[i]");
  lab.sandbox.write("twice/flat.cu", wrong);
  CHECK(lab.terminal.wait_for("save 2  wrong"));
  lab.terminal.type("\x03");
  CHECK(lab.terminal.wait_for("all saves: kerlab history"));
  CHECK(lab.terminal.wait_for(kPrompt));
  CHECK_THAT(lab.ask("history"), Catch::Contains("wrong") && Catch::Contains("correct"));
  CHECK_THAT(lab.ask("restore 1"), Catch::Contains("flat.cu"));
  CHECK(kerlab::read_text(lab.sandbox / "twice/flat.cu") == kToyKernel);
  CHECK_THAT(lab.ask("run"), Catch::Contains("#4 ") && Catch::Contains("correct") && Catch::Contains("save 3"));
  CHECK_THAT(lab.ask("log"), Catch::Contains("watch") && Catch::Contains("# wrong: "));
}

TEST_CASE("cli: an answer of the lab that is longer than the screen goes through the pager", "[cli][nvrtc]") {
  const Sandbox sandbox;
  Words own = environment(sandbox);
  own.back() = "KERLAB_PAGER=head -n 2; echo the pager";
  PseudoTerminal terminal({kerlab_program().string(), "lab", sandbox.family(), "--N", "4096", "--device", "emu:h200"},
                          own, (sandbox / "").string(), 12);
  REQUIRE(terminal.wait_for(kPrompt));
  terminal.type("tune\n");
  CHECK(terminal.wait_for("the pager"));
  CHECK(terminal.wait_for(kPrompt));
  terminal.type("run\n");
  CHECK(terminal.wait_for(kPrompt));
  CHECK_THAT(terminal.answer(), Catch::Contains("correct") && !Catch::Contains("the pager"));
}

TEST_CASE("cli: the history of the lab outlives it", "[cli]") {
  const Sandbox sandbox;
  const Words command{kerlab_program().string(), "lab", "--device", "emu:h200"};
  {
    PseudoTerminal first(command, environment(sandbox), (sandbox / "").string());
    REQUIRE(first.wait_for("kerlab> "));
    first.type("? undo\n");
    REQUIRE(first.wait_for("before the last change"));
    REQUIRE(first.wait_for("kerlab> "));
    first.type("quit\n");
    CHECK(first.end() == 0);
  }
  PseudoTerminal second(command, environment(sandbox), (sandbox / "").string());
  REQUIRE(second.wait_for("kerlab> "));
  second.type("\x10\x10\n");  // Ctrl-P twice: over quit to the line before
  CHECK(second.wait_for("before the last change"));
}

TEST_CASE("cli: a script of the lab ends at what is typed wrongly, not at a kernel that fails", "[cli][nvrtc]") {
  const Sandbox sandbox;
  const std::string use = "use " + sandbox.family() + " N=4096   # a comment\n\n";
  const auto right = play(sandbox, use + "run\nrun THREADS=128\n");
  INFO(right.out << right.err);
  CHECK(right.exit_code == 0);
  CHECK_THAT(right.out, Catch::Contains("#2 ") && Catch::Contains("correct"));
  CHECK(play(sandbox, use + "watch\nrun\n").exit_code == 0);  // waits for no save
  const auto mistyped = play(sandbox, use + "rnu\nrun\n");
  CHECK(mistyped.exit_code == 64);
  CHECK_THAT(mistyped.err, Catch::Contains("line 3: rnu: no such command"));
  CHECK_THAT(mistyped.out, !Catch::Contains("correct"));
  std::string wrong(kToyKernel);
  wrong.replace(wrong.find("2 * x[i]"), 8, "3 * x[i]");
  sandbox.write("twice/flat.cu", wrong);
  const auto failed = play(sandbox, use + "run\nTHREADS=128\n");
  CHECK(failed.exit_code == 3);
  CHECK_THAT(failed.out, Catch::Contains("wrong") && Catch::Contains("flat THREADS=128"));
  sandbox.write("twice/flat.cu", "extern \"C\" __global__ void twice(const float* x, float* y, int N) { y[0] = ; }\n");
  const auto broken = play(sandbox, use + "run\n");
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out, Catch::Contains("does not compile") && Catch::Contains("flat.cu:1:"));
}
