#!/usr/bin/env bash
# kernels.sh <log of a build with nvcc --resource-usage>: how many registers kernels use, and which spill.
set -euo pipefail
log=$1
awk '
  /Compiling entry function/ { match($0, /for .sm_[0-9a-z]+/); arch = substr($0, RSTART + 5, RLENGTH - 5); split($0, q, "\x27"); name = q[2] }
  /bytes spill stores/ {
    match($0, /[0-9]+ bytes spill stores/); spilled = substr($0, RSTART, RLENGTH) + 0
    if (spilled > 0) { spills[arch]++; bytes[arch] += spilled }
  }
  /Used [0-9]+ registers/ {
    match($0, /Used [0-9]+/); used = substr($0, RSTART + 5, RLENGTH - 5) + 0
    kernels[arch]++
    if (used > most[arch]) most[arch] = used
  }
  END {
    for (arch in kernels) {
      printf "%s: %d kernels, at most %d registers, %d of them spill", arch, kernels[arch], most[arch], spills[arch] + 0
      if (spills[arch] > 0) printf " (%d bytes in all)", bytes[arch]
      printf "\n"
    }
  }' "$log" | sort
