#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/interrupt.h"
#include "cli/commands.h"
#include "cli/help/demo_kernel.h"
#include "session/analyse/listing.h"
#include "session/run/devices.h"

namespace kerlab::cli {

namespace {

constexpr int kLookMs = 100;  // between two looks at Ctrl-C

struct DemoOptions {
  bool yes = false;
  std::string folder;
};

/// The tour is over before its end: q, Ctrl-C, the end of the input.
struct DemoEnds {
  ExitCode code = ExitCode::passed;
};

/// Tells what comes, runs it as if it was typed, waits.
class Guide {
 public:
  Guide(const GlobalOptions& global, const DemoFolder& own, bool asks)
      : global_(global), color_(color_on(global, stdout)), asks_(asks) {
    global_.database = (own.path() / "demo.db").string();
    global_.kept = std::make_shared<KeptProcesses>();
    global_.typed = "kerlab demo";
    ::setenv("KERLAB_PAGER", "cat", 1);  // a pager would take the Enter that goes on with the tour
  }

  void begin(const std::string& title, const std::string& what) {
    fmt::print("\n{}\n{}\n", styled(fmt::format("{} of 7: {}", ++step_, title), Style::bold, color_), what);
  }
  void say(const std::string& text) const { fmt::print("{}", text); }

  /// Shows the command and, once Enter is pressed, runs it. Its exit code.
  ExitCode run(const std::vector<std::string>& words, const std::vector<std::string>& unshown = {}) {
    std::string shown = "$ kerlab";
    for (const std::string& word : words) shown += " " + cli::quoted(word);
    fmt::print("\n{}\n", styled(words.front() == "new" ? shown : shown + device_, Style::good, color_));
    wait("Enter runs it, q ends the tour: ");
    std::vector<std::string> all = words;
    all.insert(all.end(), unshown.begin(), unshown.end());
    GlobalOptions global = global_;
    ExitCode code = ExitCode::passed;
    try {
      code = run_words(std::move(all), global);
    } catch (const Error& error) {
      fmt::print("{} {}\n", styled("kerlab:", Style::bad, color_), error.what());
      code = error.code();
    }
    std::fflush(stdout);
    fmt::print("{}\n", styled(fmt::format("exit code {}", static_cast<int>(code)), Style::dim, color_));
    if (interrupt_.raised() || code == ExitCode::interrupted) throw DemoEnds{ExitCode::interrupted};
    return code;
  }
  void comment(const std::string& text) const { fmt::print("\n{}\n", text); }

  /// A line that was typed; empty without a terminal.
  std::string ask(const std::string& question) const {
    if (!asks_) return {};
    fmt::print("{}", question);
    std::fflush(stdout);
    // A Ctrl-C between the question and the read would leave a read that nothing ends.
    for (pollfd typed{STDIN_FILENO, POLLIN, 0}; !interrupt_.raised() && ::poll(&typed, 1, kLookMs) <= 0;) {
    }
    if (interrupt_.raised()) throw DemoEnds{ExitCode::interrupted};
    std::string line;
    const bool read = static_cast<bool>(std::getline(std::cin, line));
    if (interrupt_.raised()) throw DemoEnds{ExitCode::interrupted};
    if (!read || line == "q") throw DemoEnds{};
    return line;
  }
  void wait(const std::string& question) const { ask(question); }

  /// Without a GPU the emulated H200; all commands say so.
  void choose_device() {
    if (global_.device != "auto") {
      device_ = " --device " + cli::quoted(global_.device);
      return;
    }
    Database database = Database::open(global_.database);
    if (!look_at_devices(rig_options(global_, ""), false, database).gpus.empty()) return;
    global_.device = "emu:h200";
    device_ = " --device emu:h200";
  }
  [[nodiscard]] bool emulated() const { return global_.device.starts_with("emu:"); }

