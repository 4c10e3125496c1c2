#include <algorithm>

#include "base/file.h"
#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {
Family demo() {
  return load_specs(kFamily, kVariant).family;
}

ProblemRequest sized(std::map<std::string, std::int64_t> dimensions) {
  ProblemRequest request;
  request.dimensions = std::move(dimensions);
  return request;
}

std::string usage_error(const ProblemRequest& request) {
  try {
    (void)make_problem(demo(), request);
  } catch (const UsageError& failure) {
    return failure.what();
  }
  return "no usage error";
}
}  // namespace

TEST_CASE("problem: defaults follow from what was typed", "[spec]") {
  const Problem problem = make_problem(demo(), sized({{"M", 100}}));
  CHECK(problem.key() == "demo M=100 N=100 K=50 bf16 layout=nn alpha=1");
  CHECK(problem.title() == "demo 100x100x50 bf16 nn");
  CHECK(problem.environment.at("TRANS_A") == 0);
  CHECK(problem.environment.at("dtype.bytes") == 2);
  CHECK(problem.environment.at("dtype.bf16") == 1);
  CHECK(problem.environment.at("dtype.fp32") == 0);
  CHECK(problem.environment.at("alpha.one") == 1);
  CHECK(problem.environment.at("alpha.zero") == 0);
}

TEST_CASE("problem: tensors, FLOPs and bytes", "[spec]") {
  ProblemRequest request = sized({{"M", 6}, {"N", 5}, {"K", 4}});
  request.flags["layout"] = "tn";
  request.dtype = "fp32";
  request.scalars["alpha"] = 0.5;
  const Family family = demo();
  const Problem problem = make_problem(family, request);
  CHECK(problem.key() == "demo M=6 N=5 K=4 fp32 layout=tn alpha=0.5");
  const auto tensors = tensors_of(family, problem);
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].shape == std::vector<std::int64_t>{4, 6});
  CHECK(tensors[0].dtype == DType::fp32);
  CHECK(tensors[1].role == Role::output);
  CHECK(flops_of(family, problem) == 240);
  CHECK(bytes_of(family, problem) == 216);
}

TEST_CASE("problem: large ones do not overflow", "[spec]") {
  const Family gemm = Catalogue({share_folder() / "kernels"}).find("gemm").family;
  const Problem problem = make_problem(gemm, sized({{"M", 131072}}));
  CHECK(flops_of(gemm, problem) == 4503599627370496.0);
  CHECK(bytes_of(gemm, problem) == 3.0 * 131072 * 131072 * 2);
}

TEST_CASE("problem: what was typed wrong is a usage error", "[spec]") {
  CHECK(usage_error(sized({{"M", 0}})) == "demo: M = 0 is outside 1..2147483647");
  CHECK(usage_error(sized({{"M", -1}})) == "demo: M = -1 is outside 1..2147483647");
  CHECK(usage_error(sized({{"M", 99999999999}})) == "demo: M = 99999999999 is outside 1..2147483647");
  CHECK(usage_error(sized({{"K", 0}})) == "no usage error");
  CHECK(usage_error(sized({{"m", 4}})) == "demo has no dimension 'm', did you mean 'M'? (it has M, N, K)");
  CHECK(usage_error(sized({{"M", 2147483647}, {"K", 1}})) ==
        "demo 2147483647x2147483647x1 bf16 nn: tensor D would have more than 2^62 bytes");
  CHECK(usage_error(sized({{"M", 1073741824}, {"K", 1073741824}})).find("overflows 64 bits") != std::string::npos);

  ProblemRequest request;
  request.flags["layout"] = "nm";
  CHECK(usage_error(request) == "demo: layout = 'nm' is not one of nn, tn, did you mean 'nn'?");
  request = {};
  request.flags["layuot"] = "nn";
  CHECK(usage_error(request) == "demo has no flag 'layuot', did you mean 'layout'? (it has layout)");
  request = {};
  request.scalars["beta"] = 1;
  CHECK(usage_error(request).find("demo has no scalar 'beta'") == 0);
  request = {};
  request.scalars["alpha"] = 1e300;
  CHECK(usage_error(request) == "demo: alpha = 1e+300 is not a finite fp32");
  request = {};
  request.dtype = "bf61";
  CHECK(usage_error(request) == "unknown dtype 'bf61', did you mean 'bf16'? (demo has bf16, fp32)");
}

