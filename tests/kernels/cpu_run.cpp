#include "kernels/cpu_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "base/file.h"
#include "kernels/cpu_kernel.h"
#include "kernels/cuda_on_cpu.h"
// After it: the number types, for this CPU.
#include "common/types.cuh"

namespace kerlab::test {
namespace {

void store(std::byte* data, DType dtype, std::size_t i, double value) {
  const auto put = [&](auto number) { std::memcpy(data + i * sizeof(number), &number, sizeof(number)); };
  switch (dtype) {
    case DType::fp64:
      return put(value);
    case DType::fp32:
      return put(static_cast<float>(value));
    case DType::fp16:
      return put(from_float<fp16_t>(static_cast<float>(value)));
    case DType::bf16:
      return put(from_float<bf16_t>(static_cast<float>(value)));
    case DType::tf32:
      return put(from_float<tf32_t>(static_cast<float>(value)));
    case DType::e4m3:
      return put(from_float<e4m3_t>(static_cast<float>(value)));
    case DType::e5m2:
      return put(from_float<e5m2_t>(static_cast<float>(value)));
    default:
      throw Error("tests have no values of this type");
  }
}

template <typename T>
T element(const std::byte* data, std::size_t i) {
  T number;
  std::memcpy(&number, data + i * sizeof(T), sizeof(T));
  return number;
}

double load(const std::byte* data, DType dtype, std::size_t i) {
  switch (dtype) {
    case DType::fp64:
      return element<double>(data, i);
    case DType::fp32:
      return element<float>(data, i);
    case DType::fp16:
      return to_float(element<fp16_t>(data, i));
    case DType::bf16:
      return to_float(element<bf16_t>(data, i));
    case DType::tf32:
      return to_float(element<tf32_t>(data, i));
    case DType::e4m3:
      return to_float(element<e4m3_t>(data, i));
    case DType::e5m2:
      return to_float(element<e5m2_t>(data, i));
    default:
      throw Error("tests have no values of this type");
  }
}

std::vector<std::string> kernels_of(const std::vector<Launch>& launches) {
  std::set<std::string> names;
  for (const Launch& launch : launches) names.insert(launch.kernel);
  return {names.begin(), names.end()};
}

/// Pointers and bytes that kernel parameters are read from.
class Arguments {
 public:
  template <typename T>
  void value(T number) {
    bytes(reinterpret_cast<const std::byte*>(&number), sizeof number);
  }
  void bytes(const std::byte* data, std::size_t count) { values_.emplace_back(data, data + count); }
  std::vector<void*> addresses() {
    std::vector<void*> all;
    for (auto& value : values_) all.push_back(value.data());
    return all;
  }

 private:
  std::vector<std::vector<std::byte>> values_;
};

using Workspaces = std::map<std::string, std::vector<std::byte>>;

void add(Arguments& arguments, const Argument& argument, HostTensors& tensors, Workspaces& workspaces) {
  if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
    arguments.bytes(scalar->bytes.data(), scalar->bytes.size());
  else if (const auto* tensor = std::get_if<TensorArgument>(&argument))
    arguments.value(tensors.address(tensor->tensor) + tensor->offset_bytes);
  else if (const auto* workspace = std::get_if<WorkspaceArgument>(&argument))
    arguments.value(workspaces.at(workspace->workspace).data() + workspace->offset_bytes);
  else
    throw Error("an argument that a CPU cannot have");
}

/// What a reference's workspaces hold before its first launch: a copy of a tensor, or NaN.
Workspaces filled(const std::vector<ReferenceWorkspace>& workspaces, HostTensors& tensors) {
  Workspaces result;
  for (const ReferenceWorkspace& workspace : workspaces) {
    std::vector<std::byte>& memory = result[workspace.name];
    memory.assign(static_cast<std::size_t>(workspace.bytes), std::byte{0xff});
    if (!workspace.copy.empty())
      std::memcpy(memory.data(), tensors.address(workspace.copy),
                  static_cast<std::size_t>(tensors.tensor(workspace.copy).bytes()));
  }
  return result;
}

}  // namespace

DeviceInfo h200(bool slow_fp64) {
  DeviceInfo device;
  device.id = "cuda:0";
  device.name = "NVIDIA H200";
  device.cc_major = 9;
  device.sms = 132;
  device.memory_bytes = 150'000'000'000;
  device.l2_bytes = 62'914'560;
  device.shared_per_block = 232448;
  device.shared_per_sm = 233472;
  device.shared_reserved = 1024;
  device.registers_per_block = 65536;
  device.registers_per_sm = 65536;
  device.threads_per_block = 1024;
  device.threads_per_sm = 2048;
  device.blocks_per_sm = 32;
  device.fp64_ratio = slow_fp64 ? 1.0 / 64 : 0.5;
  return device;
}

HostTensors::HostTensors(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    Entry& entry = entries_[tensor.name];
    entry.tensor = tensor;
    entry.memory.assign(static_cast<std::size_t>(tensor.bytes()) + 3 * kBand, std::byte{0xff});
    const auto start = reinterpret_cast<std::uintptr_t>(entry.memory.data());
    entry.data = entry.memory.data() + 2 * kBand - start % kBand;
  }
}

