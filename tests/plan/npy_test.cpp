#include "plan/npy.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "catch.h"

using namespace kerlab;
using namespace kerlab::plan;

namespace {

/// A file of version `major`.0 with this dictionary and so many bytes of data.
std::vector<std::byte> made(const std::string& dictionary, std::size_t data, int major = 1) {
  std::string text = "\x93NUMPY";
  text += {static_cast<char>(major), '\0', static_cast<char>(dictionary.size() & 255),
           static_cast<char>(dictionary.size() >> 8)};
  if (major > 1) text += std::string(2, '\0');
  text += dictionary + std::string(data, '\1');
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What is said of it; "read" where it is read.
std::string mistake(std::vector<std::byte> file) {
  try {
    parse_npy(std::move(file), "Y.npy");
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

std::string mistake_of(const std::string& dictionary, std::size_t data = 48) {
  return mistake(made(dictionary, data));
}

template <typename T>
std::vector<double> round_trip(NpyType type, const std::vector<T>& numbers, std::vector<std::int64_t> shape) {
  const NpyArray array = parse_npy(npy_file(type, shape, std::as_bytes(std::span(numbers))), "Y.npy");
  CHECK(array.header.type == type);
  CHECK(array.header.shape == shape);
  CHECK(array.header.data % 64 == 0);
  std::vector<double> read;
  for (std::size_t i = 0; i < numbers.size(); ++i) read.push_back(array.number(i));
  return read;
}

}  // namespace

TEST_CASE("npy: what is written is read, of every type", "[plan]") {
  CHECK(round_trip<float>(NpyType::f4, {1.5F, -2, 3e30F, 0, 1, 2}, {2, 3})[2] == double(3e30F));
  CHECK(round_trip<double>(NpyType::f8, {0.1, 1e300}, {2}) == std::vector<double>{0.1, 1e300});
  CHECK(round_trip<std::int8_t>(NpyType::i1, {-128, 127}, {2, 1}) == std::vector<double>{-128, 127});
  CHECK(round_trip<std::int16_t>(NpyType::i2, {-32768, 5}, {2}) == std::vector<double>{-32768, 5});
  CHECK(round_trip<std::int32_t>(NpyType::i4, {-7}, {}) == std::vector<double>{-7});
  CHECK(round_trip<std::int64_t>(NpyType::i8, {-(std::int64_t{1} << 53)}, {1}) == std::vector<double>{-0x1p53});
  CHECK(round_trip<std::uint8_t>(NpyType::u1, {255}, {1}) == std::vector<double>{255});
  CHECK(round_trip<std::uint16_t>(NpyType::u2, {65535}, {1}) == std::vector<double>{65535});
  CHECK(round_trip<std::uint32_t>(NpyType::u4, {4294967295U}, {1}) == std::vector<double>{4294967295.0});
  CHECK(round_trip<std::uint64_t>(NpyType::u8, {std::uint64_t{1} << 63}, {1}) == std::vector<double>{0x1p63});
  CHECK(round_trip<std::uint8_t>(NpyType::b1, {0, 1}, {2}) == std::vector<double>{0, 1});
  CHECK(round_trip<float>(NpyType::f4, {}, {0, 4}).empty());
  const std::vector<float> complex = {1, -2, 3, 4};  // two elements
  const NpyArray read = parse_npy(npy_file(NpyType::c8, {2}, std::as_bytes(std::span(complex))), "Y.npy");
  CHECK(read.number(1) == -2);
  CHECK(read.number(3) == 4);
}

TEST_CASE("npy: float16 by its bits", "[plan]") {
  const auto halves =
      round_trip<std::uint16_t>(NpyType::f2, {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x8000}, {8});
  CHECK(std::vector(halves.begin(), halves.begin() + 4) == std::vector<double>{1, -2, 0x1p-24, 65504});
  CHECK(halves[4] == HUGE_VAL);
  CHECK(halves[5] == -HUGE_VAL);
  CHECK(std::isnan(halves[6]));
  CHECK(std::signbit(halves[7]));
}

TEST_CASE("npy: headers as others write them", "[plan]") {
  CHECK(mistake_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n") == "read");
  CHECK(mistake_of("{\"shape\":(12,),\"fortran_order\":False,\"descr\":\"<f4\"}") == "read");
  CHECK(mistake_of("{'descr': '<i1', 'fortran_order': False, 'shape': (48,)}") == "read");
  CHECK(mistake(made("{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", 48, 2)) == "read");
  CHECK(mistake_of("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4) == "read");
}

TEST_CASE("npy: what cannot be read is told, with the byte", "[plan]") {
  const auto says = [](const std::string& dictionary, const std::string& what) {
    INFO(dictionary);
    CHECK_THAT(mistake_of(dictionary), Catch::StartsWith("Y.npy: byte ") && Catch::Contains(what));
  };
  says("{'descr': '>f4', 'fortran_order': False, 'shape': (12,), }", "byte 20: '>f4' is big-endian: save array.astype");
  says("{'descr': '<f4', 'fortran_order': True, 'shape': (12,), }", "Fortran order: save numpy.ascontiguousarray");
  says("{'descr': '|O', 'fortran_order': False, 'shape': (12,), }", "'|O' is none of the types");
  says("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (12,), }", "a structured array");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (13,), }", "48 bytes of data, where (13,) of float32 are 52");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (11,), }", "48 bytes of data, where (11,) of float32 are 44");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (12), }", "a shape of one extent is written (n,)");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (-12,), }", "a whole number, not negative");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "an extent beyond 2^63");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4), }", "fit no file");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,), }", "fit no file");
  says("{'descr': '<f4', 'fortran_order': False}", "does not say 'shape'");
  says("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (12,)}", "'descr' stands twice");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (12,), 'x': 1}", "'x' is none of");
  says("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (12,)}", "True or False");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (12,)", "'}' is expected");
  says("{'descr': '<f4', 'fortran_order': False, 'shape': (12,)} x", "something behind");
  says("{'descr': '<f4", "in quotes is expected");
  says("", "'{' is expected");
  says("[1, 2]", "'{' is expected");
}

