// Defects, each a small change of a right kernel: the sanitizer must find every one, with its kind and its line, and
// nothing in the kernels that are right. defects/*.cu are the kernels and tell the lines; *.ptx is what NVRTC makes of
// them (-lineinfo, sm_90a).

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "device/emu/machine_lab.h"
#include "device/emu/tensor_map.h"
#include "locations.h"

using namespace kerlab;
using namespace kerlab::emu;

namespace {

struct Shape {
  unsigned blocks = 1, threads = 64, cluster = 1;
  std::uint32_t dynamic_shared = 0;
};

struct Defect {
  const char* source;
  const char* kernel;
  int number;
  Hazard hazard;
  const char* words;  ///< in the message
};

constexpr Hazard kShared = Hazard::shared_race, kGlobal = Hazard::global_race, kUnset = Hazard::uninitialised;
constexpr Hazard kBounds = Hazard::out_of_bounds, kMask = Hazard::warp_mask;

const Defect kDefects[] = {
    {"shared", "mirror", 1, kShared, "__syncthreads"},
    {"shared", "mirror", 2, kShared, "tile"},
    {"shared", "mirror", 3, kShared, "warp 0"},
    {"shared", "mirror", 4, kShared, "tile"},
    {"shared", "mirror", 5, kBounds, "outside the block's"},
    {"shared", "mirror", 6, kUnset, "tile + 0x100"},
    {"shared", "mirror", 7, kUnset, "tile + 0x14"},
    {"shared", "mirror", 8, kShared, "lanes 0 and 1 write different values"},
    {"shared", "lanes", 1, kShared, "__syncwarp"},
    {"shared", "lanes", 2, kShared, "__syncwarp"},
    {"shared", "vectors", 1, Hazard::misaligned, "multiple of 8"},
    {"shared", "vectors", 2, Hazard::misaligned, "multiple of 16"},
    {"shared", "vectors", 3, kUnset, "tile + 0x1fe"},
    {"shared", "histogram", 1, kUnset, "updates"},
    {"shared", "histogram", 2, kShared, "bins"},
    {"shared", "histogram", 3, kShared, "sums"},
    {"shared", "histogram", 4, kShared, "sums"},
    {"shared", "histogram", 5, kShared, "sums"},
    {"global", "copy", 1, kBounds, "after the end of the 1024 bytes"},
    {"global", "copy", 2, kBounds, "outside every allocation"},
    {"global", "copy", 3, kUnset, "argument 1"},
    {"global", "copy", 4, kBounds, "after the end"},
    {"global", "copy", 5, Hazard::misaligned, "multiple of 8"},
    {"global", "copy", 6, kGlobal, "argument 1 + 0x80"},
    {"global", "local", 1, kUnset, "local + "},
    {"global", "local", 2, kBounds, "local memory"},
    {"global", "last_block", 1, kGlobal, "__threadfence"},
    {"global", "last_block", 2, kGlobal, "argument 2"},
    {"global", "last_block", 3, kGlobal, "__threadfence"},
    {"global", "last_block", 4, kGlobal, "__threadfence"},
    {"global", "last_block", 5, kGlobal, "argument 2"},
    {"global", "turns", 1, kGlobal, "argument 1"},
    {"global", "turns", 2, kGlobal, "argument 1"},
    {"global", "turns", 3, kGlobal, "argument 1"},
    {"global", "turns", 4, kGlobal, "argument 1"},
    {"global", "meet", 1, kGlobal, "argument 1"},
    {"global", "meet", 2, kGlobal, "argument 1"},
    {"global", "meet", 3, kGlobal, "argument 1"},
    {"orders", "noncoherent", 1, kGlobal, "cache of what no launch writes"},
    {"orders", "noncoherent", 2, kGlobal, "cache of what no launch writes"},
    {"orders", "scopes", 1, kGlobal, "argument 1"},
    {"orders", "scopes", 2, kGlobal, "argument 1"},
    {"orders", "scopes", 3, kGlobal, "argument 1"},
    {"orders", "scopes_near", 1, kGlobal, "argument 1"},
    {"locks", "for_all", 1, kGlobal, "argument 2"},
    {"locks", "for_all", 2, kGlobal, "argument 2"},
    {"locks", "by_turns", 1, kGlobal, "argument 2"},
    {"warp", "masks", 1, kMask, "executed by lane 15"},
    {"warp", "masks", 2, kMask, "another mask"},
    {"warp", "masks", 3, kMask, "which does not execute it"},
    {"warp", "masks", 4, kMask, "lane 16"},
    {"warp", "masks", 5, kMask, "lanes 0-6"},
    {"warp", "masks", 6, kMask, "lane 0"},
    {"warp", "masks", 7, kMask, "lane 7"},
    {"warp", "masks", 8, kMask, "lane 3"},
    {"warp", "barriers", 1, Hazard::barrier_divergence, "same warp"},
    {"warp", "barriers", 2, Hazard::barrier_divergence, "same warp"},
    {"warp", "barriers", 3, Hazard::deadlock, "for barrier 2"},
    {"warp", "barriers", 4, Hazard::deadlock, "for barrier 1"},
    {"warp", "barriers", 5, kMask, "lanes 4-31"},
    {"warp", "gone", 1, Hazard::barrier_divergence, "same warp"},
    {"copies", "pipeline", 1, kShared, "cp.async.wait_group"},
    {"copies", "pipeline", 2, kShared, "cp.async.wait_group"},
    {"copies", "pipeline", 3, Hazard::async_overwrite, "stage"},
    {"copies", "pipeline", 4, kShared, "cp.async.wait_group"},
    {"copies", "pipeline", 6, kShared, "cp.async.wait_group"},
    {"bulk", "ring", 1, kShared, "mbarrier.try_wait"},
    {"bulk", "ring", 2, Hazard::transaction, "16 bytes"},
    {"bulk", "ring", 3, Hazard::transaction, "too few expected"},
    {"bulk", "ring", 4, kShared, "ring"},
    {"bulk", "ring", 5, Hazard::transaction, "arrives at an mbarrier"},
    {"bulk", "ring", 6, Hazard::transaction, "1 arrival"},
    {"bulk", "ring", 7, Hazard::proxy_fence, "fence.mbarrier_init"},
    {"bulk", "ring", 8, kShared, "initialisation"},
    {"bulk", "ring", 9, kBounds, "outside every allocation"},
    {"bulk", "ring", 10, Hazard::misaligned, "multiple of 16"},
    {"bulk", "ring", 11, Hazard::misaligned, "multiple of 16"},
    {"bulk", "ring", 12, Hazard::transaction, "1 arrival"},
    {"bulk", "ring", 13, Hazard::transaction, "arrives at an mbarrier"},
    {"bulk", "ring", 14, Hazard::transaction, "missing"},
    {"bulk", "ring", 15, Hazard::early_exit, "has ended"},
    {"bulk", "ring", 16, Hazard::transaction, "bytes of an mbarrier"},
    {"bulk", "ring", 18, Hazard::transaction, "initialises"},
    {"bulk", "ring", 19, Hazard::async_overwrite, "ring"},
    {"bulk", "store", 1, Hazard::proxy_fence, "fence.proxy.async"},
    {"bulk", "store", 2, kShared, "tile"},
    {"bulk", "store", 3, kShared, "wait_group.read"},
    {"bulk", "store", 4, Hazard::early_exit, "still reads"},
    {"bulk", "store", 5, kShared, "wait_group.read"},
    {"bulk", "store", 7, kGlobal, "argument 1"},
    {"cluster", "exchange", 1, kShared, "barrier.cluster"},
    {"cluster", "exchange", 2, Hazard::early_exit, "or is .relaxed"},
    {"cluster", "exchange", 3, kShared, "mine"},
    {"cluster", "exchange", 4, kBounds, "does not have"},
    {"cluster", "exchange", 5, kShared, "mine"},
    {"cluster", "exchange", 6, kBounds, "outside"},
    {"cluster", "exchange", 7, kShared, "mine"},
    {"cluster", "send", 1, kShared, "fence.mbarrier_init"},
    {"cluster", "send", 2, kShared, "initialisation"},
    {"cluster", "send", 3, Hazard::transaction, "1 arrival"},
    {"cluster", "send", 4, kShared, "box"},
    {"multiply", "multiply", 1, Hazard::proxy_fence, "fence.proxy.async"},
    {"multiply", "multiply", 2, kShared, "__syncthreads"},
    {"multiply", "multiply", 3, Hazard::wgmma_in_flight, "accumulates in"},
    {"multiply", "multiply", 4, Hazard::wgmma_in_flight, "accumulates in"},
    {"multiply", "multiply", 5, Hazard::wgmma_in_flight, "operands"},
    {"multiply", "multiply", 6, Hazard::wgmma_in_flight, "accumulates in"},
    {"multiply", "multiply", 7, kBounds, "shared memory"},
    {"multiply", "chain", 1, Hazard::wgmma_in_flight, "wgmma.fence"},
    {"multiply", "chain", 3, Hazard::wgmma_in_flight, "wgmma.fence"},
    {"multiply", "chain", 4, Hazard::wgmma_in_flight, "accumulates in"},
    {"multiply", "chain", 5, Hazard::wgmma_in_flight, "accumulates in"},
    {"multiply", "chain", 6, Hazard::wgmma_in_flight, "wgmma.fence"},
    {"multiply", "tiles", 1, Hazard::async_overwrite, "tiles"},
    {"multiply", "tiles", 2, Hazard::async_overwrite, "tiles"},
    {"multiply", "tiles", 3, kShared, "mbarrier"},
    {"boxes", "boxes", 1, kShared, "tile"},
    {"boxes", "boxes", 2, Hazard::transaction, "too few expected"},
    {"boxes", "boxes", 3, Hazard::proxy_fence, "fence.proxy.async"},
    {"boxes", "boxes", 4, kShared, "wait_group.read"},
    {"boxes", "boxes", 5, kGlobal, "argument 1"},
    {"boxes", "boxes", 6, Hazard::misaligned, "multiple of 128"},
    {"boxes", "boxes", 7, kBounds, "shared memory"},
    {"boxes", "boxes", 8, Hazard::early_exit, "still reads"},
    {"boxes", "boxes", 9, kUnset, "tile"},
    {"copies", "pipeline", 7, kBounds, "after the end"},
    {"phases", "own", 1, kShared, "tile"},
    {"phases", "own", 2, kShared, "__syncwarp"},
    {"phases", "elected", 1, kShared, "tile"},
    {"phases", "apart", 1, kShared, "tile"},
    {"phases", "polled", 1, kShared, "tile"},
    {"phases", "polled", 2, kShared, "tile"},
    {"phases", "stuck", 1, Hazard::transaction, "mbarrier empty"},
    {"arrivals", "ordered", 1, kShared, ".release and .acquire"},
    {"arrivals", "ordered", 2, kShared, "acquires nothing"},
    {"arrivals", "ordered", 4, kShared, ".release and .acquire"},
    {"arrivals", "ordered", 6, kShared, "acquires nothing"},
    {"arrivals", "brought", 1, kShared, "acquires nothing"},
    {"arrivals", "sent", 1, kShared, "with .cluster"},
    {"arrivals", "sent", 2, kShared, "with .cluster"},
    {"arrivals", "sent", 3, kShared, "with .cluster"},
    {"arrivals", "sent", 4, kShared, "with .cluster"},
    {"arrivals", "sent", 6, kShared, "with .cluster"},
    {"arrivals", "sent", 7, kShared, "acquires nothing"},
};

/// Besides the cases 0.
struct Right {
  const char* source;
  const char* kernel;
  int number;
};
const Right kRight[] = {{"phases", "own", 3},       {"orders", "noncoherent", 3}, {"phases", "elected", 2},
                        {"multiply", "chain", 2},   {"multiply", "multiply", 8},  {"arrivals", "ordered", 3},
                        {"arrivals", "ordered", 5}, {"arrivals", "brought", 2},   {"arrivals", "sent", 5},
                        {"arrivals", "sent", 8},    {"arrivals", "sent", 9}};

const std::map<std::string, Shape> kShapes = {
    {"multiply", {1, 128, 1, 0}},   {"chain", {1, 128, 1, 0}},   {"tiles", {1, 160, 1, 0}},
    {"boxes", {2, 64, 1, 0}},       {"exchange", {2, 64, 2, 0}}, {"send", {2, 64, 2, 0}},
    {"copy", {4, 64, 1, 0}},        {"local", {4, 64, 1, 0}},    {"last_block", {4, 64, 1, 0}},
    {"turns", {4, 64, 1, 0}},       {"meet", {4, 64, 1, 0}},     {"noncoherent", {4, 64, 1, 0}},
    {"scopes", {4, 64, 1, 0}},      {"for_all", {4, 64, 1, 0}},  {"by_turns", {4, 64, 1, 0}},
    {"scopes_near", {4, 64, 2, 0}}, {"sent", {2, 64, 2, 0}}};

std::string folder() {
  return (tests_folder() / "device/emu/defects").string() + "/";
}

/// Lines of the source, by "kernel number".
std::map<std::string, int> found_lines(const std::string& source) {
  std::map<std::string, int> lines;
  std::istringstream in(read_text_file(folder() + source + ".cu"));
  std::string line, kernel;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("CASE ")) kernel = line.substr(5, line.find('(') - 5);
    const std::size_t at = line.find("// found:");
    if (at == std::string::npos) continue;
    std::istringstream numbers(line.substr(at + 9));
    for (int which = 0; numbers >> which;) lines[fmt::format("{} {}", kernel, which)] = number;
  }
  return lines;
}

