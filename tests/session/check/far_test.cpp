// Indices beyond 2^31: problems with so many elements are found, some of their blocks are executed on an emulated
// device, and what cannot be is said.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "catch.h"
#include "device/emu/emu_device_profile.h"
#include "plan/sparse_tensor.h"
#include "session/check/check_fixture.h"
#include "session/run/elsewhere.h"
#include "session/session_fixture.h"
#include "session/shapes/far.h"
#include "session/shapes/thin.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kFarToml = R"toml(
doc = "one thread an element; right for BITS = 64 only"
tune = false
[[parameter]]
name = "BITS"
values = [32, 64]
[[launch]]
kernel = "elements"
grid = ["ceil_div(N, 1024)"]
block = [1024]
arguments = ["x", "y", "i64: N", "a"]
)toml";

constexpr std::string_view kFar = R"cuda(
extern "C" __global__ void elements(const float* x, float* y, long long n, float a) {
  const long long i = BITS == 64 ? blockIdx.x * 1024LL + threadIdx.x : static_cast<int>(blockIdx.x * 1024 + threadIdx.x);
  if (i < n) y[i] = a * x[i];
}
)cuda";

/// Its blocks add to one word each: none stands for another. With WAIT they wait, there alone, for those of lower
/// numbers.
constexpr std::string_view kTogetherToml = R"toml(
doc = "blocks that count themselves; right for BITS = 64 only"
tune = false
[[parameter]]
name = "BITS"
values = [32, 64]
[[parameter]]
name = "WAIT"
values = [0, 1]
[[workspace]]
name = "counter"
bytes = "4"
init = "zero"
[[launch]]
kernel = "together"
grid = ["ceil_div(N, 1024)"]
block = [1024]
arguments = ["x", "y", "i64: N", "a", "counter"]
)toml";

constexpr std::string_view kTogether = R"cuda(
extern "C" __global__ void together(const float* x, float* y, long long n, float a, int* counter) {
  if (threadIdx.x == 0 && WAIT && n > 2147483648)
    while (atomicAdd(counter, 0) < static_cast<int>(blockIdx.x)) continue;
  const long long i = BITS == 64 ? blockIdx.x * 1024LL + threadIdx.x : static_cast<int>(blockIdx.x * 1024 + threadIdx.x);
  if (i < n) y[i] = a * x[i];
  if (threadIdx.x == 0) atomicAdd(counter, 1);
}
)cuda";

constexpr FamilyTexts kProducts = {
    R"toml(
name = "products"
doc = "D[m][n] = A[m][0] B[n][0], of each of a batch"
dtypes = ["fp32"]
[[dimension]]
name = "M"
default = 96
[[dimension]]
name = "N"
default = 96
[[dimension]]
name = "K"
default = 64
maximum = 512
[[dimension]]
name = "batch"
default = 1
quiet = true
[[tensor]]
name = "A"
role = "input"
shape = ["batch", "M", "K"]
[[tensor]]
name = "B"
role = "input"
shape = ["batch", "N", "K"]
[[tensor]]
name = "D"
role = "output"
shape = ["batch", "M", "N"]
[[reference]]
output = "D"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["A", "B", "M", "N", "K", "index", "count", "value", "scale"]
tolerance = { rule = "dot", length = 1 }
[cost]
flops = "batch * M * N"
bytes = "batch * (M + N + M * N) * 4"
)toml",
    R"cuda(
extern "C" __global__ void reference(const float* A, const float* B, int M, int N, int K, const long long* index,
                                     long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long i = index == nullptr ? j : index[j], b = i / N / M;
  value[j] = ACC(A[i / N * K]) * B[(b * N + i % N) * K];
  scale[j] = value[j] < 0 ? -value[j] : value[j];
}
)cuda",
    R"toml(
doc = "a block 32 x 32 elements; right for BITS = 64 only"
[[parameter]]
name = "BITS"
values = [32, 64]
[[launch]]
kernel = "products"
grid = ["ceil_div(M, 32) * ceil_div(N, 32)", 1, "batch"]
block = [32, 8]
arguments = ["A", "B", "D", "M", "N", "K"]
)toml",
    R"cuda(
