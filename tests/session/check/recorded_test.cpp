// Families whose outputs were computed elsewhere and recorded, on the emulated device.

#include <bit>
#include <map>
#include <set>

#include "base/temporary_folder.h"
#include "catch.h"
#include "session/check/check_fixture.h"
#include "session/check/save_inputs.h"
#include "session/recorded_family.h"
#include "session/session_fixture.h"
#include "spec/recordings.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {

constexpr std::string_view kMixedFamily = R"toml(name = "mixed"
dtypes = ["fp32"]
[[dimension]]
name = "N"
default = 300
[[tensor]]
name = "x"
role = "input"
dtype = "int32"
shape = ["N"]
[[tensor]]
name = "y"
role = "output"
dtype = "int32"
shape = ["N"]
[[tensor]]
name = "z"
role = "inout"
dtype = "complex64"
shape = ["N"]
[[reference]]
output = "y"
grid = ["ceil_div(count, 256)"]
block = [256]
arguments = ["x", "index", "count", "value", "scale"]
tolerance = { rule = "exact" }
[[reference]]
output = "z"
recorded = true
tolerance = { rule = "rowwise" }
[cost]
flops = "N"
bytes = "24 * N"
)toml";

constexpr std::string_view kMixedReference = R"cuda(
extern "C" __global__ void reference(const int* x, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = blockIdx.x * 256ll + threadIdx.x;
  if (j >= count) return;
  value[j] = x[index == nullptr ? j : index[j]] + 1;
  scale[j] = 0;
}
)cuda";

constexpr std::string_view kMixedVariant = R"toml(doc = "right for BUG = 0 only"
[[parameter]]
name = "BUG"
values = [0, 1, 2]
[[launch]]
kernel = "mixed"
grid = ["ceil_div(N, 128)"]
block = [128]
arguments = ["x", "y", "z", "N"]
)toml";

constexpr std::string_view kMixedKernel = R"cuda(
extern "C" __global__ void mixed(const int* x, int* y, float2* z, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + (BUG == 1 && i == 7 ? 2 : 1);
  const float2 held = z[i];
  z[i] = float2{-held.y, BUG == 2 && i == 8 ? -held.x : held.x};
}
)cuda";

/// The family in a folder of its own, with recordings of these sizes.
class RecordedFolder {
 public:
  explicit RecordedFolder(const std::vector<std::int64_t>& sizes, const std::vector<std::string>& recipes = {}) {
    write_family(path(), "simple", recorded_family());
    const KernelFolder read = load_folder(path());
    for (const std::int64_t size : sizes) {
      ProblemRequest request;
      request.dimensions = {{"N", size}};
      save_inputs(read.family, make_problem(read.family, request), recipes, path() / "recorded");
    }
    if (!sizes.empty()) record_thrice(path() / "recorded");
  }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "thrice"; }
  [[nodiscard]] std::filesystem::path recording(const std::string& problem, const std::string& recipe) const {
    return path() / "recorded" / problem / recipe;
  }
  [[nodiscard]] RigOptions rig(const SessionFixture& fixture) const {
    RigOptions rig = fixture.options().rig;
    rig.device = "emu:h200";
    rig.target = path().string();
    return rig;
  }

 private:
  TemporaryFolder folder_;
};

struct RecordedCheck {
  std::map<std::string, TrialStatus> statuses;  ///< by configuration and problem
  std::vector<std::string> notes;
  std::string accuracy;
  std::int64_t recipes = 0;
};

RecordedCheck check_recorded(SessionFixture& fixture, const RecordedFolder& folder, const std::string& n) {
  CheckOptions options;
  options.rig = folder.rig(fixture);
  options.variants = {"simple"};
  options.arguments = {{"N", n}};
  options.every_configuration = true;
  CheckSession session(options, fixture.database());
  while (session.step()) {
  }
  RecordedCheck found{{}, session.notes(), "", 0};
  for (const CheckRow& row : session.rows()) {
    TrialStatus& status = found.statuses[row.trial.configuration + " " + row.problem.key()];
    if (status != TrialStatus::wrong) status = row.trial.status;
    found.accuracy = row.trial.accuracy;
    found.recipes = std::max(found.recipes, static_cast<std::int64_t>(row.report.recipes.size()));
  }
  return found;
}

