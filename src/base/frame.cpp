#include "base/frame.h"

#include <algorithm>
#include <utility>

namespace kerlab {

FrameHeader frame_header(std::size_t length) {
  FrameHeader header;
  for (std::size_t i = 0; i < header.size(); ++i) header[i] = static_cast<std::byte>(std::uint64_t{length} >> (8 * i));
  return header;
}

std::span<std::byte> FrameAssembler::room() {
  if (header_got_ < header_.size()) return std::span(header_).subspan(header_got_);
  // Grown as data arrive, so that a length alone cannot make us reserve a gigabyte.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  if (body_got_ == body_.size())
    body_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(announced(), std::max(2 * body_got_, kStep))));
  return std::span(body_).subspan(body_got_);
}

void FrameAssembler::added(std::size_t count) {
  if (header_got_ < header_.size())
    header_got_ += count;
  else
    body_got_ += count;
}

std::uint64_t FrameAssembler::announced() const {
  if (header_got_ < header_.size()) return 0;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < header_.size(); ++i) length |= std::to_integer<std::uint64_t>(header_[i]) << (8 * i);
  return length;
}

bool FrameAssembler::complete() const {
  return header_got_ == header_.size() && body_got_ == announced();
}

Bytes FrameAssembler::take() {
  header_got_ = 0;
  body_got_ = 0;
  return std::exchange(body_, {});
}

}  // namespace kerlab