extern "C" __global__ void products(const float* A, const float* B, float* D, int M, int N, int K) {
  const int across = (N + 31) / 32;
  const int n = blockIdx.x % across * 32 + threadIdx.x;
  const long long batch = blockIdx.z;
  for (int m = blockIdx.x / across * 32 + threadIdx.y, end = m + 32; m < end && m < M && n < N; m += 8) {
    const long long of_row = BITS == 64 ? n * 1LL * K : n * K;  // B's alone
    D[(batch * M + m) * N + n] = A[(batch * M + m) * K] * B[batch * N * K + of_row];
    if (BITS == 64 && __expf(A[m]) == 123456.0f) D[0] = sqrtf(B[0]);  // slower than the wrong one
  }
}
)cuda"};

/// The family of the fixture, with room for so many elements.
void write_far(const SessionFixture& fixture) {
  const auto family = fixture.family() / "family.toml";
  write_atomic(family, replaced(read_text(family), "name = \"N\"\n", "name = \"N\"\nmaximum = 8589934592\n"));
  write_atomic(fixture.family() / "elements.toml", kFarToml);
  write_atomic(fixture.family() / "elements.cu", kFar);
  write_atomic(fixture.family() / "together.toml", kTogetherToml);
  write_atomic(fixture.family() / "together.cu", kTogether);
}

CheckOptions check_far_of(const SessionFixture& fixture, const char* variant, const char* configuration) {
  CheckOptions options = emulated_check(fixture, variant);
  options.configuration = configuration;
  return options;
}

/// Of the best of a tune of that variant, of the fixture's family or another.
std::string tuned_best(SessionFixture& fixture, const char* variant, const std::string& target = "") {
  TuneOptions options = fixture.options();
  options.rig.device = "emu:h200";
  if (!target.empty()) options.rig.target = target;
  options.variants.names = {variant};
  const TuneResult result = fixture.tune(options);
  return result.rows.empty() ? "none" : result.rows[0].trial.configuration;
}

/// Whether a note says both.
bool is_noted(const CheckSession& session, const std::string& one, const std::string& other = "") {
  return std::ranges::any_of(session.notes(), [&](const std::string& note) {
    return note.find(one) != std::string::npos && note.find(other) != std::string::npos;
  });
}

bool is_far(const CheckRow& row) {
  return row.problem.dimensions.front().second > kFarElements;
}

const KernelFolder& folder_with(const std::string& family) {
  static std::map<std::string, KernelFolder> folders;
  const auto found = folders.find(family);
  if (found != folders.end()) return found->second;
  return folders.emplace(family, load_folder(share_folder() / "kernels" / family)).first->second;
}

FarProblems far_of(const std::string& family, const std::string& variant, const DeviceInfo& device,
                   const ProblemRequest& request = {}, const std::set<std::string>& tried = {}) {
  const KernelFolder& folder = folder_with(family);
  const Variant& found = *std::ranges::find(folder.variants, variant, &Variant::name);
  const Problem asked = make_problem(folder.family, request);
  const Configuration configuration = default_configuration(found, asked, device);
  return far_problems({folder.family, found, configuration, device}, asked, 3, tried);
}

std::set<std::string> tensors_beyond(const std::string& family, const FarProblems& far) {
  std::set<std::string> names;
  for (const CheckedProblem& one : far.problems)
    for (const Tensor& tensor :
         tensors_of(folder_with(family).family, make_problem(folder_with(family).family, one.request)))
      if (tensor.elements() > kFarElements) names.insert(tensor.name);
  return names;
}

}  // namespace

