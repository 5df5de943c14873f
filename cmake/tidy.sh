#!/usr/bin/env bash
# Runs clang-tidy, with the rules of .clang-tidy, over tests, examples and benchmarks and the headers they use.
#   cmake/tidy.sh [part of a path]…     only sources whose path contains one of these
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/packages.sh
install_packages "${build_packages[@]}" "${test_packages[@]}" clang-tidy

# Without OpenMP: g++'s flags for it stand in the database, and clang-tidy then looks for clang's own omp.h.
cmake --preset dev -B build/tidy -DMNO_OPENMP=OFF -DMNO_ALL_BENCHMARKS=ON \
  -DMNO_TESTS_TOGETHER=OFF >/dev/null
mapfile -t sources < <(find tests/*/ examples benchmarks \( -name '*_test.cpp' -o -path 'examples/*.cpp' -o \
  -name '*_benchmark.cpp' \) | sort)
status=0
for source in "${sources[@]}"; do
  if (($#)); then
    wanted=no
    for part in "$@"; do [[ $source = *"$part"* ]] && wanted=yes; done
    [[ $wanted = yes ]] || continue
  fi
  say "$source"
  clang-tidy --quiet -p build/tidy "$source" 2>/dev/null || status=1
done
((status == 0)) || fail "clang-tidy has something to say: see above."
