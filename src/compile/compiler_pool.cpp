// The parent's side: jobs, children, deadlines.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "base/cores.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "compile/compiler.h"
#include "compile/compiler_process.h"
#include "compile/image_files.h"
#include "compile/messages.h"
#include "compile/toolchain.h"

namespace kerlab::compile {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartDeadline{60000};  // loading NVRTC, 110 MB, from a slow disk
constexpr int kMostStartFailures = 3;

int process_count(int asked) {
  return asked > 0 ? asked : default_processes(usable_cores());
}

/// One kernel whose templates never end shall not take the memory of everything else.
std::int64_t memory_share(int processes) {
  constexpr std::int64_t kLeast = std::int64_t{2} << 30;
  const std::int64_t physical = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGE_SIZE);
  return std::max(kLeast, physical * 3 / 4 / processes);
}

CompileResult failed(CompileStatus status, std::string message) {
  CompileResult result;
  result.status = status;
  result.message = std::move(message);
  return result;
}

}  // namespace

struct CompilerPool::State {
  Options options;
  CompileCache cache;
  int processes;
  std::optional<Toolchain> toolchain;
  std::string identity;
  std::deque<Job> queue;
  std::deque<Job> suspects;  ///< their child died; each gets a second attempt, alone
  std::vector<Compiler> compilers;
  bool news = false;  ///< something has finished since the last step
  double busy_seconds = 0;
  int crashes = 0;
  int start_failures = 0;  ///< in a row

  explicit State(Options given)
      : options(std::move(given)),
        cache(options.cache_folder, options.cache_limit_bytes, options.use_cache),
        processes(process_count(options.processes)) {}

  [[nodiscard]] std::size_t running() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(compilers, [](const Compiler& c) { return c.job.has_value(); }));
  }

  void start_compiler() {
    const std::int64_t memory = options.memory_bytes > 0 ? options.memory_bytes : memory_share(processes);
    compilers.push_back(
        {Child::spawn({options.executable, "compiler"}, {fmt::format("KERLAB_COMPILER_MEMORY={}", memory)})});
  }

  void finish(Job job, CompileResult result) {
    if (!result.from_cache) cache.store(job.key, result);
    *job.result = std::move(result);
    news = true;
  }

  void greet(Compiler& compiler, const Bytes& frame) {
    const CompilerHello hello = decode_compiler_hello(frame);
    if (!hello.error.empty()) throw Error(hello.error);
    const std::optional<Toolchain> expected = std::exchange(toolchain, hello.toolchain);
    identity = toolchain->identity();
    if (expected == toolchain) return ready(compiler);
    if (options.use_cache) remember_toolchain(options.cache_folder, *toolchain);
    // Keys and results of this session carry the old name.
    if (expected)
      throw Error(
          fmt::format("the CUDA Toolkit changed under way ({} became {}): run again", expected->identity(), identity));
    ready(compiler);
  }

  void ready(Compiler& compiler) {
    compiler.ready = true;
    start_failures = 0;
  }

  void receive(Compiler& compiler) {
    compiler.child.flush();
    while (const std::optional<Bytes> frame = compiler.child.receive()) {
      if (!compiler.ready) {
        greet(compiler, *frame);
      } else if (compiler.job) {
        CompileResult result = decode_compile_result(*frame);
        finish(end_job(compiler, busy_seconds), std::move(result));
      }
    }
    (void)compiler.child.take_stderr();  // kept for ChildExit; taken so that it does not pile up
  }

  void bury(Compiler& compiler) {
    const ChildExit& exit = *compiler.child.exit();
    if (!compiler.ready) {
      if (++start_failures >= kMostStartFailures)
        throw Error(
            with_tail(fmt::format("'{} compiler' does not start: {}", options.executable, exit.describe()), exit));
      return;
    }
    if (!compiler.job) return;  // idle, or killed at its deadline: no configuration to blame
    ++crashes;
    Job job = end_job(compiler, busy_seconds);
    if (!job.second_attempt) {
      job.second_attempt = true;
      suspects.push_back(std::move(job));
      return;
    }
    const std::string message = fmt::format("the compiler died twice on this configuration: {}", exit.describe());
    finish(std::move(job), failed(CompileStatus::crashed, with_tail(message, exit)));
  }

  [[nodiscard]] milliseconds deadline_of(const Job& job) const {
    return job.request.deadline.count() > 0 ? job.request.deadline : options.deadline;
  }

  void enforce_deadline(Compiler& compiler) {
    const Clock::duration passed = Clock::now() - compiler.since;
    if (!compiler.ready && passed > kStartDeadline) compiler.child.kill();
    if (!compiler.job || passed <= deadline_of(*compiler.job)) return;
    const milliseconds deadline = deadline_of(*compiler.job);
    compiler.child.kill();
    finish(end_job(compiler, busy_seconds),
           failed(CompileStatus::timeout,
                  fmt::format("not compiled within {} ms; the compiler was killed", deadline.count())));
  }

  void collect() {
    for (Compiler& compiler : compilers) {
      receive(compiler);
      if (!compiler.child.exit()) enforce_deadline(compiler);
      if (compiler.child.exit()) bury(compiler);
    }
    std::erase_if(compilers, [](const Compiler& compiler) { return compiler.child.exit().has_value(); });
  }

  /// The next job that may start now, if any: first the queue, then the suspects one at a time with nothing beside.
  std::optional<Job> next_job() {
    const bool suspect_running =
        std::ranges::any_of(compilers, [](const Compiler& c) { return c.job && c.job->second_attempt; });
    std::deque<Job>& from = queue.empty() ? suspects : queue;
    if (from.empty() || suspect_running || (&from == &suspects && running() > 0)) return {};
    Job job = std::move(from.front());
    from.pop_front();
    return job;
  }

  /// Gives jobs to idle compilers; another process may have filled the cache since submit().
  void dispatch() {
    for (Compiler& compiler : compilers) {
      while (compiler.idle()) {
        std::optional<Job> job = next_job();
        if (!job) return;
        if (std::optional<CompileResult> stored = cache.find(job->key)) {
          finish(std::move(*job), std::move(*stored));
          continue;
        }
        compiler.since = Clock::now();
        compiler.used = true;
        compiler.child.send(encode(job->request));
        compiler.job = std::move(job);
      }
    }
  }

  void start_compilers() {
    const auto waiting = queue.size() + std::min<std::size_t>(suspects.size(), 1);
    const auto free = compilers.size() - running();
    for (auto more = waiting - std::min(waiting, free); more > 0 && std::ssize(compilers) < processes; --more)
      start_compiler();
  }

  void forget_unwanted() {
    for (std::deque<Job>* jobs : {&queue, &suspects})
      std::erase_if(*jobs, [](const Job& job) { return !job.wanted(); });
  }

  void step() {
    collect();
    forget_unwanted();
    // A second attempt gets a process that has compiled nothing before.
    if (queue.empty() && !suspects.empty() && running() == 0)
      std::erase_if(compilers, [](const Compiler& compiler) { return compiler.used; });
    dispatch();
    start_compilers();
    news = false;
  }

  [[nodiscard]] std::vector<int> fds() const {
    std::vector<int> result;
    for (const Compiler& compiler : compilers)
      for (const int fd : {compiler.child.output_fd(), compiler.child.error_fd()})
        if (fd >= 0) result.push_back(fd);
    return result;
  }

  /// When step() has something to do although no child speaks.
  [[nodiscard]] Clock::time_point next_event() const {
    Clock::time_point earliest = Clock::time_point::max();
    for (const Compiler& compiler : compilers) {
      // A request larger than the socket's buffer goes on as the child reads it.
      if (compiler.child.wants_write()) earliest = std::min(earliest, Clock::now() + milliseconds(1));
      if (!compiler.ready) earliest = std::min(earliest, compiler.since + kStartDeadline);
      if (compiler.job) earliest = std::min(earliest, compiler.since + deadline_of(*compiler.job));
    }
    return earliest;
  }

  /// From memory, or from a child.
  const Toolchain& find_toolchain() {
    if (!toolchain && options.use_cache) toolchain = recall_toolchain(options.cache_folder);
    if (!toolchain) {
      if (compilers.empty()) start_compiler();
      for (collect(); !toolchain; collect()) {
        if (compilers.empty()) start_compiler();
        end_interrupted_wait();
        wait_for(fds(), std::min(next_event(), Clock::now() + longest_wait()));
      }
    }
    identity = toolchain->identity();
    return *toolchain;
  }
};

