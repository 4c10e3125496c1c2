#include "session/run/device_ids.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error_about.h"
#include "device/cuda/cuda_info.h"

namespace kerlab::session {

namespace {

constexpr std::string_view kCuda = "cuda:";

bool begins_device(std::string_view text) {
  for (const std::string_view kind : {kCuda, std::string_view("emu:"), std::string_view("script:")})
    if (text.starts_with(kind)) return true;
  return text == "auto" || text == "gpu";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "cuda:0,1" -> "cuda:0", "cuda:1".
std::vector<std::string> split_ids(const std::string& typed) {
  std::vector<std::string> ids;
  for (std::size_t begin = 0; begin <= typed.size();) {
    const std::size_t end = std::min(typed.find(',', begin), typed.size());
    const std::string part = typed.substr(begin, end - begin);
    begin = end + 1;
    if (ids.empty() || begins_device(part)) {
      ids.push_back(part);
    } else if (ids.back().starts_with(kCuda) && is_number(part)) {
      ids.push_back(std::string(kCuda) + part);
    } else {
      ids.back() += "," + part;
    }
  }
  return ids;
}

std::vector<std::string> all_gpus(bool here) {
  if (!here)
    throw ErrorAbout<UsageError, AboutDevice>(
        "--device cuda:all counts the GPUs of this machine, and --worker-command may lead to another: "
        "name them, as in cuda:0,1");
  std::vector<std::string> ids;
  for (const DeviceInfo& gpu : list_cuda_devices()) ids.push_back(gpu.id);
  if (ids.empty()) throw ErrorAbout<Error, AboutDevice>("--device cuda:all: the driver shows no GPU");
  return ids;
}

}  // namespace

std::vector<std::string> device_ids(const std::string& typed, bool here) {
  std::vector<std::string> ids = split_ids(typed);
  if (ids.size() == 1) return typed == "cuda:all" ? all_gpus(here) : ids;
  for (auto id = ids.begin(); id != ids.end(); ++id) {
    const bool gpu = id->starts_with(kCuda);
    if (*id == "auto" || *id == "gpu" || *id == "cuda:all")
      throw ErrorAbout<UsageError, AboutDevice>(
          fmt::format("--device {}: '{}' stands alone; in a list, name each device, as in cuda:0,1", typed, *id));
    if (here && gpu && std::find(ids.begin(), id, *id) != id)
      throw ErrorAbout<UsageError, AboutDevice>(fmt::format("--device {}: {} is named twice", typed, *id));
  }
  return ids;
}

bool names_several_devices(const std::string& typed) {
  return typed == "cuda:all" || split_ids(typed).size() > 1;
}

std::string first_device(const std::string& typed) {
  return typed == "cuda:all" ? "cuda:0" : split_ids(typed).front();
}

std::string inspecting_device(const std::string& device) {
  return device.starts_with("emu:") ? device : "emu:h200";
}

void require_one_model(const DeviceInfo& first, const DeviceInfo& other) {
  if (first.device_class() == other.device_class()) return;
  throw ErrorAbout<UsageError, AboutDevice>(
      fmt::format("{} and {} are not of one model, so their times cannot be compared: {} and {}. Tune on "
                  "each by itself.",
                  first.id, other.id, first.device_class(), other.device_class()));
}

}  // namespace kerlab::session
