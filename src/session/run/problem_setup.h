#pragma once
// A problem made ready for a device: what the worker must know of it, with the image that computes its reference.

#include "model/roofline.h"
#include "session/run/arguments.h"
#include "session/run/rig.h"

namespace kerlab::session {

/// A problem of the same kind that an emulated device can execute whole.
struct SmallProblem {
  Problem problem;
  ProblemPlan plan;
  std::vector<std::string> reference_defines;
};

/// The work depends on the data, and a kernel of the reference counts it.
struct CostCount {
  Launch launch;
  double flops = 0, bytes = 0;  ///< at most, by the formulas of [cost]
  bool counted = false;         ///< the plan has what the kernel wrote; else it has these bounds, and no least time
};

struct ProblemSetup {
  Problem problem;
  ProblemPlan plan;  ///< with the theoretical roof of this device
  std::vector<std::string> reference_defines;
  std::optional<SmallProblem> small;    ///< where the problem is not small itself
  std::optional<CostCount> count = {};  ///< none: the formulas of [cost] say what a run costs
  bool timed = true;                    ///< false: it is only checked
  [[nodiscard]] bool cost_from_data() const { return count && count->counted; }
};

/// Ragged shrunken problems, to be tried in this order: extents in which no tile divides, then multiples of 8 and 64.
/// `ragged_anyway`: extents that are small themselves become one less, or the next lower multiple.
std::vector<ProblemRequest> small_shapes(const Family& family, const Problem& problem, bool ragged_anyway = false);

/// The small problem on which most of the variants' default configurations are the same program; none when the problem
/// is that small itself.
std::optional<SmallProblem> choose_small_problem(const KernelFolder& folder, const Problem& problem,
                                                 const DeviceInfo& device);

/// Resolved before any device is needed, except for the dtype when none was typed: then it is the family's first that
/// some variant supports on this device.
Problem problem_for_device(const KernelFolder& folder, ProblemRequest request, const DeviceInfo& device);

/// Throws UsageError when the problem is larger than the device's memory, naming both sizes.
ProblemSetup prepare_problem(const KernelFolder& folder, const Problem& problem, const DeviceInfo& device);

/// With which a reference is compiled.
std::vector<std::string> reference_options(const DeviceInfo& device, const std::vector<std::string>& defines);

/// Throws UsageError where the outputs of the family are recorded and those of this problem are not: with what is, and
/// the command that writes its inputs. `target`: the family as it was typed; empty: by its folder.
void require_recordings(const Family& family, const Problem& problem, const std::string& target = {});

/// Compiles lab.cu and the reference beside the candidates, then makes the problem that of every following run. Where
/// its cost depends on the data it is counted first, and the setup's plan has it from then on.
class ProblemLoader {
 public:
  /// Without a reference nothing can be checked: for profilers, which need no more kernels than the one.
  ProblemLoader(Rig& rig, ProblemSetup& setup, bool with_reference = true)
      : rig_(rig), setup_(setup), with_reference_(with_reference) {}
  /// Submits the compilations; does nothing the second time. Throws UsageError as require_recordings.
  void begin();
  /// Takes what the compilers have finished of it; never blocks. True: it has become ready by this. Throws Error with
  /// the compiler's message when it failed.
  bool step();
  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool ready() const { return ready_; }
  /// begin, and wait until ready.
  void load();
  /// What the workers were told; once ready.
  [[nodiscard]] const request::SetProblem& data() const { return data_; }

 private:
  [[nodiscard]] bool has_kernels() const;
  [[nodiscard]] bool has_own_small_reference() const;
  bool take(Compilation& compilation, Bytes& image, const std::string& source);
  void tell_when_complete();
  void count_cost();

  Rig& rig_;
  ProblemSetup& setup_;
  bool with_reference_;
  Compilation lab_, reference_, small_reference_;
  Bytes lab_image_, reference_image_, small_reference_image_;
  request::SetProblem data_;
  bool begun_ = false, ready_ = false;
};

/// Whether a library may compute the problem there, to be measured beside the candidates: a vendor's, or a plug-in.
bool has_library(const ProblemSetup& setup, const Rig& rig);

/// Least bytes of device memory: the tensors once, and where it is computed whole the reference's values and scales.
double needed_bytes(const ProblemPlan& plan, const DeviceInfo& device);

/// Whether the fastest unit there is for a dtype is the tensor pipe: what a theoretical bound must assume.
bool uses_tensor_cores(DType dtype);

/// The roof of the problem on this device, by its theoretical ceilings.
Roofline theoretical_roof(const Problem& problem, const ProblemPlan& plan, const DeviceInfo& device);

/// No run can be faster: arithmetic at the theoretical peak, and DRAM traffic at the theoretical bandwidth less what
/// the L2 cache may hold back.
double fastest_possible_us(const Problem& problem, const ProblemPlan& plan, const DeviceInfo& device);

/// "A input bf16 4096x4096": its tensors, one each.
std::vector<std::string> tensor_texts(const ProblemPlan& plan);

}  // namespace kerlab::session
