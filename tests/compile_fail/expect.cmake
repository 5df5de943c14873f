# One program that must not compile: see CMakeLists.txt.
file(STRINGS "${SOURCE}" first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be '// expect: …', with words of the compiler's message.")
endif()
set(expected "${CMAKE_MATCH_1}")

set(command "${COMPILER}" ${FLAGS})
list(TRANSFORM SYSTEM PREPEND "-isystem")
list(TRANSFORM INCLUDES PREPEND "-I")
list(TRANSFORM DEFINITIONS PREPEND "-D")
list(APPEND command ${SYSTEM} ${INCLUDES} ${DEFINITIONS} -fsyntax-only)

execute_process(COMMAND ${command} -DMNO_CONTROL "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${SOURCE}: the right version (-DMNO_CONTROL) must compile, but does not:\n${output}")
endif()

execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "${SOURCE}: this must not compile, but does.")
endif()
string(FIND "${output}" "${expected}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${SOURCE}: the compiler does not say '${expected}', but:\n${output}")
endif()