CompilerPool::CompilerPool(Options options) : state_(std::make_unique<State>(std::move(options))) {}
CompilerPool::~CompilerPool() = default;

const std::string& CompilerPool::toolchain() {
  return (state_->toolchain ? *state_->toolchain : state_->find_toolchain()).name;
}

void CompilerPool::start_all() {
  while (std::ssize(state_->compilers) < state_->processes) state_->start_compiler();
}

Compilation CompilerPool::submit(CompileRequest request) {
  (void)toolchain();
  Job job{std::make_shared<std::optional<CompileResult>>(), with_image_alone(std::move(request)), {}, false};
  Compilation compilation(job.result);
  job.key = state_->cache.key(job.request, state_->identity);
  if (std::optional<CompileResult> stored = state_->cache.find(job.key))
    state_->finish(std::move(job), std::move(*stored));
  else
    state_->queue.push_back(std::move(job));
  return compilation;
}

CompileResult Compilation::take() {
  CompileResult result = std::move(result_->value());
  result_.reset();
  return result;
}

std::size_t CompilerPool::pending() const {
  state_->forget_unwanted();
  return state_->queue.size() + state_->suspects.size() + state_->running();
}

void CompilerPool::step() {
  state_->step();
}

std::vector<int> CompilerPool::fds() const {
  return state_->fds();
}
Clock::time_point CompilerPool::deadline() const {
  return state_->news ? Clock::now() : state_->next_event();
}

CompileResult CompilerPool::compile(CompileRequest request) {
  Compilation compilation = submit(std::move(request));
  for (step(); !compilation.finished(); step()) {
    end_interrupted_wait();
    wait_for(fds(), std::min(state_->next_event(), Clock::now() + longest_wait()));
  }
  return compilation.take();
}

double CompilerPool::busy_seconds() const {
  return state_->busy_seconds;
}
int default_processes(int cores) {
  return std::clamp(cores, 1, kMostProcesses);
}

int CompilerPool::processes() const {
  return state_->processes;
}
milliseconds CompilerPool::time_limit() const {
  return state_->options.deadline;
}
int CompilerPool::crashes() const {
  return state_->crashes;
}
const std::string& CompilerPool::cache_warning() const {
  return state_->cache.warning();
}

}  // namespace kerlab::compile
