#pragma once
// What a device is and what it allows: a plain struct that travels from worker to parent.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/time_source.h"

namespace kerlab::plan {

enum class DeviceKind : std::uint8_t { cuda, emulated, script };
std::string_view name(DeviceKind kind);
/// None: no kind is called so.
std::optional<DeviceKind> kind_named(std::string_view name);

/// What a device can do and how it behaves: who has to decide something asks for one of these. A kind only gives words
/// to print and columns of the database.
struct Capabilities {
  bool is_hardware = true;        ///< a GPU: locked against other users, its clocks settle, its driver counts joules
  bool is_scripted = false;       ///< does what its script says: needs no lab, and nothing it says is of a GPU
  bool has_clock = true;          ///< times are measured, so they scatter and others disturb them; else a model gives
                                  ///< them, the same at any time
  bool can_hang = true;           ///< what never ends must be ended from outside; else the device notices by itself
  bool is_slow = false;           ///< executes so slowly that problems, spaces and deadlines are chosen for it
  bool loads_ptx = false;         ///< an image is PTX; else what ptxas made
  bool counts_exactly = false;    ///< executes each instruction by itself: counts them, names the line of a fault,
                                  ///< sanitizes
  bool executes_samples = false;  ///< a check executes some blocks and computes references only where it looks
  bool operator==(const Capabilities&) const = default;
};
/// What devices of the kind have: for those who make a device, and for one of which only the kind is stored.
Capabilities capabilities_of(DeviceKind kind);

/// Blocks of the clusters that a device is asked how many of them it holds.
inline constexpr std::array<int, 5> kClusterSizes{1, 2, 4, 8, 16};
using ActiveClusters = std::array<int, kClusterSizes.size()>;

struct DeviceInfo : Capabilities {
  std::string id;                      ///< "cuda:0", "emu:h200", "script:FILE"
  DeviceKind kind = DeviceKind::cuda;  ///< a word to print or store; never compared: see Capabilities
  std::string name;                    ///< "NVIDIA H200"
  std::string uuid;
  int cc_major = 0, cc_minor = 0;
  int driver_version = 0;  ///< as cuDriverGetVersion: 13000
  std::string driver;      ///< "580.159.04", or empty
  int sms = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  int shared_per_block = 0;  ///< opt-in maximum, bytes (232448 on H200)
  int shared_per_sm = 0;
  int shared_reserved = 0;  ///< per block, by the system
  int registers_per_block = 0;
  int registers_per_sm = 0;
  int threads_per_block = 0;
  int threads_per_sm = 0;
  int blocks_per_sm = 0;
  int warp_size = 32;
  int clock_mhz = 0;  ///< maximum SM clock
  int memory_clock_mhz = 0;
  int memory_bus_bits = 0;
  double fp64_ratio = 0;     ///< fp64 rate over fp32 rate: 0.5 on data-centre parts
  bool has_library = false;  ///< a vendor's library runs on it, where its host has one
  /// Clusters of kClusterSizes blocks that are resident at once with one block to an SM: fewer than sms / size, since a
  /// cluster lies within a GPC and GPCs have unequal numbers of SMs. 0: it has no clusters, or nobody has asked.
  ActiveClusters max_active_clusters{};
  bool operator==(const DeviceInfo&) const = default;

  [[nodiscard]] int compute_capability() const { return cc_major * 10 + cc_minor; }
  /// Of clusters of so many blocks; of a number between the sizes as of the next larger one. 0: none, or not known.
  [[nodiscard]] int clusters_at_once(std::int64_t blocks) const;
  /// As if SMs could be combined at will, where there are clusters at all: for devices of which nothing else is known.
  void assume_clusters();
  /// It with another number of SMs.
  [[nodiscard]] DeviceInfo with_sms(int its) const;
  /// With the capabilities of the kind.
  void set_kind(DeviceKind its);
  /// What times of it are.
  [[nodiscard]] ClockKind clock() const;
  /// What NVRTC is asked for: "sm_90a" on 9.0, "sm_80" on 8.0.
  [[nodiscard]] std::string arch() const;
  /// Name, SM count, memory, clocks: measurements compare only within one class.
  [[nodiscard]] std::string device_class() const;
};

/// What one kernel takes on the device, from the driver or the compiler's log.
struct KernelResources {
  std::string kernel;
  int registers = 0;                ///< per thread
  int local_bytes = 0;              ///< per thread: stack frame and spills
  int spill_bytes = 0;              ///< per thread, stores plus loads (compiler's log)
  int static_shared = 0;            ///< bytes per block
  int max_threads = 0;              ///< per block, 0: unknown
  int blocks_per_sm = 0;            ///< occupancy at the planned block and shared size; 0: unknown
  bool independent_blocks = false;  ///< emulated: blocks neither talk nor share results, so any of them can run alone
  bool operator==(const KernelResources&) const = default;
};

}  // namespace kerlab::plan