/// Tensor maps of 16 x 16 floats with a box of 16 x 4: of `in`, then of `out`.
void put_maps(MachineLab& lab, DevicePtr in, DevicePtr out, DevicePtr where) {
  TensorMapSpec spec;
  spec.dtype = DType::fp32;
  spec.dims = {16, 16};
  spec.stride_bytes = {64};
  spec.box = {16, 4};
  for (const DevicePtr base : {in, out}) {
    const TensorMap map = encode_tensor_map(spec, base);
    std::memcpy(lab.memory.at(where, sizeof map), &map, sizeof map);
    where += sizeof map;
  }
}

std::vector<Finding> sanitize(MachineLab& lab, const std::string& kernel, int number) {
  const auto shape = kShapes.find(kernel);
  const Shape s = shape == kShapes.end() ? Shape{} : shape->second;
  std::vector<float> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 64);
  const Buffer<float> in(lab.memory, values), out(lab.memory, kernel == "meet" || kernel == "noncoherent" ? 512 : 256);
  const Buffer<std::uint32_t> flags(lab.memory, 64);
  if (kernel == "boxes") put_maps(lab, in.at, out.at, flags.at);
  lab.memory.initialised().remove(out.at, out.at + out.size * sizeof(float));
  lab.launch.sanitize = true;
  lab.launch.dynamic_shared = s.dynamic_shared;
  lab.launch.cluster = {s.cluster, 1, 1};
  lab.launch.instruction_budget = 1 << 20;
  return lab.run(fmt::format("{}_{}", kernel, number), {s.blocks, 1, 1}, {s.threads, 1, 1}, in, out, flags, 256)
      .findings;
}

