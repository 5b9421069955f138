# Installs a CMake package, so that another project can say find_package(gumption) and link gumption::data.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gumption)

configure_package_config_file(cmake/gumption-config.cmake.in ${PROJECT_BINARY_DIR}/gumption-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gumption-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gumption-config.cmake ${PROJECT_BINARY_DIR}/gumption-config-version.cmake
  cmake/FindGloo.cmake cmake/FindLevelDB.cmake cmake/FindLibTorch.cmake cmake/FindSodium.cmake cmake/FindStemmer.cmake cmake/FindUtf8proc.cmake cmake/FindXapian.cmake
  DESTINATION ${package_dir})
install(EXPORT gumption-targets NAMESPACE gumption:: DESTINATION ${package_dir})
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY samples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/gumption/samples)
