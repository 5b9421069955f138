# Defines the imported target Xapian::Xapian. Xapian's own package sets variables only.
find_path(Xapian_INCLUDE_DIR xapian.h)
find_library(Xapian_LIBRARY xapian)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Xapian REQUIRED_VARS Xapian_LIBRARY Xapian_INCLUDE_DIR)
mark_as_advanced(Xapian_INCLUDE_DIR Xapian_LIBRARY)
if(Xapian_FOUND AND NOT TARGET Xapian::Xapian)
  add_library(Xapian::Xapian UNKNOWN IMPORTED)
  set_target_properties(Xapian::Xapian PROPERTIES
    IMPORTED_LOCATION "${Xapian_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Xapian_INCLUDE_DIR}")
endif()
