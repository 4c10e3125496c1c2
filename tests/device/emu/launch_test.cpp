// Whole kernels on the emulated machine against plain C++. The kernels: ptx/machine.cu.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "device/emu/machine_lab.h"
#include "locations.h"

using namespace kerlab;
using namespace kerlab::emu;
using Catch::Contains;

namespace {

const std::string& machine_ptx() {
  static const std::string text = read_text_file((tests_folder() / "device/emu/ptx/machine.ptx").string());
  return text;
}

/// The same on one thread and two, with and without AVX2; `check` makes its own data.
template <class F>
void in_every_way(F check) {
  for (const char* isa : {"", "portable"}) {
    setenv("KERLAB_EMU_ISA", isa, 1);
    for (const int threads : {1, 2}) {
      INFO("threads " << threads << (*isa != 0 ? ", portable" : ""));
      MachineLab lab(machine_ptx());
      lab.launch.threads = threads;
      check(lab);
    }
  }
  unsetenv("KERLAB_EMU_ISA");
}

std::vector<float> ramp(std::size_t n, float step) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = step * static_cast<float>(i % 97) - 3;
  return values;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no exception";
}

}  // namespace

TEST_CASE("emulated: a vector addition with a tail", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    for (const int n : {1, 31, 100, 1000}) {
      const std::vector<float> a = ramp(1024, 0.5f);
      const std::vector<float> b = ramp(1024, 0.25f);
      const Buffer<float> da(lab.memory, a);
      const Buffer<float> db(lab.memory, b);
      const Buffer<float> dc(lab.memory, 1024);
      const LaunchReport report = lab.run("vector_add", {11, 1, 1}, {96, 1, 1}, da, db, dc, n);
      CHECK(report.emulated);
      CHECK(report.blocks == 11);
      CHECK(report.blocks_run == 11);
      const std::vector<float> c = dc.values();
      for (std::size_t i = 0; i < c.size(); ++i) {
        REQUIRE(c[i] == (i < static_cast<std::size_t>(n) ? a[i] + b[i] : 0.0f));
      }
    }
  });
}

TEST_CASE("emulated: only the blocks asked for", "[emu][launch]") {
  MachineLab lab(machine_ptx());
  const Buffer<float> ones(lab.memory, std::vector<float>(512, 1.0f));
  const Buffer<float> out(lab.memory, 512);
  lab.launch.blocks = {1, 6};
  lab.launch.record_writes = true;
  const LaunchReport report = lab.run("vector_add", {8, 1, 1}, {64, 1, 1}, ones, ones, out, 400);
  CHECK(report.blocks == 8);
  CHECK(report.blocks_run == 2);
  const std::vector<float> values = out.values();
  for (std::size_t i = 0; i < 512; ++i) REQUIRE(values[i] == (i / 64 == 1 || (i / 64 == 6 && i < 400) ? 2.0f : 0.0f));
  REQUIRE(report.written.size() == 2);
  CHECK(report.written[0] == AddressRange{out.at + 64 * 4, out.at + 128 * 4});
  CHECK(report.written[1] == AddressRange{out.at + 384 * 4, out.at + 400 * 4});
}

namespace {

int diverge(int in) {
  int x = in;
  int steps = 0;
  while (x != 1 && steps < 500) {
    if (x % 2 == 0) {
      x /= 2;
    } else {
      x = 3 * x + 1;
      if (x % 7 == 0) steps += 1000 * (x % 3);
    }
    for (int k = 0; k < (x & 3); ++k) steps += k == 2 ? 5 : 1;
    ++steps;
  }
  switch (in % 9) {
    case 0:
      return steps + 3;
    case 1:
      return steps * 2;
    case 2:
      return steps - 7;
    case 3:
      return (steps ^ 0x55) + 11;
    case 4:
      return steps + 11;
    case 5:
      return -steps;
    case 6:
      return static_cast<int>(static_cast<unsigned>(steps) << 2);
    case 7:
      return steps % 13;
    default:
      return steps | 1;
  }
}

}  // namespace

