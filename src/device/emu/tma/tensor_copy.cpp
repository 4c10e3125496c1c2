#include "device/emu/tma/tensor_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/emu/async/reduce.h"
#include "device/emu/memory.h"
#include "device/emu/tma/box.h"
#include "device/emu/tma/elements.h"

namespace kerlab::emu {
namespace {

constexpr std::uint32_t kChunk = 16, kMostRowBytes = 256 * 8;
/// Rows that are fetched ahead: they are far apart, so that the processor does not see them coming.
constexpr std::uint32_t kRowsAhead = 16, kHostLine = 64;
constexpr std::uint32_t kSpan = 128;  ///< bytes that the widest swizzle permutes

/// The rows of one box in both memories.
class BoxCopy {
 public:
  BoxCopy(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, std::uint32_t offset)
      : who_(who),
        map_(map),
        coordinate_(coordinate),
        offset_(offset),
        mask_(swizzle_mask(map.swizzle)),
        bytes_(info(map.dtype).bytes),
        row_bytes_(std::uint32_t{map.box[0]} * static_cast<std::uint32_t>(bytes_)) {
    const std::uint64_t used = offset + std::uint64_t{box_footprint(map)};
    const std::uint32_t has = who.warp->cta->shared_bytes;
    if (used > has) fail(fmt::format("has a box that ends at byte {} of the block's {} of shared memory", used, has));
  }

  void load(std::byte* shared) {
    const Fill fill(map_);
    std::byte row[kMostRowBytes];
    const std::uint32_t ahead = kRowsAhead * row_pitch(map_, row_bytes_), end = box_footprint(map_);
    each_row(map_, coordinate_, bytes_, [&](const BoxRow& at) {
      if (map_.rank > 1 && at.at + ahead < end) fetch(at.address + kRowsAhead * map_.stride_bytes[0]);
      if (at.last - at.first == row_bytes_)
        return scatter(shared, at.at, convert(map_.dtype, global(at), row, row_bytes_));
      fill.put(row, row_bytes_);
      if (at.first != at.last) {
        const std::uint32_t valid = at.last - at.first;
        std::byte part[kMostRowBytes];
        std::memcpy(row + at.first, convert(map_.dtype, global(at), part, valid), valid);
      }
      scatter(shared, at.at, row);
    });
  }

  /// Calls f(global memory, the bytes that belong there, how many) for each row that is inside the tensor. The engine
  /// writes whole chunks: the last one of a row goes on past the tensor's edge (found on an H200, of stores and
  /// reductions, swizzled or not), here never past the allocation.
  template <class F>
  void store(const std::byte* shared, F f) {
    std::byte row[kMostRowBytes];
    const bool note = who_.warp->cta->launch->record_writes;
    each_row(map_, coordinate_, bytes_, [&](const BoxRow& at) {
      if (at.first == at.last) return;
      std::byte* const to = global(at);
      const std::uint64_t end = (at.address + (at.last - at.first) + kChunk - 1) / kChunk * kChunk;
      const auto count = static_cast<std::uint32_t>(
          std::min({end - at.address, allocation_.end - at.address, std::uint64_t{row_bytes_ - at.first}}));
      f(to, gather(shared, at.at, row) + at.first, count);
      if (note) noted(at.address, at.address + count);
    });
    if (note && end_ != 0) note_write(*who_.warp->cta, begin_, end_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, std::uint64_t address = 0, std::uint32_t bytes = 0) const {
    raise(FaultKind::illegal_address, *who_.warp, *who_.op, who_.lane, what.c_str(), address, static_cast<int>(bytes));
  }

  /// The host memory of a row's valid bytes.
  std::byte* global(const BoxRow& at) {
    const std::uint32_t bytes = at.last - at.first;
    if (at.address < allocation_.begin || at.address >= allocation_.end) {
      allocation_ = who_.warp->cta->launch->memory->find(at.address).value_or(AddressRange{});
    }
    if (allocation_.end - at.address < bytes || at.address < allocation_.begin || at.address >= allocation_.end) {
      fail(fmt::format("has elements inside the tensor (base {:#x}) outside every allocation", map_.base), at.address,
           bytes);
    }
    return reinterpret_cast<std::byte*>(at.address);
  }

  /// Only a hint: the address may be wrong.
  void fetch(std::uint64_t address) const {
    for (std::uint32_t i = 0; i < row_bytes_; i += kHostLine)
      __builtin_prefetch(reinterpret_cast<const void*>(address + i));
  }

  void scatter(std::byte* shared, std::uint32_t at, const std::byte* row) const {
    if (mask_ == 0) {
      std::memcpy(shared + offset_ + at, row, row_bytes_);
      return;
    }
    const std::uint32_t to = offset_ + at;
    if (row_bytes_ == kSpan && mask_ == kSpan - kChunk) {  // the usual one; its rows are aligned
      const std::uint32_t pattern = (to >> 3) & mask_;
#pragma GCC unroll 8
      for (std::uint32_t i = 0; i < kSpan; i += kChunk) std::memcpy(shared + to + (i ^ pattern), row + i, kChunk);
      return;
    }
    for (std::uint32_t i = 0; i < row_bytes_; i += kChunk)
      std::memcpy(shared + swizzled(to + i, mask_), row + i, kChunk);
  }

  const std::byte* gather(const std::byte* shared, std::uint32_t at, std::byte* row) const {
    if (mask_ == 0) return shared + offset_ + at;
    const std::uint32_t from = offset_ + at;
    for (std::uint32_t i = 0; i < row_bytes_; i += kChunk) {
      std::memcpy(row + i, shared + swizzled(from + i, mask_), kChunk);
    }
    return row;
  }

  /// Rows that continue each other make one range.
  void noted(std::uint64_t begin, std::uint64_t end) {
    if (begin != end_) {
      if (end_ != 0) note_write(*who_.warp->cta, begin_, end_);
      begin_ = begin;
    }
    end_ = end;
  }

  const Issuer& who_;
  const EncodedTensorMap& map_;
  const std::int32_t* coordinate_;
  std::uint32_t offset_, mask_;
  int bytes_;
  std::uint32_t row_bytes_;
  AddressRange allocation_;
  std::uint64_t begin_ = 0, end_ = 0;  ///< written, not yet noted
};

}  // namespace

void load_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, std::byte* shared,
              std::uint32_t offset) {
  BoxCopy(who, map, coordinate, offset).load(shared);
}

void store_box(const Issuer& who, const EncodedTensorMap& map, const std::int32_t* coordinate, const std::byte* shared,
               std::uint32_t offset) {
  BoxCopy(who, map, coordinate, offset).store(shared, [](std::byte* to, const std::byte* from, std::uint32_t bytes) {
    std::memcpy(to, from, bytes);
  });
}

void reduce_box(const Issuer& who, ptx::Atomic operation, const EncodedTensorMap& map, const std::int32_t* coordinate,
                const std::byte* shared, std::uint32_t offset) {
  // Subnormals stay: an H200 keeps those of tf32 sums; f32 was recorded without any, but has a type of maps of its own
  // that flushes them (CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ).
  constexpr bool kFlush = false;
  const ptx::Type type = element_type(map.dtype);
  BoxCopy(who, map, coordinate, offset).store(shared, [&](std::byte* to, const std::byte* from, std::uint32_t bytes) {
    reduce(operation, type, kFlush, to, from, bytes);
  });
}

}  // namespace kerlab::emu
