#include "fixture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <stdexcept>

#include "base/error.h"

namespace kerlab::db_test {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "kerlab-db-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::int64_t begin(Database& database, const std::string& host) {
  database.store_source("s1", "tile2d.cu", "__global__ void k() {}\n");
  SessionRecord session;
  session.command = "kerlab tune gemm";
  session.version = "0.1.0";
  session.host = host;
  session.device = "script:test";
  return database.begin_session(session);
}

Trial a_trial(std::int64_t session, int number, TrialStatus status) {
  Trial trial;
  trial.family = "gemm";
  trial.variant = "tile2d";
  trial.configuration = fmt::format("BM={}", number);
  trial.problem = "gemm M=64 N=64 K=64 fp32";
  trial.dtype = "fp32";
  trial.source_hash = "s1";
  trial.options = "--std=c++20";
  trial.toolchain = "NVRTC 13.0";
  trial.device_class = "Test GPU";
  trial.device_kind = "script";
  trial.check_version = kCheckVersion;
  trial.status = status;
  trial.session = session;
  trial.registers = 168;
  trial.compile_ms = 12.5;
  trial.error_ratio = 0.21;
  trial.check_detail = R"([{"recipe":"normal"}])";
  seal(trial);
  return trial;
}

Measurement measurement(const Trial& trial, double median_us) {
  Measurement m;
  m.trial = trial.id;
  m.session = trial.session;
  m.protocol = "events-1";
  m.stage = TimingStage::final;
  m.recipe = "normal v1 seed 1";
  m.cache = CacheState::cold;
  m.clock = ClockKind::scripted;
  m.device_uuid = "GPU-0";
  m.driver = "580";
  m.median_us = median_us;
  m.low_us = median_us - 1;
  m.high_us = median_us + 1;
  m.mad_us = 0.5;
  m.minimum_us = median_us - 1;
  m.sm_clock_mhz = 1980;
  m.samples_us = {median_us - 1, median_us, median_us + 1.0 / 3.0};
  return m;
}

Decision decision(const Trial& trial, const Measurement& measurement) {
  Decision d;
  d.session = trial.session;
  d.problem = trial.problem;
  d.dtype = trial.dtype;
  d.family = trial.family;
  d.device_class = trial.device_class;
  d.trial = trial.id;
  d.measurement = measurement.id;
  d.tie_set = std::to_string(trial.id);
  d.candidates = 3;
  return d;
}

std::string refusal(const std::filesystem::path& path) {
  try {
    Database::open(path);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace kerlab::db_test
