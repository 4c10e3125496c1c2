# Warnings on our own targets only. They are errors where we develop and test, not where somebody only builds: another
# compiler's new warning must not stand between a user and the program.
option(KERLAB_WERROR "Treat warnings as errors" OFF)
add_library(kerlab_warnings INTERFACE)
target_compile_options(kerlab_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${KERLAB_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # These look at optimised code, and GCC 12 reports its own library's std::string with them (GCC bug 105329 and kin).
  target_compile_options(kerlab_warnings INTERFACE -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
    -Wno-restrict -Wno-maybe-uninitialized)
endif()