TEST_CASE("emulated: diverging lanes", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    std::vector<int> in(1000);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 37 % 1009 + 1);
    const Buffer<int> din(lab.memory, in);
    const Buffer<int> out(lab.memory, 1000);
    const LaunchReport report = lab.run("diverge", {8, 1, 1}, {128, 1, 1}, din, out, 1000);
    CHECK(report.counts.divergent_branches > 100);
    const std::vector<int> values = out.values();
    for (std::size_t i = 0; i < in.size(); ++i) {
      INFO("in " << in[i]);
      REQUIRE(values[i] == diverge(in[i]));
    }
  });
}

TEST_CASE("emulated: a barrier does not wait for threads that have exited", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> out(lab.memory, 512);
    lab.run("early_exit", {2, 1, 1}, {256, 1, 1}, out, 77);
    const std::vector<int> values = out.values();
    for (int i = 0; i < 512; ++i) {
      const int t = i % 256;
      REQUIRE(values[static_cast<std::size_t>(i)] == (t < 77 ? (76 - t) * (76 - t) : 0));
    }
  });
}

TEST_CASE("emulated: a block reduction", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    for (const unsigned threads : {32u, 80u, 256u}) {
      constexpr int kCount = 1000;
      std::vector<float> in(5 * kCount);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 13);
      const Buffer<float> din(lab.memory, in);
      const Buffer<float> out(lab.memory, 5);
      lab.run("block_sum", {5, 1, 1}, {threads, 1, 1}, din, out, kCount);
      for (std::size_t b = 0; b < 5; ++b) {
        REQUIRE(out[b] == std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(b) * kCount,
                                          in.begin() + static_cast<std::ptrdiff_t>(b + 1) * kCount, 0.0f));
      }
    }
  });
}

TEST_CASE("emulated: a histogram with atomics", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    std::vector<unsigned char> in(10000);
    std::vector<unsigned> expected(256);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = static_cast<unsigned char>(i * i / 7);
      expected[in[i]]++;
    }
    const Buffer<unsigned char> din(lab.memory, in);
    const Buffer<unsigned> bins(lab.memory, 256);
    lab.run("histogram", {6, 1, 1}, {192, 1, 1}, din, bins, 10000);
    CHECK(bins.values() == expected);
  });
}

TEST_CASE("emulated: a scan whose blocks wait for each other", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    for (const auto& [resident, schedule] : {std::pair{0, Schedule::ascending},
                                             {3, Schedule::ascending},
                                             {0, Schedule::descending},
                                             {3, Schedule::descending},
                                             {0, Schedule::shuffled},
                                             {3, Schedule::shuffled}}) {
      std::vector<int> in(40 * 128);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i % 11) - 4;
      std::vector<int> expected(in.size());
      std::partial_sum(in.begin(), in.end(), expected.begin());
      const Buffer<int> din(lab.memory, in);
      const Buffer<int> out(lab.memory, in.size());
      const Buffer<int> sums(lab.memory, 40);
      const Buffer<int> flags(lab.memory, 40);
      const Buffer<int> ticket(lab.memory, 1);
      lab.launch.resident_blocks = resident;
      lab.launch.schedule = schedule;
      lab.run("look_back", {40, 1, 1}, {128, 1, 1}, din, out, sums, flags, ticket);
      CHECK(out.values() == expected);
    }
  });
}

TEST_CASE("emulated: a lock among the lanes of a warp", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> lock(lab.memory, 1);
    const Buffer<int> counter(lab.memory, 1);
    const Buffer<int> order(lab.memory, 160);
    lab.launch.instruction_budget = 1 << 30;
    lab.run("spin_lock", {1, 1, 1}, {160, 1, 1}, lock, counter, order);
    CHECK(counter[0] == 160);
    std::vector<int> seen = order.values();
    std::sort(seen.begin(), seen.end());
    std::vector<int> all(160);
    std::iota(all.begin(), all.end(), 0);
    CHECK(seen == all);
  });
}

