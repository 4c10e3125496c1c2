# kerlab_embed(<target> <out.cpp> <symbol> <file>...): adds to <target> a generated source that defines
# `const std::span<const EmbeddedFile> kerlab::<symbol>` (base/embedded.h) with the files' names and texts, in the order given.
function(kerlab_embed target output symbol)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake)
  string(REPLACE ";" "|" joined "${files}")
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -D OUTPUT=${generated} -D SYMBOL=${symbol} "-DFILES=${joined}" -P ${script}
    DEPENDS ${files} ${script} VERBATIM COMMENT "Embedding ${symbol}")
  # The target lives in another folder, which does not see this folder's rules: a target of our own carries the order.
  add_custom_target(embed_${symbol} DEPENDS ${generated})
  add_dependencies(${target} embed_${symbol})
  target_sources(${target} PRIVATE ${generated})
  set_source_files_properties(${generated} TARGET_DIRECTORY ${target}
    PROPERTIES GENERATED ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
