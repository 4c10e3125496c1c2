// Instructions that lanes of a warp execute together, from the PTX ISA sections "shfl.sync", "vote.sync",
// "match.sync", "redux.sync", "activemask", "elect.sync", "ldmatrix", "stmatrix", "movmatrix".

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::ShuffleMode;
using ptx::VoteMode;

namespace {

using Members = std::vector<Lane*>;

Lane* find(const Members& members, u64 lane_id) {
  for (Lane* lane : members)
    if (lane->index % 32 == lane_id) return lane;
  return nullptr;
}

void shuffle(Block& block, const Members& members, const Instruction& in) {
  const std::size_t first = in.has_second_result ? 2 : 1;
  struct Result {
    u64 value;
    bool valid;
  };
  std::vector<Result> results;
  for (Lane* lane : members) {
    const i64 id = lane->index % 32;
    const u64 b = value_of(block, *lane, in.operands[first + 1]), c = value_of(block, *lane, in.operands[first + 2]);
    const i64 step = static_cast<i64>(b & 31), clamp = static_cast<i64>(c & 31),
              segment = static_cast<i64>(c >> 8 & 31);
    const i64 most = (id & segment) | (clamp & ~segment), least = id & segment;
    i64 source = 0;
    bool valid = false;
    switch (in.modifiers.shuffle) {
      case ShuffleMode::up:
        source = id - step;
        valid = source >= most;
        break;
      case ShuffleMode::down:
        source = id + step;
        valid = source <= most;
        break;
      case ShuffleMode::bfly:
        source = id ^ step;
        valid = source <= most;
        break;
      default:
        source = least | (step & ~segment);
        valid = source <= most;
    }
    if (!valid) source = id;
    const Lane* from = find(members, static_cast<u64>(source));
    results.push_back({value_of(block, from != nullptr ? *from : *lane, in.operands[first]), valid});
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    set(block, *members[i], in.operands[0], results[i].value);
    if (in.has_second_result) set(block, *members[i], in.operands[1], results[i].valid ? 1 : 0);
  }
}

void vote(Block& block, const Members& members, const Instruction& in) {
  u64 ballot = 0;
  for (const Lane* lane : members) ballot |= (value_of(block, *lane, in.operands[1]) & 1) << (lane->index % 32);
  const auto yes = static_cast<std::size_t>(__builtin_popcountll(ballot));
  u64 result = ballot;
  if (in.modifiers.vote == VoteMode::all) result = yes == members.size();
  if (in.modifiers.vote == VoteMode::any) result = yes > 0;
  if (in.modifiers.vote == VoteMode::uni) result = yes == members.size() || yes == 0;
  for (Lane* lane : members) set(block, *lane, in.operands[0], result);
}

void match(Block& block, const Members& members, const Instruction& in) {
  const std::size_t first = in.has_second_result ? 2 : 1;
  std::vector<u64> values, results;
  for (const Lane* lane : members)
    values.push_back(low(value_of(block, *lane, in.operands[first]), ptx::bits(in.types[0])));
  for (std::size_t i = 0; i < members.size(); ++i) {
    u64 same = 0, all = 0;
    for (std::size_t j = 0; j < members.size(); ++j) {
      all |= 1ull << (members[j]->index % 32);
      if (values[i] == values[j]) same |= 1ull << (members[j]->index % 32);
    }
    results.push_back(in.modifiers.vote == VoteMode::any || same == all ? same : 0);
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    set(block, *members[i], in.operands[0], results[i]);
    if (in.has_second_result) set(block, *members[i], in.operands[1], results[i] != 0 ? 1 : 0);
  }
}

void reduce(Block& block, const Members& members, const Instruction& in) {
  u64 result = value_of(block, *members[0], in.operands[1]);
  for (std::size_t i = 1; i < members.size(); ++i)
    result =
        atomic_operation(in.modifiers.atomic, in.types[0], result, value_of(block, *members[i], in.operands[1]), 0);
  for (Lane* lane : members) set(block, *lane, in.operands[0], result);
}

u64 together(const Members& members) {
  u64 mask = 0;
  for (const Lane* lane : members) mask |= 1ull << (lane->index % 32);
  return mask;
}

/// The lowest lane is elected (which one is up to the machine).
void elect(Block& block, const Members& members, const Instruction& in) {
  for (Lane* lane : members) {
    set(block, *lane, in.operands[0], members[0]->index % 32);
    if (in.has_second_result) set(block, *lane, in.operands[1], lane == members[0] ? 1 : 0);
  }
}

/// Matrices of 8 x 8 elements of 16 bits: row r of matrix i is at the address that lane 8 i + r gives; lane l holds the
/// two elements 2 (l mod 4), + 1 of row l / 4 (with .trans: of column l / 4).
void move_matrix(Block& block, const Members& members, const Instruction& in) {
  const bool loads = in.opcode == Opcode::ldmatrix;
  const Operand &address = in.operands[loads ? 1 : 0], &registers = in.operands[loads ? 0 : 1];
  for (int i = 0; i < in.modifiers.vector; ++i) {
    for (Lane* lane : members) {
      const u64 id = lane->index % 32;
      u64 word = loads ? 0 : value_of(block, *lane, element(block, registers, i));
      for (u64 half = 0; half < 2; ++half) {
        const u64 along = id % 4 * 2 + half, across = id / 4;
        const u64 row = in.modifiers.trans ? along : across, column = in.modifiers.trans ? across : along;
        Lane* owner = find(members, static_cast<u64>(i) * 8 + row);
        if (owner == nullptr) fail(in, "needs all lanes of the warp");
        const u64 at = value_of(block, *owner, address) + 2 * column;
        if (column == 0 && at % 16 != 0) fail(in, "is misaligned");
        if (loads) {
          word |= load(block, *owner, in, in.modifiers.space, at, 2) << (16 * half);
        } else {
          store(block, *owner, in, in.modifiers.space, at, 2, word >> (16 * half) & 0xffff);
        }
      }
      if (loads) set(block, *lane, element(block, registers, i), word);
    }
  }
}

void transpose(Block& block, const Members& members, const Instruction& in) {
  std::vector<u64> results;
  for (const Lane* lane : members) {
    u64 word = 0;
    for (u64 half = 0; half < 2; ++half) {
      const u64 row = lane->index % 32 / 4, column = lane->index % 4 * 2 + half;
      const Lane* owner = find(members, column * 4 + row / 2);  // holds (column, row)
      if (owner == nullptr) fail(in, "needs all lanes of the warp");
      word |= (value_of(block, *owner, in.operands[1]) >> (16 * (row % 2)) & 0xffff) << (16 * half);
    }
    results.push_back(word);
  }
  for (std::size_t i = 0; i < members.size(); ++i) set(block, *members[i], in.operands[0], results[i]);
}

}  // namespace

u32 waits_for(const Block& block, const Lane& lane, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::bar_warp:
      return static_cast<u32>(value_of(block, lane, in.operands.back())) | 1u << (lane.index % 32);
    case Opcode::activemask:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma_load:
    case Opcode::wmma_store:
    case Opcode::wmma_mma:
      return ~0u;
    default:
      return 0;
  }
}

bool run_warp(Block& block, const std::vector<Lane*>& members, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::shfl:
      shuffle(block, members, in);
      return true;
    case Opcode::vote:
      vote(block, members, in);
      return true;
    case Opcode::match:
      match(block, members, in);
      return true;
    case Opcode::redux:
      reduce(block, members, in);
      return true;
    case Opcode::activemask:
      for (Lane* lane : members) set(block, *lane, in.operands[0], together(members));
      return true;
    case Opcode::elect:
      elect(block, members, in);
      return true;
    case Opcode::bar_warp:
      return true;
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
      move_matrix(block, members, in);
      return true;
    case Opcode::movmatrix:
      transpose(block, members, in);
      return true;
    default:
      return false;
  }
}

}  // namespace kerlab::oracle
