#pragma once
// NumPy's .npy: one dense array in a file. Versions 1.0 and 2.0, little-endian, in C order, of plain numbers.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/modules.h"

namespace kerlab::plan {

enum class NpyType : std::uint8_t { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1, c8, c16 };

/// "float32", "uint16", "bool", "complex64": as NumPy calls it.
std::string_view name(NpyType type);
/// Of one element.
std::size_t bytes_of(NpyType type);

/// What an array is, and where its data begin in the file.
struct NpyHeader {
  NpyType type = NpyType::f4;
  std::vector<std::int64_t> shape;  ///< none: a single number
  std::size_t data = 0;
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::string shape_text() const;  ///< "(3, 4)", "(3,)", "()"
};

/// An array in memory, as it lies in the file.
struct NpyArray {
  NpyHeader header;
  std::vector<std::byte> file;
  /// Number i; a complex element is two, the real and the imaginary part. Integers beyond 2^53 are rounded.
  [[nodiscard]] double number(std::size_t i) const;
};

/// Reads the header and compares it with the size of the file, of which it reads no more. Throws Error that names the
/// file and the byte: no such file, what is no .npy, another version, a broken header, Fortran order, big-endian or
/// objects, data that are shorter or longer than the header says.
NpyHeader read_npy_header(const std::filesystem::path& file);
/// The same, and the data.
NpyArray read_npy(const std::filesystem::path& file);
/// Of what a file holds; `name` stands for it in errors.
NpyArray parse_npy(std::vector<std::byte> file, const std::string& name);

/// A file of version 1.0. `data` are its elements in C order, as many as `shape` says.
std::vector<std::byte> npy_file(NpyType type, const std::vector<std::int64_t>& shape, std::span<const std::byte> data);

}  // namespace kerlab::plan
