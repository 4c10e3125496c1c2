# One ctest per TEST_CASE: they run in parallel, and one that hangs or crashes is named. Not Catch2's own discovery: it
# passes names through CMake lists, where a '[' or ';' in a name makes tests disappear.
set(list ${CMAKE_CURRENT_BINARY_DIR}/test_cases.cmake)
if(Catch2_VERSION VERSION_GREATER_EQUAL 3)
  set(list_options --list-tests --verbosity quiet)
else()
  set(list_options --list-test-names-only)
endif()
add_custom_command(TARGET kerlab_tests POST_BUILD BYPRODUCTS ${list} VERBATIM
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/discover.sh $<TARGET_FILE:kerlab_tests> ${list} ${list_options})
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