TEST_CASE("npy: every beginning of a file is refused, and nothing but the whole of it is read", "[plan]") {
  const std::vector<float> numbers = {1, 2, 3};
  const std::vector<std::byte> whole = npy_file(NpyType::f4, {3}, std::as_bytes(std::span(numbers)));
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_THAT(mistake({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
               Catch::StartsWith("Y.npy: byte "));
  std::vector<std::byte> more = whole;
  more.push_back(std::byte{0});
  CHECK_THAT(mistake(more), Catch::Contains("13 bytes of data"));
  std::vector<std::byte> newer = whole;
  newer[6] = std::byte{3};
  CHECK_THAT(mistake(newer), Catch::Contains("byte 6: format version 3.0"));
  // A length beyond the file, and beyond any header.
  std::vector<std::byte> longer = made("{}", 0, 2);
  longer[11] = std::byte{0x7f};
  CHECK_THAT(mistake(longer), Catch::Contains("byte 8: a header of "));
  CHECK_THAT(mistake(made("{'descr': '<f4'", 0, 9)), Catch::Contains("format version 9.0"));
}

TEST_CASE("npy: any byte of a header changed is read or refused with its place", "[plan]") {
  const std::vector<double> numbers = {1, 2, 3, 4};
  const std::vector<std::byte> whole = npy_file(NpyType::f8, {2, 2}, std::as_bytes(std::span(numbers)));
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size() - 32; ++at)
    for (const int value : {0, 39, 40, 57, 92, 123, 128, 255}) {
      std::vector<std::byte> changed = whole;
      changed[at] = static_cast<std::byte>(value);
      const std::string said = mistake(changed);
      refused += said == "read" ? 0 : 1;
      if (said != "read") CHECK_THAT(said, Catch::StartsWith("Y.npy: byte "));
    }
  CHECK(refused > 400);
}

TEST_CASE("npy: files, and what is none", "[plan]") {
  const TemporaryFolder folder;
  const std::vector<float> numbers = {1, 2, 3};
  write_atomic(folder / "Y.npy", npy_file(NpyType::f4, {3}, std::as_bytes(std::span(numbers))));
  CHECK(read_npy_header(folder / "Y.npy").shape_text() == "(3,)");
  CHECK(read_npy(folder / "Y.npy").number(2) == 3);
  const auto says = [](const std::filesystem::path& file) {
    try {
      read_npy(file);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  CHECK_THAT(says(folder / "Z.npy"), Catch::StartsWith("cannot read ") && Catch::EndsWith("No such file or directory"));
  CHECK_THAT(says(folder.path()), Catch::EndsWith("is a folder"));
  write_atomic(folder / "Y.npz", std::string_view("PK\3\4"));
  CHECK_THAT(says(folder / "Y.npz"), Catch::Contains("an .npz holds several"));
}
