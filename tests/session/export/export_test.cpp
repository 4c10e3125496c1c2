// Exported headers against kerlab's own launch plans: what a header would launch for a problem is what instantiate()
// makes of it, and where it finds no kernel, none is valid.

#include <fmt/format.h>

#include <map>
#include <random>
#include <sstream>

#include "catch.h"
#include "report/dispatch/dispatch_header.h"
#include "report/dispatch/export_identity.h"
#include "report/dispatch/export_json.h"
#include "session/export/export_check.h"
#include "session/export_fixture.h"
#include "spec/compiled_program.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

std::string text(const Dim3& d) {
  return fmt::format("{}x{}x{}", d.x, d.y, d.z);
}

int swizzle_of(const TensorMapSpec& map) {
  return static_cast<int>(map.swizzle);
}

/// As examples/dispatch/print_plan.h writes it.
std::string text(const LaunchPlan& plan, const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Workspace& workspace : plan.workspaces)
    text += fmt::format("  workspace {} {} bytes, initial {}\n", workspace.name, workspace.bytes,
                        static_cast<int>(workspace.init));
  for (const SymbolCopy& symbol : plan.symbols) {
    const auto tensor = std::ranges::find(tensors, symbol.tensor, &Tensor::name);
    text += fmt::format("  variable {} holds {}, {} bytes\n", symbol.symbol, symbol.tensor, tensor->bytes());
  }
  const auto add = [&](const Launch& launch, const char* what) {
    text += fmt::format("  {} {} grid {} block {} cluster {} shared {}\n", what, launch.kernel, ::text(launch.grid),
                        ::text(launch.block), ::text(launch.cluster), launch.dynamic_shared);
    for (const Argument& argument : launch.arguments) {
      text += "    ";
      if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) {
        text += "scalar ";
        for (const std::byte byte : scalar->bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
      } else if (const auto* tensor = std::get_if<TensorArgument>(&argument)) {
        text += fmt::format("tensor {} + {}", tensor->tensor, tensor->offset_bytes);
      } else if (const auto* workspace = std::get_if<WorkspaceArgument>(&argument)) {
        text += fmt::format("workspace {} + {}", workspace->workspace, workspace->offset_bytes);
      } else {
        const TensorMapSpec& map = std::get<TensorMapArgument>(argument).map;
        text += fmt::format("map {} dims {} strides {} box {} swizzle {} promotion {}{}", map.tensor,
                            fmt::join(map.dims, ","), fmt::join(map.stride_bytes, ","), fmt::join(map.box, ","),
                            swizzle_of(map), static_cast<int>(map.promotion), map.nan_fill ? " nan" : "");
      }
      text += "\n";
    }
  };
  for (const Launch& launch : plan.prepare) add(launch, "prepare");
  for (const Launch& launch : plan.launches) add(launch, "launch");
  return text;
}

/// "kerlab_gemm" library and problems -> a program that prints each one's choice and plan.
std::string printing_program(const ExportedLibrary& library, const std::vector<Problem>& problems) {
  std::string program = dispatch_header(library, {}) + "#include <cstdio>\n#include \"print_plan.h\"\n" +
                        "int main() {\n  const std::vector<kd::Request> requests = {\n";
  for (const Problem& problem : problems) {
    std::string dimensions, flags, scalars;
    for (const auto& [name, value] : problem.dimensions) dimensions += fmt::format("{}, ", value);
    for (const auto& [name, value] : problem.flags) flags += fmt::format("\"{}\", ", value);
    for (const auto& [name, value] : problem.scalars) scalars += fmt::format("{}, ", value);
    program +=
        fmt::format("    {{{{{}}}, \"{}\", {{{}}}, {{{}}}}},\n", dimensions, name(problem.dtype), flags, scalars);
  }
  return program + fmt::format(R"(  }};
  const kd::Library& library = kerlab_{}::library();
  for (const kd::Request& request : requests) {{
    const kd::Choice choice = kd::choose(library, request);
    if (choice.status != kd::Status::ok)
      std::printf("%s\n== \n", kd::name(choice.status));
    else
      std::printf("%s %s\n%s== %s\n", library.kernels[choice.kernel].variant,
                  library.kernels[choice.kernel].configuration, plan_text(library, choice.plan).c_str(),
                  choice.exact ? "exact" : "near");
  }}
}}
)",
                               library.family);
}

