#include <fmt/format.h>

#include <algorithm>

#include "plan/kernel_name.h"
#include "spec/kernel_name.h"
#include "spec/launch_plan_builder.h"
#include "spec/recipes.h"
#include "spec/recordings.h"
#include "spec/spec.h"
#include "spec/tolerance.h"

namespace kerlab::spec {
namespace {

// Below a quarter of the fp32 rate a reference in fp64 would dominate the check.
constexpr double kFastFp64 = 0.25;

std::int64_t length_of(const Expression& expression, const Environment& environment) {
  if (expression.empty()) return 0;
  const std::int64_t length = expression.evaluate(environment);
  if (length < 0) throw SpecError(expression.where(), fmt::format("length {} is negative", length));
  return length;
}

Launch launch_of(const Family& family, const Problem& problem, const ReferenceDecl& declared, std::int64_t count) {
  Environment environment = problem.environment;
  environment["count"] = count;
  LaunchPlanBuilder builder(family, problem, nullptr, std::move(environment));
  for (const ReferenceWorkspaceDecl& workspace : family.reference_workspaces) builder.add_workspace(workspace);
  builder.add(declared.launch, 0);
  return builder.plan().launches.empty() ? Launch{} : builder.plan().launches.front();
}

/// Of a recorded output `is_float` says that what was recorded is rounded to fp32.
ReferencePlan reference_plan(const Family& family, const Problem& problem, const ReferenceDecl& declared,
                             const std::vector<Tensor>& tensors, bool is_float) {
  const auto output = std::find_if(tensors.begin(), tensors.end(),
                                   [&](const Tensor& tensor) { return tensor.name == declared.output; });
  ReferencePlan plan;
  plan.output = declared.output;
  plan.accumulator = is_float && !declared.recorded ? DType::fp32 : DType::fp64;
  if (!declared.outputs_per_index.empty())
    plan.outputs_per_index = declared.outputs_per_index.evaluate(problem.environment);
  const std::int64_t numbers = output->complex ? 2 : 1;  // of an element
  const std::int64_t elements = output->elements() / numbers;
  if (plan.outputs_per_index < 1 || elements % plan.outputs_per_index != 0)
    throw SpecError(declared.outputs_per_index.where(),
                    fmt::format("{} outputs per index do not divide the {} elements of '{}'", plan.outputs_per_index,
                                elements, declared.output));
  plan.outputs_per_index *= numbers;
  if (!declared.recorded)
    plan.launch = launch_of(family, problem, declared, elements * numbers / plan.outputs_per_index);
  if (declared.checker) {
    plan.checker = true;
    plan.codes = declared.codes;
    return plan;
  }
  const SumLength length = {length_of(declared.tolerance.length, problem.environment),
                            length_of(declared.tolerance.promoted_every, problem.environment)};
  plan.tolerance = make_tolerance(declared.tolerance, length, problem.dtype, output->dtype, is_float);
  if (declared.rows_sum_to && output->complex)
    throw SpecError(declared.launch.where,
                    fmt::format("rows_sum_to: '{}' holds complex numbers, whose two parts would be "
                                "added up together",
                                declared.output));
  if (declared.rows_sum_to) plan.rows_sum_to = {*declared.rows_sum_to};
  return plan;
}

/// What was recorded stands for the reference, and only its recipes are there. Nothing of the problem: nothing can be
/// checked, and all of them are.
void use_recordings(ProblemRecordings recordings, ProblemPlan& plan) {
  if (recordings.recipes.empty()) return;
  for (ReferencePlan& reference : plan.references)
    if (const auto files = recordings.files.find(reference.output); files != recordings.files.end())
      reference.recorded = std::move(files->second);
  std::vector<Recipe> recorded;
  for (const std::size_t recipe : recordings.recipes) recorded.push_back(std::move(plan.recipes[recipe]));
  plan.recipes = std::move(recorded);
}

/// An instance of a template must be named to the compiler.
void ask_for(const std::string& kernel, ReferenceInstance& instance) {
  std::string asked = std::string(kInstantiate) + kernel;
  if (is_instance(kernel) && std::ranges::find(instance.defines, asked) == instance.defines.end())
    instance.defines.push_back(std::move(asked));
}

/// The launches that run before the references, with their memory.
void add_before(const Family& family, const Problem& problem, ReferenceInstance& instance) {
  LaunchPlanBuilder builder(family, problem, nullptr, problem.environment);
  for (const ReferenceWorkspaceDecl& workspace : family.reference_workspaces) builder.add_workspace(workspace);
  builder.add_all(family.before_reference);
  instance.plan.before_reference = builder.plan().launches;
  for (std::size_t i = 0; i < family.reference_workspaces.size(); ++i) {
    const ReferenceWorkspaceDecl& declared = family.reference_workspaces[i];
    ReferenceWorkspace workspace{declared.name, builder.plan().workspaces[i].bytes, declared.copy};
    const auto copied = std::ranges::find(instance.plan.tensors, workspace.copy, &Tensor::name);
    if (copied != instance.plan.tensors.end() && copied->bytes() > workspace.bytes)
      throw SpecError(declared.where, fmt::format("{} bytes are too few for the {} of tensor '{}'", workspace.bytes,
                                                  copied->bytes(), workspace.copy));
    instance.plan.reference_workspaces.push_back(std::move(workspace));
  }
  for (const Launch& launch : instance.plan.before_reference) ask_for(launch.kernel, instance);
}

/// Where its grid is empty there is nothing to count, and the formulas stand.
void add_count_cost(const Family& family, const Problem& problem, ReferenceInstance& instance) {
  if (!family.count_cost) return;
  LaunchPlanBuilder builder(family, problem, nullptr, problem.environment);
  const SourceLocation& where = family.count_cost->where;
  builder.add_workspace({std::string(kCostWorkspace), Expression::parse("16", where), "", where});
  builder.add(*family.count_cost, 0);
  if (builder.plan().launches.empty()) return;
  instance.count_cost = builder.plan().launches.front();
  ask_for(instance.count_cost->kernel, instance);
}

double scalar_of(const Problem& problem, const std::string& name, double otherwise) {
  for (const auto& [scalar, value] : problem.scalars)
    if (scalar == name) return value;
  return otherwise;
}

DType dtype_of(const std::vector<Tensor>& tensors, const std::string& name) {
  return std::find_if(tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; })->dtype;
}

/// None for dtypes that the library is not asked for, and where there is nothing to multiply.
std::vector<GemmCall> library_gemm(const LibraryGemmDecl& declared, const Problem& problem,
                                   const std::vector<Tensor>& tensors) {
  const auto value = [&](const Expression& e) { return e.empty() ? 0 : e.evaluate(problem.environment); };
  if (!declared.when.empty() && value(declared.when) == 0) return {};
  GemmCall call;
  call.batch = declared.batch.empty() ? 1 : value(declared.batch);
  call.m = value(declared.m);
  call.n = value(declared.n);
  call.k = value(declared.k);
  call.transpose_a = value(declared.transpose_a) != 0;
  call.transpose_b = value(declared.transpose_b) != 0;
  call.alpha = scalar_of(problem, declared.alpha, 1);
  call.beta = scalar_of(problem, declared.beta, 0);
  call.a = declared.a;
  call.b = declared.b;
  call.c = declared.c;
  call.d = declared.d;
  call.out = dtype_of(tensors, call.d);
  call.added = dtype_of(tensors, call.c);
  call.fast = value(declared.fast) != 0;
  const bool known = problem.dtype == DType::fp32 || problem.dtype == DType::tf32 || problem.dtype == DType::bf16 ||
                     problem.dtype == DType::fp16 || problem.dtype == DType::int8 || problem.dtype == DType::e4m3 ||
                     problem.dtype == DType::e5m2;
  if (!known || call.m <= 0 || call.n <= 0 || call.k <= 0 || call.batch <= 0) return {};
  return {std::move(call)};
}

}  // namespace

