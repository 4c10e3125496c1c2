# Compiles the files of a folder together, some at a time: their headers are read, and what these make of templates is
# compiled, once for all of them. A build from nothing takes a third of the processor time; one that follows a change of
# one file takes longer, so preset `dev` does without.
#
# Names of anonymous namespaces meet in such a unit. Two files of a folder with the same one: share it, or name it more
# precisely. A file that must stay alone (`using enum` at file scope) has SKIP_UNITY_BUILD_INCLUSION.
option(KERLAB_UNITY "Compile the files of a folder together" ON)

# kerlab_unite(<target> <most> [<folder>...]): units of at most <most> files, each of one folder, or of these folders
# only. Rooms count as one folder, since most are smaller than a unit. Call it when the target is complete.
function(kerlab_unite target most)
  if(NOT KERLAB_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${source}" generated)
    if(generated OR NOT source MATCHES "[.]cpp$")
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    cmake_path(GET path PARENT_PATH folder)
    string(REGEX REPLACE "^((src|tests)/(session|cli|report))/.*" "\\1" folder "${folder}")
    if(ARGN AND NOT folder IN_LIST ARGN)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR unit "${count_${folder}} / ${most}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
