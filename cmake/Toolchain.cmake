# The language, the warnings, and the helpers of the build that are used when they are there.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

option(GUMPTION_BUILD_TESTS "Build the tests" ON)
option(GUMPTION_BUILD_BENCHMARKS "Build the benchmarks (needs Google Benchmark)" OFF)
option(GUMPTION_BUILD_FUZZERS "Build the libFuzzer targets (needs clang)" OFF)
option(GUMPTION_WARNINGS_AS_ERRORS "Stop the build at a warning" OFF)
set(GUMPTION_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")

find_program(GUMPTION_CCACHE ccache)
if(GUMPTION_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # ccache takes precompiled headers only when told that macros may stand before them.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${GUMPTION_CCACHE})
endif()

foreach(linker IN ITEMS mold lld)
  find_program(GUMPTION_LINKER_${linker} NAMES ${linker} ld.${linker})
  if(GUMPTION_LINKER_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

add_library(gumption_compile_options INTERFACE)
target_compile_options(gumption_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${GUMPTION_WARNINGS_AS_ERRORS}>:-Werror>
  # GCC 12 sees overlapping copies in plain string concatenation (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(GUMPTION_SANITIZE)
  add_compile_options(-fsanitize=${GUMPTION_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GUMPTION_SANITIZE})
endif()