std::string refusal(SessionFixture& fixture, const RecordedFolder& folder, const std::string& n) {
  try {
    check_recorded(fixture, folder, n);
  } catch (const Error& error) {
    return error.what();
  }
  return "checked";
}

void overwrite(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = read_text(file);
  REQUIRE(text.find(from) != std::string::npos);
  write_atomic(file, text.replace(text.find(from), from.size(), to));
}

}  // namespace

TEST_CASE("recorded: the right kernel passes on what is recorded and nowhere else, a wrong one does not",
          "[session][emulated]") {
  SessionFixture fixture;
  const RecordedFolder folder({1000, 77});
  const RecordedCheck found = check_recorded(fixture, folder, "1000");
  REQUIRE(found.statuses.size() == 4);
  for (const char* problem : {"thrice N=1000 fp32", "thrice N=77 fp32"}) {
    CHECK(found.statuses.at("BUG=0 " + std::string(problem)) == TrialStatus::passed);
    CHECK(found.statuses.at("BUG=1 " + std::string(problem)) == TrialStatus::wrong);
  }
  CHECK(found.accuracy == "against recordings");
  REQUIRE(found.notes.size() == 1);
  CHECK_THAT(found.notes.front(), Catch::Contains("no edges, residues, special values") &&
                                      Catch::EndsWith("recorded besides thrice 1000 fp32: thrice 77 fp32"));
  CHECK(parse_accuracy("normwise, against recordings") == Accuracy{true, false, false, true});
}

TEST_CASE("recorded: only the recipes that are recorded are run; without a second there are no other data",
          "[session][emulated]") {
  SessionFixture fixture;
  const RecordedFolder one({1000}, {"normal"}), all({1000});
  const RecordedCheck few = check_recorded(fixture, one, "1000");
  CHECK(few.statuses.at("BUG=0 thrice N=1000 fp32") == TrialStatus::passed);
  CHECK(few.statuses.at("BUG=1 thrice N=1000 fp32") == TrialStatus::wrong);
  CHECK(few.recipes < check_recorded(fixture, all, "1000").recipes);
  const RecordedFolder untimed({1000}, {"uniform"});
  CHECK_THAT(refusal(fixture, untimed, "1000"),
             Catch::Contains("recipe 'normal' of thrice N=1000 fp32, which is timed"));
}

TEST_CASE("recorded: what is missing is said, with what is recorded and the command that writes inputs",
          "[session][emulated]") {
  SessionFixture fixture;
  const RecordedFolder folder({1000});
  CHECK_THAT(refusal(fixture, folder, "64"),
             Catch::StartsWith("no recording for thrice N=64 fp32; recorded are thrice N=1000 fp32 (normal, "
                               "small_integer, uniform). `kerlab check " +
                               folder.path().string() + " --N 64 --dtype fp32 --save-inputs ") &&
                 Catch::Contains("y.npy beside them"));
  std::filesystem::remove(folder.recording("N=1000_fp32", "normal") / "y.npy");
  CHECK_THAT(refusal(fixture, folder, "1000"), Catch::Contains("normal/y.npy is missing: compute it"));
  CHECK_THAT(refusal(fixture, RecordedFolder({}), "1000"), Catch::Contains("nothing is recorded in "));
}

