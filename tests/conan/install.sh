#!/bin/sh
# install.sh <python> <source> <work>: resolve conanfile.txt offline, then configure with Conan's toolchain.
# Conan comes from PyPI into a virtual environment of its own; where it cannot be had, skipped (77).
set -eu
python=$1 source=$2 work=$3
venv=$work/venv
if ! "$venv/bin/conan" --version >/dev/null 2>&1; then
  rm -rf "$venv"
  if ! "$python" -m venv "$venv" || ! "$venv/bin/pip" install --quiet 'conan>=2.1,<3'; then
    rm -rf "$venv"
    echo "Skipped: Conan could not be installed from PyPI."
    exit 77
  fi
fi
export CONAN_HOME="$work/home"
profile=$source/cmake/conan/debian12.profile
rm -rf "$work/generated" "$work/build"
# Without user_presets set to nothing, Conan would write a CMakeUserPresets.json beside our presets.
"$venv/bin/conan" install "$source" --no-remote --profile:all "$profile" --output-folder "$work/generated" \
  --conf:all tools.cmake.cmaketoolchain:user_presets=
cmake -S "$source" -B "$work/build" -DCMAKE_TOOLCHAIN_FILE="$work/generated/conan_toolchain.cmake" \
  -DCMAKE_BUILD_TYPE=Release -DMNO_FFTW=ON -DMNO_BUILD_EXAMPLES=OFF
