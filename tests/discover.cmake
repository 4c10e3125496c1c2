# One ctest per TEST_CASE: they run in parallel, and one that hangs or crashes is named. Catch2 passes when a name matches
# nothing (a name that CMake has split or escaped): here that fails. A test without its GPU is shown as skipped.
include(Catch)
catch_discover_tests(kerlab_tests PROPERTIES TIMEOUT 300
  FAIL_REGULAR_EXPRESSION "No test cases matched|No tests ran"
  SKIP_REGULAR_EXPRESSION "skipped: no CUDA device")
