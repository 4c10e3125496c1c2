#include "plan/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

#include "base/error.h"

namespace kerlab::plan {
namespace {

static_assert(std::endian::native == std::endian::little);

struct TypeRow {
  NpyType type;
  std::string_view name, written;  ///< as NumPy calls it, and as a header does
  std::size_t bytes;
};

constexpr std::array<TypeRow, 14> kTypes = {{{NpyType::f2, "float16", "<f2", 2},
                                             {NpyType::f4, "float32", "<f4", 4},
                                             {NpyType::f8, "float64", "<f8", 8},
                                             {NpyType::i1, "int8", "|i1", 1},
                                             {NpyType::i2, "int16", "<i2", 2},
                                             {NpyType::i4, "int32", "<i4", 4},
                                             {NpyType::i8, "int64", "<i8", 8},
                                             {NpyType::u1, "uint8", "|u1", 1},
                                             {NpyType::u2, "uint16", "<u2", 2},
                                             {NpyType::u4, "uint32", "<u4", 4},
                                             {NpyType::u8, "uint64", "<u8", 8},
                                             {NpyType::b1, "bool", "|b1", 1},
                                             {NpyType::c8, "complex64", "<c8", 8},
                                             {NpyType::c16, "complex128", "<c16", 16}}};

const TypeRow& row(NpyType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kBeforeLength = 8;         // magic and version
constexpr std::size_t kLongestHeader = 1 << 16;  // a list of extents is no longer
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

template <typename T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = std::ldexp(fraction, -24);
  if (exponent == 31) magnitude = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  if (exponent > 0 && exponent < 31) magnitude = std::ldexp(1024 + fraction, exponent - 25);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

/// Of what errors tell.
struct NpyPlace {
  const std::string& file;
  /// Throws Error "FILE: byte N: what".
  [[noreturn]] void fail(std::size_t byte, const std::string& what) const {
    throw Error(fmt::format("{}: byte {}: {}", file, byte, what));
  }
};

/// The dictionary in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyDictionary {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;                               ///< none negative
  std::size_t descr_at = 0, fortran_order_at = 0, shape_at = 0;  ///< bytes of the file
};

constexpr std::size_t kMostExtents = 32;  // NumPy's own limit was that for long

class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, std::size_t begin, const NpyPlace& place)
      : text_(text), begin_(begin), place_(place) {}

  NpyDictionary parse() {
    expect('{');
    std::set<std::string> known;
    while (!accept('}')) {
      const std::size_t at = place();
      const std::string key = quoted("a key");
      if (!known.insert(key).second) place_.fail(at, fmt::format("'{}' stands twice", key));
      expect(':');
      value_of(key, at);
      if (accept(',')) continue;
      expect('}');
      break;
    }
    for (const char* key : {"descr", "fortran_order", "shape"})
      if (!known.contains(key)) place_.fail(begin_, fmt::format("the header does not say '{}'", key));
    skip_space();
    if (at_ < text_.size()) place_.fail(place(), "something behind the header's dictionary");
    return std::move(said_);
  }

