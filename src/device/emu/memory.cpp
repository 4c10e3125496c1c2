#include "device/emu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "plan/sparse_tensor.h"

namespace kerlab::emu {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kGap = 64 << 10;  ///< unreadable bytes after each allocation, at least
/// Unreadable bytes before a sparse one: 2^31 elements of 8 bytes. An offset that has become negative leads there.
constexpr std::uint64_t kFarGap = std::uint64_t{1} << 34;
constexpr std::uint64_t kFarGaps = 64;
/// Below what mmap chooses itself on x86-64 Linux, where a GPU's addresses are as well: nothing else lies there, and
/// addresses repeat from run to run.
constexpr std::uint64_t kFirstHint = 0x7e00'0000'0000, kHintStep = 0x0100'0000'0000;
constexpr int kHints = 16;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}

/// The range [address, address + bytes), unreadable. At a fixed place if that is free.
std::byte* reserve(std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (int i = 0; i < kHints; ++i) {
    void* hint = reinterpret_cast<void*>(kFirstHint - static_cast<std::uint64_t>(i) * kHintStep);
    void* got = mmap(hint, bytes, PROT_NONE, flags, -1, 0);
    if (got == hint) return static_cast<std::byte*>(got);
    if (got != MAP_FAILED) munmap(got, bytes);
  }
  void* anywhere = mmap(nullptr, bytes, PROT_NONE, flags, -1, 0);
  return anywhere == MAP_FAILED ? nullptr : static_cast<std::byte*>(anywhere);
}

/// What the host can give without swapping; all there is to give when it does not say.
std::uint64_t host_available() {
  std::ifstream info("/proc/meminfo");
  std::string word;
  while (info >> word)
    if (std::uint64_t kib = 0; word == "MemAvailable:" && info >> kib) return kib << 10;
  return std::numeric_limits<std::uint64_t>::max();
}

[[noreturn]] void out_of_memory(std::size_t bytes, std::int64_t free, std::int64_t limit, const char* cause) {
  throw DeviceFault(FaultKind::out_of_memory,
                    fmt::format("allocating {} bytes on the emulated device: {} ({} of {} bytes free); use a smaller "
                                "problem",
                                bytes, cause, free, limit),
                    false);
}

}  // namespace

GlobalMemory::GlobalMemory(std::int64_t limit_bytes) : limit_(limit_bytes) {
  // Four times the device: an address comes back only after that much has been allocated in between.
  const auto limit = static_cast<std::uint64_t>(std::max<std::int64_t>(limit_bytes, 0));
  const bool has_sparse = limit >= static_cast<std::uint64_t>(kSparseBytes);
  reserved_ = round_up(std::max<std::uint64_t>(limit * 4, 1ull << 36), kGap) + (has_sparse ? kFarGaps * kFarGap : 0);
  base_ = reserve(reserved_);
  if (base_ == nullptr)
    throw Error(
        fmt::format("the emulated device: the host refuses {} bytes of address space; raise the limit that "
                    "'ulimit -v' shows",
                    reserved_));
  next_ = reinterpret_cast<std::uint64_t>(base_) + kGap;
}

GlobalMemory::~GlobalMemory() {
  munmap(base_, reserved_);
}

std::optional<std::uint64_t> GlobalMemory::find_place(std::uint64_t bytes) const {
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(base_) + kGap;
  const std::uint64_t end = reinterpret_cast<std::uint64_t>(base_) + reserved_;
  const auto fits = [&](std::uint64_t from, std::uint64_t to) { return to > from && to - from >= bytes + kGap; };
  for (const std::uint64_t start : {next_, begin}) {
    std::uint64_t place = start;
    for (auto it = allocations_.lower_bound(start); it != allocations_.end(); ++it) {
      if (fits(place, it->first)) return place;
      place = std::max(place, round_up(it->second, kPage) + kGap);
    }
    if (fits(place, end)) return place;
  }
  return std::nullopt;
}

DevicePtr GlobalMemory::allocate(std::size_t bytes) {
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  if (!std::in_range<std::int64_t>(size) || static_cast<std::int64_t>(size) > free_bytes())
    out_of_memory(size, free_bytes(), limit_, "out of memory");
  // Of what is sparse only what kernels write is ever there.
  const bool sparse = size >= static_cast<std::uint64_t>(kSparseBytes);
  if (!sparse && size > host_available()) out_of_memory(size, free_bytes(), limit_, "the host has too little memory");
  const std::uint64_t before = sparse ? kFarGap : 0;
  auto place = find_place(before + size);
  if (!place) out_of_memory(size, free_bytes(), limit_, "no room in the address range");
  *place += before;
  const std::uint64_t committed = round_up(size, kPage);
  if (mprotect(reinterpret_cast<void*>(*place), committed, PROT_READ | PROT_WRITE) != 0)
    out_of_memory(size, free_bytes(), limit_, "the host refuses");
  allocations_[*place] = *place + size;
  used_ += static_cast<std::int64_t>(size);
  next_ = *place + committed + kGap;
  return *place;
}

void GlobalMemory::release(DevicePtr pointer) noexcept {
  const auto found = allocations_.find(pointer);
  if (found == allocations_.end()) return;
  const std::uint64_t bytes = found->second - found->first;
  // A fresh unreadable mapping in its place gives the pages back and closes the range at once.
  mmap(reinterpret_cast<void*>(pointer), round_up(bytes, kPage), PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  used_ -= static_cast<std::int64_t>(bytes);
  initialised_.remove(found->first, found->second);
  allocations_.erase(found);
}

std::int64_t GlobalMemory::free_bytes() const {
  return limit_ - used_;
}

std::optional<AddressRange> GlobalMemory::find(std::uint64_t address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return std::nullopt;
  const auto& [begin, end] = *std::prev(after);
  if (address >= end) return std::nullopt;
  if (const auto first = parts_.lower_bound(begin); first == parts_.end() || first->first >= end)
    return AddressRange{begin, end};
  const auto next = parts_.upper_bound(address);
  if (next == parts_.begin()) return std::nullopt;
  const auto& [part, what] = *std::prev(next);
  if (part < begin || address >= what.end) return std::nullopt;
  return AddressRange{part, what.end};
}

std::string GlobalMemory::name_of(std::uint64_t begin) const {
  const auto part = parts_.find(begin);
  return part == parts_.end() ? "" : part->second.name;
}

void GlobalMemory::show_parts(const std::vector<MemoryRegion>& parts) {
  parts_.clear();
  for (const MemoryRegion& part : parts) parts_[part.begin] = {part.begin + part.bytes, part.name};
}

std::optional<AddressRange> GlobalMemory::before(std::uint64_t address) const {
  if (const auto next = parts_.upper_bound(address); next != parts_.begin()) {
    const auto& [begin, part] = *std::prev(next);
    const auto owner = std::prev(allocations_.upper_bound(begin));
    if (part.end <= address && address - part.end <= owner->second - part.end + kGap)
      return AddressRange{begin, part.end};
  }
  auto after = allocations_.upper_bound(address);
  while (after != allocations_.begin()) {
    --after;
    if (after->second <= address) return AddressRange{after->first, after->second};
  }
  return std::nullopt;
}

std::byte* GlobalMemory::at(std::uint64_t address, std::size_t bytes) const {
  const auto range = find(address);
  if (!range || range->end - address < bytes)
    throw DeviceFault(
        FaultKind::illegal_address,
        fmt::format("{} bytes at {:#x} do not lie in one allocation of the emulated device", bytes, address), false);
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace kerlab::emu
