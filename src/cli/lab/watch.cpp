#include "cli/lab/watch.h"

#include <CLI/CLI.hpp>

#include "base/elapsed.h"
#include "base/file_watch.h"
#include "base/format.h"
#include "base/terminal.h"
#include "cli/frame/command.h"
#include "cli/frame/option_checks.h"
#include "cli/frame/subject_words.h"
#include "cli/lab/attempt_progress.h"
#include "cli/lab/watch_line.h"
#include "db/database.h"
#include "report/form/label_layout.h"
#include "report/form/table.h"
#include "report/text/modelled_remark.h"

namespace kerlab::cli {

namespace {

constexpr std::chrono::milliseconds kGlance{500};  // between two looks at the interrupt flag
constexpr int kPlainWidth = 120;

/// What ends an attempt whose files have been saved again.
struct SavedAgain {
  Clock::time_point noticed;
};

class Watch {
 public:
  Watch(const WatchOptions& options, Attempts& attempts, const InterruptFlag& interrupt)
      : options_(options), request_(options.request), attempts_(attempts), interrupt_(interrupt), watch_(means()) {}

  ExitCode run() {
    ExitCode code = try_now(Clock::now());
    if (options_.once) return code;
    while (!interrupt_.raised() && code != ExitCode::interrupted) {
      if (const auto saved = watch_.wait(kGlance)) code = try_now(saved->noticed);
    }
    summarize();
    return code == ExitCode::interrupted ? code : ExitCode::passed;
  }

 private:
  /// KERLAB_WATCH=polling: where inotify is there and tells nothing, as on some network file systems.
  static FileWatch::Means means() {
    const char* wanted = std::getenv("KERLAB_WATCH");
    return wanted != nullptr && std::string_view(wanted) == "polling" ? FileWatch::Means::polling
                                                                      : FileWatch::Means::inotify;
  }

  /// The files as they are now; those of the newest save, should they be saved meanwhile.
  ExitCode try_now(Clock::time_point since) {
    for (;;) {
      try {
        return try_once(since);
      } catch (const SavedAgain& again) {
        constexpr const char* kWhy = "saved again before its verdict";
        print(watch_value(attempts_.last_save(), kWhy, seconds_since(since)),
              watch_lines(attempts_.last_save(), kWhy, seconds_since(since), width(), options_.color));
        since = again.noticed;
      }
    }
  }

  Attempt attempt_now() {
    if (!options_.once && files_.watched.empty()) watch_folder();
    std::optional<Stepped<Attempt>> trying = attempts_.run(request_);
    AttemptProgress progress(options_.once ? "Ctrl-C ends it" : "a save tries anew, Ctrl-C ends");
    for (bool introduced = false; trying->step();) {
      if (!introduced && attempts_.knows_files()) {
        introduced = true;
        begin();
      }
      progress.show(attempts_.stage());
      if (options_.once) continue;
      const auto saved = watch_.wait(std::chrono::milliseconds(0));
      if (!saved) continue;
      trying.reset();
      attempts_.end_here();
      throw SavedAgain{saved->noticed};
    }
    return trying->take();
  }

