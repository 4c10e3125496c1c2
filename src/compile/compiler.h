#pragma once
// (source, headers, options) -> image + resource usage. NVRTC runs only in `kerlab compiler` children; the parent talks
// to them through CompilerPool and never loads NVRTC.

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/child.h"
#include "plan/device_info.h"

namespace kerlab::compile {

struct Header {
  std::string name;  ///< as written in #include "..."
  std::string text;
  std::filesystem::path file = {};  ///< where it was read; empty: elsewhere than from a file
};

/// A source with everything it includes, read once and shared by all its configurations.
struct SourceBundle {
  std::string path;  ///< shown in diagnostics
  std::string text;
  std::vector<Header> headers;  ///< transitive, in memory, sorted by name
  std::string hash;             ///< of text and headers
};
/// Reads `file` and, recursively, every #include "x" found beside the including file or in `include_folders` (in that
/// order), and every one, <x> too, found in the user's `header_folders`. Other <x> are left to NVRTC. Throws Error with
/// file:line for one that is not found, that leads elsewhere, or whose name is a macro. Of PTX ("k_*.ptx") all files
/// that fit (compile/image_files.h).
SourceBundle read_source(const std::filesystem::path& file, const std::vector<std::filesystem::path>& include_folders,
                         const std::vector<std::filesystem::path>& header_folders = {});

struct CompileRequest {
  SourceBundle source;
  std::vector<std::string> options;  ///< complete: --gpu-architecture=sm_90a --std=c++20 -DBM=128 ...; kInstantiate too
  std::chrono::milliseconds deadline{0};  ///< of this one; 0: the pool's
};

enum class CompileStatus : std::uint8_t { ok, error, timeout, crashed };

struct CompileResult {
  CompileStatus status = CompileStatus::error;
  Bytes cubin;
  std::string ptx;                       ///< where NVRTC gives it beside the cubin
  std::string log;                       ///< whole
  std::string message;                   ///< first error, with the line in the user's file; or how the child died
  std::vector<KernelResources> kernels;  ///< parsed from the log (ptxas -v)
  bool wgmma_serialised = false;         ///< C7511
  bool wgmma_wait_injected = false;      ///< C7517
  bool setmaxnreg_ignored = false;       ///< C7508
  double milliseconds = 0;               ///< in the compiler
  bool from_cache = false;
};

/// The options every compilation shares: architecture, standard, resource log.
std::vector<std::string> base_options(const std::string& arch);
/// ptxas -v log -> resources per kernel; exposed for its tests.
void parse_log(const std::string& log, CompileResult& result);

/// Content-addressed, on disk, shared by concurrent processes; failures are cached too (time-outs and crashes are not).
/// Any I/O problem ends the writing with one warning: a cache never fails a compilation.
class CompileCache {
 public:
  /// `limit_bytes`: those unused for longest go first when above it.
  CompileCache(std::filesystem::path folder, std::int64_t limit_bytes, bool enabled = true);
  [[nodiscard]] std::string key(const CompileRequest& request, const std::string& toolchain) const;
  /// A damaged entry is deleted and counts as absent.
  std::optional<CompileResult> find(const std::string& key);
  void store(const std::string& key, const CompileResult& result);
  [[nodiscard]] const std::string& warning() const { return warning_; }  ///< empty: healthy

 private:
  [[nodiscard]] std::filesystem::path entry_path(const std::string& key) const;
  void trim();

  std::filesystem::path folder_;
  std::int64_t limit_bytes_;
  bool enabled_;
  bool writable_ = true;
  std::int64_t stored_since_trim_;
  std::string warning_;
};

/// Body of `kerlab compiler`: loads NVRTC by dlopen, serves requests. Returns the exit code.
int run_compiler();

inline constexpr int kMostProcesses = 32;
/// How many children compile at once where nobody says: one per core, at most kMostProcesses.
int default_processes(int cores);

/// A compilation that was asked for: its owner keeps it and asks it. Whoever lets go of one that has not begun cancels
/// it.
class Compilation {
 public:
  Compilation() = default;  ///< of nothing
  [[nodiscard]] bool finished() const { return result_ && result_->has_value(); }
  /// Asked for, and the result not taken yet.
  [[nodiscard]] explicit operator bool() const { return result_ != nullptr; }
  /// Once finished, and once.
  CompileResult take();

 private:
  friend class CompilerPool;
  using Result = std::shared_ptr<std::optional<CompileResult>>;
  explicit Compilation(Result result) : result_(std::move(result)) {}
  Result result_;
};

/// Children that compile, one job each at a time.
class CompilerPool {
 public:
  struct Options {
    std::string executable;         ///< of kerlab
    int processes = 0;              ///< 0: one per core, at most kMostProcesses
    std::int64_t memory_bytes = 0;  ///< that one may allocate; 0: its share of the machine's, 2 GiB at least
    std::chrono::milliseconds deadline{60000};  ///< per compilation; the process group is killed, status timeout
    std::filesystem::path cache_folder;
    std::int64_t cache_limit_bytes = std::int64_t{4} << 30;
    bool use_cache = true;  ///< kerlab's; NVRTC's own is off in either case (-no-cache)
  };
  explicit CompilerPool(Options options);
  ~CompilerPool();

  /// "NVRTC 13.0". Remembered in the cache folder for as long as the library file stays the same, else one child is
  /// started to ask: a session that finds everything in the cache starts none. Throws Error: NVRTC not found or older
  /// than 12.4, with how to install it.
  const std::string& toolchain();
  /// Starts all children now, so that they are there when there is work; they load NVRTC for a while. Never blocks.
  void start_all();
  /// Queues, or finds it in the cache. Throws as toolchain() does.
  [[nodiscard]] Compilation submit(CompileRequest request);
  /// Compilations that are queued or running.
  [[nodiscard]] std::size_t pending() const;
  /// Starts queued jobs on idle children, collects what is finished, enforces deadlines; never blocks. A job whose
  /// child died is tried once more when nothing else is left to do, with no other compilation running (it may have been
  /// killed for the memory that others took); then it is `crashed`. Throws Error when children cannot be started.
  void step();
  [[nodiscard]] std::vector<int> fds() const;        ///< to poll() for reading
  [[nodiscard]] Clock::time_point deadline() const;  ///< call step() then at the latest, whatever the descriptors say
  /// Submits one and blocks for it.
  CompileResult compile(CompileRequest request);
  [[nodiscard]] double busy_seconds() const;  ///< summed over children
  [[nodiscard]] int processes() const;
  [[nodiscard]] std::chrono::milliseconds time_limit() const;  ///< of a compilation that has none of its own
  [[nodiscard]] int crashes() const;
  [[nodiscard]] const std::string& cache_warning() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kerlab::compile