struct Printed {
  std::string kernel, plan, exact;
};
std::vector<Printed> read_printed(const std::string& output) {
  std::vector<Printed> all;
  std::istringstream lines(output);
  Printed next;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("== ")) {
      next.exact = line.substr(3);
      all.push_back(std::exchange(next, {}));
    } else if (next.kernel.empty()) {
      next.kernel = line;
    } else {
      next.plan += line + "\n";
    }
  }
  return all;
}

/// Problems of the exported kinds (dtype, flags, scalars), with other dimensions.
std::vector<Problem> other_problems(const Family& family, const std::vector<Winner>& winners, int count) {
  std::mt19937 random(5);
  std::vector<Problem> problems;
  constexpr std::int64_t kExtents[] = {1,   7,    64,   100,  128,  250,  256,  384,
                                       512, 1000, 1024, 1536, 2048, 4096, 4104, 8192};
  while (static_cast<int>(problems.size()) < count) {
    ProblemRequest request = request_of_key(family, winners[random() % winners.size()].problem);
    for (auto& [name, value] : request.dimensions)
      if (name != "batch") value = kExtents[random() % std::size(kExtents)];
    problems.push_back(make_problem(family, request));
  }
  return problems;
}

/// Whether any exported kernel could be launched on the problem as it was compiled.
bool any_valid(Decided& decided, const ExportedLibrary& library, const Problem& problem) {
  for (const ExportedKernel& kernel : library.kernels) {
    if (kernel.dtype != name(problem.dtype)) continue;
    std::vector<std::string> flags;
    for (const auto& [flag, value] : problem.flags) flags.push_back(value);
    if (flags != kernel.flags) continue;
    const Variant& variant = find_variant(decided.rig->folder(), kernel.variant);
    const Configuration configuration = parse_configuration(variant, kernel.configuration);
    const DeviceInfo& device = decided.rig->device();
    if (!unsupported_reason(variant, problem, device).empty()) continue;
    if (!violated_constraint(variant, problem, device, configuration).empty()) continue;
    const Environment environment = configured_environment(variant, problem, configuration, device);
    if (std::all_of(kernel.compiled.begin(), kernel.compiled.end(),
                    [&](const auto& value) { return environment.at(value.first) == value.second; }))
      return true;
  }
  return false;
}

/// Exports the winners, compiles the header, and compares every plan.
void compare_plans(const std::string& family_name, const std::vector<Winner>& winners, int others) {
  Decided decided(family_name);
  double us = 10;
  for (const Winner& winner : winners) decided.add(winner, us += 1);
  const Family& family = decided.rig->folder().family;
  const ExportedLibrary library = decided.library();
  REQUIRE(library.shapes.size() == winners.size());
  std::vector<Problem> problems;
  for (const Winner& winner : winners) problems.push_back(make_problem(family, request_of_key(family, winner.problem)));
  for (Problem& problem : other_problems(family, winners, others)) problems.push_back(std::move(problem));
  const std::string output =
      output_of_program(printing_program(library, problems), {share_folder() / "examples" / "dispatch"});
  if (output.empty()) return;
  const std::vector<Printed> printed = read_printed(output);
  REQUIRE(printed.size() == problems.size());
  int near = 0, none = 0;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    INFO(problems[i].key());
    if (printed[i].exact.empty()) {
      CHECK(printed[i].kernel == "no_kernel");
      CHECK_FALSE(any_valid(decided, library, problems[i]));
      ++none;
      continue;
    }
    const std::size_t space = printed[i].kernel.find(' ');
    const Variant& variant = find_variant(decided.rig->folder(), printed[i].kernel.substr(0, space));
    const Configuration configuration = parse_configuration(variant, printed[i].kernel.substr(space + 1));
    CHECK(violated_constraint(variant, problems[i], decided.rig->device(), configuration).empty());
    CHECK(printed[i].plan ==
          ::text(instantiate(family, variant, problems[i], configuration, decided.rig->device()).plan,
                 tensors_of(family, problems[i])));
    if (i < winners.size()) {
      CHECK(printed[i].exact == "exact");
      CHECK(variant.name == winners[i].variant);
    } else {
      ++near;
    }
  }
  CHECK(near > 0);
  INFO(near << " near, " << none << " without a kernel");
}

}  // namespace