 private:
  GlobalOptions global_;
  std::string device_;  ///< " --device emu:h200", as every command needs it
  bool color_, asks_;
  int step_ = 0;
  InterruptFlag interrupt_;
};

void look_around(Guide& guide) {
  guide.choose_device();
  guide.begin("what is here",
              "Kernels run on a GPU, or, where there is none, on an emulated one: the PTX that the compiler makes is\n"
              "executed on the CPU. Results are then just as correct; times are modelled, and every screen says so.");
  guide.run({"device"});
  if (guide.emulated())
    guide.comment(
        "No GPU is used: each command below carries --device. With a GPU leave it away and times are measured.");
}

void climb_ladder(Guide& guide) {
  guide.begin("the naive kernel, and what better ones bring",
              "kerlab has a ladder of matrix products, each rung with one idea more. Every configuration is compiled,\n"
              "checked against a reference, and only then timed; the best are timed again side by side.");
  guide.run({"tune", "gemm", "--M", "512", "--dtype", "fp32", "--variant", "naive,coalesced,smem_tile,reg1d",
             "--trials", "12", "--ladder"});
  guide.comment(
      "The table at the end is the ladder: 'step' says what a rung brought over the one before, '% roof' how far it "
      "is\n"
      "from what the device allows. 'tie' means just that: among equals the one with fewer registers wins.");
  guide.run({"roofline", "gemm", "--M", "512", "--dtype", "fp32"});
  guide.comment(
      "The drawing says why: what lies far below the roofline can still be made faster, and the last lines suggest "
      "how.");
}

void find_bottleneck(Guide& guide) {
  guide.begin(
      "why is the naive one slow?",
      "inspect executes some blocks and counts: instructions by line, sectors, bank conflicts, and which unit of\n"
      "a multiprocessor is busy.");
  guide.run({"inspect", "gemm/naive", "--M", "512", "--dtype", "fp32", "--lines", "4"});
  guide.comment(
      "The last lines name the source line and the cure: neighbouring threads should read neighbouring addresses.");
}

void break_kernel(Guide& guide, const std::filesystem::path& folder) {
  guide.begin(
      "a wrong kernel",
      "A fast wrong kernel is the most expensive of all. Here is a kernel with one mistake made on purpose: the last\n"
      "element is never written.");
  new_family("axpy", folder);
  guide.say(replace_line(folder / "axpy" / "simple.cu", "if (i < n)", "if (i < n - 1)"));
  guide.run({"check", (folder / "axpy").string(), "--variant", "simple", "--N", "5000", "--only"});
  guide.comment(
      "Exit code 3: wrong. check says which elements, what was there and what should be, and the command that shows "
      "it\n"
      "again. Such a kernel is never timed and can never win.");
  replace_line(folder / "axpy" / "simple.cu", "if (i < n - 1)", "if (i < n)");
}

void gate(Guide& guide, const std::filesystem::path& folder) {
  guide.begin(
      "a gate for your CI",
      "What is good today can be recorded as text beside the code. From then on, regress says whether kernels are\n"
      "still correct, and still as fast, or, without a GPU, still execute as little, in all that can be counted.");
  const std::vector<std::string> where = {"--baselines", (folder / "baselines").string(), "--no-history"};
  const std::string family = (folder / "axpy").string();
  guide.run({"regress", "record", family, "--variant", "simple", "--N", "1M"}, where);
  guide.comment("Now the kernel becomes more expensive: it writes every result eight times.");
  guide.say(replace_line(folder / "axpy" / "simple.cu", "out[i] =",
                         "for (int again = 0; again < 8; ++again) reinterpret_cast<volatile DTYPE*>(out)[i] ="));
  const ExitCode code = guide.run({"regress"}, where);
  guide.comment(
      code == ExitCode::regression
          ? "Exit code 2: the gate names the figures that grew, by how much, and the line that changed."
          : "This device hides it. Where nothing can be told for sure, the gate says so instead of guessing.");
}

/// Where the user's own kernel goes: never over something that is there.
std::filesystem::path chosen_folder(const Guide& guide, const DemoOptions& options) {
  const std::filesystem::path offered = free_folder(options.folder.empty() ? "my_first" : options.folder);
  const std::string typed = guide.ask(fmt::format("Which folder shall it be in? [{}] ", offered.string()));
  return typed.empty() ? offered : free_folder(typed);
}

void own_kernel(Guide& guide, const DemoOptions& options) {
  guide.begin(
      "a kernel of your own",
      "A family is a folder of text: what is computed, a reference, and implementations with their parameters. No\n"
      "C++. This one stays with you.");
  const std::filesystem::path folder = chosen_folder(guide, options);
  const std::string name = folder.is_absolute() ? folder.string() : "./" + folder.string();
  guide.run({"new", folder.string()});
  guide.begin("and its first tune", "Every configuration of both its implementations, checked and ranked.");
  guide.run({"tune", name, "--N", "1M", "--trials", "12"});
  guide.comment(
      fmt::format("Yours now: {0}. Edit {0}/family.toml, reference.cu and simple.cu into your operation, then\n"
                  "  kerlab check {0} --variant all     is it correct, on shapes that break kernels as well?\n"
                  "  kerlab tune {0}                    the fastest configuration\n"
                  "  kerlab explain {0}/simple          why it takes as long as it does\n"
                  "  kerlab watch {0}                   correct? faster? A line at every save\n"
                  "  kerlab lab {0}                     a prompt to work on it\n"
                  "  kerlab regress record {0}          keep it that way\n"
                  "kerlab alone lists every command, kerlab help COMMAND explains one.",
                  name));
}

ExitCode run(const DemoOptions& options, const GlobalOptions& global) {
  if (global.json || global.dry_run)
    throw UsageError("kerlab demo: is to be looked at; it has no --json and no --dry-run");
  const bool asks = !options.yes && is_terminal(stdin) && is_terminal(stdout);
  const DemoFolder own;
  Guide guide(global, own, asks);
  try {
    guide.say(
        "A tour of kerlab in seven steps, about five minutes. It works in a folder and a database of its own, which\n"
        "it removes at the end; only the kernel of the last steps stays, where you say.\n");
    look_around(guide);
    climb_ladder(guide);
    find_bottleneck(guide);
    break_kernel(guide, own.path());
    gate(guide, own.path());
    own_kernel(guide, options);
  } catch (const DemoEnds& end) {
    fmt::print("\nThe tour ends here; kerlab demo begins it anew.\n");
    return end.code;
  }
  return ExitCode::passed;
}

constexpr const char* kDetails =
    "a guided tour of five minutes, on any machine, that ends with a kernel of your own\n"
    "Each step says what comes, shows the command, waits for Enter, runs it and comments on what was seen: devices, "
    "the "
    "ladder of kernels and the roofline, a bottleneck found, a wrong kernel caught, a regression caught, a new kernel "
    "tuned. It uses a database and a folder of its own, which it removes, and overwrites nothing.";

}  // namespace

Command add_demo(CLI::App& root, const GlobalOptions& global) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* parser = root.add_subcommand("demo", kDetails);
  parser->group("Find your way");
  parser->footer(
      "examples: kerlab demo\n          kerlab demo --yes --device emu:h200   # runs through without asking");
  parser->add_flag("--yes", options->yes, "do not wait; without a terminal it does not either");
  parser->add_option("--folder", options->folder, "of the kernel that stays (default: ./my_first)")->type_name("DIR");
  return {parser, false, [options, &global] { return run(*options, global); }};
}

}  // namespace kerlab::cli
