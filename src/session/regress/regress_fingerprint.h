#pragma once
// What must be the same before two stored times may be compared, and the images and samples that belong to
// them.

#include "db/database.h"
#include "session/run/candidate.h"
#include "trial/baseline.h"

namespace kerlab::session {

/// Tier 1: device class, driver, toolchain, protocol, cache mode, clock, recipe, problem. Digest.
std::string time_fingerprint(const Baseline& baseline, const DeviceInfo& device, const std::string& toolchain,
                             const std::string& protocol, const std::string& cache, const std::string& recipe);

BaselineTime baseline_time(const Measurement& measurement, const Baseline& baseline, const DeviceInfo& device);

/// Keeps an image in the database and, where that is not empty, as DIGEST.bin in a folder. Gives its digest; empty when
/// it could be kept nowhere.
std::string keep_image(const Bytes& image, Database* database, const std::filesystem::path& artifacts);
/// The image of a digest; none where neither has it, or what is there is not it.
std::optional<Bytes> find_image(const std::string& digest, const Database* database,
                                const std::filesystem::path& artifacts);

/// The same of raw samples, in microseconds: what a time in a baseline's text was taken from.
std::string keep_samples(const std::vector<double>& samples_us, Database* database,
                         const std::filesystem::path& artifacts);
std::optional<std::vector<double>> find_samples(const std::string& digest, const Database* database,
                                                const std::filesystem::path& artifacts);

}  // namespace kerlab::session
