// ProblemData: a few elements of its inputs, changed in place. Whoever recognises inputs by some of their elements, or
// looks whether its output is there already, gives the old results for them.
#include <algorithm>
#include <optional>
#include <random>

#include "verify/input/input_value.h"
#include "verify/problem_data.h"

namespace kerlab::verify {
namespace {

constexpr std::int64_t kMostChanges = 4;  // of a tensor: more would be seen by those who sample it
constexpr int kOtherDraws = 16;           // small integers are often equal
constexpr double kFarOut = 16;

/// Of a tensor's changes the first two are beyond all others, so that a largest, a least, or who is it, changes too.
/// Floats alone: integers have their range. Not where it goes with others: a row's saved logarithm of its sum 16 off
/// would make weights of 10^7, that no data give and that fp16 does not hold.
bool is_far_out(const Tensor& tensor, std::int64_t change) {
  return change < 2 && !tensor.tied && info(tensor.dtype).is_float && info(tensor.dtype).per_byte == 1;
}

}  // namespace

/// Where they are is drawn anew in every process: no kernel can keep clear of them. Their values are those of the same
/// recipe with other seeds, so that indices stay within their range, and of floats the first two far out, one to each
/// side where there are two.
void ProblemData::choose_changes() {
  std::random_device random;
  for (std::size_t t = 0; t < plan_.tensors.size(); ++t) {
    const Tensor& tensor = plan_.tensors[t];
    const bool settled = tensor.partition || tensor.range.order != IntegerOrder::none;  // one goes with the others
    if (tensor.role == Role::output || tensor.unread || settled || tensor.elements() == 0) continue;
    Recipe other = plan_.recipes.at(0);
    const InputValues now(plan_, other, tensor.name);
    for (std::int64_t i = 0; i < std::clamp<std::int64_t>(tensor.elements() / 2, 1, kMostChanges); ++i) {
      const auto element = static_cast<std::int64_t>((std::uint64_t{random()} << 32 | random()) %
                                                     static_cast<std::uint64_t>(tensor.elements()));
      std::optional<double> found;
      for (int draw = 0; draw < kOtherDraws; ++draw) {
        other.seed = random();
        const InputValues values(plan_, other, tensor.name);
        if (values.bits_at(element) == now.bits_at(element)) continue;
        found = values.at(element);
        if (!is_far_out(tensor, i) || (*found > 0) == (i == 0)) break;
      }
      if (found) changes_.push_back({t, element, is_far_out(tensor, i) ? kFarOut * *found : *found});
    }
  }
}

void ProblemData::draw_other_changes() {
  fresh_.erase(Fresh::changed);
  changes_.clear();
}

std::vector<BoundLaunch> ProblemData::change_launches(const Set& set, std::uint32_t recipe, Role role) const {
  std::vector<BoundLaunch> launches;
  const auto known = fresh_.find(Fresh::changed);
  if (known == fresh_.end() || known->second != recipe) return launches;
  for (const Change& change : changes_) {
    const Tensor& tensor = plan_.tensors[change.tensor];
    if (tensor.role != role) continue;
    lab::FillArguments one{};
    const std::int64_t in_one = info(tensor.dtype).per_byte;  // elements that share a byte change with it
    one.out = set.buffers[change.tensor].pointer() +
              static_cast<DevicePtr>(change.element / in_one * info(tensor.dtype).bytes);
    one.count = in_one;
    one.dtype = static_cast<lab::u32>(tensor.dtype);
    one.recipe = lab::kConstant;
    one.parameter0 = change.value;
    launches.push_back(lab_.bind_over("lab_fill", one, one.count));
  }
  return launches;
}

}  // namespace kerlab::verify
