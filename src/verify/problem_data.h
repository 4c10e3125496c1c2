#pragma once
// The data of a problem on a device: tensors between guards, several sets of them, filled by recipe; and what the
// outputs should be, from the reference kernel.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "device/lab.h"
#include "plan/counts.h"
#include "plan/problem_plan.h"
#include "verify/binding.h"
#include "verify/guarded_buffer.h"
#include "verify/memory_plan.h"
#include "verify/recorded_values.h"
#include "verify/report_buffer.h"

namespace kerlab::verify {

/// A fault of a problem's reference: no candidate is guilty of it.
struct ReferenceFault : DeviceFault {
  using DeviceFault::DeviceFault;
};

/// What a checker wrote for one index.
struct Judgement {
  float error = 0;  ///< in units of its own bound: more than 1 is wrong
  std::int32_t code = 0;
};

/// Expected values and error scales of one output.
struct Expected {
  Allocation value, scale;  ///< ReferencePlan::accumulator, one per element
};

class ProblemData {
 public:
  enum class Use : std::uint8_t { timing, checks };
  /// Allocates everything, for timing in so many sets that none is cached; fills and computes on first use.
  /// `reference_image` may be empty when nothing is checked.
  /// Throws DeviceFault(out_of_memory) for a problem larger than the device, Error for a plan that does not fit
  /// together.
  ProblemData(Lab& lab, ProblemPlan plan, std::span<const std::byte> reference_image, Use use = Use::timing);

  [[nodiscard]] Lab& lab() const { return lab_; }
  [[nodiscard]] Device& device() const { return lab_.device(); }
  [[nodiscard]] const ProblemPlan& plan() const { return plan_; }
  [[nodiscard]] std::int64_t device_bytes() const;

  /// Sets 0 .. rotation_sets() - 1 are for timing.
  [[nodiscard]] int rotation_sets() const { return memory_.rotation_sets; }
  [[nodiscard]] bool needs_flush() const { return memory_.flush; }
  [[nodiscard]] const GuardedBuffer& buffer(int set, std::size_t tensor) const;
  [[nodiscard]] const GuardedBuffer& buffer(int set, const std::string& tensor) const;
  [[nodiscard]] Addresses addresses(int set) const;
  /// Where a timed run on a set finds its tensors: hot inputs lie where those of set 0 do, whatever the set.
  [[nodiscard]] const GuardedBuffer& timed(int set, std::size_t tensor) const {
    return buffer(plan_.tensors.at(tensor).hot ? 0 : set, tensor);
  }
  [[nodiscard]] Addresses timed_addresses(int set) const;
  /// Launches that read every hot input, so that L2 holds them; none where nothing is hot. Allocates once.
  [[nodiscard]] std::vector<BoundLaunch> touch_launches();
  [[nodiscard]] std::vector<NamedBuffer> named_buffers(int set) const;

  /// Throws Error when the problem has none of this name.
  [[nodiscard]] const Tensor& tensor(const std::string& name) const;
  /// It holds the first recipe as it is.
  [[nodiscard]] bool holds_timed(int set) const { return sets_.at(static_cast<std::size_t>(set)).recipe == 0u; }
  /// A set whose inputs hold this recipe; fills one if there is none (queued). Sets that are not for timing are aligned
  /// to kLeastAlignment and no better: only where `alignment` asks for no more is one of them given.
  int set_with(std::uint32_t recipe, std::int64_t alignment = kLeastAlignment);
  /// Fills a set with a recipe, whatever it held (queued).
  void refill(int set, std::uint32_t recipe) { fill(set_at(set), recipe); }
  /// The first recipe with other seeds: data that no candidate has seen in its check, or not even before it was timed;
  /// or (changed) as it is, save for a few elements of each tensor that nobody can foretell. From the first call on
  /// behind the plan's own recipes. Of recorded outputs nobody knows what they would be then: the second recipe that
  /// was recorded, or the first where there is no second.
  enum class Fresh : std::uint8_t { check, after_timing, changed };
  std::uint32_t fresh_recipe(Fresh which);
  /// Fresh::changed is another recipe from now on, with other elements changed.
  void draw_other_changes();
  /// All rotation sets hold the first recipe (queued).
  void prepare_timing();
  /// The contents of a set can no longer be trusted: filled again before its next use.
  void distrust(int set) { set_at(set).recipe.reset(); }
  void distrust_all();
  /// Launches that give inout tensors their first values again.
  [[nodiscard]] std::vector<BoundLaunch> restore_launches(int set, std::uint32_t recipe) const;
  /// Emulated devices: gives what a run has written of inout tensors its first values again, and looks at nothing else:
  /// to fill gigabytes for the rows of some blocks would take seconds.
  void restore_written(int set, std::span<const AddressRange> written);
  [[nodiscard]] bool has_inout() const;
  /// False: nothing can be checked.
  [[nodiscard]] bool has_reference() const { return reference_module_.has_value() || all_recorded(); }