TEST_CASE("problem: a dtype that no family has is unsupported, not a typing mistake", "[spec]") {
  ProblemRequest request;
  request.dtype = "fp64";
  try {
    (void)make_problem(demo(), request);
    FAIL("accepted");
  } catch (const Error& failure) {
    CHECK(failure.code() == ExitCode::inconclusive);
    CHECK(std::string(failure.what()) == "demo has no fp64 (it has bf16, fp32)");
  }
}

TEST_CASE("problem: what is quiet is named only away from its default", "[spec]") {
  const Family gemm = Catalogue({share_folder() / "kernels"}).find("gemm").family;
  ProblemRequest request = sized({{"M", 64}});
  CHECK(make_problem(gemm, request).key() == "gemm M=64 N=64 K=64 bf16 layout=nn alpha=1 beta=0");
  CHECK(make_problem(gemm, request).title() == "gemm 64x64x64 bf16 nn");
  request.dimensions["batch"] = 3;
  request.flags["activation"] = "relu";
  CHECK(make_problem(gemm, request).key() ==
        "gemm M=64 N=64 K=64 batch=3 bf16 layout=nn activation=relu alpha=1 beta=0");
  CHECK(make_problem(gemm, request).title() == "gemm 64x64x64 bf16 nn batch=3 activation=relu");
  request.scalars["scale_d"] = 0.25;
  CHECK(make_problem(gemm, request).key() ==
        "gemm M=64 N=64 K=64 batch=3 bf16 layout=nn activation=relu alpha=1 beta=0 scale_d=0.25");
  CHECK(make_problem(gemm, request).title() == "gemm 64x64x64 bf16 nn batch=3 activation=relu scale_d=0.25");
}

TEST_CASE("problem: a tensor's dtype may depend on the problem's, and a family says which problems there are",
          "[spec]") {
  const Family gemm = Catalogue({share_folder() / "kernels"}).find("gemm").family;
  ProblemRequest request = sized({{"M", 64}});
  request.dtype = "int8";
  const auto dtypes = [&] {
    std::map<std::string, DType> found;
    for (const Tensor& tensor : tensors_of(gemm, make_problem(gemm, request))) found[tensor.name] = tensor.dtype;
    return found;
  };
  CHECK(dtypes()["A"] == DType::int8);
  CHECK(dtypes()["D"] == DType::int32);
  request.scalars["alpha"] = 0.5;
  CHECK_THROWS_WITH(make_problem(gemm, request), Catch::Contains("whole alpha and beta"));
  request.dtype = "bf16";
  CHECK(dtypes()["D"] == DType::bf16);
  request.flags["out"] = "fp32";  // a flag's value counts before the problem's dtype
  CHECK(dtypes()["D"] == DType::fp32);
  CHECK(dtypes()["A"] == DType::bf16);
  request.dtype = "e5m2";
  CHECK(dtypes()["D"] == DType::fp32);
  request.flags["out"] = "e4m3";
  CHECK(dtypes()["D"] == DType::e4m3);
  CHECK(dtypes()["C"] == DType::bf16);
  request.flags["out"] = "same";
  CHECK(dtypes()["D"] == DType::bf16);
  request.flags["out"] = "bf16";
  CHECK_THROWS_WITH(make_problem(gemm, request), Catch::Contains("that is what out=same says"));
}