 private:
  void value_of(const std::string& key, std::size_t at) {
    skip_space();
    if (key == "descr") {
      said_.descr_at = place();
      if (at_ < text_.size() && text_[at_] == '[')
        place_.fail(place(), "a structured array: save each of its fields by itself");
      said_.descr = quoted("a type");
    } else if (key == "fortran_order") {
      said_.fortran_order_at = place();
      said_.fortran_order = truth();
    } else if (key == "shape") {
      said_.shape_at = place();
      read_shape();
    } else {
      place_.fail(at, fmt::format("'{}' is none of descr, fortran_order, shape", key));
    }
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      if (said_.shape.size() == kMostExtents) place_.fail(place(), fmt::format("more than {} extents", kMostExtents));
      said_.shape.push_back(extent());
      if (accept(',')) continue;
      if (said_.shape.size() == 1) place_.fail(place(), "a shape of one extent is written (n,)");
      expect(')');
      break;
    }
  }

  std::int64_t extent() {
    skip_space();
    std::int64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) place_.fail(place(), "an extent beyond 2^63");
    if (error != std::errc() || value < 0) place_.fail(place(), "an extent is a whole number, not negative");
    at_ += static_cast<std::size_t>(end - first);
    return value;
  }

  bool truth() {
    for (const auto& [word, value] :
         {std::pair(std::string_view("True"), true), std::pair(std::string_view("False"), false)})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    place_.fail(place(), "True or False is expected");
  }

  std::string quoted(const char* what) {
    skip_space();
    const char mark = at_ < text_.size() ? text_[at_] : '\0';
    const std::size_t end = mark == '\'' || mark == '"' ? text_.find(mark, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) place_.fail(place(), fmt::format("{} in quotes is expected", what));
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    for (const char c : inside)
      if (c < ' ' || c > '~' || c == '\\') place_.fail(place(), fmt::format("{} of plain letters is expected", what));
    at_ = end + 1;
    return std::string(inside);
  }

  bool accept(char wanted) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) place_.fail(place(), fmt::format("'{}' is expected in the header", wanted));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }

  [[nodiscard]] std::size_t place() const { return begin_ + at_; }

  std::string_view text_;
  std::size_t begin_, at_ = 0;
  const NpyPlace& place_;
  NpyDictionary said_;
};

/// "(3, 4)", "(3,)", "()"
std::string name_of_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

NpyType type_of(const NpyDictionary& said, const NpyPlace& place) {
  const auto found = std::ranges::find_if(kTypes, [&](const TypeRow& one) {
    // One byte has no order.
    return one.written == said.descr || (one.bytes == 1 && said.descr == "<" + std::string(one.written.substr(1)));
  });
  if (found != kTypes.end()) return found->type;
  if (said.descr.starts_with('>'))
    place.fail(said.descr_at,
               fmt::format("'{}' is big-endian: save array.astype('<{}')", said.descr, said.descr.substr(1)));
  place.fail(said.descr_at, fmt::format("'{}' is none of the types that are read: float16, float32, float64, int8 to "
                                        "int64, uint8 to uint64, bool, complex64, complex128",
                                        said.descr));
}

/// Bytes of the data.
std::int64_t data_bytes(const NpyHeader& header) {
  return header.elements() * static_cast<std::int64_t>(bytes_of(header.type));
}

void check_extents(const NpyDictionary& said, NpyType type, const NpyPlace& place) {
  std::int64_t left = kMostBytes / static_cast<std::int64_t>(bytes_of(type));
  for (const std::int64_t extent : said.shape) {
    if (extent > 0 && extent > left) place.fail(said.shape_at, "so many elements fit no file");
    left = extent > 0 ? left / extent : left;
  }
}

/// `begin`: the first bytes of a file of so many.
NpyHeader header_of(std::span<const std::byte> begin, std::uint64_t file_bytes, const std::string& name) {
  const NpyPlace place{name};
  if (begin.size() < kMagic.size() || std::memcmp(begin.data(), kMagic.data(), kMagic.size()) != 0)
    place.fail(0, "no .npy file: it does not begin with \\x93NUMPY (an .npz holds several: save each by itself)");
  if (begin.size() < kBeforeLength + 2) place.fail(begin.size(), "the file ends within its header");
  const auto major = at<std::uint8_t>(begin, 6), minor = at<std::uint8_t>(begin, 7);
  if ((major != 1 && major != 2) || minor != 0)
    place.fail(6, fmt::format("format version {}.{}: 1.0 and 2.0 are read", major, minor));
  const std::size_t width = major == 1 ? 2 : 4;
  if (begin.size() < kBeforeLength + width) place.fail(begin.size(), "the file ends within its header");
  const std::size_t length =
      major == 1 ? at<std::uint16_t>(begin, kBeforeLength) : at<std::uint32_t>(begin, kBeforeLength);
  if (length > kLongestHeader) place.fail(kBeforeLength, fmt::format("a header of {} bytes", length));
  const std::size_t text = kBeforeLength + width;
  if (begin.size() < text + length) place.fail(begin.size(), "the file ends within its header");
  const std::string words(reinterpret_cast<const char*>(begin.data()) + text, length);
  const NpyDictionary said = DictionaryParser(words, text, place).parse();
  NpyHeader header;
  header.type = type_of(said, place);
  if (said.fortran_order) place.fail(said.fortran_order_at, "Fortran order: save numpy.ascontiguousarray(array)");
  check_extents(said, header.type, place);
  header.shape = said.shape;
  header.data = text + length;
  const std::uint64_t wanted = static_cast<std::uint64_t>(data_bytes(header)), there = file_bytes - header.data;
  if (there != wanted)
    place.fail(header.data, fmt::format("{} bytes of data, where {} of {} are {}", there, name_of_shape(header.shape),
                                        plan::name(header.type), wanted));
  return header;
}

