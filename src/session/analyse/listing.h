#pragma once
// What kernels there are: for `kerlab list`.

#include <filesystem>
#include <string>
#include <vector>

#include "session/run/arguments.h"
#include "session/run/rig.h"

namespace kerlab::session {

struct VariantListing {
  std::string name, doc;
  std::string accuracy;  ///< its class; empty: the strictest
  bool tune = true;
  int rung = 0;
  int minimum_cc = 0;
  std::vector<std::string> dtypes;
  std::vector<std::string> parameters;  ///< "BM = 64, 128, 256"
  std::uint64_t configurations = 1;     ///< before constraints
};

struct FamilyListing {
  std::string name, doc, group, folder;
  std::vector<std::string> dtypes;
  std::vector<std::string> dimensions;  ///< "M = 4096 (rows of D)"
  std::vector<std::string> flags;       ///< "layout = nn, nt, tn, tt"
  std::vector<std::string> scalars;     ///< "alpha = 1"
  std::vector<VariantListing> variants;
  std::string error;  ///< why it cannot be read; empty: fine
};

FamilyListing list_family(const KernelFolder& folder);
/// Every family of the catalogue, by group; one that cannot be read is listed with its error.
std::vector<FamilyListing> list_families(const KernelPlaces& kernels);
/// One, by name or folder. Throws what is wrong with it.
FamilyListing list_family(const KernelPlaces& kernels, const std::string& target);

/// A variant's space for a problem on a device.
struct SpaceListing {
  std::string variant;
  std::string unsupported;  ///< why it cannot do the problem; empty: it can, and
  std::uint64_t raw = 0, valid = 0;
  std::vector<Space::Cut> cuts;  ///< what is left after each constraint, in the order of the file
  std::string cuts_most;         ///< the constraint that leaves the smallest share of what reaches it; empty: none cuts
  double seconds = 0;            ///< that enumerating (or counting and sampling) took
};
struct SpacesListing {
  std::string title, device;
  std::vector<SpaceListing> spaces;
};
/// Of the named variants, or all; on the device of `options`. `where`: of restrict_spaces.
SpacesListing list_spaces(const RigOptions& options, const std::vector<ProblemArgument>& arguments,
                          const std::string& dtype, const std::vector<std::string>& variants,
                          const std::vector<std::string>& where);

/// `kerlab new NAME`: writes a commented, working family to `parent`/NAME and returns the folder. Throws UsageError.
std::filesystem::path new_family(const std::string& name, const std::filesystem::path& parent);

}  // namespace kerlab::session