  /// Before anything is run.
  void begin() {
    files_ = attempts_.files();
    watch_.watch(files_.watched);
    if (options_.json || std::exchange(completion_, attempts_.completion()) == attempts_.completion()) return;
    for (const std::string& line : wrapped(completion_, width())) fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  ExitCode try_once(Clock::time_point since) {
    try {
      const Attempt attempt = attempt_now();
      ++tried_;
      watch_.watch(attempt.files.watched);
      show(attempt, seconds_since(since));
      if (options_.tried) options_.tried(attempt);
      return exit_code_of(attempt.trial.status);
    } catch (const Error& error) {
      if (error.code() == ExitCode::interrupted) return ExitCode::interrupted;
      if (options_.once || (tried_ == 0 && !is_about_files(error))) throw;
      watch_folder();
      print(watch_value(attempts_.last_save(), error.what(), seconds_since(since)),
            watch_lines(attempts_.last_save(), error.what(), seconds_since(since), width(), options_.color));
      return error.code();
    }
  }

  /// A spec, a source or the reference is wrong, which the next save may mend; nothing else is.
  [[nodiscard]] bool is_about_files(const Error& error) const {
    if (dynamic_cast<const SpecError*>(&error) != nullptr) return true;
    const std::filesystem::path folder = folder_of_family(options_.kernels, options_.request.kernel.family);
    return error.code() == ExitCode::failed && !folder.empty() &&
           std::string_view(error.what()).find(folder.string()) != std::string_view::npos;
  }

  /// Which files matter cannot be told while something is wrong with them: all that lie in the folder.
  void watch_folder() {
    const std::filesystem::path folder =
        files_.folder.empty() ? folder_of_family(options_.kernels, options_.request.kernel.family) : files_.folder;
    std::vector<std::filesystem::path> folders;
    if (!folder.empty()) folders.push_back(std::filesystem::weakly_canonical(folder));
    watch_.watch(files_.watched, folders);
  }

  void show(const Attempt& attempt, double seconds) {
    if (!options_.json && attempt.problem.key() + attempt.label != title_) introduce(attempt);
    const bool comparable =
        before_ && before_->problem.key() == attempt.problem.key() && before_->trial.variant == attempt.trial.variant;
    print(watch_value(attempt, seconds),
          watch_lines(attempt, comparable ? &*before_ : nullptr, seconds, width(), options_.color));
    files_ = attempt.files;
    if (attempt.is_best) best_ = attempt;
    if (attempt.trial.status == TrialStatus::passed) before_ = attempt;  // what the time is compared with, too
  }

  /// Of the first attempt, and of one whose configuration another spec has changed.
  void introduce(const Attempt& attempt) {
    const bool first = std::exchange(title_, attempt.problem.key() + attempt.label).empty();
    const std::string title = attempt.problem.title(), what = fmt::format("{} ({})", attempt.label, attempt.how);
    const std::string where = fmt::format("{}  {}", attempt.device, attempt.trial.toolchain);
    const bool fits = display_width(title + what + where) + 4 <= width();  // a long configuration has a line of its own
    fmt::print("{}{}{}{}{}\n", styled(title, Style::bold, options_.color), fits ? "  " : "\n",
               styled(what, Style::bold, options_.color), fits ? "  " : "\n", where);
    if (first && attempt.measurement && attempt.measurement->clock == ClockKind::modelled)
      fmt::print("times are {}\n", modelled_remark(attempt.trial.family, attempt.trial.dtype));
    if (first && !options_.once) {
      fmt::print("{}\n", styled(fmt::format("watching {} of {}{}; Ctrl-C ends",
                                            format_count(std::ssize(attempt.files.watched), "file"),
                                            attempt.files.folder.string(),
                                            watch_.means() == FileWatch::Means::polling ? " by polling" : ""),
                                Style::dim, options_.color));
    }
  }

  void print(const JsonValue& value, const std::vector<std::string>& lines) const {
    if (options_.json) {
      fmt::print("{}\n", to_json(value, false));
    } else {
      for (const std::string& line : lines) fmt::print("{}\n", line);
    }
    std::fflush(stdout);
  }

  void summarize() const {
    if (options_.json) return;
    std::string text = fmt::format("\n{} tried", tried_);
    if (best_ && best_->measurement) {
      text += fmt::format("; best: save {}, {}, {}", best_->save, time_text(*best_->measurement), best_->label);
      if (best_->save > 0 && best_->save != attempts_.last_save())
        text += fmt::format("\nhave it back: kerlab restore {}{}", best_->save, options_.again);
    }
    text += fmt::format("\nall saves: kerlab history{}", options_.again);
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }

  static int width() { return table_width(kPlainWidth); }

  const WatchOptions& options_;
  AttemptRequest request_;
  Attempts& attempts_;
  const InterruptFlag& interrupt_;
  FileWatch watch_;
  int tried_ = 0;
  KernelFiles files_;  ///< of the last attempt that came to something
  std::string title_, completion_;
  std::optional<Attempt> before_, best_;
};

struct WatchCommand {
  std::vector<std::string> words;
  std::string dtype;
  int rounds = 30;
  double limit_s = 0;
  bool once = false;
};

ExitCode run(const WatchCommand& command, const GlobalOptions& global) {
  WatchOptions options;
  options.request = {subject_of_words(command.words, ""), global.problem, command.dtype};
  options.kernels = kernel_folders(global);
  options.again = repeated_database(global);
  options.once = command.once;
  options.json = global.json;
  options.color = color_on(global, stdout);
  AttemptOptions attempts;
  attempts.rig = rig_options(global, "");
  attempts.rounds = command.rounds;
  attempts.limit_s = command.limit_s;
  attempts.command = global.typed;
  attempts.version = version();
  Database database = Database::open(database_path(global));
  const InterruptFlag interrupt;
  const InterruptedWaitsEnd at_once;
  Attempts tries(std::move(attempts), database);
  return run_watch(options, tries, interrupt);
}

}  // namespace

ExitCode run_watch(const WatchOptions& options, Attempts& attempts, const InterruptFlag& interrupt) {
  return Watch(options, attempts, interrupt).run();
}

Command add_watch(CLI::App& root, const GlobalOptions& global) {
  auto command = std::make_shared<WatchCommand>();
  CLI::App* parser = root.add_subcommand("watch", "try a kernel now and at every save: correct? faster? and why");
  parser->group("Your own kernels");
  parser->footer("example: kerlab watch gemm/gemm_sm80 --M 4096 BM=128   # edit and save; Ctrl-C ends");
  parser->add_option("kernel", command->words, "FAMILY[/VARIANT] and NAME=VALUE of its configuration, or a trial's id")
      ->required();
  parser->add_option("--dtype", command->dtype, "default: the family's first that the device supports");
  parser->add_option("--rounds", command->rounds, "samples of each, on a GPU")->check(takes_whole(1, 100000));
  parser
      ->add_option("--limit", command->limit_s,
                   "seconds that its check, or its timing, may take (20 times what the last good run took, at least 5)")
      ->type_name("SECONDS")
      ->check(takes_time(0.1, 86400));
  parser->add_flag("--once", command->once, "try it once and end");
  return {parser, true, [command, &global] { return run(*command, global); }};
}

}  // namespace kerlab::cli