TEST_CASE("far: of a product each operand and the result lie beyond 2^31 elements, with one tile a block", "[check]") {
  const DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  for (const char* variant : {"naive", "gemm_sm80", "gemm_sm90"}) {
    INFO(variant);
    ProblemRequest request;
    request.dtype = "bf16";
    const FarProblems far = far_of("gemm", variant, device, request);
    const auto beyond = tensors_beyond("gemm", far);
    for (const char* name : {"A", "B", "D"}) CHECK(beyond.contains(name));
    CHECK(far.problems.size() <= 7);  // under two other flags, with a rest, and with wide gaps
  }
  // Elsewhere its 128 blocks would have thousands of tiles each.
  const FarProblems persistent = far_of("gemm", "gemm_sm90", device);
  CHECK(
      std::ranges::any_of(persistent.problems, [&](const CheckedProblem& far) { return far.sms > 100 * device.sms; }));
}

TEST_CASE("far: accesses of 16 bytes are more than 2^31, and a few rows so long that they are far from each other",
          "[check]") {
  const DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  const FarProblems far = far_of("bias_gelu", "columns", device);
  const auto elements = [](const CheckedProblem& one) {
    return one.request.dimensions.at("M") * one.request.dimensions.at("N");
  };
  CHECK(std::ranges::any_of(far.problems, [&](const auto& one) { return elements(one) > std::int64_t{1} << 34; }));
  CHECK(std::ranges::any_of(far.problems, [](const auto& one) {
    return one.request.dimensions.at("N") > 1 << 29 && one.request.dimensions.at("M") == 8;
  }));
}

TEST_CASE("far: a large batch is among those of a product", "[check]") {
  const FarProblems far = far_of("gemm", "smem_tile", emu::read_emulated_device(emu::profile_folder(), "h200"));
  CHECK(std::ranges::any_of(far.problems, [](const auto& one) { return one.request.dimensions.at("batch") > 1024; }));
}

TEST_CASE("far: beside a dimension that ends before, another goes on", "[check]") {
  // Of a sparse matrix there are more numbers than rows may be: a row has several blocks.
  const FarProblems far = far_of("bsr_spmm", "block_tile", emu::read_emulated_device(emu::profile_folder(), "h200"));
  CHECK(tensors_beyond("bsr_spmm", far).contains("values"));
  CHECK(far.left.empty());
}

TEST_CASE("far: of rows that are found by indices a few are read of very many", "[check]") {
  const DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  for (const char* variant : {"row_per_warp", "equal_pieces"}) {
    CAPTURE(variant);
    const FarProblems far = far_of("sddmm", variant, device);
    const auto beyond = tensors_beyond("sddmm", far);
    CHECK((beyond.contains("A") && beyond.contains("B")));
  }
}

TEST_CASE("far: where nothing so large fits, it says so", "[check]") {
  DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  device.memory_bytes = std::int64_t{4} << 30;
  CHECK_THAT(far_of("softmax", "row_per_block", device).why_not, Catch::Contains("fits the device"));
}

TEST_CASE("far: on a GPU problems are whole, as the device is, and fit its memory and a reference's time", "[check]") {
  DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  device.set_kind(DeviceKind::cuda);
  struct Case {
    const char *family, *variant;
    std::set<std::string> tensors;
  };
  for (const auto& [family, variant, tensors] :
       {Case{"gemm", "naive", {"A", "B", "C", "D"}}, Case{"gemm", "gemm_sm90", {"C", "D"}},
        Case{"softmax", "row_per_block", {"X", "Y"}}}) {
    CAPTURE(family, variant);
    ProblemRequest request;
    request.dtype = std::string(family) == "gemm" ? "bf16" : "";
    const FarProblems far = far_of(family, variant, device, request);
    CHECK(tensors_beyond(family, far) == tensors);
    CHECK(far.problems.size() <= 5);  // one with wide gaps
    for (const CheckedProblem& one : far.problems) {
      CHECK(one.executed == Executed::as_usual);
      CHECK((one.sms == device.sms || one.request.row_padding.bytes > 0));
      CHECK(flops_of(folder_with(family).family, make_problem(folder_with(family).family, one.request)) <= 1e11);
    }
  }
  // Of wide tiles, which take no fewer columns, the others cost more than that, and it says so.
  CHECK(far_of("gemm", "gemm_sm90", device).left.size() == 2);
  const FarProblems of_gemm = far_of("gemm", "naive", device);
  CHECK(std::ranges::any_of(of_gemm.problems,
                            [](const CheckedProblem& one) { return one.request.dimensions.at("batch") == 2; }));
  device.memory_bytes = std::int64_t{8} << 30;
  CHECK_THAT(far_of("gemm", "naive", device).why_not, Catch::Contains("fits the device"));
}

