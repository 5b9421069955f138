# Needs PROGRAM, NAME, TO. Only a source that isn't reached is a reason to skip; anything else is a failure.
execute_process(COMMAND ${PROGRAM} model pull ${NAME} --to ${TO}
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
if(result EQUAL 0)
  message("${error}${output}")
elseif(error MATCHES "no source of it was reached|This build has no ")
  message("SKIPPED: ${error}")
else()
  message(FATAL_ERROR "model pull ${NAME} ended with ${result}: ${error}")
endif()
