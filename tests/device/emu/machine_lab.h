#pragma once
// A PTX module loaded into a machine's memory, and launches of its kernels.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catch.h"
#include "device/emu/machine/machine.h"
#include "device/emu/memory.h"
#include "device/emu/ptx/ir.h"

namespace kerlab::emu {

inline std::string read_text_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Memory of the emulated device that holds values.
template <class T>
struct Buffer {
  GlobalMemory* memory;
  DevicePtr at;
  std::size_t size;
  Buffer(GlobalMemory& where, const std::vector<T>& values)
      : memory(&where), at(where.allocate(std::max<std::size_t>(values.size(), 1) * sizeof(T))), size(values.size()) {
    if (size > 0) std::memcpy(where.at(at, size * sizeof(T)), values.data(), size * sizeof(T));
    where.initialised().add(at, at + size * sizeof(T));
  }
  Buffer(GlobalMemory& where, std::size_t count) : Buffer(where, std::vector<T>(count)) {}
  [[nodiscard]] std::vector<T> values() const {
    std::vector<T> out(size);
    if (size > 0) std::memcpy(out.data(), memory->at(at, size * sizeof(T)), size * sizeof(T));
    return out;
  }
  [[nodiscard]] T operator[](std::size_t i) const { return values().at(i); }
};

class MachineLab {
 public:
  GlobalMemory memory{std::int64_t{4} << 30};
  MachineLaunch launch;  ///< what run() begins with

  explicit MachineLab(const std::string& text) : parsed_(ptx::parse(text)) {
    for (const ptx::ParseResult::Failure& failure : parsed_.failures) WARN(failure.kernel << ": " << failure.reason);
    global_ = place(parsed_.module.global_image);
    constant_ = place(parsed_.module.constant_image);
    for (const ptx::Relocation& r : parsed_.module.relocations) {
      const ptx::Symbol& symbol = parsed_.module.globals[static_cast<std::size_t>(r.symbol)];
      const std::uint64_t address = (symbol.space == ptx::Space::constant ? constant_ : global_) +
                                    static_cast<std::uint64_t>(symbol.offset + r.addend);
      std::memcpy(memory.at(global_ + static_cast<std::uint64_t>(r.at), 8), &address, 8);
    }
  }

  [[nodiscard]] ProgramPtr program(const std::string& kernel) const {
    const ptx::Kernel* found = parsed_.module.find(kernel);
    if (found == nullptr) throw Error("no kernel " + kernel);
    return lower(*found, global_, constant_, &parsed_.module.files);
  }
  [[nodiscard]] const ptx::Kernel& kernel(const std::string& name) const { return *parsed_.module.find(name); }

  template <class... Arguments>
  LaunchReport run(const std::string& kernel, Dim3 grid, Dim3 block, Arguments... arguments) {
    const ProgramPtr lowered = program(kernel);
    return run(*lowered, grid, block, arguments...);
  }
  template <class... Arguments>
  LaunchReport run(const Program& lowered, Dim3 grid, Dim3 block, Arguments... arguments) {
    std::vector<std::byte> bytes;
    (append(bytes, arguments), ...);
    MachineLaunch it = launch;
    it.program = &lowered;
    it.memory = &memory;
    it.grid = grid;
    it.block = block;
    it.parameters = bytes;
    return emu::run(it);
  }

 private:
  DevicePtr place(const std::vector<std::byte>& image) {
    if (image.empty()) return 0;
    const DevicePtr at = memory.allocate(image.size());
    std::memcpy(memory.at(at, image.size()), image.data(), image.size());
    return at;
  }
  template <class T>
  static void append(std::vector<std::byte>& bytes, const T& value) {
    if constexpr (requires { value.memory; }) {
      append(bytes, value.at);
    } else {
      bytes.resize((bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
      std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
    }
  }

  ptx::ParseResult parsed_;
  DevicePtr global_ = 0, constant_ = 0;
};

}  // namespace kerlab::emu
