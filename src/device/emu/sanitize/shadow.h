#pragma once
// Shadow memory: who wrote and who read each byte last. By lines of 64 bytes, so that what a warp does to neighbouring
// bytes at once is one record with a mask.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/emu/sanitize/clock.h"
#include "plan/counts.h"

namespace kerlab::emu {

inline constexpr std::uint32_t kLineBytes = 64;

/// Properties of an access.
enum AccessFlag : std::uint8_t {
  kStrong = 1,         ///< volatile, relaxed, ..., atomic: two of them are no race
  kBlockScope = 2,     ///< strong only within its block
  kAsyncProxy = 4,     ///< by the async proxy: bulk copies, wgmma
  kCopy = 8,           ///< of an asynchronous copy
  kVolatile = 16,      ///< ld.volatile, st.volatile
  kPolls = 32,         ///< a load whose value decides whether it is done again
  kClusterScope = 64,  ///< strong only within its cluster
  kNonCoherent = 128   ///< ld.global.nc: what it reads must not be written by this launch
};

/// What one actor did to some bytes of a line at one instruction.
struct Record {
  std::uint64_t bytes = 0;  ///< one bit each
  ActorId actor = 0;
  std::uint32_t time = 0;
  std::uint32_t site : 24 = 0;
  std::uint32_t flags : 8 = 0;
};

/// A few records; the first ones in place.
template <int kInline>
class Records {
 public:
  Records() = default;
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  [[nodiscard]] Record* begin() { return more_ ? more_.get() : inline_; }
  [[nodiscard]] Record* end() { return begin() + count_; }
  [[nodiscard]] std::uint32_t size() const { return count_; }
  void clear() { count_ = 0; }
  void remove(Record* which) { *which = begin()[--count_]; }
  void push(const Record& record) {
    if (count_ == capacity_) grow();
    begin()[count_++] = record;
  }

 private:
  void grow() {
    auto more = std::make_unique<Record[]>(2 * std::size_t{capacity_} + 2);
    for (std::uint32_t i = 0; i < count_; ++i) more[i] = begin()[i];
    more_ = std::move(more);
    capacity_ = 2 * capacity_ + 2;
  }
  std::uint32_t count_ = 0, capacity_ = kInline;
  std::unique_ptr<Record[]> more_;
  Record inline_[kInline];
};

/// Lanes that touched the bytes of a line, as far as one actor did since it moved on in time. By byte, since two lanes
/// may write the halves of one word.
inline constexpr std::uint8_t kNoLane = 0xff, kSeveralLanes = 0xfe, kUnknownLane = 0xfd;
struct LaneBytes {
  using Part [[gnu::vector_size(16)]] = std::uint8_t;
  static constexpr std::uint32_t kParts = kLineBytes / sizeof(Part);
  Part part[kParts] = {};

  [[nodiscard]] std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(part); }
  [[nodiscard]] std::uint8_t operator[](int byte) const { return reinterpret_cast<const std::uint8_t*>(part)[byte]; }
  void fill(std::uint8_t lane) {
    for (Part& p : part) p = Part{} + lane;
  }
};
struct LineLanes {
  ActorId actor = ~0u;
  std::uint32_t time = 0;
  LaneBytes lane{};
};

/// What global loads look at comes first: that is what most of the time goes to.
struct alignas(64) Line {
  std::uint64_t initialised = 0;  ///< bytes that hold something
  std::uint64_t barriers = 0;     ///< bytes of mbarriers
  Records<2> reads;
  Records<1> writes;
  std::uint64_t read = 0;  ///< bytes that anybody has read
  LineLanes writer, reader;
};

/// Lines of a range of addresses, made when they are touched.
class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(std::uint64_t bytes) : pages_((bytes + kPageBytes - 1) / kPageBytes) {}

  /// `make(first offset of the page, its lines, how many)` is called for a page that is new.
  template <class Make>
  [[nodiscard]] Line* page(std::uint64_t offset, Make make) {
    std::unique_ptr<Line[]>& lines = pages_[offset / kPageBytes];
    if (lines == nullptr) {
      lines = std::make_unique<Line[]>(kPageLines);
      make(offset / kPageBytes * kPageBytes, lines.get(), kPageLines);
    }
    return lines.get();
  }
  /// Null when its page is not made yet.
  [[nodiscard]] Line* find(std::uint64_t offset) {
    Line* const lines = pages_[offset / kPageBytes].get();
    return lines == nullptr ? nullptr : lines + offset % kPageBytes / kLineBytes;
  }
  template <class Make>
  [[nodiscard]] Line& line(std::uint64_t offset, Make make) {
    return page(offset, make)[offset % kPageBytes / kLineBytes];
  }
  /// Calls f(offset, line) for all lines of pages that were touched.
  template <class F>
  void for_lines(F f) {
    for (std::size_t p = 0; p < pages_.size(); ++p) {
      for (std::uint32_t i = 0; pages_[p] != nullptr && i < kPageLines; ++i) {
        f(p * kPageBytes + i * kLineBytes, pages_[p][i]);
      }
    }
  }
  void clear() {
    for (auto& page : pages_) page.reset();
  }
  [[nodiscard]] std::uint64_t bytes() const { return pages_.size() * kPageBytes; }

 private:
  static constexpr std::uint32_t kPageLines = 16, kPageBytes = kPageLines * kLineBytes;
  std::vector<std::unique_ptr<Line[]>> pages_;
};

}  // namespace kerlab::emu
