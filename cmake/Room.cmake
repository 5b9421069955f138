# gumption_room(NAME SOURCES file... [ROOMS room...] [LIBRARIES target...] [PRIVATE_LIBRARIES target...]
#               [PRECOMPILE header...])
#
# A room is a static library whose headers are included as "gumption/ROOM/header.h". Each room shows only its own folder
# to those who link it, so a header of a room that is not declared under ROOMS is not found at all: the declared
# dependencies are what keeps the layers apart. Installed headers have the same names.
function(gumption_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;ROOMS;LIBRARIES;PRIVATE_LIBRARIES;PRECOMPILE" ${ARGN})

  list(FIND GUMPTION_ROOMS ${name} own_place)
  foreach(room IN LISTS ARG_ROOMS)
    list(FIND GUMPTION_ROOMS ${room} place)
    if(place LESS 0 OR NOT place LESS own_place)
      message(FATAL_ERROR "Room '${name}' may not depend on '${room}': it does not stand before it in GUMPTION_ROOMS.")
    endif()
  endforeach()

  set(include_root ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${include_root}/gumption)
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_root}/gumption/${name} SYMBOLIC)

  add_library(gumption_${name} STATIC ${ARG_SOURCES})
  add_library(gumption::${name} ALIAS gumption_${name})
  set_target_properties(gumption_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(gumption_${name} PUBLIC cxx_std_20)
  target_include_directories(gumption_${name} PUBLIC
    $<BUILD_INTERFACE:${include_root}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM ARG_ROOMS PREPEND gumption::)
  target_link_libraries(gumption_${name}
    PUBLIC ${ARG_ROOMS} ${ARG_LIBRARIES}
    PRIVATE ${ARG_PRIVATE_LIBRARIES} $<BUILD_INTERFACE:gumption_compile_options>)

  if(ARG_PRECOMPILE)
    gumption_precompile(gumption_${name} ${ARG_PRECOMPILE})
  endif()

  install(TARGETS gumption_${name} EXPORT gumption-targets)
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gumption/${name}
    FILES_MATCHING PATTERN "*.h")
endfunction()

# gumption_precompile(target header...): compiles costly headers once for all of a target's files.
function(gumption_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache can't cache without it
  endif()
endfunction()
