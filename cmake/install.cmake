# The install tree: the binary, and the data it finds relative to itself.
install(TARGETS kerlab_bin RUNTIME DESTINATION bin)
install(DIRECTORY kernels configs DESTINATION share/kerlab)