ReferenceInstance instantiate_reference(const Family& family, const Problem& problem, const DeviceInfo& device) {
  // Sums of integers need more than a float's 24 bits.
  const bool is_float = device.fp64_ratio < kFastFp64 && info(problem.dtype).is_float;
  ReferenceInstance instance;
  instance.defines = problem_defines(family, problem);
  instance.defines.push_back(fmt::format("-DACC={}", is_float ? "float" : "double"));
  instance.defines.push_back(fmt::format("-DACC_IS_FLOAT={}", is_float ? 1 : 0));
  ProblemPlan& plan = instance.plan;
  plan.key = problem.key();
  plan.tensors = tensors_of(family, problem);
  plan.recipes = recipes_of(family, problem, plan.tensors);
  ProblemRecordings recordings;
  if (family.accuracy.against_recordings) recordings = recordings_of(family, problem, plan.tensors, plan.recipes);
  for (const ReferenceDecl& reference : family.references)
    plan.references.push_back(
        reference_plan(family, problem, reference, plan.tensors, reference.recorded ? recordings.in_single : is_float));
  use_recordings(std::move(recordings), plan);
  add_before(family, problem, instance);
  plan.flops = flops_of(family, problem);
  plan.bytes = bytes_of(family, problem);
  add_count_cost(family, problem, instance);
  if (family.library_gemm) plan.library_gemm = library_gemm(*family.library_gemm, problem, plan.tensors);
  return instance;
}

}  // namespace kerlab::spec
