#!/bin/sh
# The new user's walk: a clean virtual environment, pip install, and the tests of what is installed.
#   check.sh PYTHON FOLDER [PROGRAM]
# FOLDER gets the environment, the build and the operators. Skipped (77) without venv, pip or packages to download.
# What is compiled is hardly optimised: the tests ask whether it is right. With MNO_ALL_TESTS other kinds are compiled, JAX and
# scikit-learn are there, and the notebooks are run; MNO_PYTHON_PACKAGES may name more, torch for one, which is large.
set -eu
python=$1 folder=$2 program=${3:-}
source=$(cd "$(dirname "$0")/../.." && pwd)

skip() {
  echo "Skipped: $1"
  exit 77
}

rm -rf "$folder/environment"
mkdir -p "$folder"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "$python is older than Python 3.10."
"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
  skip "the headers of $python are not there. On Debian, install python3-dev."
"$python" -m venv "$folder/environment" >"$folder/venv.log" 2>&1 ||
  skip "there is no venv with pip. On Debian, install python3-venv."
own=$folder/environment/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1 CMAKE_BUILD_PARALLEL_LEVEL=1
"$own" -m pip install -q --no-compile "scikit-build-core>=1.1,<2" "nanobind>=3.1,<4" "cmake>=3.26" ninja "numpy>=1.24" pytest scipy \
  matplotlib xarray ${MNO_ALL_TESTS:+jax scikit-learn nbclient ipykernel mpi4py} ${MNO_PYTHON_PACKAGES:-} >"$folder/pip.log" 2>&1 || skip "pip cannot download packages; see $folder/pip.log."
# The environment has what a build needs, so that this one can go on from the last.
PATH=$folder/environment/bin:$PATH "$own" -m pip install --no-build-isolation --no-deps "$source" \
  --config-settings build-dir="$folder/build" \
  --config-settings cmake.define.CMAKE_CXX_FLAGS_RELEASE="-O0 -DNDEBUG" \
  --config-settings cmake.define.MNO_DEMAND_OPTIMISATION=-O0
export MNO_CACHE_DIR="$folder/operators"
if [ -n "$program" ]; then
  export MNO_PROGRAM_PATH="$program"
fi
cd "$folder"
exec "$own" -m pytest -q -p no:cacheprovider "$source/python/tests"
