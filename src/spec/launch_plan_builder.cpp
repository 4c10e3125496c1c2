#include "spec/launch_plan_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "spec/kernel_name.h"

namespace kerlab::spec {
namespace {

constexpr std::int64_t kMaximumRepeat = 65536;
constexpr std::int64_t kMaximumExtent = std::numeric_limits<std::uint32_t>::max();

template <typename Value>
std::vector<std::byte> bytes_of(const Value& value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

std::string first_cannot_depend(const std::string& kernel) {
  return fmt::format(
      "'{}' is the first launch of the plan: programmatic = true lets it begin before the launch before it has ended, "
      "and before it is nothing of the plan, but the end of another run, which uses the same memory",
      kernel);
}

LaunchPlanBuilder::LaunchPlanBuilder(const Family& family, const Problem& problem, const Variant* variant,
                                     Environment environment)
    : problem_(problem),
      family_(family),
      variant_(variant),
      environment_(std::move(environment)),
      tensors_(tensors_of(family, problem)) {}

std::int64_t LaunchPlanBuilder::within(const Expression& expression, std::int64_t low, std::int64_t high,
                                       const std::string& what) const {
  const std::int64_t value = expression.evaluate(environment_);
  if (value < low || value > high)
    throw SpecError(expression.where(),
                    fmt::format("{} = {} is {}", what, value,
                                value < low ? fmt::format("below {}", low) : fmt::format("above {}", high)));
  return value;
}

Dim3 LaunchPlanBuilder::extents(const std::vector<Expression>& list) const {
  std::uint32_t values[3] = {1, 1, 1};
  for (std::size_t axis = 0; axis < list.size(); ++axis)
    values[axis] = static_cast<std::uint32_t>(within(list[axis], 0, kMaximumExtent, list[axis].text()));
  return {values[0], values[1], values[2]};
}

void LaunchPlanBuilder::add(const LaunchDecl& declaration, std::int64_t repetition) {
  environment_["i"] = repetition;
  if (!declaration.when.empty() && declaration.when.evaluate(environment_) == 0) return;
  Launch launch;
  launch.kernel = kernel_name(declaration, environment_, problem_.dtype);
  launch.grid = extents(declaration.grid);
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
  launch.block = extents(declaration.block);
  launch.cluster = extents(declaration.cluster);
  launch.cooperative = declaration.cooperative;
  launch.in_order = declaration.in_order;
  launch.programmatic = !declaration.programmatic.empty() && declaration.programmatic.evaluate(environment_) != 0;
  if (launch.programmatic && plan_.launches.empty())
    throw SpecError(declaration.programmatic.where(), first_cannot_depend(launch.kernel));
  if (!declaration.carveout.empty())
    if (const std::int64_t percent = within(declaration.carveout, -1, 100, "carveout"); percent >= 0)
      launch.carveout = static_cast<std::int32_t>(percent);
  for (const Dim3& dims : {launch.block, launch.cluster})
    if (dims.x == 0 || dims.y == 0 || dims.z == 0)
      throw SpecError(declaration.where, fmt::format("an extent of block or cluster of '{}' is 0", launch.kernel));
  if (!declaration.shared.empty())
    launch.dynamic_shared =
        static_cast<std::uint32_t>(within(declaration.shared, 0, std::numeric_limits<std::int32_t>::max(), "shared"));
  for (const ArgumentDecl& written : declaration.arguments) {
    if (!written.when.empty() && written.when.evaluate(environment_) == 0) continue;
    const std::size_t which = static_cast<std::size_t>(repetition) % written.choices.size();
    launch.arguments.push_back(argument(written.choices[which], written));
  }
  plan_.launches.push_back(std::move(launch));
}

void LaunchPlanBuilder::add_all(const std::vector<LaunchDecl>& declarations) {
  for (std::size_t first = 0; first < declarations.size();) {
    std::size_t last = first + 1;
    while (!declarations[first].group.empty() && last < declarations.size() &&
           declarations[last].group == declarations[first].group)
      ++last;
    const Expression& repeat = declarations[first].repeat;
    const std::int64_t repetitions = repeat.empty() ? 1 : within(repeat, 0, kMaximumRepeat, "repeat");
    for (std::int64_t i = 0; i < repetitions; ++i)
      for (std::size_t index = first; index < last; ++index) add(declarations[index], i);
    first = last;
  }
}

void LaunchPlanBuilder::add_workspaces() {
  for (const WorkspaceDecl& workspace : variant_->workspaces)
    plan_.workspaces.push_back(
        {workspace.name, within(workspace.bytes, 0, std::int64_t{1} << 62, "bytes"), workspace.init});
}

void LaunchPlanBuilder::add_workspace(const ReferenceWorkspaceDecl& workspace) {
  plan_.workspaces.push_back(
      {workspace.name, within(workspace.bytes, 0, std::int64_t{1} << 62, "bytes"), WorkspaceInit::none});
}

void LaunchPlanBuilder::add_prepared() {
  for (const SymbolDecl& symbol : variant_->symbols) plan_.symbols.push_back({symbol.name, symbol.tensor});
  std::vector<Launch> timed = std::exchange(plan_.launches, {});
  add_all(variant_->prepare);
  plan_.prepare = std::exchange(plan_.launches, std::move(timed));
}

Argument LaunchPlanBuilder::argument(const ArgumentChoice& choice, const ArgumentDecl& declaration) const {
  using Kind = ArgumentChoice::Kind;
  const auto offset = [&]() -> std::int64_t {
    return choice.expression.empty() ? 0 : within(choice.expression, 0, bytes_of_buffer(choice), "offset");
  };
  switch (choice.kind) {
    case Kind::int32:
    case Kind::int64:
      return integer(choice, declaration);
    case Kind::scalar:
      return scalar(choice);
    case Kind::tensor:
      return TensorArgument{choice.name, offset()};
    case Kind::workspace:
      return WorkspaceArgument{choice.name, offset()};
    case Kind::tensor_map:
      return tensor_map(choice.name);
    case Kind::reference_slot:
      break;
  }
  return choice.slot;
}

std::int64_t LaunchPlanBuilder::bytes_of_buffer(const ArgumentChoice& choice) const {
  for (const Tensor& tensor : tensors_)
    if (choice.kind == ArgumentChoice::Kind::tensor && tensor.name == choice.name) {
      const auto pitch = environment_.find("pitch." + tensor.name);
      const bool padded = pitch != environment_.end() && tensor.elements() > 0;
      if (!padded) return tensor.bytes();
      const std::int64_t row = pitch->second * (tensor.complex ? 2 : 1);
      return tensor.elements() / tensor.shape.back() * plan::bytes_of(tensor.dtype, row);
    }
  for (const Workspace& workspace : plan_.workspaces)
    if (choice.kind == ArgumentChoice::Kind::workspace && workspace.name == choice.name) return workspace.bytes;
  return 0;
}

ScalarArgument LaunchPlanBuilder::integer(const ArgumentChoice& choice, const ArgumentDecl& declaration) const {
  const std::int64_t value = choice.expression.evaluate(environment_);
  const std::string text = fmt::format("{} = {}", choice.expression.text(), value);
  if (choice.kind == ArgumentChoice::Kind::int64) return {bytes_of(value), text};
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
    throw SpecError(declaration.where,
                    fmt::format("argument {} does not fit 32 bits; write 'i64:{}' and take a long long", text,
                                choice.expression.text()));
  return {bytes_of(static_cast<std::int32_t>(value)), text};
}

ScalarArgument LaunchPlanBuilder::scalar(const ArgumentChoice& choice) const {
  const auto value = std::find_if(problem_.scalars.begin(), problem_.scalars.end(),
                                  [&](const auto& scalar) { return scalar.first == choice.name; });
  const auto declared = std::find_if(family_.scalars.begin(), family_.scalars.end(),
                                     [&](const ScalarDecl& scalar) { return scalar.name == choice.name; });
  const std::string text = fmt::format("{} = {}", choice.name, value->second);
  if (declared->dtype == DType::fp64) return {bytes_of(value->second), text};
  return {bytes_of(static_cast<float>(value->second)), text};
}

TensorMapArgument LaunchPlanBuilder::tensor_map(const std::string& name) const {
  const auto found = std::find_if(variant_->tensor_maps.begin(), variant_->tensor_maps.end(),
                                  [&](const TensorMapDecl& candidate) { return candidate.name == name; });
  const TensorMapDecl& declared = *found;
  TensorMapSpec map;
  map.tensor = declared.tensor;
  map.dtype = declared.dtype.of(problem_);
  if (map.dtype == DType::complex64)
    throw SpecError(declared.where, fmt::format("tensor map '{}' of complex64: the hardware copies no complex numbers; "
                                                "dtype = \"fp32\" and an innermost extent twice as long do",
                                                name));
  map.nan_fill = declared.nan_fill;
  const std::int64_t large = std::numeric_limits<std::int64_t>::max();
  for (const Expression& e : declared.dims)
    map.dims.push_back(static_cast<std::uint64_t>(within(e, 0, large, "extent")));
  for (const Expression& e : declared.strides)
    map.stride_bytes.push_back(static_cast<std::uint64_t>(within(e, 0, large, "stride")));
  for (const Expression& e : declared.box)
    map.box.push_back(static_cast<std::uint32_t>(within(e, 0, kMaximumExtent, "box extent")));
  const auto pick = [&](const Expression& expression, std::initializer_list<std::int64_t> allowed, const char* what) {
    const std::int64_t value = expression.empty() ? 0 : expression.evaluate(environment_);
    const auto* const place = std::find(allowed.begin(), allowed.end(), value);
    if (place == allowed.end())
      throw SpecError(expression.where(),
                      fmt::format("{} = {} is not one of {}", what, value, fmt::join(allowed, ", ")));
    return static_cast<std::uint8_t>(place - allowed.begin());
  };
  map.swizzle = static_cast<Swizzle>(pick(declared.swizzle, {0, 32, 64, 128}, "swizzle"));
  map.promotion = static_cast<L2Promotion>(pick(declared.promotion, {0, 64, 128, 256}, "promotion"));
  return {map};
}

}  // namespace kerlab::spec
