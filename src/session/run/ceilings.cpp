#include "session/run/ceilings.h"

namespace kerlab::session {

namespace {

Bytes compile_ceilings(Rig& rig) {
  CompileResult compiled = rig.compilers().compile({read_ceilings_source(), base_options(rig.device().arch())});
  if (compiled.status != CompileStatus::ok)
    throw Error(fmt::format("kernels/common/ceilings.cu does not compile: {}", compiled.message));
  return std::move(compiled.cubin);
}

}  // namespace

double MeasuredCeilings::value(const std::string& name) const {
  for (const Ceiling& row : rows) {
    if (row.name == name) return row.value;
  }
  return 0;
}

std::string ceilings_class(const DeviceInfo& device) {
  return device.clock() == ClockKind::measured ? device.device_class()
                                               : fmt::format("{} ({})", device.device_class(), name(device.clock()));
}

MeasuredCeilings stored_ceilings(const Database& database, const DeviceInfo& device) {
  MeasuredCeilings ceilings;
  ceilings.clock = device.clock();
  for (const Database::CeilingRow& row : database.ceilings(ceilings_class(device))) {
    ceilings.rows.push_back({row.name, row.unit, row.value});
    ceilings.created = std::max(ceilings.created, row.created);
  }
  return ceilings;
}

MeasuredCeilings measure_ceilings(Rig& rig, Database& database) {
  if (!rig.device().has_clock)
    throw Error(fmt::format("{} is emulated: it has no bandwidths and peaks to measure, only those of its profile; "
                            "measure on a GPU (--device cuda:0)",
                            rig.device().id),
                ExitCode::inconclusive);
  rig.set_problem({ProblemPlan{}, compile_ceilings(rig), Bytes{}});
  std::vector<Database::CeilingRow> rows;
  for (const Ceiling& ceiling : rig.runner().measure_ceilings()) {
    rows.push_back({ceilings_class(rig.device()), ceiling.name, ceiling.unit, ceiling.value, ""});
  }
  if (rows.empty()) throw Error(fmt::format("{}: no ceiling could be measured", rig.device().name));
  database.put_ceilings(rows);
  return stored_ceilings(database, rig.device());
}

std::string peak_name(DType dtype, const std::string& unit) {
  return fmt::format("{}_{}", name(dtype), unit == "tensor pipe" ? "mma" : "fma");
}

std::optional<Ceilings> practical_ceilings(const MeasuredCeilings& measured, const std::string& bandwidth, DType dtype,
                                           const Ceilings& theoretical) {
  Ceilings ceilings = theoretical;
  ceilings.bytes_per_s = measured.value(bandwidth);
  if (ceilings.bytes_per_s <= 0) return std::nullopt;
  const double peak = measured.value(peak_name(dtype, theoretical.unit));
  ceilings.clock = measured.clock;
  ceilings.measured_peak = peak > 0;
  if (peak > 0) ceilings.flops_per_s = peak;
  return ceilings;
}

}  // namespace kerlab::session
