#pragma once
// Watches a launch in mode sanitize: what is read before it is written, and what is not ordered by the rules of the PTX
// memory model. One thread; the findings are the same in every run. Not looked for: uninitialised reads of matrix
// operands (ldmatrix, wmma, wgmma; see races.cpp), and order among lanes of one warp when one of them arrives, or
// releases, for it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/emu/async/bulk_copy.h"
#include "device/emu/async/shared_place.h"
#include "device/emu/machine/cta.h"
#include "device/emu/machine/op.h"
#include "device/emu/machine/program.h"
#include "device/emu/sanitize/findings.h"
#include "device/emu/sanitize/footprint.h"
#include "device/emu/sanitize/in_flight.h"
#include "device/emu/sanitize/knowledge.h"
#include "device/emu/sanitize/shadow.h"

namespace kerlab::emu {

/// A word of memory that warps synchronise through.
struct SyncWord {
  Clock clock;
  Clock cluster_clock, block_clock;  ///< for the cluster, and the block, that wrote it only
  Clock fenced;                      ///< what its writers had made visible to the async proxy
  std::int64_t cluster = -1, block = -1;
};
using SyncWords = std::unordered_map<std::uint64_t, SyncWord>;

/// What is known of the lanes that came to a named barrier.
struct BarrierArrival {
  const Op* op = nullptr;  ///< null: not yet
  std::uint32_t lanes = 0;
};
struct BarrierShadow {
  Knowledge gathered;
  std::vector<BarrierArrival> arrivals;  ///< by warp
};

/// What the arrivals of a phase tell those who wait for it. Scopes count between blocks alone: each must have the
/// other.
struct MbarrierPhase {
  Knowledge near;     ///< by threads of the block, and by others that name no scope
  Knowledge cluster;  ///< by others with .cluster: not for waits with .cta
  Knowledge block;    ///< by others with .cta: for waits that name no scope
};
struct MbarrierShadow {
  std::uint32_t place = 0;            ///< as an actor of the cluster; what completes in phase p is at its time p + 1
  std::uint32_t phase = 0;            ///< how many have ended
  MbarrierPhase gathered, completed;  ///< from arrivals of this phase; of the last one that ended
  bool live = false;
  const ptx::Instruction* init = nullptr;  ///< where it was initialised, by whom and when
  ActorId actor = 0, last_arrival = ~0u;
  std::uint32_t time = 0, last_time = 0;
  int lane = 0;
};
/// A use of a block's shared memory by another one.
struct RemoteUse {
  ActorId actor = 0;
  std::uint32_t time = 0;
  const ptx::Instruction* at = nullptr;
  const MbarrierShadow* arrived = nullptr;  ///< an arrival there, in such a phase: who waits for that knows of it
  std::uint32_t phase = 0;
};
/// What gathers at barrier.cluster: the phase that fills and the one that its last waiters leave.
struct ClusterPhase {
  std::uint32_t phase = ~0u;
  Knowledge gathered;
};
struct ClusterShadow {
  std::array<ClusterPhase, 2> phases;
};

struct BlockShadow {
  Cta* cta = nullptr;
  bool without_room = false;     ///< it runs only to show what it writes
  bool waited = false;           ///< one of its threads, for the launches before this one
  bool triggered_early = false;  ///< it let dependent launches begin before it had waited itself
  std::int64_t linear = 0;
  std::uint32_t cluster = 0;
  Shadow shared;
  SyncWords words;  ///< of shared memory, by offset
  std::vector<WarpShadow> warps;
  std::array<BarrierShadow, 16> barriers;
  std::map<std::uint32_t, MbarrierShadow> mbarriers;  ///< by offset
  std::vector<RemoteUse> remote;
};

/// A range of addresses with its shadow.
struct Region {
  Shadow* shadow = nullptr;
  std::uint64_t begin = 0, end = 0;
  BlockShadow* block = nullptr;  ///< whose shared memory it is; null: global memory
  const std::string* name = nullptr;
};

/// An access about to be recorded.
struct Event {
  Warp* warp = nullptr;
  const Op* op = nullptr;
  WarpShadow* shadow = nullptr;
  ActorId actor = 0;
  std::uint32_t time = 0, site = 0, flags = 0;
  bool reads = false, writes = false;
  std::uint32_t mask = 0, bytes = 0;
  const std::byte* base = nullptr;  ///< host memory of offset 0
  const std::uint32_t* offset = nullptr;
};

/// A word that lanes wait for, which no block that has room will write.
struct Spin {
  const ptx::Instruction* at = nullptr;  ///< that reads it
  std::string what, who;                 ///< its name; the first of those that wait
};

class Sanitizer {
 public:
  /// `before`: what the launch may overlap, where it is programmatic; else null.
  Sanitizer(const Program& program, GlobalMemory& memory, const Dim3& grid, const Dim3& cluster,
            const InFlight* before = nullptr);
  ~Sanitizer();

