# The netCDF C library: target NetCDF::netcdf.
include(FindPackageHandleStandardArgs)

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_netcdf QUIET netcdf)
endif()
find_path(NetCDF_INCLUDE_DIR netcdf.h HINTS ${PC_netcdf_INCLUDE_DIRS})
find_library(NetCDF_LIBRARY netcdf HINTS ${PC_netcdf_LIBRARY_DIRS})
mark_as_advanced(NetCDF_INCLUDE_DIR NetCDF_LIBRARY)
find_package_handle_standard_args(NetCDF REQUIRED_VARS NetCDF_LIBRARY NetCDF_INCLUDE_DIR)
if(NetCDF_FOUND AND NOT TARGET NetCDF::netcdf)
  add_library(NetCDF::netcdf UNKNOWN IMPORTED)
  set_target_properties(NetCDF::netcdf PROPERTIES IMPORTED_LOCATION "${NetCDF_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${NetCDF_INCLUDE_DIR}")
endif()
