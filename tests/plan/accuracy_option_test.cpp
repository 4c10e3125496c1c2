#include "plan/accuracy_option.h"

#include "catch.h"

using namespace kerlab;

TEST_CASE("accuracy: every word of --accuracy lets one class more win, and is what is printed of it", "[plan]") {
  plan::Accuracy accuracy;
  CHECK(plan::accuracy_option(accuracy).empty());
  CHECK_FALSE(plan::admit(accuracy, "elementwise"));
  CHECK_FALSE(accuracy.weaker());
  CHECK(plan::admit(accuracy, "may-be-nan"));
  CHECK(accuracy == plan::Accuracy{.may_be_nan = true});
  CHECK(plan::accuracy_option(accuracy) == "may-be-nan");
  CHECK(plan::admit(accuracy, "normwise"));
  CHECK(accuracy == plan::Accuracy{.normwise = true, .may_be_nan = true});
  CHECK(plan::accuracy_option(accuracy) == "normwise,may-be-nan");
}