TEST_CASE("emulated: lanes of a warp that wait for each other through memory", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> out(lab.memory, 32);
    lab.launch.instruction_budget = 1 << 30;
    lab.run("handshake", {1, 1, 1}, {32, 1, 1}, out);
    const std::vector<int> values = out.values();
    for (int t = 0; t < 32; ++t) REQUIRE(values[static_cast<std::size_t>(t)] == t + 2);
  });
}

TEST_CASE("emulated: warp instructions for some lanes only", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> out(lab.memory, 64);
    lab.run("partial_masks", {1, 1, 1}, {64, 1, 1}, out);
    std::vector<int> x(32);
    for (int lane = 0; lane < 32; ++lane) {
      auto& mine = x[static_cast<std::size_t>(lane)];
      mine = (lane ^ 2) * 10 + 4;
      mine += lane < 12 ? 66 : 1000 * 31;
    }
    const std::vector<int> values = out.values();
    for (int t = 0; t < 64; ++t) {
      const int lane = t % 32;
      const int leader = lane / 5 * 5;
      REQUIRE(values[static_cast<std::size_t>(t)] ==
              x[static_cast<std::size_t>(lane)] + x[static_cast<std::size_t>(leader)]);
    }
  });
}

TEST_CASE("emulated: barriers that vote", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    std::vector<int> in(100);
    std::iota(in.begin(), in.end(), 0);
    const Buffer<int> out(lab.memory, 100);
    lab.run("barrier_votes", {1, 1, 1}, {100, 1, 1}, Buffer<int>(lab.memory, in), out);
    CHECK(out.values() == std::vector<int>(100, 96 * 100 + 0 * 10 + 1));
    lab.run("barrier_votes", {1, 1, 1}, {90, 1, 1}, Buffer<int>(lab.memory, std::vector<int>(90, 4)), out);
    const std::vector<int> values = out.values();
    CHECK(std::vector<int>(values.begin(), values.begin() + 90) == std::vector<int>(90, 90 * 100 + 10));
  });
}

TEST_CASE("emulated: named barriers, arrive and sync", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> out(lab.memory, 128);
    lab.run("named_barriers", {1, 1, 1}, {128, 1, 1}, out);
    const std::vector<int> values = out.values();
    for (int t = 0; t < 128; ++t) {
      const int x = t < 64 ? 63 - t : 64 + 63 - t % 64;
      REQUIRE(values[static_cast<std::size_t>(t)] == (t < 64 ? x : x + (63 - (t - 64)) + 1000));
    }
  });
}

TEST_CASE("emulated: memory that was never written", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<float> out(lab.memory, 64);
    lab.launch.dynamic_shared = 256;
    lab.run("unwritten", {1, 1, 1}, {64, 1, 1}, out);
    const std::vector<float> values = out.values();
    for (int t = 0; t < 64; ++t) {
      const float value = values[static_cast<std::size_t>(t)];
      REQUIRE((t == 7 ? std::isnan(value) : value == static_cast<float>(t)));
    }
  });
}

TEST_CASE("emulated: arrays in local memory", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    std::vector<int> in(24);
    for (std::size_t k = 0; k < in.size(); ++k) in[k] = static_cast<int>(k * k * 31 + 7);
    const Buffer<int> out(lab.memory, 64);
    lab.run("local_array", {1, 1, 1}, {64, 1, 1}, Buffer<int>(lab.memory, in), out, 50);
    for (int t = 0; t < 64; ++t) {
      std::vector<int> a(24);
      for (std::size_t k = 0; k < 24; ++k) a[k] = in[k] * (t + 1);
      int x = t;
      for (int k = 0; k < 50; ++k) {
        const int j = (x ^ k) % 24;
        x = (a[static_cast<std::size_t>(j)] + k) & 0xffff;
        a[static_cast<std::size_t>((j + 5) % 24)] = x;
      }
      REQUIRE(out[static_cast<std::size_t>(t)] == x);
    }
  });
}

