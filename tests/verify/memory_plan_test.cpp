#include "verify/memory_plan.h"

#include "catch.h"

using kerlab::verify::MemoryNeeds;
using kerlab::verify::MemoryPlan;
using kerlab::verify::plan_memory;

namespace {

constexpr std::int64_t kMiB = 1 << 20, kGiB = 1 << 30;

MemoryNeeds h200(std::int64_t set, std::int64_t reference) {
  return {set, set, reference, 3, 60 * kMiB, 139 * kGiB};
}

}  // namespace

TEST_CASE("sets rotate over more than twice the cache, at least two", "[verify]") {
  const MemoryPlan large = plan_memory(h200(256 * kMiB, 256 * kMiB));
  CHECK(large.rotation_sets == 2);
  CHECK(large.recipe_sets == 2);
  CHECK(large.reference_slots == 3);
  CHECK_FALSE(large.flush);
  const MemoryPlan medium = plan_memory(h200(10 * kMiB, kMiB));
  CHECK(medium.rotation_sets == 13);
  CHECK(medium.rotation_sets * 10 > 2 * 60);
  CHECK_FALSE(medium.flush);
}

TEST_CASE("a tiny problem flushes instead of rotating over thousands of sets", "[verify]") {
  const MemoryPlan plan = plan_memory(h200(1000, 1000));
  CHECK(plan.rotation_sets == 2);
  CHECK(plan.flush);
}

TEST_CASE("what a run does not touch evicts nothing", "[verify]") {
  MemoryNeeds needs = h200(100 * kMiB, kMiB);
  needs.touched_bytes = 30 * kMiB;
  CHECK(plan_memory(needs).rotation_sets == 5);
}

TEST_CASE("short memory: recipe sets go first, then reference slots, then the rotation", "[verify]") {
  MemoryNeeds needs = h200(10 * kGiB, 10 * kGiB);
  needs.free_bytes = 65 * kGiB;  // 52 usable: two sets and three references
  MemoryPlan plan = plan_memory(needs);
  CHECK(plan.rotation_sets == 2);
  CHECK(plan.reference_slots == 3);
  CHECK(plan.recipe_sets == 0);
  CHECK_FALSE(plan.flush);
  needs.free_bytes = 40 * kGiB;  // 32 usable
  plan = plan_memory(needs);
  CHECK(plan.rotation_sets == 2);
  CHECK(plan.reference_slots == 1);
  needs.free_bytes = kGiB;
  plan = plan_memory(needs);
  CHECK(plan.rotation_sets == 1);
  CHECK(plan.reference_slots == 1);
  CHECK(plan.flush);
}

TEST_CASE("empty tensors and an unknown cache are no special case", "[verify]") {
  const MemoryPlan plan = plan_memory({0, 0, 0, 2, 0, kGiB});
  CHECK(plan.rotation_sets == 2);
  CHECK_FALSE(plan.flush);
}