TEST_CASE("problem: a tensor may hold the offsets of uneven parts", "[spec]") {
  const std::string offsets =
      "[[tensor]]\nname = \"offsets\"\nrole = \"input\"\ndtype = \"int32\"\nshape = [\"N + 1\"]\npartition = \"M * "
      "K\"\n";
  const Family family = load_specs(replaced(kFamily, "[[reference]]", offsets + "[[reference]]"), kVariant).family;
  const auto problem = [&](std::map<std::string, std::int64_t> dimensions) {
    ProblemRequest request;
    request.dimensions = std::move(dimensions);
    return make_problem(family, request);
  };
  const std::vector<Tensor> tensors = tensors_of(family, problem({{"M", 10}, {"N", 3}, {"K", 7}}));
  CHECK_FALSE(tensors.at(0).partition.has_value());
  CHECK(tensors.at(2).partition == 70);
  CHECK_THROWS_WITH(problem({{"M", 10}, {"N", 1048577}}), Catch::Contains("1 to 1048576 parts"));
  CHECK_THROWS_WITH(problem({{"M", 65536}, {"K", 65536}}), Catch::Contains("at most 2147483647 things"));
}

TEST_CASE("problem: a tensor may hold integers of a range", "[spec]") {
  const std::string labels =
      "[[tensor]]\nname = \"labels\"\nrole = \"input\"\ndtype = \"int32\"\nshape = [\"M\"]\n"
      "range = [\"K - 3\", \"2 * N\"]\nignored = -1\n";
  const Family family = load_specs(replaced(kFamily, "[[reference]]", labels + "[[reference]]"), kVariant).family;
  const auto problem = [&](std::int64_t n, std::int64_t k) {
    ProblemRequest request;
    request.dimensions = {{"M", 10}, {"N", n}, {"K", k}};
    return make_problem(family, request);
  };
  const std::vector<Tensor> tensors = tensors_of(family, problem(9, 7));
  CHECK(tensors.at(0).range.empty());
  CHECK(tensors.at(2).range == IntegerRange{4, 18, {-1}});
  CHECK_FALSE(tensors.at(2).numeric());
  CHECK_THROWS_WITH(problem(2, 7),
                    Catch::Contains("family.toml:35:20") && Catch::Contains("has no integer from 4 up to below 4"));
  CHECK_THROWS_WITH(problem(2147483647, 7), Catch::Contains("cannot hold integers from 4 up to 4294967293"));
}

TEST_CASE("problem: integers of a range may have an order in each row", "[spec]") {
  const std::string ordered =
      "[[tensor]]\nname = \"ids\"\nrole = \"input\"\ndtype = \"int32\"\nshape = [\"M\", \"N\"]\nrange = [0, \"K\"]\n"
      "order = \"distinct\"\n"
      "[[tensor]]\nname = \"starts\"\nrole = \"input\"\ndtype = \"int64\"\nshape = [\"M + 1\"]\npartition = \"M * N\"\n"
      "[[tensor]]\nname = \"columns\"\nrole = \"input\"\ndtype = \"int32\"\nshape = [\"M * N\"]\nrange = [0, \"K\"]\n"
      "order = \"rising\"\nrows = \"starts\"\n";
  const auto problem = [&](const std::string& tensors, std::int64_t n) {
    const Family family = load_specs(replaced(kFamily, "[[reference]]", tensors + "[[reference]]"), kVariant).family;
    ProblemRequest request;
    request.dimensions = {{"M", 10}, {"N", n}, {"K", 7}};
    return tensors_of(family, make_problem(family, request));
  };
  const std::vector<Tensor> tensors = problem(ordered, 7);
  CHECK(tensors.at(2).range == IntegerRange{0, 7, {}, IntegerOrder::distinct});
  CHECK(tensors.at(4).range == IntegerRange{0, 7, {}, IntegerOrder::rising, "starts"});
  CHECK_THROWS_WITH(problem(ordered, 8), Catch::Contains("'ids' wants 8 distinct integers of 7"));
  CHECK_THROWS_WITH(problem(replaced(ordered, "shape = [\"M * N\"]", "shape = [\"M\"]"), 7),
                    Catch::Contains("'columns' has 10 elements, but 'starts' parts 70 things"));
  const auto mistake = [&](const char* from, const char* to) { return problem(replaced(ordered, from, to), 7); };
  CHECK_THROWS_WITH(mistake("\"starts\"\nrole", "\"begins\"\nrole"),
                    Catch::Contains("'starts' is no tensor above with a partition"));
  CHECK_THROWS_WITH(mistake("\"rising\"", "\"distinct\""), Catch::Contains("only of integers with order = \"rising\""));
  CHECK_THROWS_WITH(mistake("\"rising\"", "\"riisng\""), Catch::Contains("rising"));
  CHECK(mistake("\"distinct\"\n", "\"distinct\"\nignored = -1\n").at(2).range ==
        IntegerRange{0, 7, {-1}, IntegerOrder::distinct});
  CHECK_THROWS_WITH(mistake("\"distinct\"\n", "\"distinct\"\nignored = 6\n"),
                    Catch::Contains("6 is ignored, and must lie outside the range 0 to 6"));
}

