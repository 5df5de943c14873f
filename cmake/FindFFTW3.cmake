# FFTW in double and single precision: targets FFTW3::fftw3 and FFTW3::fftw3f.
# Looks for FFTW's own CMake files, then for pkg-config's, then for the libraries themselves; distributions
# differ in which of these they ship.
include(FindPackageHandleStandardArgs)

foreach(_fftw IN ITEMS fftw3 fftw3f)
  string(TOUPPER "${_fftw}" _package)  # FFTW3, FFTW3F
  string(REPLACE "3F" "3f" _package "${_package}")
  if(NOT TARGET FFTW3::${_fftw})
    find_package(${_package} CONFIG QUIET)
  endif()
  if(TARGET FFTW3::${_fftw})
    set(_fftw_${_fftw} FFTW3::${_fftw})
    continue()
  endif()

  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(PC_${_fftw} QUIET ${_fftw})
  endif()
  find_path(FFTW3_INCLUDE_DIR fftw3.h HINTS ${PC_${_fftw}_INCLUDE_DIRS})
  find_library(FFTW3_${_fftw}_LIBRARY ${_fftw} HINTS ${PC_${_fftw}_LIBRARY_DIRS})
  mark_as_advanced(FFTW3_INCLUDE_DIR FFTW3_${_fftw}_LIBRARY)
  if(FFTW3_INCLUDE_DIR AND FFTW3_${_fftw}_LIBRARY)
    add_library(FFTW3::${_fftw} UNKNOWN IMPORTED)
    set_target_properties(
      FFTW3::${_fftw} PROPERTIES IMPORTED_LOCATION "${FFTW3_${_fftw}_LIBRARY}"
                                 INTERFACE_INCLUDE_DIRECTORIES "${FFTW3_INCLUDE_DIR}")
    set(_fftw_${_fftw} "${FFTW3_${_fftw}_LIBRARY}")
  endif()
endforeach()

find_package_handle_standard_args(FFTW3 REQUIRED_VARS _fftw_fftw3 _fftw_fftw3f)
