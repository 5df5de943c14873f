# All programs that must not compile, as one source: the right versions compile, and what the compiler says of the wrong
# ones is written to the file SAID.
cmake_minimum_required(VERSION 3.24)
set(command "${COMPILER}" ${FLAGS})
list(TRANSFORM SYSTEM PREPEND "-isystem")
list(TRANSFORM INCLUDES PREPEND "-I")
list(TRANSFORM DEFINITIONS PREPEND "-D")
list(APPEND command ${SYSTEM} ${INCLUDES} ${DEFINITIONS} -fsyntax-only)

execute_process(COMMAND ${command} -DMNO_CONTROL "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "The right versions (-DMNO_CONTROL) must compile, but do not:\n${output}")
endif()

execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE}: this must not compile, but does.")
endif()
file(WRITE "${SAID}" "${output}")