TEST_CASE("problem: more distinct integers than 2^31 - 1 in a row are one error with its place", "[spec]") {
  const std::string ids =
      "[[tensor]]\nname = \"ids\"\nrole = \"input\"\ndtype = \"int64\"\nshape = [\"N\"]\nrange = [0, \"N\"]\n"
      "order = \"distinct\"\n";
  const Family family = load_specs(replaced(replaced(kFamily, "[[reference]]", ids + "[[reference]]"), "name = \"N\"\n",
                                            "name = \"N\"\nmaximum = 4294967296\n"),
                                   kVariant)
                            .family;
  ProblemRequest request;
  request.dimensions = {{"M", 1}, {"N", 2147483647}, {"K", 1}};
  CHECK_NOTHROW(make_problem(family, request));
  request.dimensions["N"] = 2147483649;
  CHECK_THROWS_WITH(make_problem(family, request),
                    Catch::Contains("family.toml:") &&
                        Catch::Contains("'ids' wants 2147483649 distinct integers in a row: 2147483647 are the most"));
}

TEST_CASE("problem: complex numbers are pairs, and rows of packed types end with a byte", "[spec][types]") {
  const std::string more =
      "[[tensor]]\nname = \"z\"\nrole = \"input\"\ndtype = \"complex64\"\nshape = [\"M\", \"N\"]\n"
      "[[tensor]]\nname = \"q\"\nrole = \"input\"\ndtype = \"int4\"\nshape = [\"M\", \"N\"]\n";
  const Family family = load_specs(replaced(kFamily, "[[reference]]", more + "[[reference]]"), kVariant).family;
  ProblemRequest request;
  request.dimensions = {{"M", 10}, {"N", 6}, {"K", 7}};
  const std::vector<Tensor> tensors = tensors_of(family, make_problem(family, request));
  const auto named = [&](const char* name) { return *std::ranges::find(tensors, name, &Tensor::name); };
  CHECK(named("z").complex);
  CHECK(named("z").shape == std::vector<std::int64_t>{10, 12});
  CHECK(named("z").bytes() == 10 * 6 * 8);
  CHECK(named("q").bytes() == 10 * 6 / 2);
  request.dimensions["N"] = 5;
  CHECK_THROWS_WITH(make_problem(family, request),
                    Catch::Contains("a row of tensor q has 5 elements of int4, two to a byte: it must be even"));
}

