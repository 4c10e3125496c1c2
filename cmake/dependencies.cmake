# Everything third-party in two interface targets. Debian packages; the CUDA Toolkit gives headers only (libraries are opened at run time).
find_package(Threads REQUIRED)
find_path(KERLAB_CUDA_INCLUDE nvrtc.h
  HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda /usr/lib/cuda PATH_SUFFIXES include)
if(NOT KERLAB_CUDA_INCLUDE)
  message(FATAL_ERROR "CUDA Toolkit not found (nvrtc.h). Install it from https://developer.nvidia.com/cuda-downloads or set CUDA_HOME.")
endif()
find_path(KERLAB_TOML_INCLUDE toml++/toml.h REQUIRED)
find_path(KERLAB_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(KERLAB_CLI11_INCLUDE CLI/App.hpp REQUIRED)
find_path(KERLAB_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(KERLAB_XXHASH_INCLUDE xxhash.h REQUIRED)
find_path(KERLAB_ZLIB_INCLUDE zlib.h REQUIRED)
find_library(KERLAB_ZLIB libz.a REQUIRED)
find_path(KERLAB_FP16_INCLUDE fp16.h REQUIRED)
find_path(KERLAB_SQLITECPP_INCLUDE SQLiteCpp/SQLiteCpp.h REQUIRED)
find_library(KERLAB_SQLITECPP libSQLiteCpp.a REQUIRED)
find_library(KERLAB_SQLITE libsqlite3.a REQUIRED)
# The prompt of `kerlab lab`: the editor and what it stands on, static like the rest.
find_path(KERLAB_EDIT_INCLUDE histedit.h REQUIRED)
foreach(library edit bsd md tinfo)
  find_library(KERLAB_LIB_${library} lib${library}.a REQUIRED)
  list(APPEND KERLAB_EDIT ${KERLAB_LIB_${library}})
endforeach()

# Headers and how to compile and link: all that base, plan and the emulator need. The libraries of the rest: below.
add_library(kerlab_foundations INTERFACE)
target_include_directories(kerlab_foundations SYSTEM INTERFACE ${KERLAB_CUDA_INCLUDE} ${KERLAB_TOML_INCLUDE}
  ${KERLAB_JSON_INCLUDE} ${KERLAB_CLI11_INCLUDE} ${KERLAB_FMT_INCLUDE} ${KERLAB_XXHASH_INCLUDE} ${KERLAB_ZLIB_INCLUDE} ${KERLAB_FP16_INCLUDE}
  ${KERLAB_SQLITECPP_INCLUDE} ${KERLAB_EDIT_INCLUDE})
target_compile_definitions(kerlab_foundations INTERFACE XXH_INLINE_ALL)
# base/fmt_once.cpp knows what fmt 9 wants instantiated; another version is compiled into every file, which only takes longer.
file(STRINGS ${KERLAB_FMT_INCLUDE}/fmt/core.h KERLAB_FMT_VERSION REGEX "#define FMT_VERSION 9[0-9][0-9][0-9][0-9]")
if(NOT KERLAB_FMT_VERSION)
  target_compile_definitions(kerlab_foundations INTERFACE FMT_HEADER_ONLY)
endif()
target_link_libraries(kerlab_foundations INTERFACE ${KERLAB_ZLIB} Threads::Threads ${CMAKE_DL_LIBS} m)
# What nothing refers to stays out, function by function: 1.6 of 27 MiB of the installed tree.
target_compile_options(kerlab_foundations INTERFACE -ffunction-sections -fdata-sections)
target_link_options(kerlab_foundations INTERFACE -Wl,--gc-sections)
if(KERLAB_STATIC_RUNTIME)
  target_link_options(kerlab_foundations INTERFACE -static-libstdc++ -static-libgcc)
endif()

add_library(kerlab_dependencies INTERFACE)
target_link_libraries(kerlab_dependencies INTERFACE ${KERLAB_SQLITECPP} ${KERLAB_SQLITE} ${KERLAB_EDIT} kerlab_foundations)
