#pragma once
// What a launch does and what holds it back, from what an emulated device counted. Pure functions.

#include <string>
#include <vector>

#include "model/bottleneck.h"
#include "model/time_model.h"
#include "plan/occupancy.h"

namespace kerlab::model {

/// Blocks over the places that the SMs have for them.
struct Waves {
  double waves = 0;  ///< blocks over places
  double last = 0;   ///< how full the last wave is, from above 0 to 1
  double idle = 0;   ///< fraction of the places of all waves that stay empty
};
/// `places`: blocks that run at once on the whole device.
Waves waves_of(std::int64_t blocks, std::int64_t places);

/// All PTX instructions of one line of the source, called from one line; of one PTX line where the source is not known.
struct SourceLine {
  CodeLine line;
  std::string source;  ///< its text, without indentation; empty: unknown
  LineCounts sum;      ///< of the blocks run; text and pipe are those of its most issued instruction
  double share = 0;    ///< of the launch's warp instructions
};

/// Something that costs time besides the bottleneck.
struct Remark {
  std::string kind;   ///< bank_conflicts, uncoalesced, divergence, spills, tail, barriers, few_blocks
  std::string text;   ///< one sentence: what, where, what helps
  double weight = 0;  ///< roughly the fraction of its resource that is lost: orders remarks
  CodeLine line;      ///< where; line 0: not of one line
};

/// A launch as compiled, counted and modelled.
struct LaunchInspection {
  CountedWork work;
  std::string kernel;
  int times = 1;                                         ///< launched so often in one run; figures are of the first
  std::vector<int> grid, block, cluster;                 ///< x, y, z; no cluster: empty
  bool programmatic = false;                             ///< may begin before the launch before it has ended
  std::optional<std::int32_t> carveout = {};             ///< preferred shared memory, percent
  int registers = 0, spill_bytes = 0, shared_bytes = 0;  ///< per thread, per thread, per block
  Occupancy occupancy;                                   ///< by its resources: as many blocks as fit
  Occupancy resident;  ///< with the grid among the limiters: on the SMs with most blocks
  Waves waves;
  Counts counts;  ///< of all blocks
  ModelledTime time;
  Bottleneck bottleneck;
  double dram_bytes = 0;                 ///< least traffic
  std::vector<LineCounts> instructions;  ///< of PTX, in its order, of the blocks run
  std::vector<SourceLine> lines;         ///< the same by source line, most warp instructions first
  std::vector<Remark> remarks;           ///< by weight
};

/// Adds up instructions by source line, most warp instructions first.
std::vector<SourceLine> by_source_line(const std::vector<LineCounts>& lines);

/// What there is to say, besides its bottleneck, about a launch whose other members are filled in.
std::vector<Remark> remarks_on(const LaunchInspection& launch, const DeviceInfo& device);

/// "softmax.cu:31", "operands.cuh:7 (from naive.cu:26)" or "ptx line 120"; of a path the last part.
std::string place_text(const CodeLine& line);

}  // namespace kerlab::model