TEST_CASE("problem: without beta the library's C need not be named", "[spec]") {
  const auto with = [](const std::string& rest) {
    return kFamily + "[library.gemm]\nm = \"M\"\nn = \"N\"\nk = \"K\"\nalpha = \"alpha\"\na = \"A\"\nb = \"A\"\n" +
           rest;
  };
  const Family family = load_specs(with("d = \"D\"\n"), kVariant).family;
  REQUIRE(family.library_gemm);
  CHECK(family.library_gemm->c == "D");  // times 0: it is not read
  CHECK_THAT(load_error(with("d = \"D\"\nbeta = \"alpha\"\n"), kVariant), Catch::Contains("'c'"));
  CHECK_THAT(load_error(with("d = \"D\"\nc = \"E\"\n"), kVariant), Catch::Contains("the family has no tensor 'E'"));
}

TEST_CASE("problem: the library is asked only for what it has", "[spec]") {
  const Family gemm = Catalogue({share_folder() / "kernels"}).find("gemm").family;
  ProblemRequest request = sized({{"M", 64}, {"batch", 5}});
  const auto calls = [&] { return instantiate_reference(gemm, make_problem(gemm, request), h200()).plan.library_gemm; };
  REQUIRE(calls().size() == 1);
  CHECK(calls()[0].batch == 5);
  request.flags["bias"] = "yes";
  CHECK(calls().empty());
  request.flags = {{"out", "fp32"}};
  REQUIRE(calls().size() == 1);
  CHECK(calls()[0].out == DType::fp32);
  CHECK(calls()[0].added == DType::fp32);
  request.dtype = "e4m3";
  request.flags = {{"out", "e4m3"}, {"accumulate", "fast"}};
  CHECK(calls().empty());  // k has to be contiguous in both
  request.flags["layout"] = "nt";
  REQUIRE(calls().size() == 1);
  CHECK(calls()[0].out == DType::e4m3);
  CHECK(calls()[0].added == DType::bf16);
  CHECK(calls()[0].fast);
  request.flags["scales"] = "row";
  CHECK(calls().empty());
}

TEST_CASE("problem: a default that a constraint rejects gives way to the nearest configuration", "[spec]") {
  const KernelFolder folder = Catalogue({share_folder() / "kernels"}).find("gemm");
  ProblemRequest request = sized({{"M", 256}});
  request.dtype = "int8";
  const Problem problem = make_problem(folder.family, request);
  for (const Variant& variant : folder.variants) {
    if (variant.name != "gemm_sm80") continue;
    CHECK_FALSE(violated_constraint(variant, problem, h200(), default_configuration(variant)).empty());
    const Configuration near = default_configuration(variant, problem, h200());
    CHECK(violated_constraint(variant, problem, h200(), near).empty());
    CHECK(configuration_text(variant, near) ==
          "BM=128 BN=128 BK=64 WM=64 WN=32 STAGES=3 GROUP=8 PERSISTENT=0 SPLIT=1 REDUCE=1");
  }
}

TEST_CASE("problem: a tuned kernel on tensor cores takes every shape, dtype, layout, C and type of D of gemm",
          "[spec]") {
  const KernelFolder folder = Catalogue({share_folder() / "kernels"}).find("gemm");
  const auto takes = [&](const Problem& problem) {
    return std::ranges::any_of(folder.variants, [&](const Variant& variant) {
      if (problem.dtype != DType::fp32 && variant.rung < 10) return false;  // the ladder's first part: no tensor cores
      if (!variant.tune || !unsupported_reason(variant, problem, h200()).empty()) return false;
      return violated_constraint(variant, problem, h200(), default_configuration(variant, problem, h200())).empty();
    });
  };
  std::size_t asked = 0;
  for (const std::string dtype : {"bf16", "fp16", "tf32", "fp32", "int8", "e4m3", "e5m2"})
    for (const std::string layout : {"nn", "nt", "tn", "tt"})
      for (const std::int64_t size : {256, 251})
        for (const double beta : {0.0, 2.0})
          for (const std::string out : {"same", "fp32", "e4m3"}) {
            const bool fp8 = dtype == "e4m3" || dtype == "e5m2";
            if (fp8 && layout != "nt") continue;             // wgmma has these bytes with k contiguous only
            if (dtype == "int8" && out != "same") continue;  // int32
            if (dtype == "fp32" && out == "fp32") continue;  // that is "same"
            ProblemRequest request = sized({{"M", size}, {"N", size}, {"K", size}});
            request.dtype = dtype;
            request.flags = {{"layout", layout}, {"out", out}};
            request.scalars = {{"beta", beta}};
            const Problem problem = make_problem(folder.family, request);
            CAPTURE(problem.key());
            CHECK(takes(problem));
            ++asked;
          }
  CHECK(asked > 200);
}