TEST_CASE("export: a header launches what kerlab launches: plain, TMA, clusters, workspaces, two launches",
          "[session]") {
  compare_plans("gemm",
                {{"gemm M=100 N=70 K=33 fp32 layout=nn alpha=1 beta=0", "naive", ""},
                 {"gemm M=4096 N=4096 K=4096 bf16 layout=nt alpha=1 beta=0", "gemm_sm90", ""},
                 {"gemm M=1024 N=2048 K=1024 bf16 layout=nn alpha=1 beta=0", "gemm_sm90", "STREAM_K=1"},
                 {"gemm M=512 N=512 K=2048 bf16 layout=nn alpha=1 beta=0", "gemm_sm90", "CLUSTER_M=2"},
                 {"gemm M=64 N=512 K=4096 bf16 layout=nn alpha=1 beta=0", "gemm_sm80", "SPLIT=4,REDUCE=0"},
                 {"gemm M=64 N=500 K=1001 bf16 layout=nn alpha=1 beta=1", "gemm_sm80", "SPLIT=4,REDUCE=1"}},
                60);
}

TEST_CASE("export: other families; values that the source does not mention may change with the problem", "[session]") {
  compare_plans("reduce", {{"reduce N=1048576 fp32", "two_pass", ""}, {"reduce N=1000 fp32", "two_pass", "VEC=1"}}, 10);
}

TEST_CASE("export: variables that hold a tensor, and launches that prepare workspaces, are in the plan", "[session]") {
  compare_plans("convolution_1d", {{"convolution_1d batch=3 N=5003 fp32", "constant", ""}}, 5);
  compare_plans("mesh_edges", {{"mesh_edges W=40 H=30 fp32 what=scatter", "vertices", ""}}, 5);
}

TEST_CASE("export: a portfolio of stored times; what cannot be met is said", "[session]") {
  Decided decided("gemm");
  const std::string first = "gemm M=256 N=256 K=256 fp32 layout=nn alpha=1 beta=0";
  const std::string second = "gemm M=512 N=512 K=512 fp32 layout=nn alpha=1 beta=0";
  decided.add({first, "smem_tile", ""}, 10);
  decided.add({first, "naive", ""}, 10.2, false);
  decided.add({second, "naive", ""}, 20);
  decided.add({second, "smem_tile", ""}, 25, false);
  decided.options.stored_only = true;
  std::string first_kernel;  // the result's own refer to the session's folder
  const auto grown = [&](std::size_t largest, double within) {
    decided.options.largest = largest;
    decided.options.within = within;
    PortfolioSession session(decided.options, decided.database);
    while (session.step()) {
    }
    first_kernel.clear();
    if (!session.result().portfolios.empty())
      first_kernel = session.result().kernels[session.result().portfolios[0].kernels[0]].label();
    return session.result();
  };
  const PortfolioResult one = grown(0, 0.03);
  REQUIRE(one.portfolios.size() == 1);
  CHECK(one.portfolios[0].worst_loss == Approx(0.02));
  CHECK_THAT(first_kernel, Catch::StartsWith("naive"));
  const PortfolioResult two = grown(0, 0.01);
  REQUIRE(two.portfolios.size() == 2);
  CHECK(two.portfolios[1].worst_loss == 0);
  const PortfolioResult cut = grown(1, 0.01);
  REQUIRE(cut.portfolio() != nullptr);
  CHECK(cut.portfolio()->worst_loss == Approx(0.02));
  CHECK(cut.portfolios.back().worst_loss == 0);  // what one more would bring
  decided.options.filter.arguments = {{"M", "1K"}};
  CHECK_THROWS_AS(grown(0, 0.01), Error);
  decided.options.filter.arguments = {{"M", "512"}};
  CHECK(grown(0, 0.01).shapes.size() == 1);
}

