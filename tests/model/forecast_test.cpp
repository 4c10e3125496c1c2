#include "model/forecast.h"

#include "catch.h"

using namespace kerlab;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.sms = 132;
  device.clock_mhz = 1980;
  return device;
}

ForeseenWork gemm4096(std::int64_t tile) {
  ForeseenWork work;
  work.flops = 2.0 * 4096 * 4096 * 4096;
  work.bytes = 3.0 * 2 * 4096 * 4096;
  work.outputs = 4096.0 * 4096;
  work.element_bytes = 2;
  work.pieces = 4096 * 4096 / tile;
  work.arithmetic = Arithmetic::wgmma;
  return work;
}

double forecast(const ForeseenWork& work) {
  Ceilings ceilings;
  ceilings.bytes_per_s = 4.8e12;
  ceilings.flops_per_s = 989e12;
  return forecast_us(h200(), ceilings, 134e12, work);
}

}  // namespace

TEST_CASE("forecast: a source is of the fastest unit that it names", "[model]") {
  CHECK(arithmetic_of("for (;;) sum += a * b;") == Arithmetic::plain);
  CHECK(arithmetic_of("asm(\"mma.sync.aligned.m16n8k16\")") == Arithmetic::mma_sync);
  CHECK(arithmetic_of("asm(\"wgmma.mma_async\")") == Arithmetic::wgmma);
}

TEST_CASE("forecast: units, tiles and waves have their price, and it is optimistic", "[model]") {
  const double best = forecast(gemm4096(128 * 256));
  CHECK(best > 139);  // the roof
  CHECK(best < 186);  // the fastest that an emulated sweep found
  CHECK(forecast(gemm4096(64 * 64)) > 1.2 * best);
  ForeseenWork plain = gemm4096(128 * 256);
  plain.arithmetic = Arithmetic::plain;
  CHECK(forecast(plain) > 5 * best);
  ForeseenWork few = gemm4096(128 * 256);
  few.pieces = 133;  // a second wave of one
  ForeseenWork full = few;
  full.pieces = 132;
  CHECK(forecast(few) > 1.8 * forecast(full));
}

TEST_CASE("forecast: predicted work takes as long as the unit that has most to do", "[model]") {
  Ceilings ceilings;
  ceilings.bytes_per_s = 4.8e12;
  ceilings.flops_per_s = 989e12;
  const double cycles_per_us = 132 * 1980;
  PredictedWork work{2.0 * 4096 * 4096 * 4096, 1e9, 1e9, Arithmetic::wgmma};
  const auto us = [&] { return busiest_unit_us(h200(), ceilings, 134e12, work); };
  CHECK(us() == Approx(work.flops / (0.85 * 989e6)));
  work.arithmetic = Arithmetic::plain;
  CHECK(us() == Approx(work.flops / 134e6));
  work.global_bytes = 1e12;
  CHECK(us() == Approx(1e12 / (64 * cycles_per_us)));
  work.shared_bytes = 4e12;
  CHECK(us() == Approx(4e12 / (128 * cycles_per_us)));
}
