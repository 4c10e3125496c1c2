#include "session/regress_fingerprint.h"

#include "base/file.h"
#include "base/hash.h"

namespace kerlab {

namespace {

std::filesystem::path image_file(const std::filesystem::path& folder, const std::string& digest) {
  return folder / (digest + ".bin");
}

}  // namespace

std::string time_fingerprint(const Baseline& baseline, const DeviceInfo& device, const std::string& toolchain,
                             const std::string& protocol, const std::string& cache, const std::string& recipe) {
  return FieldHasher()
      .field("device", device.device_class())
      .field("driver", device.driver)
      .field("toolchain", toolchain)
      .field("problem", baseline.problem)
      .field("protocol", protocol)
      .field("cache", cache)
      .field("recipe", recipe)
      .hex();
}

BaselineTime baseline_time(const Measurement& measurement, const Baseline& baseline, const DeviceInfo& device) {
  BaselineTime time;
  time.median_us = measurement.median_us;
  time.low_us = measurement.low_us;
  time.high_us = measurement.high_us;
  time.samples = static_cast<std::int64_t>(measurement.samples_us.size());
  time.protocol = measurement.protocol;
  time.cache = measurement.cache;
  time.clock = measurement.clock;
  time.recipe = measurement.recipe;
  time.driver = measurement.driver;
  time.device_uuid = measurement.device_uuid;
  time.sm_clock_mhz = measurement.sm_clock_mhz;
  time.fingerprint = time_fingerprint(baseline, device, baseline.toolchain, time.protocol, time.cache, time.recipe);
  return time;
}

std::string keep_image(const Bytes& image, Database* database, const std::filesystem::path& artifacts) {
  if (image.empty() || (database == nullptr && artifacts.empty())) return "";
  const std::string hash = digest(image);
  if (database != nullptr) database->store_blob(hash, "cubin", image);
  if (!artifacts.empty()) {
    std::filesystem::create_directories(artifacts);
    write_atomic(image_file(artifacts, hash), std::span<const std::byte>(image));
  }
  return hash;
}

std::optional<Bytes> find_image(const std::string& hash, const Database* database,
                                const std::filesystem::path& artifacts) {
  const bool plain = hash.size() == 32 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!plain) return std::nullopt;  // it becomes part of a path
  if (database != nullptr)
    if (auto image = database->blob(hash); image && digest(*image) == hash) return image;
  std::error_code error;
  if (artifacts.empty() || !std::filesystem::exists(image_file(artifacts, hash), error)) return std::nullopt;
  Bytes image = read_bytes(image_file(artifacts, hash));
  return digest(image) == hash ? std::optional(std::move(image)) : std::nullopt;
}

}  // namespace kerlab
