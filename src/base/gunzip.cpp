// Inflates (RFC 1951): blocks of bytes and of distances, by Huffman codes that the blocks bring along.

#include "base/gunzip.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"

namespace kerlab {

namespace {

[[noreturn]] void fail_damaged() {
  throw Error("the compressed data are damaged");
}

constexpr int kMostBits = 15;

/// Lowest bits first.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t bits(int count) {
    while (held_ < count) {
      if (at_ == bytes_.size()) fail_damaged();
      buffer_ |= std::uint64_t{static_cast<unsigned char>(bytes_[at_++])} << held_;
      held_ += 8;
    }
    const auto value = static_cast<std::uint32_t>(buffer_ & ((std::uint64_t{1} << count) - 1));
    buffer_ >>= count;
    held_ -= count;
    return value;
  }
  /// Goes on with the next whole byte.
  void align() { bits(held_ % 8); }
  std::string_view take(std::size_t count) {
    at_ -= static_cast<std::size_t>(held_ / 8);
    buffer_ = 0;
    held_ = 0;
    if (count > bytes_.size() - at_) fail_damaged();
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  [[nodiscard]] bool at_end() const { return at_ - static_cast<std::size_t>(held_ / 8) >= bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;
  int held_ = 0;
};

/// A canonical code: how many symbols have each length, and the symbols in its order.
class Huffman {
 public:
  explicit Huffman(std::span<const std::uint8_t> lengths) : symbols_(lengths.size()) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::array<int, kMostBits + 2> first{};
    int left = 1;
    for (int length = 1; length <= kMostBits; ++length) {
      left = 2 * left - counts_[length];
      if (left < 0) fail_damaged();  // more codes than there are
      first[length + 1] = first[length] + counts_[length];
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[first[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
  }

  std::uint16_t read(BitReader& in) const {
    int code = 0, first = 0, index = 0;
    for (int length = 1; length <= kMostBits; ++length) {
      code |= static_cast<int>(in.bits(1));
      if (code - first < counts_[length]) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += counts_[length];
      first = 2 * (first + counts_[length]);
      code *= 2;
    }
    fail_damaged();
  }

 private:
  std::array<int, kMostBits + 1> counts_{};
  std::vector<std::uint16_t> symbols_;
};

class Inflater {
 public:
  Inflater(BitReader& in, std::string& out, std::size_t most) : in_(in), out_(out), most_(most), begin_(out.size()) {}

  void run() {
    for (bool last = false; !last;) {
      last = in_.bits(1) != 0;
      const std::uint32_t kind = in_.bits(2);
      if (kind == 0)
        stored();
      else if (kind == 1)
        fixed();
      else if (kind == 2)
        dynamic();
      else
        fail_damaged();
    }
  }

 private:
  void require_room(std::size_t more) const {
    if (out_.size() + more > most_) throw Error(fmt::format("unpacked it is more than {} MiB", most_ >> 20));
  }

  void stored() {
    in_.align();
    const std::uint32_t length = in_.bits(16);
    if ((in_.bits(16) ^ 0xffffu) != length) fail_damaged();
    require_room(length);
    out_ += in_.take(length);
  }

  void fixed() {
    std::array<std::uint8_t, 288> lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
    const std::array<std::uint8_t, 30> distances = [] {
      std::array<std::uint8_t, 30> five{};
      five.fill(5);
      return five;
    }();
    codes(Huffman(lengths), Huffman(distances));
  }

  void dynamic() {
    constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const std::size_t symbols = in_.bits(5) + 257, distances = in_.bits(5) + 1, named = in_.bits(4) + 4;
    std::array<std::uint8_t, 19> short_lengths{};
    for (std::size_t i = 0; i < named; ++i) short_lengths[kOrder[i]] = static_cast<std::uint8_t>(in_.bits(3));
    const Huffman code(short_lengths);
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < symbols + distances) {
      const std::uint16_t symbol = code.read(in_);
      if (symbol < 16) {
        lengths.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      if (symbol == 16 && lengths.empty()) fail_damaged();
      const std::uint8_t value = symbol == 16 ? lengths.back() : std::uint8_t{0};
      const std::uint32_t times = symbol == 16 ? 3 + in_.bits(2) : symbol == 17 ? 3 + in_.bits(3) : 11 + in_.bits(7);
      lengths.insert(lengths.end(), times, value);
    }
    if (lengths.size() > symbols + distances) fail_damaged();
    const std::span<const std::uint8_t> all(lengths);
    codes(Huffman(all.first(symbols)), Huffman(all.subspan(symbols)));
  }

  void codes(const Huffman& symbols, const Huffman& distances) {
    while (true) {
      const std::uint16_t symbol = symbols.read(in_);
      if (symbol == 256) return;
      if (symbol < 256) {
        require_room(1);
        out_ += static_cast<char>(symbol);
      } else {
        const std::size_t length = length_of(symbol);  // its bits come first
        copy(length, distance_of(distances.read(in_)));
      }
    }
  }

  std::size_t length_of(std::uint16_t symbol) {
    if (symbol > 285) fail_damaged();
    if (symbol == 285) return 258;
    if (symbol < 265) return symbol - std::size_t{254};
    const int extra = (symbol - 261) / 4;
    return 3 + ((4 + (symbol - std::size_t{261}) % 4) << extra) + in_.bits(extra);
  }

  std::size_t distance_of(std::uint16_t symbol) {
    if (symbol > 29) fail_damaged();
    if (symbol < 4) return symbol + std::size_t{1};
    const int extra = symbol / 2 - 1;
    return 1 + ((2 + std::size_t{symbol} % 2) << extra) + in_.bits(extra);
  }

  void copy(std::size_t length, std::size_t distance) {
    if (distance > out_.size() - begin_) fail_damaged();
    require_room(length);
    for (std::size_t i = 0; i < length; ++i) out_ += out_[out_.size() - distance];
  }

  BitReader& in_;
  std::string& out_;
  std::size_t most_, begin_;
};

std::uint32_t crc_of(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0u);
    }
    return table;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 255] ^ (crc >> 8);
  return ~crc;
}

void skip_text(BitReader& in) {
  while (in.bits(8) != 0) {
  }
}

void skip_head(BitReader& in) {
  if (in.bits(16) != 0x8b1f || in.bits(8) != 8) fail_damaged();
  const std::uint32_t flags = in.bits(8);
  in.bits(32);  // time
  in.bits(16);
  if ((flags & 4) != 0) in.take(in.bits(16));
  if ((flags & 8) != 0) skip_text(in);   // name
  if ((flags & 16) != 0) skip_text(in);  // comment
  if ((flags & 2) != 0) in.bits(16);
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string gunzip(std::string_view bytes, std::size_t most) {
  std::string out;
  BitReader in(bytes);
  do {
    skip_head(in);
    const std::size_t begin = out.size();
    Inflater(in, out, most).run();
    in.align();
    const std::string_view unpacked = std::string_view(out).substr(begin);
    if (in.bits(32) != crc_of(unpacked)) fail_damaged();
    if (in.bits(32) != static_cast<std::uint32_t>(unpacked.size())) fail_damaged();
  } while (!in.at_end());
  return out;
}

}  // namespace kerlab
