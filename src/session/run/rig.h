#pragma once
// What a session needs before it can try anything: the kernels' folder, compilers, a device with its worker.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/run/kept_processes.h"
#include "spec/spec.h"

namespace kerlab::session {

struct RigOptions {
  std::string target;                       ///< a family's name, or a folder
  std::vector<std::string> named;           ///< variants that are asked for; others need not be readable
  KernelPlaces kernels;                     ///< looked in before the shipped ones
  std::string device = "auto";              ///< or a list, see device_ids
  std::vector<std::string> worker_command;  ///< empty: this executable's `worker`
  std::optional<std::chrono::milliseconds>
      lock_patience;                   ///< with another kerlab on the device; none: the worker's own
  std::vector<std::string> libraries;  ///< --library: plug-ins whose rows are timed beside candidates
  std::filesystem::path program;       ///< kerlab, to start children; empty: this executable
  int jobs = 0;                        ///< compiler processes; 0: one per core
  bool use_cache = true;
  std::chrono::milliseconds compile_deadline{60000};
  bool compilers_ahead = false;         ///< all are started at once: there will be much to compile
  std::shared_ptr<KeptProcesses> kept;  ///< of the sessions before and after this one; null: started for this one
};

/// How the compilers of these options are started.
CompilerPool::Options compiler_options(const RigOptions& options);
/// How the worker of these options is started.
WorkerClient::Options worker_options(const RigOptions& options);

/// Says on stderr that `auto` found no GPU and what it took instead; says nothing otherwise.
void announce_fallback(const RigOptions& options, const DeviceInfo& device);

/// Of the user's folders and the shipped kernels.
Catalogue open_catalogue(const KernelPlaces& kernels);

/// The source of a variant or of a family's reference with its includes, which are looked for beside it, in the shipped
/// kernels and in the folders of headers that the user has named. Of a family that is all recorded there is none:
/// empty.
SourceBundle read_kernel_source(const Variant& variant);
SourceBundle read_kernel_source(const Family& family);
/// kernels/common/lab.cu; ceilings.cu beside it: the same and the kernels that measure ceilings.
SourceBundle read_lab_source();
SourceBundle read_ceilings_source();

/// One device of a rig, with the worker that owns it.
struct RigDevice {
  std::unique_ptr<CandidateRunner> runner;
  DeviceInfo info;
  std::string lost;  ///< why it takes no more part; empty: it does
};

/// Opened once and used for any number of problems of the family.
class Rig {
 public:
  /// Reads the folder, starts a worker on every device and one compiler. Throws what is wrong with any of them, and
  /// UsageError when the devices are of several models.
  explicit Rig(const RigOptions& options);
  /// For a folder already read (so that what was typed is judged before a device is needed).
  Rig(const RigOptions& options, KernelFolder folder);
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] const KernelFolder& folder() const { return folder_; }
  /// The first that is still there: whatever compares candidates happens on it.
  [[nodiscard]] const DeviceInfo& device() const { return devices_[first()].info; }
  [[nodiscard]] const std::string& toolchain() const { return toolchain_; }
  /// Whether what was compiled is found again.
  [[nodiscard]] bool uses_cache() const { return options_.use_cache; }
  CompilerPool& compilers() { return *compilers_; }
  [[nodiscard]] const CompilerPool& compilers() const { return *compilers_; }
  CandidateRunner& runner() { return *devices_[first()].runner; }
  [[nodiscard]] const CandidateRunner& runner() const { return *devices_[first()].runner; }
  /// All of them, of one model; never empty.
  [[nodiscard]] const std::vector<RigDevice>& devices() const { return devices_; }
  /// Whether the user has named plug-ins.
  [[nodiscard]] bool has_plugins() const { return !options_.libraries.empty(); }
  /// "2 x NVIDIA H200", or the name alone.
  [[nodiscard]] std::string device_title() const;
  /// Index of `device()`.
  [[nodiscard]] std::size_t first() const;

  /// Summed over the compilers, since this rig was made.
  [[nodiscard]] double compilers_busy_seconds() const { return compilers().busy_seconds() - busy_before_; }

  /// The problem every following run is about, on every device.
  void set_problem(const request::SetProblem& problem);
  /// A device takes no more part. Its worker is stopped. The last one cannot be lost: false, nothing done.
  bool lose(std::size_t device, const std::string& why);

  /// Sleeps until a compiler or a worker has something to say, or `longest` passed.
  void wait(std::chrono::milliseconds longest) const;
  /// As long as a wait may last at the most. Throws Error (interrupted) where Ctrl-C ends waits.
  void wait() const;

 private:
  void start_workers(std::vector<std::unique_ptr<CandidateRunner>> kept);

  RigOptions options_;
  KernelFolder folder_;
  std::unique_ptr<CompilerPool> compilers_;
  double busy_before_ = 0;  ///< of compilers kept from an earlier session
  std::vector<RigDevice> devices_;
  std::string toolchain_;
};

}  // namespace kerlab::session