TEST_CASE("emulated: clocks go forward and are the same every time", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<std::int64_t> first(lab.memory, 128);
    const Buffer<std::int64_t> second(lab.memory, 128);
    lab.run("clocks", {1, 1, 1}, {64, 1, 1}, first);
    lab.run("clocks", {1, 1, 1}, {64, 1, 1}, second);
    CHECK(first.values() == second.values());
    CHECK(first[0] > 0);
    CHECK(first[0] < 200);
  });
}

TEST_CASE("emulated: printf of a kernel", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    std::string printed;
    lab.launch.print = [&](std::string_view text) { printed += text; };
    lab.run("prints", {2, 1, 1}, {32, 1, 1}, 3.14159f);
    std::string expected;
    for (const int block : {0, 1}) {
      for (const int thread : {3, 19}) {
        expected += std::to_string(thread) + " of block " + std::to_string(block) + ":  3.14|42    |-5 text k ff %\n";
      }
    }
    CHECK(printed == expected);
  });
}

TEST_CASE("emulated: faults say what and where", "[emu][launch]") {
  in_every_way([](MachineLab& lab) {
    const Buffer<int> data(lab.memory, 64);
    const auto message = [&](auto... arguments) { return message_of([&] { lab.run(arguments...); }); };
    CHECK_THAT(message("store_at", Dim3{2, 1, 1}, Dim3{32, 1, 1}, data, std::int64_t{256}),
               Contains("illegal address: st.global.u32") && Contains("0 bytes after the end of the 256 bytes at") &&
                   Contains("lane 5 of warp 0, thread (5,0,0), block (0,0,0), st.global.u32 (ptx line") &&
                   Contains("machine.cu:"));
    CHECK_THAT(message("store_at", Dim3{1, 1, 1}, Dim3{32, 1, 1}, data, std::int64_t{2}),
               Contains("misaligned address: st.global.u32"));
    CHECK_THAT(message("trap_at", Dim3{9, 1, 1}, Dim3{64, 1, 1}, 2, 37),
               Contains("trap: trap was executed; lane 5 of warp 1, thread (37,0,0), block (2,0,0)"));
    CHECK_THAT(message("asserts", Dim3{1, 1, 1}, Dim3{64, 1, 1}, 40),
               Contains("assertion 'x <= limit' failed in asserts, machine.cu:17; lane 9 of warp 1"));
    CHECK_THAT(message("deadlock", Dim3{1, 1, 1}, Dim3{128, 1, 1}, Buffer<int>(lab.memory, 128)),
               Contains("deadlock") && Contains("block (0,0,0): warps 0-1 lanes 0-31 at bar.sync (ptx line") &&
                   Contains("for barrier 1") && Contains("warp 2 lanes 0-31 at") && Contains("for barrier 2") &&
                   Contains("1 of 4 warps have exited"));
    CHECK_THAT(message("endless", Dim3{8, 1, 1}, Dim3{64, 1, 1}, data),
               Contains("deadlock") && Contains("block (3,0,0): warps 0-1 lanes 0-31 at ld.volatile") &&
                   Contains("machine.cu:"));
  });
}

