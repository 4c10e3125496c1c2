// Control: lanes one after the other, each until it waits for others or ends.

#include <fmt/core.h>

#include <algorithm>

#include "device/emu/oracle/state.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Opcode;

namespace {

class Runner {
 public:
  Runner(const Launch& launch, std::vector<Buffer>& memory) : kernel_(*launch.kernel), left_(launch.budget) {
    block_.launch = &launch;
    block_.memory = &memory;
  }

  void run_block(Dim3 index) {
    start(index);
    for (;;) {
      bool progress = false, all_done = true;
      for (Lane& lane : block_.lanes) {
        if (lane.wait == Wait::none) {
          progress = true;
          advance(lane);
        }
      }
      for (std::size_t warp = 0; warp * 32 < block_.lanes.size(); ++warp) progress |= run_together(warp);
      progress |= open_barriers();
      for (const Lane& lane : block_.lanes) all_done = all_done && lane.wait == Wait::done;
      if (all_done) return;
      if (!progress && !release_activemask()) deadlock();
    }
  }

 private:
  void start(Dim3 index) {
    const Launch& launch = *block_.launch;
    block_.index = index;
    block_.arrived = {};
    block_.shared.assign(static_cast<std::size_t>(kernel_.shared_bytes) + launch.dynamic_shared, std::byte{0});
    block_.lanes.assign(std::size_t{launch.block.x} * launch.block.y * launch.block.z, {});
    for (std::size_t i = 0; i < block_.lanes.size(); ++i) {
      Lane& lane = block_.lanes[i];
      lane.index = static_cast<u32>(i);
      lane.registers.assign(kernel_.registers.size(), 0);
      lane.local.assign(static_cast<std::size_t>(kernel_.local_bytes), std::byte{0});
    }
  }

  [[nodiscard]] const Instruction& at(const Lane& lane) const {
    return kernel_.instructions[static_cast<std::size_t>(lane.pc)];
  }

  [[nodiscard]] bool guarded_out(const Lane& lane, const Instruction& in) const {
    if (in.guard < 0) return false;
    return (lane.registers[static_cast<std::size_t>(in.guard)] != 0) == in.guard_negated;
  }

  /// Runs a lane until it waits. A slice keeps a lane that spins on another one from spinning for ever.
  void advance(Lane& lane) {
    for (int slice = 0; slice < 100000; ++slice) {
      if (--left_ < 0) throw Error("oracle: the budget of instructions is used up");
      const Instruction& in = at(lane);
      if (guarded_out(lane, in)) {
        ++lane.pc;
        continue;
      }
      if (control(lane, in)) {
        if (lane.wait != Wait::none) return;
        continue;
      }
      if (waits_for(block_, lane, in) != 0) {
        lane.wait = Wait::warp;
        return;
      }
      if (!run_scalar(block_, lane, in) && !run_memory(block_, lane, in)) fail(in, "is not known to the oracle");
      ++lane.pc;
    }
  }

  bool control(Lane& lane, const Instruction& in) {
    switch (in.opcode) {
      case Opcode::bra:
        lane.pc = in.operands[0].value;
        return true;
      case Opcode::brx: {
        const auto& table = kernel_.branch_tables[static_cast<std::size_t>(in.operands[1].value)];
        const u64 index = value_of(block_, lane, in.operands[0]);
        if (index >= table.size()) fail(in, "branches beyond its table");
        lane.pc = table[index];
        return true;
      }
      case Opcode::exit:
      case Opcode::ret:
        lane.wait = Wait::done;
        return true;
      case Opcode::trap:
      case Opcode::brkpt:
      case Opcode::assertfail_call:
        fail(in, "trapped");
      case Opcode::bar:
      case Opcode::barrier:
        barrier(lane, in);
        return true;
      default:
        return false;
    }
  }

  void barrier(Lane& lane, const Instruction& in) {
    const std::size_t first = in.modifiers.reduce ? 1 : 0;
    const std::size_t count = in.operands.size() - first - (in.modifiers.reduce ? 1 : 0);
    lane.barrier = value_of(block_, lane, in.operands[first]) & 15;
    lane.barrier_threads = count > 1 ? low(value_of(block_, lane, in.operands[first + 1]), 32) : 0;
    lane.wait = Wait::barrier;
  }

  Lane* lane_at(std::size_t warp, u32 lane) {
    const std::size_t index = warp * 32 + lane;
    return index < block_.lanes.size() ? &block_.lanes[index] : nullptr;
  }

  /// Executes a warp instruction for which all lanes that it names have come.
  bool run_together(std::size_t warp) {
    bool progress = false;
    for (u32 first = 0; first < 32; ++first) {
      const Lane* lane = lane_at(warp, first);
      if (lane == nullptr || lane->wait != Wait::warp || at(*lane).opcode == Opcode::activemask) continue;
      const u32 wanted = waits_for(block_, *lane, at(*lane));
      std::vector<Lane*> members;
      bool complete = true;
      for (u32 i = 0; i < 32; ++i) {
        Lane* other = lane_at(warp, i);
        if ((wanted >> i & 1) == 0 || other == nullptr || other->wait == Wait::done) continue;
        const bool here =
            other->wait == Wait::warp && other->pc == lane->pc && waits_for(block_, *other, at(*other)) == wanted;
        complete = complete && here;
        members.push_back(other);
      }
      if (!complete) continue;
      execute(members);
      progress = true;
    }
    return progress;
  }