TEST_CASE("far: on a GPU a dimension goes beyond 65536 that does nowhere else", "[check]") {
  DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  device.set_kind(DeviceKind::cuda);
  for (const auto& [tried, wanted] : {std::pair{"M", "N"}, std::pair{"N", "M"}}) {
    const FarProblems far = far_of("softmax", "naive", device, {}, {tried});
    REQUIRE_FALSE(far.problems.empty());
    CHECK(std::ranges::any_of(
        far.problems, [&](const CheckedProblem& one) { return one.request.dimensions.at(wanted) > kThinExtent; }));
  }
}

TEST_CASE("far: on a GPU no row is so long that one thread is busy with it for minutes", "[check]") {
  DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  device.set_kind(DeviceKind::cuda);
  const FarProblems losses = far_of("cross_entropy", "naive", device, {}, {"M"});
  REQUIRE_FALSE(losses.problems.empty());
  for (const CheckedProblem& one : losses.problems) CHECK(one.request.dimensions.at("V") < 1 << 20);
  const FarProblems attention = far_of("attention", "flash2", device);
  REQUIRE_FALSE(attention.problems.empty());
  for (const CheckedProblem& one : attention.problems) CHECK(one.request.dimensions.at("keys") < 1 << 20);
}

TEST_CASE("far: an index of 32 bits fails, one of 64 passes, in a tensor of many gigabytes", "[session][emulated]") {
  SessionFixture fixture;
  write_far(fixture);
  for (const bool wrong : {true, false}) {
    CheckSession session(check_far_of(fixture, "elements", wrong ? "BITS=32" : "BITS=64"), fixture.database());
    while (session.step()) {
    }
    CHECK(std::ranges::count_if(session.rows(), is_far) == 2);  // of whole tiles, and with a rest
    for (const CheckRow& row : session.rows())
      CHECK((row.trial.status == TrialStatus::passed) == !(wrong && is_far(row)));
    if (wrong) CHECK_THAT(session.rows().back().trial.message, Catch::Contains("more than 2^31 elements"));
    CHECK(std::ranges::any_of(session.rows(), [](const CheckRow& row) {
      return is_far(row) && row.problem.dimensions[0].second % 256 != 0;
    }));
  }
}

TEST_CASE("far: where parts are short, the last blocks have no tile; another recipe's parts reach beyond 2^31",
          "[session][emulated]") {
  SessionFixture fixture;
  RigOptions options = fixture.options().rig;
  options.device = "emu:h200";
  options.target = "gemm_grouped";
  Rig rig(options);
  const Family& family = rig.folder().family;
  const Variant& variant = *std::ranges::find(rig.folder().variants, "gemm_grouped_sm90", &Variant::name);
  const VariantSource source{&variant, read_kernel_source(variant)};
  // Of the parts of its recipe small_integer none of the blocks that are executed meets one beyond 2^31.
  const auto request = [](std::int64_t tokens, std::int64_t n, std::int64_t k) {
    ProblemRequest asked;
    asked.dtype = "bf16";
    asked.dimensions = {{"tokens", tokens}, {"N", n}, {"K", k}, {"groups", 5}};
    return asked;
  };
  const Problem asked = make_problem(family, request(600, 136, 328));
  const Configuration configuration = default_configuration(variant, asked, rig.device());
  const FarProblems far = far_problems({family, variant, configuration, rig.device()}, asked, 3);
  REQUIRE_FALSE(far.problems.empty());
  for (const CheckedProblem& one : far.problems) {
    const Problem problem = make_problem(family, one.request);
    INFO(problem.title());
    std::string why_not;
    const Elsewhere on = {problem, rig.device().with_sms(one.sms.value()), one.thoroughness, one.executed};
    const std::optional<Evaluation> found = check_elsewhere(rig, source, configuration, on, why_not);
    INFO(why_not);
    if (found) CHECK(found->candidate.trial.message == "");
  }
}