TEST_CASE("emulated: kinds of faults", "[emu][launch]") {
  MachineLab lab(machine_ptx());
  const Buffer<int> data(lab.memory, 64);
  const auto kind = [&](auto... arguments) {
    try {
      lab.run(arguments...);
    } catch (const DeviceFault& fault) {
      CHECK(fault.sticky());
      return fault.kind();
    }
    return FaultKind::other;
  };
  CHECK(kind("store_at", Dim3{1, 1, 1}, Dim3{32, 1, 1}, data, std::int64_t{1} << 40) == FaultKind::illegal_address);
  CHECK(kind("store_at", Dim3{1, 1, 1}, Dim3{32, 1, 1}, data, std::int64_t{3}) == FaultKind::misaligned_address);
  CHECK(kind("trap_at", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0, 1) == FaultKind::trap);
  CHECK(kind("deadlock", Dim3{1, 1, 1}, Dim3{128, 1, 1}, Buffer<int>(lab.memory, 128)) == FaultKind::timeout);
  CHECK(kind("endless", Dim3{4, 1, 1}, Dim3{32, 1, 1}, data) == FaultKind::timeout);
}

TEST_CASE("emulated: counts are exact and do not depend on threads", "[emu][launch]") {
  const auto count = [](int threads) {
    MachineLab lab(machine_ptx());
    lab.launch.threads = threads;
    lab.launch.count = true;
    const Buffer<float> a(lab.memory, 1000);
    return lab.run("vector_add", {10, 1, 1}, {96, 1, 1}, a, a, a, 900).counts;
  };
  const Counts one = count(1);
  CHECK(one == count(2));
  // 900 additions: warps 0 to 27 whole, 4 lanes of warp 28.
  CHECK(one.flops == 900);
  CHECK(one.warp_instructions[static_cast<std::size_t>(Pipe::fp32)] == 29);
  CHECK(one.lane_instructions[static_cast<std::size_t>(Pipe::fp32)] == 900);
  CHECK(one.warp_instructions[static_cast<std::size_t>(Pipe::global)] == 29 * 3);
  CHECK(one.global_store_bytes == 3600);
  CHECK(one.divergent_branches == 1);
}

TEST_CASE("emulated: a block that no GPU has is refused", "[emu][launch]") {
  MachineLab lab(machine_ptx());
  for (const Dim3& block : {Dim3{0, 1, 1}, Dim3{1, 0, 1}, Dim3{1025, 1, 1}, Dim3{32, 33, 1}, Dim3{1, 1, 65}}) {
    CHECK_THROWS_WITH(lab.run("vector_add", {1, 1, 1}, block), Contains("from 1 to 1024 can be launched"));
  }
}

TEST_CASE("emulated: lanes that wait keep their registers while others of their warp go on", "[emu][launch]") {
  // A 64-bit register takes the room of two 32-bit ones, but not lane by lane: the addresses of the even lanes must not
  // come to lie where the odd ones, still at the barrier, keep the index that they are computed from.
  MachineLab lab(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r3, [n];
  mov.u32 %r1, %tid.x;
  add.s32 %r2, %r1, 0;
  setp.ge.s32 %p1, %r2, %r3;
  and.b32 %r4, %r1, 1;
  setp.eq.s32 %p2, %r4, 1;
  @!%p2 bra go_on;
  barrier.sync 1, 64;
go_on:
  @%p1 bra done;
  mul.wide.s32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
done:
  ret;
}
)");
  const Buffer<std::uint32_t> out(lab.memory, 128);
  lab.run("k", {1, 1, 1}, {128, 1, 1}, out, std::uint32_t{128});
  for (std::uint32_t i = 0; i < 128; ++i) CHECK(out[i] == i);
}

TEST_CASE("emulated: a deadlock names each place once, with all warps that wait there", "[emu][launch]") {
  MachineLab lab(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p1, %r1, 288;
  @%p1 bra last;
  bar.sync 1, 320;
  ret;
last:
  bar.sync 2, 64;
  ret;
}
)");
  CHECK_THAT(
      message_of([&] {
        lab.run("k", {1, 1, 1}, {320, 1, 1});
      }),
      Contains("warps 0-8 lanes 0-31 at bar.sync (ptx line 11) for barrier 1, warp 9 lanes 0-31 at bar.sync (ptx "
               "line 14) for barrier 2"));
}