  void execute(const std::vector<Lane*>& members) {
    const Instruction& in = at(*members.front());
    if (!run_warp(block_, members, in) && !run_matrix(block_, members, in)) fail(in, "is not known to the oracle");
    for (Lane* member : members) {
      member->wait = Wait::none;
      ++member->pc;
    }
  }

  /// activemask waits until nothing else moves, then lanes at the same one see each other.
  bool release_activemask() {
    for (Lane& lane : block_.lanes) {
      if (lane.wait != Wait::warp || at(lane).opcode != Opcode::activemask) continue;
      std::vector<Lane*> members;
      for (u32 i = 0; i < 32; ++i) {
        Lane* other = lane_at(lane.index / 32, i);
        if (other != nullptr && other->wait == Wait::warp && other->pc == lane.pc) members.push_back(other);
      }
      execute(members);
      return true;
    }
    return false;
  }

  /// A warp has arrived at a barrier when all its live lanes wait there; it counts as 32 threads.
  [[nodiscard]] bool warp_arrived(std::size_t warp, u64 barrier) {
    bool any = false;
    for (u32 i = 0; i < 32; ++i) {
      const Lane* lane = lane_at(warp, i);
      if (lane == nullptr || lane->wait == Wait::done) continue;
      if (lane->wait != Wait::barrier || lane->barrier != barrier) return false;
      any = true;
    }
    return any;
  }

  bool open_barriers() {
    bool progress = announce_arrivals();
    for (u64 barrier = 0; barrier < 16; ++barrier) {
      u64 threads = block_.arrived[barrier], wanted = 0;
      bool everybody = true;
      std::vector<Lane*> waiting;
      for (std::size_t warp = 0; warp * 32 < block_.lanes.size(); ++warp) {
        const bool here = warp_arrived(warp, barrier);
        for (u32 i = 0; i < 32; ++i) {
          Lane* lane = lane_at(warp, i);
          if (lane == nullptr || lane->wait == Wait::done) continue;
          everybody = everybody && here;
          if (!here) continue;
          waiting.push_back(lane);
          wanted = std::max(wanted, lane->barrier_threads);
        }
        if (here) threads += 32;
      }
      if (waiting.empty() || (wanted == 0 ? !everybody : threads < wanted)) continue;
      reduce(waiting);
      for (Lane* lane : waiting) {
        lane->wait = Wait::none;
        ++lane->pc;
      }
      block_.arrived[barrier] = 0;
      progress = true;
    }
    return progress;
  }

  /// bar.arrive: counted, and the warp goes on.
  bool announce_arrivals() {
    bool progress = false;
    for (std::size_t warp = 0; warp * 32 < block_.lanes.size(); ++warp) {
      for (u64 barrier = 0; barrier < 16; ++barrier) {
        if (!warp_arrived(warp, barrier)) continue;
        bool arrive = true;
        for (u32 i = 0; i < 32; ++i) {
          const Lane* lane = lane_at(warp, i);
          arrive = arrive && (lane == nullptr || lane->wait == Wait::done || at(*lane).modifiers.arrive);
        }
        if (!arrive) continue;
        block_.arrived[barrier] += 32;
        for (u32 i = 0; i < 32; ++i) {
          Lane* lane = lane_at(warp, i);
          if (lane == nullptr || lane->wait == Wait::done) continue;
          lane->wait = Wait::none;
          ++lane->pc;
        }
        progress = true;
      }
    }
    return progress;
  }

  void reduce(const std::vector<Lane*>& waiting) {
    u64 population = 0, members = 0;
    for (const Lane* lane : waiting) {
      const Instruction& in = at(*lane);
      if (!in.modifiers.reduce) continue;
      ++members;
      population += value_of(block_, *lane, in.operands.back()) & 1;
    }
    for (Lane* lane : waiting) {
      const Instruction& in = at(*lane);
      if (!in.modifiers.reduce) continue;
      const u64 result = in.modifiers.boolean == ptx::Boolean::and_  ? population == members
                         : in.modifiers.boolean == ptx::Boolean::or_ ? population > 0
                                                                     : population;
      set(block_, *lane, in.operands[0], result);
    }
  }

  [[noreturn]] void deadlock() {
    for (const Lane& lane : block_.lanes)
      if (lane.wait != Wait::done)
        throw Error(
            fmt::format("oracle: deadlock: thread {} waits at ptx line {}", lane.index, at(lane).location.ptx_line));
    throw Error("oracle: deadlock");
  }

  const ptx::Kernel& kernel_;
  Block block_;
  i64 left_;
};

}  // namespace

void run(const Launch& launch, std::vector<Buffer>& memory) {
  Runner runner(launch, memory);
  for (u32 z = 0; z < launch.grid.z; ++z)
    for (u32 y = 0; y < launch.grid.y; ++y)
      for (u32 x = 0; x < launch.grid.x; ++x) runner.run_block({x, y, z});
}

}  // namespace kerlab::oracle
