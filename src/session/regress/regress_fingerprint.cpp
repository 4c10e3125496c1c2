#include "session/regress/regress_fingerprint.h"

#include <cstring>
#include <span>

#include "base/file.h"
#include "base/hash.h"

namespace kerlab::session {

namespace {

std::filesystem::path blob_file(const std::filesystem::path& folder, const std::string& digest) {
  return folder / (digest + ".bin");
}

std::string keep(std::span<const std::byte> bytes, const std::string& kind, Database* database,
                 const std::filesystem::path& artifacts) {
  if (bytes.empty() || (database == nullptr && artifacts.empty())) return "";
  const std::string hash = digest(bytes);
  if (database != nullptr) database->store_blob(hash, kind, bytes);
  if (!artifacts.empty()) {
    std::filesystem::create_directories(artifacts);
    write_atomic(blob_file(artifacts, hash), bytes);
  }
  return hash;
}

std::optional<Bytes> find(const std::string& hash, const Database* database, const std::filesystem::path& artifacts) {
  const bool plain = hash.size() == 32 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!plain) return std::nullopt;  // it becomes part of a path
  if (database != nullptr)
    if (auto bytes = database->blob(hash); bytes && digest(*bytes) == hash) return bytes;
  std::error_code error;
  if (artifacts.empty() || !std::filesystem::exists(blob_file(artifacts, hash), error)) return std::nullopt;
  Bytes bytes = read_bytes(blob_file(artifacts, hash));
  return digest(bytes) == hash ? std::optional(std::move(bytes)) : std::nullopt;
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
  time.cache = name(measurement.cache);
  time.clock = name(measurement.clock);
  time.recipe = measurement.recipe;
  time.driver = measurement.driver;
  time.device_uuid = measurement.device_uuid;
  time.sm_clock_mhz = measurement.sm_clock_mhz;
  time.fingerprint = time_fingerprint(baseline, device, baseline.toolchain, time.protocol, time.cache, time.recipe);
  return time;
}

std::string keep_image(const Bytes& image, Database* database, const std::filesystem::path& artifacts) {
  return keep(image, "cubin", database, artifacts);
}

std::optional<Bytes> find_image(const std::string& hash, const Database* database,
                                const std::filesystem::path& artifacts) {
  return find(hash, database, artifacts);
}

std::string keep_samples(const std::vector<double>& samples_us, Database* database,
                         const std::filesystem::path& artifacts) {
  return keep(std::as_bytes(std::span(samples_us)), "samples", database, artifacts);
}

std::optional<std::vector<double>> find_samples(const std::string& hash, const Database* database,
                                                const std::filesystem::path& artifacts) {
  const std::optional<Bytes> bytes = find(hash, database, artifacts);
  if (!bytes || bytes->size() % sizeof(double) != 0) return std::nullopt;
  std::vector<double> samples(bytes->size() / sizeof(double));
  std::memcpy(samples.data(), bytes->data(), bytes->size());
  return samples;
}

}  // namespace kerlab::session
