#include "base/frame_depth.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace kerlab {
namespace {

constexpr std::uint64_t kUntilBreak = std::numeric_limits<std::uint64_t>::max();

/// Reads the heads of CBOR items (RFC 8949, section 3).
class HeadReader {
 public:
  explicit HeadReader(std::span<const std::byte> frame) : frame_(frame) {}
  [[nodiscard]] bool at_end() const { return at_ >= frame_.size(); }

  struct Head {
    int major = 0;
    std::uint64_t value = 0;  ///< kUntilBreak: of indefinite length
    bool is_break = false;
  };
  std::optional<Head> next() {
    const auto first = std::to_integer<unsigned>(frame_[at_++]);
    Head head{static_cast<int>(first >> 5), first & 31u, first == 0xFF};
    if (head.value < 24) return head;
    if (head.value == 31) return Head{head.major, kUntilBreak, head.is_break};
    if (head.value > 27) return std::nullopt;
    const std::size_t bytes = std::size_t{1} << (head.value - 24);
    if (frame_.size() - at_ < bytes) return std::nullopt;
    head.value = 0;
    for (std::size_t i = 0; i < bytes; ++i) head.value = (head.value << 8) | std::to_integer<unsigned>(frame_[at_++]);
    return head;
  }
  bool skip(std::uint64_t bytes) {
    if (frame_.size() - at_ < bytes) return false;
    at_ += bytes;
    return true;
  }

 private:
  std::span<const std::byte> frame_;
  std::size_t at_ = 0;
};

/// Items that a container of this head still waits for, or nullopt when the item holds no others.
std::optional<std::uint64_t> items_inside(const HeadReader::Head& head) {
  if (head.major == 4 || (head.major < 4 && head.major > 1 && head.value == kUntilBreak)) return head.value;
  if (head.major == 5) return head.value >= kUntilBreak / 2 ? kUntilBreak : 2 * head.value;
  if (head.major == 6) return 1;
  return std::nullopt;
}

}  // namespace

bool nested_deeper_than(std::span<const std::byte> frame, std::size_t limit) {
  HeadReader reader(frame);
  std::vector<std::uint64_t> waiting;  // per open container
  while (!reader.at_end()) {
    const auto head = reader.next();
    if (!head) return false;
    if (head->is_break) {
      if (waiting.empty()) return false;
      waiting.pop_back();
    } else if (const auto items = items_inside(*head); items && *items > 0) {
      waiting.push_back(*items);
      if (waiting.size() > limit) return true;
      continue;
    } else if ((head->major == 2 || head->major == 3) && !reader.skip(head->value)) {
      return false;
    }
    while (!waiting.empty() && waiting.back() != kUntilBreak && --waiting.back() == 0) waiting.pop_back();
  }
  return false;
}

}  // namespace kerlab
