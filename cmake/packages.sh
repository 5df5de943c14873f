# shellcheck shell=bash disable=SC2034
# Shared by check and quickstart: what to install, how many jobs to run, how to speak. Sourced, not run.

# What every build needs, and what the tests need beside it.
build_packages=(g++ cmake ninja-build pkg-config libeigen3-dev libfftw3-dev zlib1g-dev)
# What the program mno needs beside them.
program_packages=(libcli11-dev nlohmann-json3-dev libtomlplusplus-dev)
# Files of other programs: HDF5, NetCDF and MATLAB's.
format_packages=(libhdf5-dev libnetcdf-dev libmatio-dev)
# Several processes, on one machine or many.
rank_packages=(libopenmpi-dev openmpi-bin)
test_packages=(libboost-dev "${format_packages[@]}" "${rank_packages[@]}" doctest-dev librapidcheck-dev libbenchmark-dev librandom123-dev clang-format python3 python3-dev python3-venv)
clang_packages=(clang libclang-rt-dev llvm libomp-dev)

say() { printf '%s\n' "$*"; }
fail() {
  printf 'Failed: %s\n' "$*" >&2
  exit 1
}

# install_packages <name>…: by apt, only those that are missing. Never at the price of a package that is there: some
# exclude each other (the OpenMP libraries of two versions of clang, for one), and which to keep is not ours to say.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is not a Debian system; what is needed has to be there already: $*"
    return
  fi
  local missing=() package
  for package in "$@"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
      missing+=("$package")
    fi
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  say "Installing by apt: ${missing[*]}"
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "only root can install packages and sudo is not there. As root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  local log
  log=$(mktemp)
  if ! {
    "${as_root[@]}" apt-get update -qq &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-remove \
        --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    fail "apt could not install ${missing[*]} without removing something, or not at all; see above."
  fi
  rm -f "$log"
}

# As many jobs as processors, but no more than one per 2 GB of memory: Eigen's templates are large. CMake's own
# variable has the last word.
parallel_jobs() {
  if [[ -n ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
    echo "$CMAKE_BUILD_PARALLEL_LEVEL"
    return
  fi
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemTotal:/ {print int($2 / 2000000)}' /proc/meminfo)
  ((memory >= 1)) || memory=1
  echo $((processors < memory ? processors : memory))
}