std::string text(const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& f : findings)
    all += fmt::format("{}:{} (and {}, {} times) {}: {}\n", f.line.file, f.line.line, f.other.line, f.count,
                       name(f.hazard), f.message);
  return all;
}

}  // namespace

TEST_CASE("Every injected defect is found, with its line", "[emu][sanitize][defects]") {
  for (const Defect& defect : kDefects) {
    MachineLab lab(read_text_file(folder() + defect.source + ".ptx"));
    const std::map<std::string, int> lines = found_lines(defect.source);
    const std::string key = fmt::format("{} {}", defect.kernel, defect.number);
    const std::vector<Finding> findings = sanitize(lab, defect.kernel, defect.number);
    INFO(defect.source << ".cu, " << key << ", line " << lines.at(key) << ":\n" << text(findings));
    const auto is_it = [&](const Finding& f) {
      return f.hazard == defect.hazard && f.line.line == lines.at(key) && f.line.file.ends_with(".cu") &&
             f.message.find(defect.words) != std::string::npos;
    };
    CHECK(std::any_of(findings.begin(), findings.end(), is_it));
  }
}

TEST_CASE("Nothing is found in kernels that are right", "[emu][sanitize][defects]") {
  std::map<std::string, std::string> kernels;
  for (const Defect& defect : kDefects) kernels[defect.kernel] = defect.source;
  for (const auto& [kernel, source] : kernels) {
    MachineLab lab(read_text_file(folder() + source + ".ptx"));
    INFO(kernel);
    CHECK(text(sanitize(lab, kernel, 0)) == "");
  }
  for (const Right& right : kRight) {
    MachineLab lab(read_text_file(folder() + right.source + ".ptx"));
    INFO(right.kernel << " " << right.number);
    CHECK(text(sanitize(lab, right.kernel, right.number)) == "");
  }
}

TEST_CASE("A deadlock at mbarriers is told of those who wait for them, each mbarrier by itself",
          "[emu][sanitize][defects]") {
  MachineLab lab(read_text_file(folder() + "phases.ptx"));
  const std::vector<Finding> findings = sanitize(lab, "stuck", 1);
  INFO(text(findings));
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].message.find("mbarrier full") != std::string::npos);
  CHECK(findings[1].message.find("mbarrier empty") != std::string::npos);
  CHECK(findings[0].other.line != findings[1].other.line);
  CHECK(findings[2].hazard == Hazard::deadlock);
  CHECK(findings[2].line == findings[0].line);
}

TEST_CASE("A copy into what a wgmma reads names the copy and the wgmma", "[emu][sanitize][defects]") {
  MachineLab lab(read_text_file(folder() + "multiply.ptx"));
  const std::vector<Finding> findings = sanitize(lab, "tiles", 1);
  INFO(text(findings));
  REQUIRE(!findings.empty());
  CHECK(findings[0].hazard == Hazard::async_overwrite);
  CHECK(findings[0].line.line == found_lines("multiply")["tiles 1"]);
  CHECK(findings[0].other.line == found_lines("multiply")["tiles 3"]);
}
