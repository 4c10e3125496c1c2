// Linear scan (Poletto, Sarkar: Linear scan register allocation, 1999) over the block order, without spilling: the file
// grows as needed.
//
// Why sharing is right although fragments of a warp run through different blocks at the same time: every write is
// masked, so a lane sees only its own writes, and its own path is an ordinary sequential path through the graph. On
// that path a register is live at a point only if the point lies in the register's life (a life spans, in block order,
// all points where the register is live or named). Two registers that share a place have disjoint lives, so at no point
// of the path is one written while the other is live. How the paths of different lanes interleave does not matter.
// Instructions that read other lanes' registers wait until those lanes stand at the same instruction.
//
// A source that is read for the last time and a result of the same instruction get different places, so that a handler
// may write a result strip by strip while it reads; only one and the same register is both.

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "device/emu/ptx/flow/control_flow.h"

namespace kerlab::ptx {
namespace {

struct Life {
  std::int32_t begin = std::numeric_limits<std::int32_t>::max(), end = -1;  ///< positions in block order, inclusive
  void cover(std::int32_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

template <typename Visit>
void each_set_bit(const std::vector<std::uint64_t>& bits, Visit&& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) {
      visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }
}

std::vector<Life> lives(const Kernel& kernel, const ControlFlow& flow, const Liveness& live) {
  std::vector<Life> result(kernel.registers.size());
  const std::vector<std::vector<std::uint64_t>> flying = in_flight(kernel, flow);
  std::vector<std::int32_t> named;
  std::int32_t position = 0;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) {
    each_set_bit(live.in[b], [&](std::size_t value) { result[value].cover(position); });
    std::vector<std::uint64_t> still = flying.empty() ? std::vector<std::uint64_t>() : flying[b];
    each_set_bit(still, [&](std::size_t value) { result[value].cover(position); });
    for (std::int32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i, ++position) {
      if (!still.empty() && kernel.instructions[i].opcode == Opcode::wgmma_wait_group) {
        each_set_bit(still, [&](std::size_t value) { result[value].cover(position); });
      }
      if (!still.empty()) follow_flight(kernel, kernel.instructions[i], still);
      registers_read(kernel, kernel.instructions[i], named);
      for (const std::int32_t value : named) result[value].cover(position);
      registers_written(kernel, kernel.instructions[i], named);
      for (const std::int32_t value : named) result[value].cover(position);
    }
    each_set_bit(live.out[b], [&](std::size_t value) { result[value].cover(position - 1); });
    each_set_bit(still, [&](std::size_t value) { result[value].cover(position - 1); });
  }
  return result;
}

/// A freed place is taken again only by a register of the same width: of 64 bits, lane l lies where lanes 2 l and 2 l +
/// 1 of a 32-bit register would, and these may stand elsewhere in the program, where that register is live.
class SlotFile {
 public:
  std::int32_t take(int slots) {
    std::set<std::int32_t>& free = free_[slots];
    if (free.empty()) {
      size_ += slots;
      return size_ - slots;
    }
    const std::int32_t first = *free.begin();
    free.erase(free.begin());
    return first;
  }
  void give(std::int32_t first, int slots) { free_[slots].insert(first); }
  [[nodiscard]] std::int32_t size() const { return size_; }

 private:
  std::map<int, std::set<std::int32_t>> free_;  ///< by width
  std::int32_t size_ = 0;
};

/// 0 for a predicate.
int slots_of(Type type) {
  if (type == Type::pred) return 0;
  return bits(type) <= 32 ? 1 : bits(type) / 32;
}

}  // namespace

RegisterPlaces place_registers(const Kernel& kernel, const ControlFlow& flow, const Liveness& live) {
  const std::vector<Life> all = lives(kernel, flow, live);
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].end >= 0) order.push_back(static_cast<std::int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return all[a].begin < all[b].begin; });

  RegisterPlaces result;
  result.place.assign(kernel.registers.size(), -1);
  SlotFile slots;
  std::set<std::int32_t> free_predicates;
  using Active = std::pair<std::int32_t, std::int32_t>;  // end, register
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  for (const std::int32_t value : order) {
    for (; !active.empty() && active.top().first < all[value].begin; active.pop()) {
      const std::int32_t ended = active.top().second;
      const int size = slots_of(kernel.registers[ended].type);
      if (size == 0) {
        free_predicates.insert(result.place[ended]);
      } else {
        slots.give(result.place[ended], size);
      }
    }
    const int size = slots_of(kernel.registers[value].type);
    if (size > 0) {
      result.place[value] = slots.take(size);
    } else if (free_predicates.empty()) {
      result.place[value] = result.predicates++;
    } else {
      result.place[value] = *free_predicates.begin();
      free_predicates.erase(free_predicates.begin());
    }
    active.emplace(all[value].end, value);
  }
  result.slots = slots.size();
  return result;
}

}  // namespace kerlab::ptx
