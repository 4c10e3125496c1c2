// Help, man pages and examples, all made of the command table.
#include <algorithm>

#include "catch.h"
#include "cli/commands.h"
#include "cli/frame/help_text.h"
#include "cli/help/man_page.h"
#include "cli/sandbox.h"

using namespace kerlab;

namespace {

/// The words of an example after kerlab, without what a shell makes of the rest of the line.
std::vector<std::string> example_words(const std::string& example) {
  std::string line = example;
  for (const char* end : {"   #", " | ", " && ", " > ", " < "}) line = line.substr(0, line.find(end));
  std::vector<std::string> words = split_words(line);
  words.erase(words.begin());
  return words;
}

}  // namespace

TEST_CASE("help: every command has a group, a doc and examples, and each of them can be parsed", "[cli]") {
  const CommandModel table = command_table();
  for (const CommandModel& command : table.commands) {
    if (command.hidden) continue;
    INFO(command.name);
    CHECK(command.group != "Actions");
    CHECK_FALSE(command.doc.empty());
    CHECK_FALSE(command.examples.empty());
    CHECK(command.examples.size() <= 4);
    for (const std::string& example : command.examples) {
      INFO(example);
      std::vector<std::string> words = example_words(example);
      CHECK_THAT(example, Catch::StartsWith("kerlab " + command.name));
      CHECK_NOTHROW(require_valid_words(words));
      words.push_back("--no-such-option=1");
      if (!command.takes_problem) CHECK_THROWS_AS(require_valid_words(words), UsageError);
    }
    for (const OptionModel& option : command.options) {
      INFO(option.names.front());
      CHECK_FALSE(option.doc.empty());
    }
  }
}

TEST_CASE("help: examples that take no GPU and no time run", "[cli]") {
  const Sandbox sandbox;
  for (const CommandModel& command : command_table().commands) {
    const std::vector<std::string> quick = {"list", "inspect", "help", "man", "completion", "device"};
    if (std::ranges::find(quick, command.name) == quick.end()) continue;
    for (const std::string& example : command.examples) {
      std::vector<std::string> words = example_words(example);
      if (std::ranges::find(words, "--measure") != words.end() || std::ranges::find(words, "--dir") != words.end())
        continue;
      if (command.name == "inspect" || command.name == "list") words.insert(words.end(), {"--device", "emu:h200"});
      INFO(example);
      const ProcessResult result = sandbox.run(words);
      INFO(result.err);
      CHECK(result.exit_code == 0);
      CHECK_FALSE(result.out.empty());
    }
  }
}

TEST_CASE("help: kerlab alone is an overview, help tune is tune --help, lines are folded", "[cli]") {
  const Sandbox sandbox;
  const ProcessResult alone = sandbox.run({});
  CHECK(alone.exit_code == 0);
  CHECK_THAT(alone.out, Catch::Contains("\nMeasure\n  tune ") && Catch::Contains("\nKeep\n") &&
                            Catch::Contains("kerlab demo") && !Catch::Contains("  complete "));
  CHECK(std::ranges::count(alone.out, '\n') < 50);
  const std::string help = sandbox.run({"help", "tune"}).out;
  CHECK(help == sandbox.run({"tune", "--help"}).out);
  CHECK_THAT(help, Catch::Contains("--dtype DTYPE") &&
                       Catch::Contains("--seed N                of the search (default 1)") &&
                       Catch::Contains("--DIMENSION VALUE") && Catch::Contains("exit codes, environment and") &&
                       Catch::Contains("kerlab tune gemm --M 4096 --dtype bf16"));
  CHECK(sandbox.run({"help", "db", "trials"}).out == sandbox.run({"db", "trials", "--help"}).out);
  CHECK_THAT(sandbox.run({"--help"}).out,
             Catch::Contains("--worker-command") && Catch::Contains("130 ") && Catch::Contains("KERLAB_EMU_BUDGET"));
  const std::string narrow = help_text(*command_table().find("check"), "kerlab check", 60, false);
  std::size_t longest = 0, from = 0;
  for (std::size_t at = narrow.find('\n'); at != std::string::npos; at = narrow.find('\n', from)) {
    if (narrow.compare(from, 9, "  kerlab ") != 0) longest = std::max(longest, at - from);
    from = at + 1;
  }
  CHECK(longest <= 60);
}

TEST_CASE("help: what an option takes is shown whole", "[cli]") {
  CHECK_THAT(help_text(*command_table().find("ptx"), "kerlab ptx", 80, false), Catch::Contains("--line [FILE:]N"));
  const std::string tune = help_text(*command_table().find("tune"), "kerlab tune", 80, false);
  CHECK_THAT(tune, Catch::Contains("--time TIME") && Catch::Contains("--trials N"));
}

TEST_CASE("help: what is typed nearly right is told", "[cli]") {
  const Sandbox sandbox;
  const auto told = [&](const Sandbox::Words& words) {
    const ProcessResult result = sandbox.run(words);
    CHECK(result.exit_code == 64);
    return result.err;
  };
  CHECK_THAT(told({"tuen"}), Catch::Contains("did you mean tune?"));
  CHECK_THAT(told({"help", "tuen"}), Catch::Contains("did you mean tune?"));
  CHECK_THAT(told({"man", "chekc"}), Catch::Contains("did you mean check?"));
  CHECK_THAT(told({"device", "--mesure"}), Catch::Contains("did you mean --measure?"));
  CHECK_THAT(told({"db", "trials", "--stauts", "wrong"}), Catch::Contains("did you mean --status?"));
  CHECK_THAT(told({"tune", sandbox.family(), "--strategie", "random"}), Catch::Contains("did you mean --strategy?"));
  CHECK_THAT(told({"tune", "gemm", "--layuot", "nt"}), Catch::Contains("did you mean --layout?"));
}

TEST_CASE("man: a page for every command, with every section", "[cli]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run({"man", "--dir", (sandbox / "man").string()}).exit_code == 0);
  const CommandModel table = command_table();
  for (const CommandModel& command : table.commands)
    CHECK(std::filesystem::exists(sandbox / "man" / ("kerlab-" + command.name + ".1")) == !command.hidden);
  const std::string page = read_text(sandbox / "man" / "kerlab-tune.1");
  for (const char* section :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "FILES", "SEE ALSO"})
    CHECK_THAT(page, Catch::Contains(std::string(".SH ") + section + "\n"));
  CHECK_THAT(page, Catch::Contains(".TH KERLAB-TUNE 1 ") && Catch::Contains("\\fB\\-\\-dtype DTYPE\\fR") &&
                       Catch::Contains(".BR kerlab (1)"));
  CHECK(sandbox.run({"man", "tune"}).out == page);
  CommandModel odd;
  odd.name = "odd";
  odd.doc = ".TH is 'no' request \\ here";
  CHECK_THAT(man_page(table, odd, "2026-01-01"), Catch::Contains("\n\\&.TH is \\(aqno\\(aq request \\e here.\n"));
}
