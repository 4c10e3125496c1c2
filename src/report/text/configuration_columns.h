#pragma once
// Configurations beside one another: which of their parameters differ, and what they have in common.

#include <string>
#include <utility>
#include <vector>

#include "base/modules.h"

namespace kerlab::report {

/// A variant with its configuration as text: "BM=128 BN=64".
struct NamedConfiguration {
  std::string variant, configuration;
};

struct ConfigurationColumns {
  bool variants_differ = false;
  std::vector<std::string> names;               ///< parameters of which two rows have different values
  std::vector<std::vector<std::string>> cells;  ///< by row, then as `names`; empty where the variant has no such one
  std::vector<std::string> usual;               ///< as `names`: the value of most rows
  /// What is left, by whose rows it is: {"all", "BK=64 STAGES=4"}, {"hopper", "STREAM=0"}.
  std::vector<std::pair<std::string, std::string>> common;
};

ConfigurationColumns configuration_columns(const std::vector<NamedConfiguration>& rows);

/// Places in `names`, those first of which most rows have another value than the usual one.
std::vector<std::size_t> most_telling(const ConfigurationColumns& columns);

}  // namespace kerlab::report
