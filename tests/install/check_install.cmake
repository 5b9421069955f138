# Needs BUILD_DIR, CONSUMER_DIR, WORK_DIR, CXX, SANITIZE.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)

# What is installed must stand alone: nothing of it may lead back to the build or the sources.
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
file(RENAME ${BUILD_DIR} ${BUILD_DIR}-away)
execute_process(
  COMMAND ${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${flags} -DCMAKE_BUILD_TYPE=Release
  COMMAND_ECHO NONE RESULT_VARIABLE configured OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(configured EQUAL 0)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build
    RESULT_VARIABLE configured OUTPUT_VARIABLE output ERROR_VARIABLE output)
endif()
file(RENAME ${BUILD_DIR}-away ${BUILD_DIR})
if(NOT configured EQUAL 0)
  message(FATAL_ERROR "the consumer can't be built:\n${output}")
endif()

run(${WORK_DIR}/build/consumer ${WORK_DIR}/prefix/share/gumption/samples/copa-style.jsonl)
run(${WORK_DIR}/prefix/bin/gumption --version)
if(EXISTS ${WORK_DIR}/prefix/libexec/gumption/gumption-engine)
  run(${WORK_DIR}/prefix/libexec/gumption/gumption-engine --version)
endif()
file(REMOVE_RECURSE ${WORK_DIR})
