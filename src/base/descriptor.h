#pragma once
// A file descriptor, and what is done with one.

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace kerlab {

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  /// 0, or the error (a network file system reports a full disk here).
  int close() noexcept;

 private:
  int fd_ = -1;
};

/// All of it, blocking; 0, or the error.
int write_all(int fd, std::span<const std::byte> bytes);
int write_all(int fd, std::string_view text);

}  // namespace kerlab
