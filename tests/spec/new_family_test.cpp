#include "spec/new_family.h"

#include <fstream>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "compile/nvrtc.h"
#include "spec/spec.h"

using namespace kerlab;

TEST_CASE("new family: what it writes loads, enumerates and instantiates", "[spec]") {
  const TemporaryFolder temporary;
  const auto folder = temporary.path() / "my_op";
  const auto files = write_new_family(folder, "my_op");
  CHECK(files.size() == 6);
  const KernelFolder kernels = load_folder(folder);
  CHECK(kernels.family.name == "my_op");
  REQUIRE(kernels.variants.size() == 2);
  CHECK(kernels.variants[0].name == "simple");
  CHECK(kernels.variants[1].name == "unrolled");

  ProblemRequest request;
  request.dimensions["N"] = 1000;
  const Problem problem = make_problem(kernels.family, request);
  CHECK(problem.key() == "my_op N=1000 fp32 alpha=1.5");
  const DeviceInfo device;
  const Space space = enumerate(kernels.variants[1], problem, device);
  CHECK(space.raw == 20);
  CHECK(space.valid.size() == 19);
  const Instance instance = instantiate(kernels.family, kernels.variants[1], problem, space.valid.front(), device);
  CHECK(instance.plan.launches.at(0).grid.x == 8);
}

TEST_CASE("new family: its kernels compile for every dtype", "[spec][nvrtc]") {
  const TemporaryFolder temporary;
  write_new_family(temporary / "my_op", "my_op");
  const KernelFolder kernels = load_folder(temporary / "my_op");
  const Nvrtc nvrtc = Nvrtc::open(nvrtc_candidates());
  const auto compile = [&](const std::filesystem::path& source, const std::vector<std::string>& defines) {
    CompileRequest request{read_source(source, {share_folder() / "kernels"}), base_options("sm_80")};
    request.options.insert(request.options.end(), defines.begin(), defines.end());
    const CompileResult result = nvrtc.compile(request);
    INFO(result.log);
    CHECK(result.status == CompileStatus::ok);
  };
  const DeviceInfo device;
  for (const DType dtype : kernels.family.dtypes) {
    ProblemRequest request;
    request.dtype = name(dtype);
    const Problem problem = make_problem(kernels.family, request);
    compile(kernels.family.reference_source, instantiate_reference(kernels.family, problem, device).defines);
    for (const Variant& variant : kernels.variants)
      compile(variant.source,
              instantiate(kernels.family, variant, problem, default_configuration(variant), device).defines);
  }
}

TEST_CASE("new family: refuses bad names and folders in use", "[spec]") {
  const TemporaryFolder temporary;
  CHECK_THROWS_AS(write_new_family(temporary.path() / "x", "my-op"), UsageError);
  CHECK_THROWS_AS(write_new_family(temporary.path() / "x", ""), UsageError);
  CHECK_FALSE(std::filesystem::exists(temporary.path() / "x"));
  std::filesystem::create_directory(temporary.path() / "used");
  std::ofstream(temporary.path() / "used" / "note.txt") << "mine";
  CHECK_THROWS_AS(write_new_family(temporary.path() / "used", "used"), UsageError);
  CHECK_THROWS_AS(write_new_family(temporary.path() / "used" / "note.txt", "used"), UsageError);
  // The same folder by a way that leads through one that is not there.
  CHECK_THROWS_AS(write_new_family(temporary.path() / "absent" / ".." / "used", "used"), UsageError);
  CHECK_FALSE(std::filesystem::exists(temporary.path() / "used" / "family.toml"));
  std::filesystem::create_directory(temporary.path() / "empty");
  CHECK(write_new_family(temporary.path() / "empty", "op").size() == 6);
}