TEST_CASE("recorded: a tune stores by what was recorded, and another recording is another trial",
          "[session][emulated]") {
  SessionFixture fixture;
  const RecordedFolder folder({1000});
  TuneOptions options = fixture.options();
  options.rig = folder.rig(fixture);
  options.arguments = {{"N", "1000"}};
  const auto tuned = [&] {
    TuneSession session(options, fixture.database());
    while (session.step()) {
    }
    return session.result();
  };
  const TuneResult first = tuned();
  REQUIRE_FALSE(first.rows.empty());
  CHECK(first.rows.front().trial.configuration == "BUG=0");
  const auto keys = [&] {
    std::set<std::string> known;
    for (const Trial& trial : fixture.database().trials_of("thrice")) known.insert(trial.key);
    return known;
  };
  const std::set<std::string> before = keys();
  tuned();
  CHECK(keys() == before);  // stored: found again
  record_thrice(folder.path() / "recorded", 1);
  const TuneResult changed = tuned();
  CHECK(changed.rows.empty());  // 3 x is wrong now
  CHECK(keys().size() > before.size());
  options.arguments = {{"N", "64"}};
  CHECK_THROWS_WITH(tuned(), Catch::Contains("no recording for thrice N=64 fp32"));
}

TEST_CASE("recorded: one output by a kernel and another one recorded, in place and of complex numbers",
          "[session][emulated]") {
  SessionFixture fixture;
  const TemporaryFolder home;
  const std::filesystem::path folder = home / "mixed";
  std::filesystem::create_directories(folder);
  write_atomic(folder / "family.toml", kMixedFamily);
  write_atomic(folder / "reference.cu", kMixedReference);
  write_atomic(folder / "simple.toml", kMixedVariant);
  write_atomic(folder / "simple.cu", kMixedKernel);
  const KernelFolder read = load_folder(folder);
  const auto saved = save_inputs(read.family, make_problem(read.family, {}), {"normal"}, folder / "recorded");
  REQUIRE(saved.size() == 1);
  const NpyArray before = read_npy(saved.front().folder / "z.before.npy");
  REQUIRE(before.header.type == NpyType::c8);
  REQUIRE(before.header.shape == std::vector<std::int64_t>{300});
  std::vector<double> after;  // of z: i times what it held
  for (std::size_t i = 0; i < 300; ++i) {
    after.push_back(-before.number(2 * i + 1));
    after.push_back(before.number(2 * i));
  }
  write_atomic(saved.front().folder / "z.npy", npy_file(NpyType::c16, {300}, std::as_bytes(std::span(after))));
  CheckOptions options;
  options.rig = fixture.options().rig;
  options.rig.device = "emu:h200";
  options.rig.target = folder.string();
  options.every_configuration = true;
  const std::vector<CheckRow> rows = checked_rows(fixture, options);
  std::map<std::string, TrialStatus> statuses;
  for (const CheckRow& row : rows) {
    INFO(row.trial.configuration << ": " << row.trial.message);
    CHECK((row.trial.status == TrialStatus::passed) == (row.trial.configuration == "BUG=0"));
    statuses[row.trial.configuration] = row.trial.status;
  }
  CHECK(statuses.size() == 3);
}

TEST_CASE("recorded: inputs of types that NumPy has not are their bits", "[session]") {
  const TemporaryFolder home;
  const auto saved_x = [&](const std::string& dtype) {
    const std::filesystem::path folder = home / dtype;
    ElementFamily family = recorded_family();
    family.dtypes = "\"" + dtype + "\"";
    write_family(folder, "simple", family);
    const Family read = load_folder(folder).family;
    const auto saved = save_inputs(read, make_problem(read, {}), {"small_integer"}, folder / "recorded");
    return read_npy(saved.front().folder / "x.npy");
  };
  const NpyArray bf16 = saved_x("bf16"), fp16 = saved_x("fp16"), int4 = saved_x("int4"), int16 = saved_x("int16");
  CHECK(bf16.header.type == NpyType::u2);
  CHECK(fp16.header.type == NpyType::f2);
  CHECK(int16.header.type == NpyType::i2);
  CHECK(saved_x("e4m3").header.type == NpyType::u1);
  CHECK(int4.header.type == NpyType::u1);
  CHECK(int4.header.shape == std::vector<std::int64_t>{500});
  std::set<double> seen;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto bits = static_cast<std::uint32_t>(bf16.number(i)) << 16;
    CHECK(std::bit_cast<float>(bits) == fp16.number(i));  // small integers are the same in every type
    CHECK(int16.number(i) == fp16.number(i));
    seen.insert(fp16.number(i));
  }
  CHECK(seen.size() == 9);  // -4 .. 4
}

