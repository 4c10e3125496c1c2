#include "base/cores.h"

#include <sched.h>

#include "catch.h"

using namespace kerlab;

TEST_CASE("cores: those of the affinity mask", "[base]") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CHECK(usable_cores() >= 1);
  CHECK(usable_cores() <= CPU_COUNT(&before));
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const int alone = usable_cores();
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(alone == 1);
}

TEST_CASE("cores: a container's quota", "[base]") {
  CHECK(quota_cores("200000 100000\n") == 2);
  CHECK(quota_cores("150000 100000") == 2);
  CHECK(quota_cores("50000 100000") == 1);
  CHECK(quota_cores("max 100000\n") == 0);
  CHECK(quota_cores("") == 0);
  CHECK(quota_cores("no numbers") == 0);
  CHECK(quota_cores("100000 ") == 0);
}
