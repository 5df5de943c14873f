# A component is one target, mno::<name>, with its headers and its own export set, so that a user who asks for
# one component needs the dependencies of that component alone.
set(MNO_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/mno")
set(mno_components "")

# mno_component(<name> HEADERS <files>): target mno_<name>, known to users as mno::<name>.
macro(mno_component name)
  cmake_parse_arguments(_mno "" "" "HEADERS" ${ARGN})
  add_library(mno_${name} INTERFACE)
  add_library(mno::${name} ALIAS mno_${name})
  set_target_properties(mno_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(mno_${name} INTERFACE cxx_std_20)
  target_sources(mno_${name} INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
                                       FILES ${_mno_HEADERS})
  install(TARGETS mno_${name} EXPORT mno-${name} FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(EXPORT mno-${name} NAMESPACE mno:: FILE mno-${name}.cmake DESTINATION "${MNO_CMAKE_DIR}")
  list(APPEND mno_components ${name})
endmacro()

# mnoConfig.cmake, its version file and what it needs to find our dependencies.
function(mno_install_package)
  set(mno_with_openmp "${MNO_OPENMP}")
  set(mno_with_fftw "${FFTW3_FOUND}")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/mnoConfig.cmake.in" "${PROJECT_BINARY_DIR}/mnoConfig.cmake"
    INSTALL_DESTINATION "${MNO_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/mnoConfigVersion.cmake"
                                   COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  install(FILES "${PROJECT_BINARY_DIR}/mnoConfig.cmake" "${PROJECT_BINARY_DIR}/mnoConfigVersion.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/FindFFTW3.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindNetCDF.cmake"
                "${PROJECT_SOURCE_DIR}/cmake/FindMatio.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake" DESTINATION "${MNO_CMAKE_DIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endfunction()
