#pragma once
// What an exported dispatcher holds: kernels, the shapes they were chosen for, and where all of it comes from.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/modules.h"

namespace kerlab::trial {

/// A cubin, once for all kernels that are the same code.
struct ExportedImage {
  std::string hash;
  std::vector<std::byte> bytes;
};

/// A launch and what it needs, as the spec says them: expressions in kerlab's language (kernels/FORMAT.md).
struct ExportedLaunch {
  std::string kernel, when, repeat, group, shared;
  std::vector<std::string> grid, block, cluster, arguments;
  std::string programmatic = {}, carveout = {};  ///< expressions; empty: not said
};
struct ExportedTensorMap {
  std::string name, tensor, dtype, swizzle, promotion;
  std::vector<std::string> dims, strides, box;
  bool nan_fill = false;
};
/// A variable of the image that holds a tensor.
struct ExportedSymbol {
  std::string name, tensor;
};
struct ExportedWorkspace {
  std::string name, bytes, initial;
};

/// A program for one dtype and one set of flags.
struct ExportedKernel {
  std::string variant, configuration, dtype;
  std::string accuracy;            ///< its class; empty: the strictest
  std::vector<std::string> flags;  ///< in the order of the family's
  std::size_t image = 0;
  std::string plan_code;  ///< statements of C++17 (spec/plan_code.h)
  std::string source_hash;
  std::vector<std::pair<std::string, std::int64_t>> constants;   ///< parameters, dtype, flags, device
  std::vector<std::pair<std::string, std::int64_t>> compiled;    ///< derived values that went into the cubin
  std::vector<std::pair<std::string, std::string>> derived;      ///< name, expression
  std::vector<std::pair<std::string, std::string>> constraints;  ///< name, expression
  std::vector<ExportedWorkspace> workspaces;
  std::vector<ExportedTensorMap> maps;
  std::vector<ExportedSymbol> symbols;
  std::vector<ExportedLaunch> prepare;  ///< before the launches, where inputs are new
  std::vector<ExportedLaunch> launches;
};

struct ExportedShape {
  std::string problem, title;  ///< key; as printed
  std::vector<std::int64_t> dimensions;
  std::vector<double> scalars;
  std::size_t kernel = 0;
  double us = 0, low_us = 0, high_us = 0;        ///< of this kernel, 95 % interval of the median
  double loss = 0;                               ///< against the shape's own best
  std::string best_variant, best_configuration;  ///< its own best
  double best_us = 0;
  std::string options;  ///< of this kernel on this shape, with the digest of its launch plan
  std::string decided;  ///< UTC
};

struct ExportedTensor {
  std::string name, role, doc;
};

struct ExportedLibrary {
  std::string family, target;  ///< `target`: as kerlab finds the family
  std::string device_class, device_name, arch, toolchain, driver, created, kerlab, clock;
  std::int64_t check_version = 0;
  double within = 0;
  std::size_t largest = 0;
  bool unchecked_values = false;  ///< not every value of the variants' parameters need have been right once
  std::vector<std::string> dimension_names, scalar_names;
  std::vector<std::pair<std::string, std::string>> flag_names;  ///< name, default value
  std::vector<std::int64_t> dimension_defaults;                 ///< 0: must be given
  std::vector<double> scalar_defaults;
  std::string default_dtype;
  std::vector<ExportedTensor> tensors;
  std::vector<std::pair<std::string, std::int64_t>> facts;  ///< device.* that the plans were made with
  std::vector<ExportedImage> images;
  std::vector<ExportedKernel> kernels;
  std::vector<ExportedShape> shapes;
};

/// What an exported file says of itself, so that it can be told whether it is stale.
struct ExportIdentity {
  std::string family, target, device_class, toolchain, driver, exported, clock;
  std::int64_t check_version = 0;
  std::vector<std::pair<std::string, std::int64_t>> facts;
  struct Shape {
    std::string problem, variant, configuration, source_hash, options;
    double us = 0;
    std::string best_variant, best_configuration, decided;
    double best_us = 0;
  };
  std::vector<Shape> shapes;
};

}  // namespace kerlab::trial