TEST_CASE("far: an index of 32 bits does not win a tune", "[session][emulated]") {
  SessionFixture fixture;
  write_far(fixture);
  CHECK(tuned_best(fixture, "elements") == "BITS=64");
}

TEST_CASE("far: rows of the second operand kept in 32 bits do not win a tune", "[session][emulated]") {
  SessionFixture fixture;
  write_family(fixture.folder() / "products", "products", kProducts);
  CHECK(tuned_best(fixture, "products", (fixture.folder() / "products").string()) == "BITS=64");
}

TEST_CASE("far: of blocks that leave something for each other faults are seen, which is said", "[session][emulated]") {
  SessionFixture fixture;
  write_far(fixture);
  // Those that wait for what is not executed are given up, and pass.
  for (const char* configuration : {"BITS=32,WAIT=0", "BITS=64,WAIT=0", "BITS=64,WAIT=1"}) {
    CAPTURE(configuration);
    const bool wrong = std::string_view(configuration).starts_with("BITS=32");
    CheckSession session(check_far_of(fixture, "together", configuration), fixture.database());
    while (session.step()) {
    }
    CHECK(std::ranges::count_if(session.rows(), is_far) == 1);
    for (const CheckRow& row : session.rows())
      CHECK((row.trial.status == TrialStatus::passed) == !(wrong && is_far(row)));
    if (wrong) CHECK(session.rows().back().trial.status == TrialStatus::illegal_address);
    CHECK(is_noted(session, "indices beyond 2^31 are checked in some blocks of the first launch alone, for faults"));
  }
}

TEST_CASE("far: a kernel with an argument of 32 bits is not checked there, which is said", "[session][emulated]") {
  SessionFixture fixture;
  write_far(fixture);
  CheckSession session(check_far_of(fixture, "simple", ""), fixture.database());
  while (session.step()) {
  }
  CHECK(std::ranges::none_of(session.rows(), is_far));
  CHECK(is_noted(session, "indices beyond 2^31 are not checked"));
}

TEST_CASE("far: a reference or a kernel with an argument of 32 bits is not checked there, which is said",
          "[session][emulated]") {
  SessionFixture fixture;
  write_far(fixture);
  const auto family = fixture.family() / "family.toml", reference = fixture.family() / "reference.cu";
  write_atomic(family, replaced(read_text(family), "\"x\", \"a\", \"index\"", "\"x\", \"N\", \"a\", \"index\""));
  write_atomic(reference, replaced(read_text(reference), "const float* x, float a", "const float* x, int, float a"));
  CheckSession session(check_far_of(fixture, "elements", "BITS=64"), fixture.database());
  while (session.step()) {
  }
  CHECK(session.rows().size() >= 8);
  CHECK(std::ranges::none_of(session.rows(), is_far));
  CHECK(is_noted(session, "indices beyond 2^31 are not checked on", "does not fit 32 bits"));
}

TEST_CASE("far: why there is no plan of a kernel with an argument of 32 bits", "[check]") {
  const DeviceInfo device = emu::read_emulated_device(emu::profile_folder(), "h200");
  const KernelFolder& folder = folder_with("axpy");
  Variant variant = *std::ranges::find(folder.variants, "naive", &Variant::name);
  ProblemRequest request;
  request.dimensions = {{"N", (std::int64_t{1} << 31) + 8}};
  const Problem far = make_problem(folder.family, request);
  const Configuration configuration = default_configuration(variant, far, device);
  CHECK(why_no_plan(folder, variant, far, configuration, device).empty());
  for (ArgumentDecl& argument : variant.launches.front().arguments)
    for (ArgumentChoice& choice : argument.choices)
      if (choice.kind == ArgumentChoice::Kind::int64) choice.kind = ArgumentChoice::Kind::int32;
  CHECK_THAT(why_no_plan(folder, variant, far, configuration, device), Catch::Contains("does not fit 32 bits"));
  CHECK(why_no_plan(folder, variant, make_problem(folder.family, {}), configuration, device).empty());
}
