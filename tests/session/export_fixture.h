#pragma once
// A database in which an emulated H200 decided for certain kernels, without anything having run.

#include <fmt/format.h>

#include <optional>

#include "base/scoped_variable.h"
#include "base/temporary_folder.h"
#include "catch.h"
#include "locations.h"
#include "session/export/export.h"
#include "session/run/space.h"

namespace kerlab::testing {

struct Winner {
  std::string problem, variant, configuration;
};

/// A database in which an emulated H200 decided for these.
class Decided {
 public:
  explicit Decided(const std::string& family) : cache_("KERLAB_CACHE", (folder_ / "cache").c_str()) {
    options.rig.target = family;
    options.rig.device = "emu:h200";
    options.rig.program = kerlab_program();
    options.rig.jobs = 2;
    options.version = "test";
    options.unchecked_values = true;  // nothing has run
    rig.emplace(options.rig);
    SessionRecord record;
    session_ = database.begin_session(record);
  }

  /// A trial that passed, and its time; decided for, with `wins`.
  void add(const Winner& winner, double us, bool wins = true) {
    const Family& family = rig->folder().family;
    const Variant& variant = find_variant(rig->folder(), winner.variant);
    const Problem problem = make_problem(family, request_of_key(family, winner.problem));
    const VariantSource source{&variant, read_kernel_source(variant)};
    const Configuration configuration = parse_configuration(variant, winner.configuration);
    INFO(winner.problem << " " << winner.variant);
    REQUIRE(unsupported_reason(variant, problem, rig->device()).empty());
    REQUIRE(violated_constraint(variant, problem, rig->device(), configuration).empty());
    Trial trial = make_candidate(family, source, 0, configuration, problem, rig->device(), rig->toolchain()).trial;
    trial.status = TrialStatus::passed;
    trial.session = session_;
    database.store_source(trial.source_hash, variant.name, "text");
    database.put(trial);
    Measurement measurement;
    measurement.trial = trial.id;
    measurement.session = session_;
    measurement.protocol = "model";
    measurement.stage = TimingStage::final;
    measurement.recipe = "normal v1 seed 1";
    measurement.cache = CacheState::cold;
    measurement.clock = ClockKind::modelled;
    measurement.median_us = measurement.low_us = measurement.high_us = measurement.minimum_us = us;
    measurement.samples_us = {us};
    database.put(measurement);
    if (!wins) return;
    Decision decision{0,
                      session_,
                      problem.key(),
                      trial.dtype,
                      family.name,
                      trial.device_class,
                      trial.id,
                      measurement.id,
                      fmt::format("{}", trial.id),
                      {},
                      1,
                      {}};
    database.put(decision);
  }

  ExportedLibrary library() {
    PortfolioSession portfolio(options, database);
    while (portfolio.step()) {
    }
    CHECK(portfolio.result().left_out.empty());
    return export_portfolio(portfolio, options);
  }

 private:
  TemporaryFolder folder_;
  ScopedVariable cache_;
  std::int64_t session_ = 0;

 public:
  PortfolioOptions options;
  Database database = Database::in_memory();
  std::optional<Rig> rig;
};

}  // namespace kerlab::testing