TEST_CASE("problem: the nearest configuration is the one that a look at all of them finds", "[spec]") {
  const KernelFolder folder = Catalogue({share_folder() / "kernels"}).find("gemm");
  std::size_t compared = 0, moved = 0;
  using Asked = std::pair<std::string, std::string>;
  for (const auto& [dtype, layout] : {Asked("fp32", "nn"), Asked("fp32", "nt"), Asked("bf16", "nt"),
                                      Asked("tf32", "nt"), Asked("int8", "nt"), Asked("e4m3", "nt")}) {
    ProblemRequest request = sized({{"M", 100}, {"N", 264}, {"K", 48}});
    request.dtype = dtype;
    request.flags = {{"layout", layout}};
    const Problem problem = make_problem(folder.family, request);
    for (const Variant& variant : folder.variants) {
      if (!unsupported_reason(variant, problem, h200()).empty()) continue;
      const Configuration wanted = default_configuration(variant);
      SpaceLimits few;
      few.enumerated = few.sampled = 20'000;
      const Space space = enumerate(variant, problem, h200(), few);
      if (space.sampled) continue;
      const auto differences = [&](const Configuration& other) {
        std::size_t count = 0;
        for (std::size_t p = 0; p < wanted.values.size(); ++p) count += other.values[p] != wanted.values[p] ? 1 : 0;
        return count;
      };
      const Configuration& nearest = *std::ranges::min_element(space.valid, {}, differences);
      CAPTURE(problem.key(), variant.name, configuration_text(variant, nearest));
      CHECK(configuration_text(variant, default_configuration(variant, problem, h200())) ==
            configuration_text(variant, nearest));
      ++compared;
      moved += differences(nearest) > 0 ? 1 : 0;
    }
  }
  CHECK(compared > 30);
  CHECK(moved > 3);
}

TEST_CASE("problem: which inputs are hot is the family's word, or what was typed, and part of the key", "[spec]") {
  const std::string hot = replaced(kFamily, "role = \"input\"", "role = \"input\"\ncache = \"hot\"");
  const Family family = load_specs(hot, kVariant).family;
  ProblemRequest request = sized({{"M", 64}});
  const Problem said = make_problem(family, request);
  CHECK(said.key() == "demo M=64 N=64 K=32 bf16 layout=nn alpha=1 inputs-hot=A");
  CHECK(said.title() == "demo 64x64x32 bf16 nn inputs-hot=A");
  const auto tensors = tensors_of(family, said);
  CHECK(tensors[0].hot);
  CHECK_FALSE(tensors[1].hot);
  request.inputs_hot.emplace();
  CHECK(make_problem(family, request).key() == "demo M=64 N=64 K=32 bf16 layout=nn alpha=1");
  CHECK_FALSE(tensors_of(family, make_problem(family, request))[0].hot);
  request.inputs_hot = {"A"};
  CHECK(make_problem(demo(), request).inputs_hot == std::vector<std::string>{"A"});
  request.inputs_hot = {"D"};
  CHECK(usage_error(request) == "--inputs-hot D: demo has the inputs A, or none");
  // Cold is what all are without a word: nothing of such a family changes.
  const std::string cold = replaced(kFamily, "role = \"input\"", "role = \"input\"\ncache = \"cold\"");
  CHECK(make_problem(load_specs(cold, kVariant).family, sized({{"M", 64}})).key() ==
        "demo M=64 N=64 K=32 bf16 layout=nn alpha=1");
}
