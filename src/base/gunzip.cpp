#include "base/gunzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <climits>

#include "base/error.h"

namespace kerlab {
namespace {

[[noreturn]] void fail_damaged() {
  throw Error("the compressed data are damaged");
}

/// A stream of zlib that ends with it. It reads `bytes`, which must outlive it.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : left_(bytes) {
    constexpr int kGzip = 16;  // with its head and check sum
    if (inflateInit2(&stream_, MAX_WBITS + kGzip) != Z_OK) throw Error("no memory to unpack with");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  /// The next bytes, as many as fit; none: all members have been unpacked.
  std::string_view next(std::array<char, 65536>& into) {
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(into.size());
    while (stream_.avail_out == into.size() && !(ended_ && stream_.avail_in == 0 && left_.empty())) {
      if (ended_) inflateReset(&stream_);
      refill();
      const int code = inflate(&stream_, Z_NO_FLUSH);
      ended_ = code == Z_STREAM_END;
      if (!ended_ && code != Z_OK) fail_damaged();
    }
    return {into.data(), into.size() - stream_.avail_out};
  }

 private:
  void refill() {
    if (stream_.avail_in > 0) return;
    const std::size_t size = std::min<std::size_t>(left_.size(), INT_MAX);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data()));  // zlib's: read only
    stream_.avail_in = static_cast<uInt>(size);
    left_.remove_prefix(size);
  }

  std::string_view left_;
  z_stream stream_ = {};
  bool ended_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

std::string gunzip(std::string_view bytes, std::size_t most) {
  std::string out;
  std::array<char, 65536> part;
  Inflater inflater(bytes);
  for (std::string_view found = inflater.next(part); !found.empty(); found = inflater.next(part)) {
    if (out.size() + found.size() > most) throw Error(fmt::format("unpacked it is more than {} MiB", most >> 20));
    out += found;
  }
  return out;
}

}  // namespace kerlab