  /// Of how many recipes expected values can be kept at once.
  [[nodiscard]] int reference_slots() const { return memory_.reference_slots; }
  /// What the outputs should be, in the order of ProblemPlan::references.
  const std::vector<Expected>& expected(std::uint32_t recipe);
  /// Emulated devices: what the listed elements of an output should be, computed by the reference kernel for these
  /// alone. `indices` count in units of ReferencePlan::outputs_per_index; value and scale get that many numbers for
  /// each. Reads the tensors of a set: inout ones must have been restored.
  void evaluate(std::uint32_t recipe, std::size_t reference, std::span<const std::int64_t> indices,
                std::vector<double>& value, std::vector<double>& scale);
  /// Runs a checker over the outputs that a set holds: for all indices, or (not empty) for these. Waits for whatever
  /// ran before. Throws DeviceFault, that says so, where the checker fails or leaves an index out.
  [[nodiscard]] std::vector<Judgement> judge(int set, std::size_t reference, std::span<const std::int64_t> indices);
  /// False when a kernel has written into the expected values of this recipe; they are then computed anew on next use.
  bool expected_intact(std::uint32_t recipe);
  /// Hash of each input (role input) that lab_hash must find again, in tensor order. Waits for the device when new.
  const std::vector<std::uint64_t>& input_hashes(std::uint32_t recipe);
  void queue_input_hashes(int set, const ReportBuffer& reports, std::uint32_t first_slot) const;
  [[nodiscard]] const std::vector<std::size_t>& inputs() const { return inputs_; }
  [[nodiscard]] const Tensor& output(std::size_t reference) const;
  /// By a checker that has a single place to judge: what some blocks have written tells nothing.
  [[nodiscard]] bool judged_as_one(std::size_t reference) const {
    const ReferencePlan& plan = plan_.references[reference];
    return plan.checker && plan.indices(output(reference).elements()) <= 1;
  }
  /// Queues the hash of `bytes` at `data` into a slot.
  void queue_hash(DevicePtr data, std::int64_t bytes, const ReportBuffer& reports, std::uint32_t slot) const;

 private:
  struct Set {
    std::vector<GuardedBuffer> buffers;  ///< in tensor order
    std::optional<std::uint32_t> recipe;
  };
  struct Reference {
    std::vector<Expected> outputs;
    std::optional<std::uint32_t> recipe;
    std::vector<std::uint64_t> hashes;  ///< of value and scale of each output
  };

  Set& set_at(int set) { return sets_.at(static_cast<std::size_t>(set)); }
  void check_plan() const;
  void add_set(std::int64_t offset);
  void add_reference();
  bool grow_sets();
  bool grow_references();
  std::size_t choose_set(std::uint32_t recipe, std::int64_t alignment);
  void fill(Set& set, std::uint32_t recipe);
  void choose_changes();
  /// Launches that change a few elements of the tensors of this role, where the recipe is that of changes.
  [[nodiscard]] std::vector<BoundLaunch> change_launches(const Set& set, std::uint32_t recipe, Role role) const;
  [[nodiscard]] BoundLaunch fill_launch(const Set& set, std::size_t tensor, std::uint32_t recipe) const;
  [[nodiscard]] bool all_recorded() const;
  void require_reference() const;
  const RecordedValues& recorded(std::uint32_t recipe, std::size_t reference);
  void compute(Reference& reference, std::uint32_t recipe);
  /// Where tensors lie, and the memory of the reference, with what its first launches make of this set; inout tensors
  /// must hold what they do before a run.
  Addresses reference_addresses(int set, std::uint32_t recipe);
  [[nodiscard]] std::vector<std::uint64_t> hashes_of(const Reference& reference);

  Lab& lab_;
  ProblemPlan plan_;
  MemoryPlan memory_;
  std::optional<LoadedModule> reference_module_;
  std::map<std::pair<std::uint32_t, std::size_t>, RecordedValues> recorded_;  ///< by recipe and reference
  ReportBuffer reports_;
  std::map<Fresh, std::uint32_t> fresh_;
  struct Change {
    std::size_t tensor = 0;
    std::int64_t element = 0;
    double value = 0;
  };
  std::vector<Change> changes_;      ///< of Fresh::changed
  bool whole_references_ = true;     ///< all outputs are computed at once: not on emulated devices
  std::vector<std::size_t> inputs_;  ///< tensors of role input
  std::vector<Set> sets_;
  Allocation touched_;  ///< where touches leave what they made of the hot inputs, so that they are not left out
  std::vector<Reference> references_;
  std::vector<Allocation> reference_workspaces_;  ///< in the plan's order; none until they are needed
  std::optional<std::uint32_t> before_;           ///< emulated devices: the recipe that they were made of
  std::map<std::uint32_t, std::vector<std::uint64_t>> input_hashes_;
};

}  // namespace kerlab::verify
