// Recipes cover the special values of the types that a family takes: whoever removes one, or adds an input without
// them, changes the table below.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "common/recipe.h"
#include "spec/spec.h"
#include "verify/input/inputs.h"

using namespace kerlab;

namespace {

using Values = std::set<std::string>;

/// Of an element: what it is, where it is no ordinary number.
std::string special(const lab::Format& f, lab::u64 bits) {
  const bool negative = f.is_signed && bits >> (8 * f.bytes - 1) != 0;
  const double value = lab::decode(f, bits);
  if (std::isnan(value)) return negative ? "-nan" : "nan";
  if (std::isinf(value)) return negative ? "-inf" : "inf";
  if (!f.is_float)
    return value == static_cast<double>(f.maximum) ? "most" : value < -static_cast<double>(f.maximum) ? "least" : "";
  if (value == 0) return negative ? "-0" : "";
  if (std::fabs(value) == lab::decode(f, f.maximum << f.shift)) return negative ? "-largest" : "largest";
  return std::fabs(value) < std::ldexp(1.0, f.minimum_exponent) ? "subnormal" : "";
}

Values wanted(DType dtype, bool copied) {
  const DTypeInfo& type = info(dtype);
  if (!type.is_float && !lab::format_of(static_cast<lab::u32>(dtype)).is_signed) return {"most"};
  if (!type.is_float) return {"least", "most"};
  Values values = {"nan", "-nan", "subnormal"};
  if (dtype != DType::e4m3) values.insert({"inf", "-inf"});
  if (copied) values.insert({"largest", "-largest", "-0"});
  return values;
}

/// Whose elements go through unchanged or are only rounded: the type's ends and the sign of a zero as well.
const Values kCopied = {"aos_to_soa", "cast", "embedding", "transpose_2d"};

/// What an input does not hold, and why.
const std::map<std::string, Values> kLeftOut = {
    {"embedding_backward.dY", {"subnormal"}},      // atomics of the hardware flush them
    {"layernorm_backward.rstd", {"inf", "-inf"}},  // infinity or NaN, as one orders the product
    {"rmsnorm_backward.rstd", {"inf", "-inf"}},    // the same
    {"attention.K", {"-inf"}},                     // masks keys: `masked` has it, in blocks of 64 and more
    {"dequantize_fp4.T", {"inf", "-nan"}},         // one number a recipe: of either sign one
    {"scan fp64.X", {"subnormal"}},                // their squares are 0, and with them the scale of errors
    {"segmented_scan fp64.X", {"subnormal"}},
    {"reduce_axis fp64.X", {"subnormal"}},
    {"spmv fp64.values", {"subnormal"}},
    {"spmv fp64.x", {"subnormal"}},
    {"gemm.scale_a", {"nan", "-nan", "inf", "-inf", "subnormal"}},  // scales are positive and ordinary
    {"gemm.scale_b", {"nan", "-nan", "inf", "-inf", "subnormal"}},
};

/// What no recipe of the family puts into the tensor.
Values missing(const ProblemPlan& plan, const Tensor& tensor, Values rest) {
  for (const Recipe& recipe : plan.recipes) {
    if (rest.empty()) break;
    const lab::FillArguments a = fill_arguments(recipe, tensor, tensor.name == plan.tensors.front().name, 0);
    const lab::Format f = lab::format_of(a.dtype);
    const lab::u64 key = lab::stream_key(a.seed, a.tensor), constant = lab::encode(f, a.parameter0);
    for (lab::i64 i = 0; i < a.count; ++i)
      rest.erase(special(f, lab::element_bits(f, a, key, constant, static_cast<lab::u64>(i))));
  }
  return rest;
}

std::vector<std::string> all_families() {
  std::vector<std::string> names;
  for (const auto& folder : std::filesystem::directory_iterator(share_folder() / "kernels"))
    if (std::filesystem::exists(folder.path() / "family.toml")) names.push_back(folder.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("recipes of every family hold every special value of every input's type", "[check]") {
  DeviceInfo device;
  device.fp64_ratio = 0.5;
  for (const std::string& name : all_families()) {
    const Family family = load_folder(share_folder() / "kernels" / name).family;
    for (const DType dtype : family.dtypes) {
      ProblemRequest request;
      request.dtype = kerlab::plan::name(dtype);
      for (const Dimension& dimension : family.dimensions)
        if (!dimension.quiet) request.dimensions[dimension.name] = std::clamp<std::int64_t>(96, 1, dimension.maximum);
      const ProblemPlan plan = instantiate_reference(family, make_problem(family, request), device).plan;
      for (const Tensor& tensor : plan.tensors) {
        if (tensor.role == Role::output || !tensor.numeric() || tensor.unread || tensor.elements() == 0) continue;
        INFO(name << " " << kerlab::plan::name(dtype) << " " << tensor.name);
        Values values = wanted(tensor.dtype, kCopied.contains(name));
        for (const std::string& who : {name, fmt::format("{} {}", name, kerlab::plan::name(dtype))})
          if (const auto left_out = kLeftOut.find(who + "." + tensor.name); left_out != kLeftOut.end())
            for (const std::string& value : left_out->second) values.erase(value);
        CHECK(missing(plan, tensor, values) == Values{});
      }
    }
  }
}
