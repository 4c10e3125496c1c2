#pragma once
// What an exported file holds, as tables; and which of its kernels a problem gets.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "report/dispatch/plan.h"

namespace kerlab_dispatch_2 {

/// A cubin: its bytes, or the file that holds them.
struct Image {
  const unsigned char* bytes;  ///< null: in `file`
  std::size_t size;
  const char* file;
  std::uint64_t fnv1a;  ///< of the bytes
};

/// A program, for one dtype and one set of flags, and what it launches.
struct Kernel {
  const char *variant, *configuration, *dtype;
  const char* const* flags;
  int image;
  void (*plan)(const Request&, Planner&);
};

/// A problem that was tuned, and the kernel that it got. Times are microseconds.
struct Shape {
  const std::int64_t* dimensions;
  const double* scalars;
  int kernel;
  double us, low_us, high_us;  ///< of this kernel, 95 % interval of the median
  double own_best_us;          ///< of the fastest kernel known for this problem
};

/// A property of the device that plans were made with. `attribute`: CUdevice_attribute; -1: bytes of memory, -2: ten
/// times the compute capability.
struct Fact {
  const char* name;
  std::int64_t value;
  int attribute;
};

struct Library {
  const char *family, *device_class, *toolchain, *driver, *exported, *clock;
  int check_version;
  const char *const *dimension_names, *const *flag_names, *const *scalar_names, *const *tensor_names;
  int dimensions, flags, scalars, tensors;
  const Image* images;
  int image_count;
  const Kernel* kernels;
  int kernel_count;
  const Shape* shapes;
  int shape_count;
  const Fact* facts;
  int fact_count;
};

/// no_kernel: none of the exported kernels is valid for the problem. other_device: the cubins are for another one.
enum class Status { ok, no_kernel, other_device, bad_argument, no_driver, bad_image, driver_error };
inline const char* name(Status status) {
  const char* const names[] = {"ok",        "no_kernel", "other_device", "bad_argument",
                               "no_driver", "bad_image", "driver_error"};
  return names[static_cast<int>(status)];
}

struct Choice {
  Status status = Status::no_kernel;
  std::string message;  ///< why there is none
  int kernel = -1, shape = -1;
  bool exact = false;  ///< the problem itself was tuned
  Plan plan;
};

/// Zero for the tuned problem itself: powers of two between extents, and a little for other scalars.
inline double distance(const Library& library, const Shape& shape, const Request& request) {
  double sum = 0;
  for (int i = 0; i < library.dimensions; ++i)
    if (shape.dimensions[i] != request.dimensions[static_cast<std::size_t>(i)])
      sum += 1e-6 + std::abs(std::log2((static_cast<double>(shape.dimensions[i]) + 0.5) /
                                       (static_cast<double>(request.dimensions[static_cast<std::size_t>(i)]) + 0.5)));
  for (int i = 0; i < library.scalars; ++i)
    if (shape.scalars[i] != request.scalars[static_cast<std::size_t>(i)]) sum += 1e-9;
  return sum;
}

inline bool same_kind(const Library& library, const Kernel& kernel, const Request& request) {
  if (request.dtype != kernel.dtype) return false;
  for (int i = 0; i < library.flags; ++i)
    if (request.flags[static_cast<std::size_t>(i)] != kernel.flags[i]) return false;
  return true;
}

inline std::string text(const Library& library, const Request& request) {
  std::string words = library.family;
  for (int i = 0; i < library.dimensions; ++i)
    words += std::string(" ") + library.dimension_names[i] + "=" +
             std::to_string(request.dimensions[static_cast<std::size_t>(i)]);
  words += " " + request.dtype;
  for (int i = 0; i < library.flags; ++i)
    words += std::string(" ") + library.flag_names[i] + "=" + request.flags[static_cast<std::size_t>(i)];
  return words;
}

/// The kernel of the problem itself where it was tuned, else of the nearest tuned one of the same dtype and flags whose
/// kernel is valid here. Needs no GPU.
inline Choice choose(const Library& library, const Request& request) {
  Choice choice;
  if (request.dimensions.size() != static_cast<std::size_t>(library.dimensions) ||
      request.flags.size() != static_cast<std::size_t>(library.flags) ||
      request.scalars.size() != static_cast<std::size_t>(library.scalars)) {
    choice.status = Status::bad_argument;
    choice.message = "the request has another number of dimensions, flags or scalars than the library";
    return choice;
  }
  std::vector<std::pair<double, int>> order;
  for (int i = 0; i < library.shape_count; ++i)
    if (same_kind(library, library.kernels[library.shapes[i].kernel], request))
      order.emplace_back(distance(library, library.shapes[i], request), i);
  std::sort(order.begin(), order.end());
  choice.message = text(library, request) + ": nothing was tuned for this dtype and these flags";
  std::vector<bool> tried(static_cast<std::size_t>(library.kernel_count), false);
  for (const auto& candidate : order) {
    const int index = library.shapes[candidate.second].kernel;
    if (tried[static_cast<std::size_t>(index)]) continue;
    const bool first = std::find(tried.begin(), tried.end(), true) == tried.end();
    tried[static_cast<std::size_t>(index)] = true;
    const Kernel& kernel = library.kernels[index];
    Planner planner;
    kernel.plan(request, planner);
    if (planner.ok()) {
      choice.status = Status::ok;
      choice.message.clear();
      choice.kernel = index;
      choice.shape = candidate.second;
      choice.exact = candidate.first < 1e-6;
      choice.plan = std::move(planner.plan);
      return choice;
    }
    if (first)
      choice.message = text(library, request) + ": no exported kernel is valid; the nearest, " + kernel.variant + " " +
                       kernel.configuration + ": " + planner.why();
  }
  return choice;
}

}  // namespace kerlab_dispatch_2