TEST_CASE("export: a file says what it rests on, and is stale when that changes", "[session]") {
  Decided decided("gemm");
  const std::string problem = "gemm M=256 N=256 K=256 fp32 layout=nn alpha=1 beta=0";
  decided.add({problem, "smem_tile", ""}, 10);
  const ExportedLibrary library = decided.library();
  const auto identity = read_identity(dispatch_header(library, {}));
  REQUIRE(identity);
  const auto from_json = read_identity(to_json(export_value(library, "cubins")));
  REQUIRE(from_json);
  CHECK(from_json->shapes.size() == 1);
  CHECK(from_json->shapes[0].options == identity->shapes[0].options);
  const auto stale = [&](const ExportIdentity& one) {
    const ExportCheck check = check_export(one, decided.options.rig, &decided.database);
    return fmt::format("{}", fmt::join(check.stale, "\n"));
  };
  CHECK(stale(*identity) == "");
  ExportIdentity other = *identity;
  other.shapes[0].source_hash = "0";
  CHECK_THAT(stale(other), Catch::Contains("smem_tile.cu: its source has changed"));
  other = *identity;
  other.toolchain = "NVRTC 12.4";
  CHECK_THAT(stale(other), Catch::Contains("the toolchain was NVRTC 12.4, it is "));
  other = *identity;
  other.shapes[0].options += " -DX=1";
  CHECK_THAT(stale(other), Catch::Contains("other options or launched otherwise"));
  decided.add({problem, "naive", ""}, 9);
  CHECK_THAT(stale(*identity), Catch::Contains("decided since: naive"));
}

TEST_CASE("export: cubins beside the header are named by their hash and checked", "[session]") {
  Decided decided("gemm");
  decided.add({"gemm M=256 N=256 K=256 fp32 layout=nn alpha=1 beta=0", "naive", ""}, 10);
  decided.add({"gemm M=512 N=256 K=256 fp32 layout=nn alpha=1 beta=0", "naive", ""}, 12);
  const ExportedLibrary library = decided.library();
  CHECK(library.images.size() == 1);  // the same program for both
  CHECK(library.kernels.size() == 1);
  const std::string beside = dispatch_header(library, {false, "cubins"});
  CHECK_THAT(beside, Catch::Contains("\"cubins/" + cubin_name(library.images[0]) + "\""));
  CHECK_THAT(beside, !Catch::Contains("image_0"));
  const std::string embedded = dispatch_header(library, {});
  CHECK_THAT(embedded, Catch::Contains("unsigned char image_0[]") && Catch::Contains("127,69,76,70,"));
}

TEST_CASE("export: the example of a dispatcher builds against a header and says what it would launch", "[session]") {
  Decided decided("gemm");
  decided.add({"gemm M=256 N=256 K=256 fp32 layout=nn alpha=1 beta=0", "naive", ""}, 10);
  const TemporaryFolder folder;
  write_atomic(folder / "gemm_kernels.h", std::string_view(dispatch_header(decided.library(), {})));
  const std::string output =
      output_of_program("#include \"main.cpp\"\n", {folder.path(), share_folder() / "examples" / "dispatch"},
                        {"--dry-run", "256x256x256:fp32", "100x50x20:fp32:nn"});
  if (output.empty()) return;
  CHECK_THAT(output, Catch::StartsWith("256x256x256 fp32 nn: naive") && Catch::Contains("(tuned)\n  launch "));
  CHECK_THAT(output, Catch::Contains("100x50x20 fp32 nn: naive") && Catch::Contains("(nearest tuned shape)"));
}
