// Recipes cover the special values of the types that a family takes: whoever removes one, or adds an input without
// them, changes the table below.
#include <cmath>
#include <map>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "common/recipe.h"
#include "spec/spec.h"
#include "verify/inputs.h"

using namespace kerlab;

namespace {

/// Of an element: what it is, where it is no ordinary number.
std::string special(const lab::Format& f, lab::u64 bits) {
  const bool negative = f.is_signed && bits >> (8 * f.bytes - 1) != 0;
  const double value = lab::decode(f, bits);
  if (std::isnan(value)) return negative ? "-nan" : "nan";
  if (std::isinf(value)) return negative ? "-inf" : "inf";
  if (f.is_float) return value != 0 && std::fabs(value) < std::ldexp(1.0, f.minimum_exponent) ? "subnormal" : "";
  return value == static_cast<double>(f.maximum) ? "most" : value < -static_cast<double>(f.maximum) ? "least" : "";
}

std::set<std::string> wanted(DType dtype) {
  if (!info(dtype).is_float) return {"least", "most"};
  if (dtype == DType::e4m3) return {"nan", "-nan", "subnormal"};
  return {"nan", "-nan", "inf", "-inf", "subnormal"};
}

/// What no recipe of the family puts into the tensor.
std::set<std::string> missing(const ProblemPlan& plan, const Tensor& tensor) {
  std::set<std::string> rest = wanted(tensor.dtype);
  for (const Recipe& recipe : plan.recipes) {
    const lab::FillArguments a = fill_arguments(recipe, tensor, tensor.name == plan.tensors.front().name, 0);
    const lab::Format f = lab::format_of(a.dtype);
    const lab::u64 key = lab::stream_key(a.seed, a.tensor), constant = lab::encode(f, a.parameter0);
    for (lab::i64 i = 0; i < a.count; ++i)
      rest.erase(special(f, lab::element_bits(f, a, key, constant, static_cast<lab::u64>(i))));
  }
  return rest;
}

}  // namespace

TEST_CASE("recipes of products and copies hold every special value of every input's type", "[check]") {
  DeviceInfo device;
  device.fp64_ratio = 0.5;
  for (const char* name : {"gemm", "aos_to_soa", "transpose_2d", "embedding", "axpy"}) {
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
        CHECK(missing(plan, tensor) == std::set<std::string>{});
      }
    }
  }
}
