# Warnings are errors on our own targets only.
add_library(kerlab_warnings INTERFACE)
target_compile_options(kerlab_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
