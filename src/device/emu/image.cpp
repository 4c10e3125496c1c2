#include "device/emu/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "base/error.h"

namespace kerlab::emu {
namespace {

constexpr std::string_view kPrefix = "// kerlab kernel ";

struct Field {
  std::string_view key;
  int KernelResources::*member;
};
constexpr std::array kFields{
    Field{"registers", &KernelResources::registers}, Field{"spill", &KernelResources::spill_bytes},
    Field{"local", &KernelResources::local_bytes}, Field{"static_shared", &KernelResources::static_shared}};

/// A newer kerlab may tell more: unknown keys are passed over.
KernelResources read_line(const std::string& line) {
  std::istringstream words(line.substr(kPrefix.size()));
  KernelResources kernel;
  words >> kernel.kernel;
  bool right = !kernel.kernel.empty();
  for (std::string key; words >> key;) {
    int value = 0;
    right = right && (words >> value) && value >= 0;
    const auto field = std::ranges::find(kFields, key, &Field::key);
    if (right && field != kFields.end()) kernel.*field->member = value;
  }
  if (!right) throw Error(fmt::format("image of an emulated kernel: malformed line '{}'", line));
  return kernel;
}

}  // namespace

std::vector<std::byte> emulated_image(const std::string& ptx, std::span<const KernelResources> kernels) {
  std::string text;
  for (const KernelResources& kernel : kernels) {
    text += fmt::format("{}{}", kPrefix, kernel.kernel);
    for (const Field& field : kFields) text += fmt::format(" {} {}", field.key, kernel.*field.member);
    text += '\n';
  }
  text += ptx.substr(0, ptx.find('\0'));
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

EmulatedImage read_emulated_image(std::span<const std::byte> image) {
  EmulatedImage result;
  result.ptx.assign(reinterpret_cast<const char*>(image.data()), image.size());
  while (!result.ptx.empty() && result.ptx.back() == '\0') result.ptx.pop_back();
  if (result.ptx.find('\0') != std::string::npos)
    throw Error("the image is not PTX text (a cubin?): an emulated device executes PTX");
  while (result.ptx.starts_with(kPrefix)) {
    const std::size_t end = std::min(result.ptx.find('\n'), result.ptx.size());
    result.kernels.push_back(read_line(result.ptx.substr(0, end)));
    result.ptx.erase(0, end + 1);
  }
  return result;
}

}  // namespace kerlab::emu
