#include "verify/check_call.h"

#include "verify/check.h"
#include "verify/checker.h"
#include "verify/compare.h"
#include "verify/explain.h"

namespace kerlab::verify {
namespace {

/// More than that is had only from an allocation of its own, as sets for timing are.
constexpr std::int64_t kOfTimedSets = 256;

class CallCheck {
 public:
  CallCheck(ProblemData& data, std::span<const NamedBuffer> workspaces, std::uint32_t recipe)
      : data_(data), recipe_(recipe), reports_(data.device()) {
    hashes_ = data_.input_hashes(recipe_);
    expected_ = &data_.expected(recipe_);
    set_ = data_.set_with(recipe_, kOfTimedSets);
    guarded_ = data_.named_buffers(set_);
    guarded_.insert(guarded_.end(), workspaces.begin(), workspaces.end());
    reports_.reset(data_.plan().references.size(), 2 * guarded_.size(), hashes_.size());
  }

  void run(const std::function<void(std::size_t set)>& call, std::uint32_t poison, CheckReport& report) {
    for (const BoundLaunch& launch : data_.restore_launches(set_, recipe_)) data_.device().launch(launch);
    poison_outputs(data_, set_, poison);
    call(static_cast<std::size_t>(set_));
    look(report);
    data_.queue_input_hashes(set_, reports_, 0);
    scan_guards(data_.lab(), guarded_, reports_, 0);
    reports_.read();
    read(report);
  }

 private:
  void look(CheckReport& report) {
    for (std::size_t i = 0; i < data_.plan().references.size(); ++i) {
      const Tensor& output = data_.output(i);
      if (output.elements() == 0) continue;
      if (data_.plan().references[i].checker)
        report.recipes.push_back(judge_by_checker(data_, recipe_, i, set_));
      else
        queue_compare(data_, reports_, i,
                      {recipe_, i, data_.buffer(set_, output.name).pointer(), &(*expected_)[i], false, {}});
    }
  }

  void read(CheckReport& report) {
    for (std::size_t i = 0; i < data_.plan().references.size(); ++i)
      if (!data_.plan().references[i].checker && data_.output(i).elements() > 0)
        report.recipes.push_back(explain(data_.plan().recipes[recipe_], data_.output(i), reports_.compared()[i]));
    for (std::size_t i = 0; i < hashes_.size(); ++i)
      if (reports_.hashed()[i] != hashes_[i] && report.input_modified.empty())
        report.input_modified = data_.plan().tensors[data_.inputs()[i]].name;
    const std::string damage = describe_damage(guarded_, reports_.guarded());
    if (damage.empty()) return;
    if (report.guard_violation.empty()) report.guard_violation = damage;
    for (const NamedBuffer& named : guarded_) named.buffer->restore_guards(data_.device());
  }

  ProblemData& data_;
  std::uint32_t recipe_;
  ReportBuffer reports_;
  std::vector<std::uint64_t> hashes_;
  const std::vector<Expected>* expected_ = nullptr;
  std::vector<NamedBuffer> guarded_;
  int set_ = 0;
};

}  // namespace

CheckReport check_call(ProblemData& data, const std::function<void(std::size_t set)>& call,
                       std::span<const NamedBuffer> workspaces, std::span<const std::uint32_t> recipes) {
  CheckReport report;
  std::uint32_t poison = kPoisonNan;
  for (const std::uint32_t recipe : recipes) {
    for (const NamedBuffer& workspace : workspaces)
      data.device().fill(workspace.buffer->pointer(), poison, workspace.buffer->words());
    CallCheck(data, workspaces, recipe).run(call, poison, report);
    poison = poison == kPoisonNan ? kPoisonFinite : kPoisonNan;
  }
  return report;
}

}  // namespace kerlab::verify