  void begin_block(Cta& cta, std::int64_t linear, std::size_t warps, std::size_t local_bytes);

  /// `base + offset[lane]` is accessed by the lanes of `mask`, `bytes` each; all in one range of host memory. Called by
  /// memory handlers (handlers/access.h, watch).
  void access(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* base,
              const std::uint32_t* offset);
  /// The same for lanes that go to different places.
  void scattered(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, std::byte* const* pointer,
                 const std::uint8_t* lane_bytes);
  /// Operations other than accesses that are told of: before they run, and after.
  [[nodiscard]] bool watches(const Op& op) const { return watched_[index_of(op)] != 0; }
  void before(Warp& warp, const Op& op, std::uint32_t mask);
  void after(Warp& warp, const Op& op, std::uint32_t mask);

  // named barriers (barriers.cpp)
  void arrive(Warp& warp, const Op& op, int barrier, std::uint32_t lanes);
  void pass(Warp& warp, int barrier);
  void reset(Cta& cta, int barrier);
  /// A collective instruction: its lanes agree about their members, or not.
  void members(Warp& warp, const Op& op, std::uint32_t lanes, std::uint32_t named, std::uint32_t others);
  void sync_warp(Warp& warp);
  /// In a deadlock: lanes wait for others of their warp, in a collective instruction or (else) at a barrier.
  void stuck(const Warp& warp, const ptx::Instruction& at, bool collective, std::uint32_t lanes, std::uint32_t missing);

  // mbarriers.cpp
  void mbarrier_init(const Issuer& who, const SharedPlace& at);
  void mbarrier_invalidate(const SharedPlace& at);
  void mbarrier_arrive(const Issuer& who, const SharedPlace& at);
  void mbarrier_used(const Issuer& who, const SharedPlace& at);
  void phase_ended(const Issuer& who, const SharedPlace& at);
  void mbarrier_waited(Warp& warp, const Op& op, std::uint32_t lanes);
  void stuck_at_mbarrier(const Warp& warp, const ptx::Instruction& at, std::uint32_t lanes, const SharedPlace& place,
                         const std::string& what);
  void cluster_waited(Warp& warp, std::uint32_t lanes);

  // copies.cpp
  void copy_issued(Cluster& cluster, const BulkCopy& copy);
  void end_block(Cta& cta);

  // wgmma.cpp
  /// It reads these bytes of shared memory, for one warp, until its group (counted from 0) has been waited for.
  void wgmma_issued(Warp& warp, const Op& op, std::uint32_t group, std::uint32_t begin, std::uint32_t end);
  void registers_taken(Warp& warp, const Op& op, std::uint32_t group);
  /// An operation runs: does it touch registers of a wgmma in flight, or those that one will accumulate in?
  void look_at_registers(Warp& warp, const Op& op) {
    const WarpShadow& own = warp.cta->shadow->warps[warp.index];
    if (own.last_flight > own.waited) find_touched(warp, op);
    if (makes_sums_[index_of(op)] != 0) note_sums(warp, op);
  }
  /// The groups below this one have been waited for.
  void wgmma_waited(Warp& warp, std::uint32_t groups);

