# The plug-in that times CUB beside the kernels (docs/libraries.md). Not a target of CMake's CUDA language: that would
# ask for nvcc in every build.
option(KERLAB_CUB "build plugins/cub, which needs nvcc" OFF)
if(KERLAB_CUB)
  find_program(KERLAB_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin REQUIRED)
  set(KERLAB_CUB_ARCH native CACHE STRING "nvcc -arch for plugins/cub: native, sm_90, all-major")
  set(source ${PROJECT_SOURCE_DIR}/plugins/cub/kerlab_cub.cu)
  set(interface ${PROJECT_SOURCE_DIR}/src/vendor/kerlab_library.h)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/kerlab_cub.so
    COMMAND ${KERLAB_NVCC} -O3 -std=c++17 -shared -Xcompiler -fPIC,-fvisibility=hidden -arch=${KERLAB_CUB_ARCH}
            -I ${PROJECT_SOURCE_DIR}/src/vendor -o ${PROJECT_BINARY_DIR}/kerlab_cub.so ${source}
    DEPENDS ${source} ${interface} VERBATIM)
  add_custom_target(kerlab_cub ALL DEPENDS ${PROJECT_BINARY_DIR}/kerlab_cub.so)
  install(FILES ${PROJECT_BINARY_DIR}/kerlab_cub.so DESTINATION lib)
endif()
