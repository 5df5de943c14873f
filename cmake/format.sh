#!/bin/sh
# Formats the sources in place; with --check, names those that are not formatted.
#   cmake/format.sh [--check] [path of clang-format]
# Versions of clang-format differ in what they do, so only version 14 is used; another one is skipped (77).
set -eu
cd "$(dirname "$0")/.."
check=no
if [ "${1:-}" = --check ]; then
  check=yes
  shift
fi
tool=${1:-clang-format}
case "$("$tool" --version 2>/dev/null)" in
  *"version 14."*) ;;
  *)
    echo "Skipped: clang-format 14 was not found. On Debian 12, install clang-format."
    exit 77
    ;;
esac
files=$(find include tests examples benchmarks python \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' \) | sort)
if [ $check = no ]; then
  # shellcheck disable=SC2086 # names have no spaces
  exec "$tool" -i $files
fi
bad=$(echo "$files" | xargs -n 64 -P "$(nproc)" "$tool" --dry-run 2>&1 | sed -n 's/:[0-9]*:[0-9]*: .*/ is not formatted./p' | sort -u)
if [ -n "$bad" ]; then
  printf '%s\nRun cmake/format.sh to format all sources.\n' "$bad"
  exit 1
fi
