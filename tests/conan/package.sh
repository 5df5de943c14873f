#!/bin/sh
# package.sh <source> <work>: export the package by the recipe in cmake/conan, offline, and build a project that asks
# Conan for it. After install.sh, which brings Conan; skipped (77) where it could not.
set -eu
source=$1 work=$2
conan=$work/venv/bin/conan
if ! "$conan" --version >/dev/null 2>&1; then
  echo "Skipped: Conan is not there."
  exit 77
fi
export CONAN_HOME="$work/home"
profile=$source/cmake/conan/debian12.profile
version=$(sed -n 's/.*library_version = "\([0-9.]*\)".*/\1/p' "$source/include/mno/core/version.hpp")
rm -rf "$work/consumer"
"$conan" create "$source/cmake/conan" --no-remote --profile:all "$profile" --options "mno/*:fftw=True"
"$conan" install --requires "mno/$version" --no-remote --profile:all "$profile" --options "mno/*:fftw=True" \
  --generator CMakeDeps --generator CMakeToolchain --output-folder "$work/consumer" \
  --conf:all tools.cmake.cmaketoolchain:user_presets=
# Hardly optimised: the question is whether it is found, compiles and links.
cmake -S "$source/tests/consumer/project" -B "$work/consumer/build" -G Ninja \
  -DCMAKE_TOOLCHAIN_FILE="$work/consumer/conan_toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DMNO_MAIN=few.cpp "-DMNO_ASKED=core;npz"
cmake --build "$work/consumer/build" --parallel 1
said=$("$work/consumer/build/consumer")
if [ "$said" != "with FFTW" ]; then
  echo "The consumer should say 'with FFTW', not '$said'."
  exit 1
fi
# It is the package that was found, and what was not asked for is not in it.
package=$(sed -n 's/^mno_DIR:PATH=//p' "$work/consumer/build/CMakeCache.txt")
case $package in
  "$work/home"/*) ;;
  *)
    echo "The consumer found mno in '$package', not in Conan's folder."
    exit 1
    ;;
esac
if [ -e "$package/../../../include/mno/io/hdf5" ]; then
  echo "The package has HDF5's headers, which nobody asked for."
  exit 1
fi
