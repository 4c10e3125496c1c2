# Completion scripts and man pages, written by the built program while it is installed.
# install(CODE) gives PROGRAM and the prefix with DESTDIR.
function(kerlab_write file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN} failed: ${code}")
  endif()
  file(WRITE ${SHARE}/${file} "${text}")
  message(STATUS "Installing: ${SHARE}/${file}")
endfunction()
kerlab_write(bash-completion/completions/kerlab completion bash)
kerlab_write(zsh/site-functions/_kerlab completion zsh)
kerlab_write(fish/vendor_completions.d/kerlab.fish completion fish)
execute_process(COMMAND ${PROGRAM} man --dir ${SHARE}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
