#include "session/tune/pace.h"

#include "base/file.h"
#include "catch.h"
#include "session/session_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

TEST_CASE("pace: an estimate is unknown until something comparable was tuned", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  CHECK_FALSE(plan_tune(options, fixture.database()).estimate_s.has_value());
  fixture.tune(options);
  const TunePlan again = plan_tune(options, fixture.database());
  REQUIRE(again.estimate_s.has_value());
  CHECK(again.estimate_s < 1);  // everything is stored
  options.arguments = {{"N", "8192"}};
  const TunePlan near = plan_tune(options, fixture.database());
  CHECK(near.estimate_s > again.estimate_s);
  options.arguments = {{"N", "1G"}};
  CHECK_FALSE(plan_tune(options, fixture.database()).estimate_s.has_value());  // nothing like it
}

TEST_CASE("pace: a time limit holds the finals too", "[session]") {
  const Pace pace{2, 1, 20, 12};
  DeviceInfo cuda, emulated, script;
  emulated.set_kind(DeviceKind::emulated);
  script.set_kind(DeviceKind::script);
  CHECK(seconds_for(pace, 12, 0, cuda) == Approx(34.5));
  CHECK(seconds_for(pace, 60, 50, cuda) == Approx(52.5));
  CHECK(seconds_for(pace, 0, 50, cuda) == Approx(0.035));
  CHECK(reserved_for_finals(&pace, 60, cuda) == Approx(20));
  CHECK(reserved_for_finals(&pace, 10, cuda) == Approx(7));  // the sweep has its share all the same
  CHECK(reserved_for_finals(nullptr, 60, emulated) == Approx(24));
  CHECK(reserved_for_finals(nullptr, 60, cuda) == Approx(8));
  CHECK(reserved_for_finals(nullptr, 60, script) == 0);
}

TEST_CASE("pace: what is stored of the source as it is counts, of older ones nothing", "[session]") {
  SessionFixture fixture;
  TuneOptions options = fixture.options();
  fixture.tune(options);
  CHECK(plan_tune(options, fixture.database()).stored == 12);
  options.where = {"A <= 2"};  // results outside the conditions are no help
  CHECK(plan_tune(options, fixture.database()).stored == 6);
  options.where.clear();
  const std::filesystem::path source = fixture.family() / "simple.cu";
  write_atomic(source, read_text(source) + "// another version\n");
  const TunePlan changed = plan_tune(options, fixture.database());
  CHECK(changed.stored == 0);
  CHECK(changed.estimate_s > 0.1);
}
