#include "verify/input/input_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "common/recipe.h"
#include "verify/input/inputs.h"

namespace kerlab::verify {
namespace {

lab::FillArguments fill_of(const ProblemPlan& plan, const Recipe& recipe, const std::string& name) {
  bool first_input = true;
  for (const Tensor& tensor : plan.tensors) {
    if (tensor.name == name) return fill_arguments(recipe, tensor, tensor.role == Role::input && first_input, 0);
    first_input = first_input && tensor.role != Role::input;
  }
  throw Error(fmt::format("problem '{}' has no tensor '{}'", plan.key, name));
}

/// What a tensor of offsets holds.
std::vector<std::int64_t> partition(const ProblemPlan& plan, const Recipe& recipe, const Tensor& offsets) {
  const lab::FillArguments a = fill_of(plan, recipe, offsets.name);
  std::vector<std::int64_t> begins(static_cast<std::size_t>(a.count));
  lab::for_each_part(lab::stream_key(a.seed, a.tensor), begins.size() - 1, static_cast<lab::u64>(a.parameter0),
                     a.pattern, [&](lab::u64 part, lab::i64 begin) { begins[part] = begin; });
  return begins;
}

}  // namespace

InputValues::InputValues(const ProblemPlan& plan, const Recipe& recipe, const std::string& tensor)
    : fill_(fill_of(plan, recipe, tensor)),
      format_(lab::format_of(fill_.dtype)),
      key_(lab::stream_key(fill_.seed, fill_.tensor)),
      constant_(lab::encode(format_, fill_.parameter0)) {
  const auto of = std::ranges::find(plan.tensors, tensor, &Tensor::name);
  add_rows(fill_, plan, *of, [&](const Tensor& offsets) {
    offsets_ = std::make_shared<const std::vector<std::int64_t>>(partition(plan, recipe, offsets));
    return reinterpret_cast<DevicePtr>(offsets_->data());
  });
  if (offsets_) fill_.offset_bytes = sizeof(std::int64_t);
}

double InputValues::at(std::int64_t element) const {
  return lab::decode(format_, bits_at(element));
}

std::uint64_t InputValues::bits_at(std::int64_t element) const {
  return lab::element_bits(format_, fill_, key_, constant_, static_cast<lab::u64>(element));
}

}  // namespace kerlab::verify
