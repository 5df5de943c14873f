#!/bin/sh
# check.sh <source> <build> <work>: make the Debian package of a build that is there, install it into a clean root, build a
# project against it and run the program from there. With MNO_ALL_TESTS the package also knows the libraries that the
# program is linked with (CPack looks at every file for it), and an operator is compiled on demand.
set -eu
source=$1 build=$2 work=$3

fail() {
  echo "Failed: $1"
  exit 1
}
for tool in dpkg-deb dpkg-shlibdeps cpack; do
  if ! command -v "$tool" >/dev/null; then
    echo "Skipped: there is no $tool."
    exit 77
  fi
done
rm -rf "$work"
mkdir -p "$work"
if [ -n "${MNO_ALL_TESTS:-}" ]; then libraries=ON needed=libc6; else libraries=OFF needed=; fi
# What `cpack` does, without building what is not built.
cmake --install "$build" --prefix "$work/staged/usr" >"$work/install.log"
cpack --config "$build/CPackConfig.cmake" -B "$work/made" -D CPACK_INSTALL_CMAKE_PROJECTS= \
  -D "CPACK_INSTALLED_DIRECTORIES=$work/staged/usr;/usr" -D CPACK_SET_DESTDIR=ON -D CPACK_INSTALL_PREFIX=/ \
  -D "CPACK_DEBIAN_PACKAGE_SHLIBDEPS=$libraries" >"$work/cpack.log" 2>&1 ||
  fail "$(cat "$work/cpack.log")"
package=$(ls "$work"/made/mno_*.deb)

needs=$(dpkg-deb -f "$package" Depends)
for one in libeigen3-dev "g++ (>= 4:12) | clang" $needed; do
  case $needs in
    *"$one"*) ;;
    *) fail "the package should depend on $one: $needs" ;;
  esac
done
if [ "$(dpkg-deb -f "$package" Architecture)" = all ]; then fail "a package with a program is of one architecture"; fi
for path in $(dpkg-deb -c "$package" | awk '{ print $6 }'); do
  case $path in
    ./ | ./usr/ | ./usr/bin/ | ./usr/bin/mno | ./usr/include/ | ./usr/include/mno/* | ./usr/lib/ | ./usr/lib/*/ | ./usr/lib/*/mno/*) ;;
    ./usr/share/ | ./usr/share/doc/ | ./usr/share/doc/mno/ | ./usr/share/doc/mno/LICENSE) ;;
    *) fail "the package has $path, which does not belong there" ;;
  esac
done

# Into a root that has nothing: by dpkg where that is allowed, else unpacked.
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
if [ "$(id -u)" = 0 ]; then
  dpkg --root="$root" --log=/dev/null --force-depends --force-script-chrootless -i "$package" >"$work/dpkg.log" 2>&1 ||
    fail "$(cat "$work/dpkg.log")"
  [ "$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${db:Status-Abbrev}' mno)" = "ii " ] || fail "dpkg has not installed it"
else
  dpkg-deb -x "$package" "$root"
fi

# A project finds it there. Hardly optimised: the question is whether it compiles and links.
cmake -S "$source/tests/consumer/project" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DMNO_MAIN=few.cpp "-DMNO_ASKED=core;npz" >"$work/consumer.log"
grep -q "^mno_DIR:PATH=$root/usr/lib" "$work/consumer/CMakeCache.txt" || fail "another mno was found"
cmake --build "$work/consumer" --parallel 1 >>"$work/consumer.log" || fail "$(cat "$work/consumer.log")"
said=$("$work/consumer/consumer")
case $said in
  "with FFTW" | "without FFTW") ;;
  *) fail "the consumer said '$said'" ;;
esac

# The program runs, and takes its headers from the root. A compiler that writes down what it is asked tells.
mno=$root/usr/bin/mno
if readelf -d "$mno" | grep -q "R.*PATH"; then fail "the program looks for libraries where it was built"; fi
cd "$work"
"$mno" operators >/dev/null || fail "the program does not run"
"$mno" simulate heat --samples 6 --ensemble 4 --points 16 -o data.npz >"$work/mno.log" 2>&1 || fail "$(cat "$work/mno.log")"
cat >"$work/compiler" <<END
#!/bin/sh
if [ "\$1" = -v ]; then echo "gcc version 12.0.0" >&2; exit 0; fi
echo "\$@" >>"$work/asked"
exit 1
END
chmod +x "$work/compiler"
asked="$mno train --data data.npz -o model.safetensors --rank 3 --width 6 --modes 4 --depth 1 --epochs 2"
if MNO_CXX="$work/compiler" MNO_CACHE_DIR="$work/cache" $asked >>"$work/mno.log" 2>&1; then
  fail "an operator was there before anything compiled it"
fi
grep -q -- "-I$root/usr/include " "$work/asked" || fail "the program's headers are not those of the root: $(cat "$work/asked")"
if [ -n "${MNO_ALL_TESTS:-}" ]; then
  MNO_CACHE_DIR="$work/cache" $asked >>"$work/mno.log" 2>&1 || fail "$(cat "$work/mno.log")"
  [ -s model.safetensors ] || fail "no model was written"
fi
echo "$package: installed, found, and run"
