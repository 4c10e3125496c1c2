#pragma once
// `kerlab tune --kernel-tuner DIR`: what a tune tries, in Kernel Tuner's files, as it is tried.

#include <map>
#include <set>

#include "db/database.h"
#include "report/text/tuner_cache_file.h"
#include "session/tune/tune.h"

namespace kerlab::cli {

/// A file for each kernel (variant) and problem, in a folder for each device, as `db export --format kernel-tuner`
/// names them.
class LiveCaches {
 public:
  /// `folder`: empty: nothing is written.
  LiveCaches(std::filesystem::path folder, const Database& database)
      : folder_(std::move(folder)), database_(database) {}

  /// Writes the session's results that are not in the files yet.
  void update(const TuneSession& session);
  /// The files are whole JSON then.
  void close();

 private:
  TunerCacheFile& file_of(const Trial& trial, const KernelFolder& kernels);

  std::filesystem::path folder_;
  const Database& database_;
  std::size_t done_ = 0;
  std::set<std::int64_t> written_;
  std::map<std::string, TunerSpace> spaces_;  ///< by variant
  std::map<std::string, TunerCacheFile> files_;
};

}  // namespace kerlab::cli
