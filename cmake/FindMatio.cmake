# matio, which reads MATLAB's files: target Matio::matio.
include(FindPackageHandleStandardArgs)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_matio QUIET matio)
endif()
find_path(Matio_INCLUDE_DIR matio.h HINTS ${PC_matio_INCLUDE_DIRS})
find_library(Matio_LIBRARY matio HINTS ${PC_matio_LIBRARY_DIRS})
mark_as_advanced(Matio_INCLUDE_DIR Matio_LIBRARY)
find_package_handle_standard_args(Matio REQUIRED_VARS Matio_LIBRARY Matio_INCLUDE_DIR)
if(Matio_FOUND AND NOT TARGET Matio::matio)
  add_library(Matio::matio UNKNOWN IMPORTED)
  set_target_properties(Matio::matio PROPERTIES IMPORTED_LOCATION "${Matio_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${Matio_INCLUDE_DIR}")
endif()
