#pragma once
// Findings of a launch: equal ones are one, told in words once.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "device/emu/ptx/ir.h"
#include "plan/finding.h"

namespace kerlab::emu {

class Findings {
 public:
  explicit Findings(const std::vector<std::string>* files) : files_(files) {}

  /// `message()` is called for the first one of its kind.
  template <class Message>
  void add(Hazard hazard, const ptx::Instruction* at, const ptx::Instruction* other, Message message) {
    if (Finding* finding = find(hazard, at, other); finding != nullptr) finding->message = message();
  }
  [[nodiscard]] CodeLine line(const ptx::Instruction* instruction) const;
  /// "gemm.cu:88", or "ptx line 120".
  [[nodiscard]] std::string place(const ptx::Instruction* instruction) const;
  [[nodiscard]] bool empty() const { return findings_.empty(); }
  [[nodiscard]] const std::vector<Finding>& all() const { return findings_; }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  static constexpr std::size_t kMost = 100;
  using Key = std::tuple<Hazard, std::int64_t, std::int64_t>;
  /// Null: it is known, or there are enough.
  Finding* find(Hazard hazard, const ptx::Instruction* at, const ptx::Instruction* other);

  const std::vector<std::string>* files_;
  std::vector<Finding> findings_;
  std::map<Key, std::size_t> known_;
};

}  // namespace kerlab::emu
