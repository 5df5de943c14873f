# Our own programs: tests, examples, benchmarks. What stands here never reaches a user's flags.
# All objects of a program must have the same: Eigen's alignment depends on it.
function(mno_for_this_processor name)
  if(MNO_NATIVE)
    # g++ 12's own tuning for some processors makes Eigen's products slower; generic tuning does not.
    target_compile_options(${name} PRIVATE -march=native -mtune=generic)
  endif()
endfunction()

# mno_compile_with_nvcc(<sources>): these files are CUDA, whatever their names end in.
function(mno_compile_with_nvcc)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
endfunction()

function(mno_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE mno::core)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  mno_for_this_processor(${name})
endfunction()
