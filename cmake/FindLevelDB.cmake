# Defines the imported target LevelDB::LevelDB. LevelDB's own package asks for Snappy's development files, which the
# shared library doesn't need.
find_path(LevelDB_INCLUDE_DIR leveldb/table.h)
find_library(LevelDB_LIBRARY leveldb)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LevelDB REQUIRED_VARS LevelDB_LIBRARY LevelDB_INCLUDE_DIR)
mark_as_advanced(LevelDB_INCLUDE_DIR LevelDB_LIBRARY)
if(LevelDB_FOUND AND NOT TARGET LevelDB::LevelDB)
  add_library(LevelDB::LevelDB UNKNOWN IMPORTED)
  set_target_properties(LevelDB::LevelDB PROPERTIES
    IMPORTED_LOCATION "${LevelDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LevelDB_INCLUDE_DIR}")
endif()