std::ifstream opened(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw Error(fmt::format("{}: is a folder", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  return in;
}

/// Up to so many bytes from where the stream stands.
std::vector<std::byte> taken(std::ifstream& in, std::size_t most) {
  std::vector<std::byte> bytes(most);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

std::string_view name(NpyType type) {
  return row(type).name;
}

std::size_t bytes_of(NpyType type) {
  return row(type).bytes;
}

std::int64_t NpyHeader::elements() const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  return elements;
}

std::string NpyHeader::shape_text() const {
  return name_of_shape(shape);
}

double NpyArray::number(std::size_t i) const {
  const bool complex = header.type == NpyType::c8 || header.type == NpyType::c16;
  const std::size_t offset = header.data + i * bytes_of(header.type) / (complex ? 2 : 1);
  switch (header.type) {
    case NpyType::f2:
      return half(at<std::uint16_t>(file, offset));
    case NpyType::f4:
    case NpyType::c8:
      return at<float>(file, offset);
    case NpyType::f8:
    case NpyType::c16:
      return at<double>(file, offset);
    case NpyType::i1:
      return at<std::int8_t>(file, offset);
    case NpyType::i2:
      return at<std::int16_t>(file, offset);
    case NpyType::i4:
      return at<std::int32_t>(file, offset);
    case NpyType::i8:
      return static_cast<double>(at<std::int64_t>(file, offset));
    case NpyType::u1:
    case NpyType::b1:
      return at<std::uint8_t>(file, offset);
    case NpyType::u2:
      return at<std::uint16_t>(file, offset);
    case NpyType::u4:
      return at<std::uint32_t>(file, offset);
    case NpyType::u8:
      return static_cast<double>(at<std::uint64_t>(file, offset));
  }
  return 0;
}

NpyHeader read_npy_header(const std::filesystem::path& file) {
  std::ifstream in = opened(file);
  in.seekg(0, std::ios::end);
  const auto bytes = static_cast<std::uint64_t>(in.tellg());
  in.seekg(0);
  const std::vector<std::byte> begin = taken(in, std::min<std::uint64_t>(bytes, kLongestHeader + 2 * kBeforeLength));
  return header_of(begin, bytes, file.string());
}

NpyArray read_npy(const std::filesystem::path& file) {
  NpyArray array;
  array.header = read_npy_header(file);  // before so much memory is asked for
  std::ifstream in = opened(file);
  array.file = taken(in, array.header.data + static_cast<std::size_t>(data_bytes(array.header)));
  return parse_npy(std::move(array.file), file.string());
}

NpyArray parse_npy(std::vector<std::byte> file, const std::string& name) {
  NpyArray array;
  array.header = header_of(file, file.size(), name);
  array.file = std::move(file);
  return array;
}

std::vector<std::byte> npy_file(NpyType type, const std::vector<std::int64_t>& shape, std::span<const std::byte> data) {
  constexpr std::size_t kAligned = 64;  // where NumPy has the data begin
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", row(type).written, name_of_shape(shape));
  const std::size_t before = kBeforeLength + 2;
  header.append(kAligned - (before + header.size() + 1) % kAligned, ' ');
  header += '\n';
  std::string begin(kMagic);
  begin += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  begin += header;
  std::vector<std::byte> file(begin.size() + data.size());
  std::memcpy(file.data(), begin.data(), begin.size());
  if (!data.empty()) std::memcpy(file.data() + begin.size(), data.data(), data.size());
  return file;
}

}  // namespace kerlab::plan
