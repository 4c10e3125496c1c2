#include "device/emu/machine/line_counts.h"

#include "device/emu/machine/pipes.h"
#include "device/emu/machine/place.h"

namespace kerlab::emu {
namespace {

void add_executions(std::vector<Executions>& sums, const std::vector<Executions>& more) {
  sums.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) {
    sums[i].warps += more[i].warps;
    sums[i].lanes += more[i].lanes;
  }
}

LineCounts line_of(const Program& program, const ptx::Instruction& instruction, const InstructionCosts& costs) {
  LineCounts line;
  line.line = code_line(instruction, program.files);
  line.text = instruction.text;
  line.pipe = pipe(instruction);
  line.global_requests = costs.global_requests;
  line.shared_requests = costs.shared_requests;
  line.bytes = costs.bytes;
  line.sectors = costs.sectors;
  line.least_sectors = costs.least_sectors;
  line.wavefronts = costs.wavefronts;
  line.least_wavefronts = costs.least_wavefronts;
  line.waits = costs.waits;
  line.divergences = costs.divergences;
  return line;
}

}  // namespace

InstructionCosts& InstructionCosts::operator+=(const InstructionCosts& other) {
  global_requests += other.global_requests;
  shared_requests += other.shared_requests;
  bytes += other.bytes;
  sectors += other.sectors;
  least_sectors += other.least_sectors;
  wavefronts += other.wavefronts;
  least_wavefronts += other.least_wavefronts;
  waits += other.waits;
  divergences += other.divergences;
  return *this;
}

InstructionCosts* costs_of(Cta& cta, const Op& op) {
  if (cta.costs.empty() || op.instruction == nullptr) return nullptr;
  return &cta.costs[static_cast<std::size_t>(op.instruction - cta.first_instruction)];
}

void add_costs(Cta& cta, const Op& op, const Counts& before) {
  InstructionCosts* costs = costs_of(cta, op);
  if (costs == nullptr) return;
  const Counts& now = cta.counts;
  const std::int64_t sectors = now.global_sectors - before.global_sectors;
  const std::int64_t wavefronts = now.shared_wavefronts - before.shared_wavefronts;
  costs->global_requests += now.global_requests - before.global_requests;
  costs->shared_requests += now.shared_requests - before.shared_requests;
  costs->sectors += sectors;
  costs->least_sectors += sectors;
  costs->wavefronts += wavefronts;
  costs->least_wavefronts += wavefronts;
  costs->bytes += now.global_load_bytes - before.global_load_bytes + now.global_store_bytes -
                  before.global_store_bytes + now.shared_load_bytes - before.shared_load_bytes +
                  now.shared_store_bytes - before.shared_store_bytes;
}

void count_wait(Cta& cta, const Op& op) {
  cta.counts.barrier_waits++;
  if (InstructionCosts* costs = costs_of(cta, op)) costs->waits++;
}

void count_divergence(Cta& cta, const Op& op) {
  cta.counts.divergent_branches++;
  if (InstructionCosts* costs = costs_of(cta, op)) costs->divergences++;
}

void ExecutionSums::add(const BlockRunner& runner, const Cta& cta) {
  add_executions(blocks, runner.executions());
  add_executions(counted, runner.counted());
  costs.resize(cta.costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] += cta.costs[i];
}

std::vector<LineCounts> line_counts(const Program& program, const ExecutionSums& sums) {
  std::vector<LineCounts> lines;
  for (const PlacedInstruction& placed : program.placed) {
    const auto index = static_cast<std::size_t>(placed.instruction);
    Executions done = sums.blocks[static_cast<std::size_t>(placed.block)];
    if (placed.counted >= 0) {
      const auto alone = static_cast<std::size_t>(placed.counted);
      if (!program.counted_ops[alone].issued_with_block) done.warps = sums.counted[alone].warps;
      done.lanes = sums.counted[alone].lanes;
    }
    if (done.warps == 0) continue;
    LineCounts& line = lines.emplace_back(line_of(program, program.kernel->instructions[index], sums.costs[index]));
    line.warp_instructions = done.warps;
    line.lane_instructions = done.lanes;
  }
  return lines;
}

}  // namespace kerlab::emu
