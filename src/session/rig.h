#pragma once
// What a session needs before it can try anything: the kernels' folder, compilers, a device with its worker.

#include <filesystem>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "session/runner.h"
#include "spec/spec.h"

namespace kerlab {

struct RigOptions {
  std::string target;                          ///< a family's name, or a folder
  std::vector<std::filesystem::path> kernels;  ///< --kernels: looked in before KERLAB_KERNELS and the shipped ones
  std::string device = "auto";
  std::vector<std::string> worker_command;  ///< empty: this executable's `worker`
  std::filesystem::path program;               ///< kerlab, to start children; empty: this executable
  int jobs = 0;                             ///< compiler processes; 0: one per core
  bool use_cache = true;
  std::chrono::milliseconds compile_deadline{60000};
};

/// How the compilers of these options are started.
CompilerPool::Options compiler_options(const RigOptions& options);
/// How the worker of these options is started.
WorkerClient::Options worker_options(const RigOptions& options);

/// Says on stderr that `auto` found no GPU and what it took instead; says nothing otherwise.
void announce_fallback(const RigOptions& options, const DeviceInfo& device);

/// `--kernels`, KERLAB_KERNELS (separated by ':'), the shipped folder.
Catalogue open_catalogue(const std::vector<std::filesystem::path>& kernels);

/// The source of a variant or reference with its includes, which are looked for beside it and in the shipped kernels.
SourceBundle read_kernel_source(const std::filesystem::path& file);
/// kernels/common/lab.cu.
SourceBundle read_lab_source();

/// Opened once and used for any number of problems of the family.
class Rig {
 public:
  /// Reads the folder, starts the worker and one compiler. Throws what is wrong with any of them.
  explicit Rig(const RigOptions& options);
  /// For a folder already read (so that what was typed is judged before a device is needed).
  Rig(const RigOptions& options, KernelFolder folder);

  [[nodiscard]] const KernelFolder& folder() const { return folder_; }
  [[nodiscard]] const DeviceInfo& device() const { return device_; }
  [[nodiscard]] const std::string& toolchain() const { return toolchain_; }
  CompilerPool& compilers() { return compilers_; }
  [[nodiscard]] const CompilerPool& compilers() const { return compilers_; }
  CandidateRunner& runner() { return runner_; }
  [[nodiscard]] const CandidateRunner& runner() const { return runner_; }

  /// Sleeps until a compiler or the worker has something to say, or `longest` passed.
  void wait(std::chrono::milliseconds longest) const;

 private:
  KernelFolder folder_;
  CompilerPool compilers_;
  CandidateRunner runner_;
  DeviceInfo device_;
  std::string toolchain_;
};

}  // namespace kerlab
