#!/bin/sh
# parse.sh <nvcc> <source> <object> [flags]: compile for the host and the device, or skip (77) without nvcc.
set -eu
nvcc=$1 source=$2 object=$3
shift 3
if [ ! -x "$nvcc" ]; then
  echo "Skipped: nvcc was not found."
  exit 77
fi
# 20012 and 20014 are about Eigen's own annotations: it marks as device code what it only runs on the host.
exec "$nvcc" -std=c++20 --expt-relaxed-constexpr -diag-suppress 20012,20014 -Werror all-warnings \
  -Xcompiler -fopenmp "$@" -c "$source" -o "$object"