  // spins.cpp
  /// Lanes read a word again and again that nobody who runs will write.
  void spinning(const Warp& warp, std::uint32_t lanes);
  /// After that: blocks for which there is no room begin all the same, to show what they write.
  void others_begin() { others_ = true; }

  void fault(const MachineFault& fault);
  std::vector<Finding> take() { return findings_.take(); }
  // dependence.cpp
  /// What the launch read and wrote, and those before it that may still run when the next one begins.
  void leave_behind(InFlight& after);
  /// What was waited for in vain and nobody wrote is told; what its blocks wrote counts as initialised.
  void end_launch();

 private:
  enum class Kind : std::uint8_t { load, store, atomic, copy };
  struct OpInfo {
    std::uint32_t site = 0, flags = 0;
    Kind kind = Kind::load;
  };
  [[nodiscard]] std::size_t index_of(const Op& op) const { return static_cast<std::size_t>(&op - program_.ops.data()); }
  void describe(const Op& op);
  void note_polls();

  Region region_of(Warp& warp, const std::byte* base, std::uint32_t offset);
  [[nodiscard]] static Region shared_region(const Cta& block);
  Line& line_at(const Region& region, std::uint64_t offset);
  Event event_of(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, bool global);
  void access_local(Warp& warp, const Op& op, std::uint32_t mask, std::uint32_t bytes, const std::uint32_t* offset);
  // races.cpp
  void touch(const Region& region, std::uint64_t offset, const Touch& touch, const Event& event);
  void read(Line& line, const Touch& touch, const Event& event, const Region& region, std::uint64_t offset);
  void write(Line& line, const Touch& touch, const Event& event, const Region& region, std::uint64_t offset);
  void meet(const Record& before, bool before_wrote, const LineLanes& lanes, const Event& event, const Region& region,
            std::uint64_t offset, const Touch& touch);
  void meet_lanes(const Record& before, bool before_wrote, const LineLanes& lanes, const Event& event,
                  const Region& region, std::uint64_t offset, const Touch& touch,
                  const std::array<std::uint32_t, kLanes>& known);
  void check_overlap(const Event& event, const Region& region);
  [[nodiscard]] bool same_value(const Event& event, const Region& region, std::uint64_t offset,
                                std::uint64_t bytes) const;

  // spins.cpp
  void note_look(const Event& event);
  void report_spins(const Event& event, const Region& region);
  void report_spin(const Spin& spin, const Event* event);

  void keep_initialised();

  // dependence.cpp
  void note_before(Line& line, std::uint64_t address) const;
  void depend(Warp& warp, const Op& op, std::uint32_t mask);
  void report_never_waited();

  // memory_order.cpp
  void synchronise(const Event& event, const Region& region);
  void fence(Warp& warp, const Op& op, std::uint32_t mask);

  // mbarriers.cpp
  MbarrierShadow& mbarrier(const SharedPlace& at);
  Line& mbarrier_line(const SharedPlace& at);
  void check_init(const Warp& warp, const Op& op, int lane, const SharedPlace& at, bool copy);
  void check_runs(const Warp& warp, const Op& op, const Cta& target);
  void copies_arrive(Warp& warp, const Op& op, std::uint32_t mask);
  void confirm_seen(WarpShadow& warp, bool far, std::uint32_t lanes) const;
  void take_arrivals(WarpShadow& warp, const Knowledge& told, std::uint32_t lanes) const;
  void cluster_arrive(Warp& warp, const Op& op);

  // copies.cpp
  Event event_of(const BulkCopy& copy, Warp& warp);
  void access_range(const Region& region, std::uint64_t offset, std::uint64_t bytes, const Event& event);
  void access_global(std::uint64_t address, std::uint64_t bytes, const Event& event);
  void access_global(const BulkCopy& copy, const Event& event);
  void bulk_groups_waited(Warp& warp, const Op& op, std::uint32_t mask);
  void note_remote(const Warp& warp, const Op& op, const Cta& target, ActorId actor, std::uint32_t time,
                   const MbarrierShadow* arrived = nullptr);
  [[nodiscard]] static bool has_pending(const Cta& cta, std::uint32_t mbarrier);

