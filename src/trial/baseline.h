#pragma once
// A baseline: a kernel that was right and as fast as wanted, kept with all that is needed to run it again. Its
// canonical form is text in a folder (session/regress/regress_folder.h), so that it can be reviewed, merged and used
// without a database.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/launch_plan.h"

namespace kerlab::trial {

/// One number that a kernel is gated by, or that helps to see why: "instructions", "global_sectors", "registers".
struct Figure {
  std::string name;
  double value = 0;
  bool operator==(const Figure&) const = default;
};

/// A file of a kernel's source by the name that the compiler knows it by, and the digest of its text.
struct SourceFile {
  std::string name, hash;
  bool operator==(const SourceFile&) const = default;
};

/// What a device that measures time took, and where. Two of them compare only with equal fingerprints.
struct BaselineTime {
  double median_us = 0, low_us = 0, high_us = 0;  ///< 95 % interval of the median
  std::int64_t samples = 0;
  std::string samples_digest;  ///< of the samples themselves, kept where the image is; empty: not kept
  std::string protocol, cache, clock, recipe;
  std::string driver, device_uuid;
  double sm_clock_mhz = 0;
  std::string fingerprint;  ///< digest of all that must agree before such times compare
  std::string cubin;        ///< digest of the image, which is kept in the database or an artifact; empty: not kept
  bool operator==(const BaselineTime&) const = default;
};

struct Baseline {
  std::string key;   ///< "emu-h200-132sm/gemm/reg2d-256x256x256-fp32-nn": its file, without .toml
  std::string file;  ///< where it was read from; empty: nowhere
  // identity
  std::string family, folder;  ///< folder: as typed, where the family has no name in the catalogue; else empty
  std::string variant, configuration, problem, title, dtype;
  std::string device_class, device_kind;
  std::string chosen;             ///< "default", "winner, trial 12", "as typed"
  std::string recorded;           ///< "2026-11-22"
  std::string why;                ///< of the increase that was accepted last; empty: none was
  double min_tflops = 0;          ///< absolute floor, opt-in; 0: none
  bool unchecked_values = false;  ///< not every value of the variant's parameters need have been right once
  // the program
  std::string source_hash, toolchain;
  std::vector<SourceFile> files;              ///< the kernel's own first, then what it includes
  std::vector<std::string> options, tensors;  ///< of NVRTC; "A input bf16 4096x4096"
  LaunchPlan plan;
  // what was found
  std::string check_identity;  ///< digest of what its result was checked with
  std::string counted_by;      ///< version of what the figures were counted with
  double error_ratio = 0;      ///< largest err / bound
  std::vector<Figure> figures;
  std::optional<BaselineTime> time;
  bool operator==(const Baseline&) const = default;
};

}  // namespace kerlab::trial
