# One ctest per TEST_CASE: they run in parallel, and one that hangs or crashes is named.
find_package(Catch2 QUIET)
include(Catch)
catch_discover_tests(kerlab_tests PROPERTIES TIMEOUT 300)