void HostTensors::set(const std::string& name, const std::vector<double>& values) {
  Entry& entry = entries_.at(name);
  for (std::size_t i = 0; i < values.size(); ++i) store(entry.data, entry.tensor.dtype, i, values[i]);
}

void HostTensors::set_inputs_at_random(std::uint64_t seed) {
  for (auto& [name, entry] : entries_) {
    if (entry.tensor.role == Role::output) continue;
    std::uint64_t state = seed;
    for (const char letter : name) state = state * 1099511628211ULL + static_cast<unsigned char>(letter);
    for (std::size_t i = 0; i < static_cast<std::size_t>(entry.tensor.elements()); ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      store(entry.data, entry.tensor.dtype, i, static_cast<double>(state >> 40) / (1 << 23) - 1.0);
    }
  }
}

std::vector<double> HostTensors::get(const std::string& name) const {
  const Entry& entry = entries_.at(name);
  std::vector<double> values(static_cast<std::size_t>(entry.tensor.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = load(entry.data, entry.tensor.dtype, i);
  return values;
}

std::byte* HostTensors::address(const std::string& name) {
  return entries_.at(name).data;
}
const Tensor& HostTensors::tensor(const std::string& name) const {
  return entries_.at(name).tensor;
}

bool HostTensors::guards_intact() const {
  for (const auto& [name, entry] : entries_) {
    const std::byte* end = entry.data + entry.tensor.bytes();
    const auto untouched = [](std::byte b) { return b == std::byte{0xff}; };
    if (!std::all_of(entry.memory.data(), static_cast<const std::byte*>(entry.data), untouched)) return false;
    if (!std::all_of(end, entry.memory.data() + entry.memory.size(), untouched)) return false;
  }
  return true;
}

void HostTensors::poison_outputs() {
  for (auto& [name, entry] : entries_)
    if (entry.tensor.role == Role::output)
      std::memset(entry.data, 0xff, static_cast<std::size_t>(entry.tensor.bytes()));
}

double ReferenceValues::bound(std::size_t i, DType dtype) const {
  const double magnitude = std::fabs(value[i]);
  const int exponent =
      std::max(magnitude > 0 ? std::ilogb(magnitude) : info(dtype).minimum_exponent, info(dtype).minimum_exponent);
  const double half_ulp = std::ldexp(1.0, exponent - info(dtype).precision);
  return half_ulp + tolerance.value_factor * magnitude + tolerance.scale_factor * scale[i] + tolerance.absolute;
}

CpuProblem::CpuProblem(const KernelFolder& folder, const ProblemRequest& request)
    : folder_(folder), problem_(make_problem(folder.family, request)), tensors_(tensors_of(folder.family, problem_)) {}

void CpuProblem::run(const Variant& variant, const Configuration& configuration, bool backwards) {
  const Instance instance = instantiate(folder_.family, variant, problem_, configuration, h200());
  const CpuKernel& kernel = CpuKernel::compile(variant.source, instance.defines, kernels_of(instance.plan.launches));
  tensors_.poison_outputs();
  Workspaces workspaces;
  for (const Workspace& workspace : instance.plan.workspaces)
    workspaces[workspace.name].assign(
        static_cast<std::size_t>(workspace.bytes),
        workspace.init == WorkspaceInit::zero || workspace.init == WorkspaceInit::zero_once ? std::byte{0}
                                                                                            : std::byte{0xff});
  for (const Launch& launch : instance.plan.launches) {
    Arguments arguments;
    for (const Argument& argument : launch.arguments) add(arguments, argument, tensors_, workspaces);
    std::vector<void*> addresses = arguments.addresses();
    kernel.launch(launch, addresses, backwards);
  }
}

ReferenceValues CpuProblem::reference(const std::vector<long long>& indices, const DeviceInfo& device) {
  const ReferenceInstance instance = instantiate_reference(folder_.family, problem_, device);
  const ReferencePlan& plan = instance.plan.references.at(0);
  std::vector<Launch> launches = instance.plan.before_reference;
  launches.push_back(plan.launch);
  const CpuKernel& kernel = CpuKernel::compile(folder_.family.reference_source, instance.defines, kernels_of(launches));
  Workspaces workspaces = filled(instance.plan.reference_workspaces, tensors_);
  for (const Launch& launch : instance.plan.before_reference) {
    Arguments arguments;
    for (const Argument& argument : launch.arguments) add(arguments, argument, tensors_, workspaces);
    std::vector<void*> addresses = arguments.addresses();
    kernel.launch(launch, addresses, false);
  }
  const std::int64_t all = tensors_.tensor(plan.output).elements() / plan.outputs_per_index;
  const std::int64_t count = indices.empty() ? all : static_cast<std::int64_t>(indices.size());
  const auto values = static_cast<std::size_t>(count * plan.outputs_per_index);
  const bool in_float = plan.accumulator == DType::fp32;
  std::vector<std::byte> value(values * 8, std::byte{0xff}), scale(values * 8, std::byte{0xff});
  Arguments arguments;
  for (const Argument& argument : plan.launch.arguments) {
    const auto* slot = std::get_if<ReferenceSlot>(&argument);
    if (slot == nullptr) {
      add(arguments, argument, tensors_, workspaces);
      continue;
    }
    switch (*slot) {
      case ReferenceSlot::index:
        arguments.value(indices.empty() ? nullptr : indices.data());
        break;
      case ReferenceSlot::count:
        arguments.value(static_cast<long long>(count));
        break;
      case ReferenceSlot::value:
        arguments.value(value.data());
        break;
      case ReferenceSlot::scale:
        arguments.value(scale.data());
        break;
      case ReferenceSlot::error:
      case ReferenceSlot::code:
        throw Error("a checker has no values");
    }
  }
  std::vector<void*> addresses = arguments.addresses();
  kernel.launch(plan.launch, addresses, false);
  ReferenceValues result{{}, {}, plan.tolerance, plan.output};
  for (std::size_t i = 0; i < values; ++i) {
    result.value.push_back(load(value.data(), in_float ? DType::fp32 : DType::fp64, i));
    result.scale.push_back(load(scale.data(), in_float ? DType::fp32 : DType::fp64, i));
  }
  return result;
}

std::string CpuProblem::complaint(const ReferenceValues& expected) const {
  if (!tensors_.guards_intact()) return "memory beside a tensor was written";
  const std::vector<double> got = tensors_.get(expected.output);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool both_nan = std::isnan(got[i]) && std::isnan(expected.value[i]);
    const double bound = expected.bound(i, tensors_.tensor(expected.output).dtype);
    if (!both_nan && !(std::fabs(got[i] - expected.value[i]) <= bound))
      return fmt::format("{}[{}] is {}, not {} within {}", expected.output, i, got[i], expected.value[i], bound);
  }
  return {};
}

KernelFolder folder_of(const std::string& name) {
  return load_folder(share_folder() / name);
}

const Variant& variant_of(const KernelFolder& folder, const std::string& name) {
  for (const Variant& variant : folder.variants)
    if (variant.name == name) return variant;
  throw Error("no variant " + name);
}

}  // namespace kerlab::test
