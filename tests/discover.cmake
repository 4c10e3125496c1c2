find_package(Catch2 QUIET)
include(Catch)
catch_discover_tests(kerlab_tests)
