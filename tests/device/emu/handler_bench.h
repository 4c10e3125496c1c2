#pragma once
// One instruction on a warp made by hand: PTX text in, registers set and read by name. Every register of 64 bits and
// fewer has a slot pair of its own; %p0.., %h0.. (16 bits), %r0.. (32), %rd0.. (64).

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/machine/handlers.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

class HandlerBench {
 public:
  explicit HandlerBench(const std::string& instruction) {
    module_ = ptx::parse(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n.reg .pred %p<9>;\n"
        ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" +
        instruction + ";\nret;\n}\n");
    INFO(instruction);
    REQUIRE(module_.failures.empty());
    lay_out();
    decode();
  }
  HandlerBench(const HandlerBench&) = delete;
  HandlerBench& operator=(const HandlerBench&) = delete;

  [[nodiscard]] const ptx::Instruction& instruction() const { return module_.module.kernels[0].instructions[0]; }
  Warp& warp() { return warp_; }
  Op& op() { return op_; }
  void run(Handler handler, std::uint32_t mask) { handler(warp_, op_, mask); }

  /// By register name; predicates as 0 or 1.
  void set(const std::string& name, int lane, std::uint64_t value) { put(places_.at(name), lane, value); }
  [[nodiscard]] std::uint64_t get(const std::string& name, int lane) { return take(places_.at(name), lane); }

  /// By operand (order of ptx::Instruction); registers only.
  struct Place {
    std::int32_t slot = -1;
    int bits = 32;
  };
  [[nodiscard]] Place place(int operand) const { return {op_.slot[operand], op_.width[operand]}; }
  void put(Place place, int lane, std::uint64_t value) {
    if (place.bits == 1) {
      std::uint32_t& word = predicates_[static_cast<std::size_t>(place.slot)];
      word = (word & ~(1u << lane)) | static_cast<std::uint32_t>(value & 1) << lane;
    } else if (place.bits == 64) {
      __builtin_memcpy(at(place.slot) + 2 * lane, &value, 8);
    } else {
      at(place.slot)[lane] = static_cast<std::uint32_t>(place.bits == 16 ? value & 0xffff : value);
    }
  }
  [[nodiscard]] std::uint64_t take(Place place, int lane) {
    if (place.bits == 1) return predicates_[static_cast<std::size_t>(place.slot)] >> lane & 1;
    if (place.bits != 64) return at(place.slot)[lane];
    std::uint64_t value = 0;
    __builtin_memcpy(&value, at(place.slot) + 2 * lane, 8);
    return value;
  }

 private:
  struct alignas(128) Slot {
    std::uint32_t lane[kLanes] = {};
  };
  std::uint32_t* at(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)].lane; }

  void lay_out() {
    std::int32_t slots = 0;
    std::int32_t predicates = 2;  // after false and true
    for (const ptx::Register& reg : module_.module.kernels[0].registers) {
      const bool predicate = reg.type == ptx::Type::pred;
      const Place place{predicate ? predicates : slots, ptx::bits(reg.type)};
      (predicate ? predicates : slots) += predicate ? 1 : 2;
      registers_.push_back(place);
      places_[reg.name] = place;
    }
    slots_.resize(static_cast<std::size_t>(slots) + 16);  // immediates at the end
    immediate_slot_ = slots;
    predicates_.assign(static_cast<std::size_t>(predicates), 0);
    predicates_[1] = ~0u;
    warp_.slots = slots_[0].lane;
    warp_.predicates = predicates_.data();
  }

  Place of(const ptx::Operand& operand) {
    if (operand.kind == ptx::OperandKind::reg) return registers_[static_cast<std::size_t>(operand.value)];
    if (operand.kind != ptx::OperandKind::immediate) return {-1, 32};
    const bool wide = ptx::bits(instruction().types.back()) == 64;
    const Place place{immediate_slot_, wide ? 64 : 32};
    immediate_slot_ += 2;
    for (int lane = 0; lane < kLanes; ++lane) put(place, lane, operand.bits);
    return place;
  }

  void decode() {
    const ptx::Instruction& i = instruction();
    op_.instruction = &i;
    for (std::size_t n = 0; n < i.operands.size(); ++n) {
      const ptx::Operand& operand = i.operands[n];
      if (operand.negated) op_.negated = static_cast<std::uint8_t>(op_.negated | 1u << n);
      Place place = of(operand);
      if (operand.kind == ptx::OperandKind::vector) {
        place.slot = static_cast<std::int32_t>(list_.size());
        op_.count[n] = static_cast<std::uint8_t>(operand.count);
        for (int e = 0; e < operand.count; ++e) {
          const Place element = of(module_.module.kernels[0].elements[static_cast<std::size_t>(operand.value + e)]);
          list_.push_back(element.slot);
          place.bits = element.bits;
        }
      }
      op_.slot[n] = place.slot;
      op_.width[n] = static_cast<std::uint8_t>(place.bits);
    }
    op_.list = list_.data();
    if (i.has_second_result) op_.second = op_.slot[1];
  }

  ptx::ParseResult module_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> predicates_;
  std::vector<Place> registers_;
  std::map<std::string, Place> places_;
  std::vector<std::int32_t> list_;
  std::int32_t immediate_slot_ = 0;
  Warp warp_;
  Op op_;
};

}  // namespace kerlab::emu
