# Defines the imported target Gloo::Headers. LibTorch's libraries hold Gloo itself, but its wheel leaves out the headers
# that LibTorch's process groups include; Debian's libgloo-dev has them.

find_path(Gloo_INCLUDE_DIR gloo/context.h)
mark_as_advanced(Gloo_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Gloo REQUIRED_VARS Gloo_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian's libgloo-dev has its headers, and -DGUMPTION_WITH_CLUSTER=OFF builds without")

if(Gloo_FOUND AND NOT TARGET Gloo::Headers)
  add_library(Gloo::Headers INTERFACE IMPORTED)
  set_target_properties(Gloo::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Gloo_INCLUDE_DIR}")
endif()
