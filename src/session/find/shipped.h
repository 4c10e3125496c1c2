#pragma once
// Winners that somebody measured, shipped as reviewable text beside the kernels:
// tuning_db/shipped/<device>/<family>.toml. They say where a search should begin. They are not trials: nothing is taken
// over without being tried here.

#include "db/database.h"
#include "plan/device_info.h"

namespace kerlab::session {

struct ShippedWinner {
  std::string device_class;  ///< where it was measured
  std::string family, problem, variant, configuration;
  double median_us = 0, low_us = 0, high_us = 0;
  std::string date;  ///< of the decision, "2026-11-21"
  std::string toolchain, driver;
  double sm_clock_mhz = 0;
  std::string source_hash;
};

struct ShippedWinners {
  std::vector<ShippedWinner> winners;  ///< by device, family, problem
  std::vector<std::string> warnings;   ///< a file that cannot be read is left out, with what is wrong in it
};

/// tuning_db/shipped of the checkout or the installed tree.
std::filesystem::path shipped_folder();
/// "h200-132sm": the folder of a device. An emulated or scripted device has that of the GPU it pretends to be.
std::string shipped_device(const DeviceInfo& device);
/// "H200 132 SM"
std::string shipped_device_title(const std::string& device_class);

/// Everything in `folder`; of one device or family where these are not empty. Throws nothing: see `warnings`.
ShippedWinners read_shipped(const std::filesystem::path& folder, const std::string& device = "",
                            const std::string& family = "");

struct ShippedFile {
  std::filesystem::path path;
  std::string text;
  std::size_t winners = 0, replaced = 0, kept = 0;  ///< of the database; of those a line was there; only in the file
};
/// What the winners of a database make of the files in `folder`: problems that it has are replaced, others stay. Only
/// what a GPU measured, of problems that were decided. Throws Error when a file that is there cannot be read.
std::vector<ShippedFile> ship_winners(const Database& database, const std::filesystem::path& folder);

}  // namespace kerlab::session
