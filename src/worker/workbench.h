#pragma once
// What a worker holds between requests: device, lab, data of the problem, loaded candidates. One reply per request.

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "measure/energy.h"
#include "measure/lookout.h"
#include "measure/timer.h"
#include "vendor/library_gemm.h"
#include "verify/check.h"
#include "verify/emulated/emulated_check.h"
#include "worker/messages.h"
#include "worker/plugin_rows.h"

namespace kerlab::worker {

class Workbench {
 public:
  /// `plugins`: files of libraries that the user has named, loaded when a request asks for libraries.
  explicit Workbench(Device& device, std::vector<std::string> plugins = {})
      : device_(device), lookout_(device), plugin_files_(std::move(plugins)) {}

  /// `progress` is called whenever a launch of a thorough check has ended: it may take long, and is no hang.
  void on_progress(std::function<void()> progress) { progress_ = std::move(progress); }

  /// Serves one request. Throws DeviceFault or Error when it fails; the workbench stays usable unless the fault is
  /// sticky.
  Reply serve(const request::Hello& hello);
  Reply serve(const request::SetProblem& set);
  Reply serve(const request::CountCost& asked);
  Reply serve(const request::Load& load);
  Reply serve(const request::Check& check);
  Reply serve(const request::Time& time);
  Reply serve(const request::RunOnce& run);
  Reply serve(const request::Unload& unload);
  Reply serve(const request::Health& health);
  Reply serve(const request::Ceilings& ceilings);
  Reply serve(const request::Library& library);
  Reply serve(const request::Bye& bye);
  Reply serve(const request::Sanitize& sanitize);
  Reply serve(const request::Energy& energy);
  Reply serve(const request::Neighbours& neighbours);

 private:
  /// A small, ragged problem, on which a candidate is checked before it is on that which was asked for.
  struct Small {
    Small(Lab& lab, const request::SetProblem& set);
    ProblemData data;
    Checker checker;
    EmulatedChecker emulated_checker;
    std::map<std::uint32_t, Candidate> candidates;  ///< those that can run there
  };
  /// Everything that belongs to one problem; members are destroyed in reverse, candidates first.
  struct Problem {
    Problem(Lab& shared, const request::SetProblem& set);
    Lab& lab;
    Allocation padding;  ///< moves what follows
    ProblemData data;
    Checker checker;
    Timer timer;
    std::map<std::uint32_t, Candidate> candidates;
    std::map<std::uint32_t, std::string> labels;
    std::map<std::uint32_t, std::string> programs;  ///< digests of what was loaded
    EmulatedChecker emulated_checker;               ///< in place of `checker` on an emulated device
    std::optional<Small> small;
    // On a GPU, when asked for:
    std::unique_ptr<LibraryGemm> library;
    std::vector<std::size_t> library_rows;  ///< algorithm of each row
    std::unique_ptr<PluginRows> plugin_rows;
    reply::LibraryReady library_ready;  ///< what was told of all of them
    bool library_asked = false;
  };
  reply::LibraryReady prepare_library();
  reply::LibraryReady prepare_vendor();
  void prepare_plugins(reply::LibraryReady& ready);
  [[nodiscard]] std::vector<Timeable> library_row_timeables();
  [[nodiscard]] std::vector<Timeable> library_timeables(std::span<const std::size_t> algorithms);
  Lab& lab_of(const Bytes& image);
  Problem& problem();
  Candidate& candidate(std::uint32_t id);
  [[nodiscard]] Timeable timeable(std::uint32_t id);
  std::vector<EnergySample> measure_energies(const request::Energy& energy);
  CheckReport check_small(const request::Check& check);
  CheckReport check_first(const request::Check& check);
  CheckReport check_after_timing(const request::Check& check);
  CheckReport check_emulated(const request::Check& check);
  CheckReport check_blocks(const request::Check& check);
  [[nodiscard]] std::string hazard_of(const request::Check& check);
  std::vector<SampleSet> count(const request::Time& time);
  void scan_after_timing(const request::Time& time, std::vector<SampleSet>& samples);

  [[nodiscard]] CheckWishes wishes_with_progress(const request::Check& check) const;

  Device& device_;
  std::function<void()> progress_;
  Lookout lookout_;
  std::optional<CublasLt> library_;        ///< opened for the first problem that asks for it
  std::vector<std::string> plugin_files_;  ///< not loaded yet
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::string plugin_trouble_;  ///< of those that could not be loaded
  Bytes lab_image_;
  std::optional<Lab> lab_;  ///< of that image, which most problems share
  std::unique_ptr<Problem> problem_;
  std::map<std::string, double> sanitized_;  ///< by label, or program: what thorough checks have spent in mode sanitize
};

/// The reply to a request; failures become reply::Fault.
Reply serve(Workbench& workbench, const Request& request);

}  // namespace kerlab::worker