  // wgmma.cpp
  void find_makers_of_sums();
  void note_sums(Warp& warp, const Op& op);
  void check_fence(Warp& warp, const Op& op);
  void find_touched(Warp& warp, const Op& op);
  void move_flight(Warp& warp, const Op& op);
  void touch_slot(Warp& warp, const Op& op, std::int32_t slot, bool writes);

  // masks.cpp
  void check_shuffle(Warp& warp, const Op& op, std::uint32_t lanes);

  // report.cpp
  void report_race(const Record& before, bool before_wrote, const Event& event, const Region& region,
                   std::uint64_t offset, std::uint64_t bytes);
  void report_early(bool before_wrote, const Event& event, const Region& region, std::uint64_t offset,
                    std::uint64_t bytes);
  void report_non_coherent(const Record& before, const Event& event, const Region& region, std::uint64_t offset,
                           std::uint64_t bytes);
  void report_proxy(const Record& before, const Event& event, const Region& region, std::uint64_t offset,
                    std::uint64_t bytes);
  void report_overlap(const Event& event, const Region& region, int first, int second);
  void report_uninitialised(const Event& event, const Region& region, std::uint64_t offset, std::uint64_t bytes);
  void report_local(Warp& warp, const Op& op, std::uint32_t lanes, std::uint32_t bytes, const std::uint32_t* offset);
  void report_divergence(Warp& warp, const Op& first, const Op& op, int barrier, std::uint32_t there,
                         std::uint32_t here);
  void report_barrier_bytes(const Event& event, const Region& region, std::uint64_t offset, std::uint64_t bytes);
  [[nodiscard]] bool scopes_meet(const Record& before, const Event& event) const;
  [[nodiscard]] bool is_mbarrier_actor(ActorId actor) const { return (actor & kActorMask) >= first_mbarrier_; }
  [[nodiscard]] std::string place_name(const SharedPlace& at) const;
  [[nodiscard]] std::string address_name(const Region& region, std::uint64_t offset, const Warp& warp) const;
  [[nodiscard]] std::string actor_name(ActorId actor, const Event& event) const;
  [[nodiscard]] std::string who(const Warp& warp, std::uint32_t lanes) const;
  [[nodiscard]] std::uint32_t lanes_at(const Event& event, const Region& region, std::uint64_t offset,
                                       std::uint64_t bytes) const;

  const Program& program_;
  GlobalMemory& memory_;
  const InFlight* before_;
  bool waited_ = false;  ///< somebody, for the launches before
  bool late_ = false;    ///< a block let the next launch begin only when it had waited
  Dim3 grid_, cluster_;
  static constexpr std::uint32_t kMbarriers = 64;  ///< of a block, that have a clock of their own
  std::uint32_t first_mbarrier_ = 0;               ///< as an actor of a cluster
  std::uint32_t engines_ = 1;                      ///< actors per warp
  Findings findings_;
  std::vector<OpInfo> infos_;                   ///< by operation
  std::vector<std::uint8_t> watched_;           ///< by operation
  std::vector<std::uint8_t> makes_sums_;        ///< by operation: writes what becomes the accumulator of a wgmma
  std::vector<FootprintCache> footprints_;      ///< by operation; cp.async has a second one behind all
  std::vector<const ptx::Instruction*> sites_;  ///< by site
  std::vector<std::unique_ptr<BlockShadow>> blocks_;
  struct Global {
    std::uint64_t begin = 0, end = 0;
    std::string name;  ///< of a tensor or workspace, when it is known
    Shadow shadow;
  };
  std::vector<std::unique_ptr<Global>> globals_;
  Global* last_global_ = nullptr;
  std::map<const Cluster*, ClusterShadow> clusters_;
  SyncWords words_;                      ///< of global memory, by address
  bool others_ = false;                  ///< blocks that begin now have no room
  std::map<std::uint64_t, Spin> spins_;  ///< by address, until somebody writes there
};

}  // namespace kerlab::emu