TEST_CASE("recorded: files that do not fit are refused with their place", "[session]") {
  SessionFixture fixture;
  const RecordedFolder folder({1000});
  const std::filesystem::path file = folder.recording("N=1000_fp32", "normal") / "y.npy";
  const std::vector<float> few(999);
  const std::vector<std::int32_t> integers(1000);
  write_atomic(file, npy_file(NpyType::f4, {999}, std::as_bytes(std::span(few))));
  CHECK_THAT(refusal(fixture, folder, "1000"),
             Catch::EndsWith("normal/y.npy: its shape is (999,), that of 'y' (1000,)"));
  write_atomic(file, npy_file(NpyType::i4, {1000}, std::as_bytes(std::span(integers))));
  CHECK_THAT(refusal(fixture, folder, "1000"),
             Catch::EndsWith("normal/y.npy: holds int32; 'y' is fp32, recorded as float64 or float32"));
  write_atomic(file, std::string_view("no numbers"));
  CHECK_THAT(refusal(fixture, folder, "1000"), Catch::Contains("normal/y.npy: byte 0: no .npy file"));
}

TEST_CASE("recorded: of other inputs than today's it says nothing", "[session]") {
  SessionFixture fixture;
  const RecordedFolder folder({1000});
  overwrite(folder.recording("N=1000_fp32", "normal") / kRecordingFile, "\ninputs = \"", "\ninputs = \"0");
  CHECK_THAT(refusal(fixture, folder, "1000"),
             Catch::Contains("was made of other inputs than recipe 'normal' has today"));
  // Who writes them anew is not left with outputs of the old ones.
  const KernelFolder read = load_folder(folder.path());
  ProblemRequest request;
  const Problem problem = make_problem(read.family, request);
  CHECK_THROWS_WITH(save_inputs(read.family, problem, {}, folder.path() / "recorded"),
                    Catch::Contains("normal/y.npy was computed of other inputs"));
}

TEST_CASE("recorded: links, folders elsewhere and kernels beside it are mistakes", "[session]") {
  const auto mistake = [](const std::filesystem::path& folder) {
    try {
      load_folder(folder);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  const RecordedFolder folder({1000});
  CHECK(mistake(folder.path()) == "read");
  const std::filesystem::path manifest = folder.recording("N=1000_fp32", "normal") / kRecordingFile;
  const std::string good = read_text(manifest);
  overwrite(manifest, "file = \"y.npy\"", "file = \"../y.npy\"");
  CHECK_THAT(mistake(folder.path()), Catch::Contains("recording.toml:") && Catch::Contains("a file beside this one"));
  write_atomic(manifest, good);
  overwrite(manifest, "format = 1", "format = 2");
  CHECK_THAT(mistake(folder.path()), Catch::Contains("this kerlab reads format 1"));
  write_atomic(manifest, good);
  const std::filesystem::path y = manifest.parent_path() / "y.npy";
  std::filesystem::rename(y, folder.path() / "elsewhere.npy");
  std::filesystem::create_symlink(folder.path() / "elsewhere.npy", y);
  CHECK_THAT(mistake(folder.path()), Catch::Contains("normal/y.npy:1:1: a link"));
  std::filesystem::remove(y);
  std::filesystem::rename(folder.path() / "recorded", folder.path() / "others");
  std::filesystem::create_directory_symlink(folder.path() / "others", folder.path() / "recorded");
  CHECK_THAT(mistake(folder.path()), Catch::Contains("recorded:1:1: a link"));
  std::string family = family_text(recorded_family());
  write_atomic(folder.path() / "family.toml", "recordings = \"../others\"\n" + family);
  CHECK_THAT(mistake(folder.path()), Catch::Contains("family.toml:1:14: a folder beside family.toml"));
  write_atomic(folder.path() / "family.toml",
               family.replace(family.find("recorded = true"), 15, "recorded = true\ngrid = [1]"));
  CHECK_THAT(mistake(folder.path()), Catch::Contains("no kernel computes this output"));
}
