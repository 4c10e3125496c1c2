# The install tree: the binary, the data it finds relative to itself, and, when they were built, the tests: a machine
# with a GPU but no compiler runs `bin/kerlab_gpu_tests "[gpu]"` from it.
install(TARGETS kerlab_bin RUNTIME DESTINATION bin)
if(KERLAB_TESTS)
  install(TARGETS kerlab_gpu_tests RUNTIME DESTINATION bin)
endif()
foreach(folder kernels configs examples)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    install(DIRECTORY ${folder} DESTINATION share/kerlab)
  endif()
endforeach()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tuning_db/shipped)
  install(DIRECTORY tuning_db/shipped tuning_db/sweeps tuning_db/spaces DESTINATION share/kerlab/tuning_db)
endif()
install(FILES python/kerlab.py DESTINATION share/kerlab/python)
# What a plug-in of a library includes: docs/libraries.md.
install(FILES src/vendor/kerlab_library.h DESTINATION include)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION share/doc/kerlab)
install(DIRECTORY docs DESTINATION share/doc/kerlab)
# Made from the command table by the program itself.
install(CODE "set(PROGRAM $<TARGET_FILE:kerlab_bin>)
  set(SHARE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  include(${CMAKE_CURRENT_LIST_DIR}/install_pages.cmake)")

# A wheel of the same tree: cmake --build build/release --target wheel, then pip install build/release/kerlab-*.whl
add_custom_target(wheel
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --strip --prefix ${PROJECT_BINARY_DIR}/wheel
  COMMAND ${PROJECT_SOURCE_DIR}/python/make_wheel.py ${PROJECT_BINARY_DIR}/wheel ${PROJECT_BINARY_DIR}
  VERBATIM)
add_dependencies(wheel kerlab_bin)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "kerlab maintainers <kerlab@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA kernel lab and autotuner")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)  # MIT
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)
