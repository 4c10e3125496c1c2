#include "device/emu/sparse_range.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "device/device.h"
#include "plan/sparse_tensor.h"

namespace kerlab::emu {

namespace {

constexpr std::uint64_t kHostPage = 4096;
constexpr std::uint64_t kPattern = static_cast<std::uint64_t>(kRepeatedBytes);
constexpr std::uint64_t kFile = 8 * kPattern;  // several at a time: there is a limit on mappings
constexpr int kShared = MAP_SHARED, kOwn = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED;

[[noreturn]] void refuse_layout(std::uint64_t bytes) {
  throw DeviceFault(FaultKind::out_of_memory,
                    fmt::format("laying out {} bytes on the emulated device: the host refuses ({}); use a smaller "
                                "problem",
                                bytes, std::strerror(errno)),
                    false);
}

/// A file in memory, as long as somebody maps it.
class MemoryFile {
 public:
  explicit MemoryFile(std::uint64_t bytes) : descriptor_(memfd_create("kerlab-tensor", MFD_CLOEXEC)), bytes_(bytes) {
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) refuse_layout(bytes);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  /// The pattern from `shift` on, over and over.
  void write(const std::byte* pattern, std::uint64_t shift) const {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, kShared, descriptor_, 0);
    if (at == MAP_FAILED) refuse_layout(bytes_);
    auto* out = static_cast<std::byte*>(at);
    for (std::uint64_t done = 0; done < bytes_; done += kPattern) {
      std::memcpy(out + done, pattern + shift, kPattern - shift);
      std::memcpy(out + done + kPattern - shift, pattern, shift);
    }
    munmap(at, bytes_);
  }

  /// Copied where it is written to.
  void map(std::uint64_t address, std::uint64_t bytes) const {
    if (mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, kOwn, descriptor_, 0) == MAP_FAILED)
      refuse_layout(bytes);
  }

 private:
  int descriptor_;
  std::uint64_t bytes_;
};

}  // namespace

void repeat_pattern(std::uint64_t begin, std::uint64_t bytes) {
  if (bytes <= 2 * kPattern) return;
  // Whole pages are mapped; what is left at either end is copied.
  const std::uint64_t first = (begin + kHostPage - 1) / kHostPage * kHostPage,
                      last = (begin + bytes) / kHostPage * kHostPage;
  const auto* pattern = reinterpret_cast<const std::byte*>(begin);
  const MemoryFile file(kFile);
  file.write(pattern, first - begin);
  for (std::uint64_t at = first; at < last; at += kFile) file.map(at, std::min(kFile, last - at));
  for (std::uint64_t at = last; at < begin + bytes; ++at)
    *reinterpret_cast<std::byte*>(at) = pattern[(at - begin) % kPattern];
}

}  // namespace kerlab::emu
