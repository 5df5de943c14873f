# A Debian package of what `cmake --install` installs: headers, CMake files, and the program mno, if it is built.
#
#   cmake --preset release -DMNO_NATIVE=OFF && cmake --build --preset release && (cd build/release && cpack)
#
# The program compiles operators on demand, so it needs a compiler and the headers of Eigen and FFTW; what it is linked
# with, dpkg-shlibdeps finds out.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mno)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Martingale Neural Operators: headers, CMake files and the program mno")
set(CPACK_PACKAGE_CONTACT "The mno authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Trained on draws of u_t given u_0, an operator gives the law of the random field u_t for any u_0 and t: mean,
 covariance of low rank, samples, intervals, probabilities of events.")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ (>= 4:12) | clang (>= 1:14), libeigen3-dev (>= 3.4)")
if(FFTW3_FOUND)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", libfftw3-dev")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, zlib1g-dev, libhdf5-dev, libnetcdf-dev, libmatio-dev")  # of components
if(TARGET mno_program_mno)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
endif()
include(CPack)
