# Debian 12 with the packages that README.md lists: nothing is downloaded, the system's libraries are used.
[settings]
os=Linux
arch=x86_64
compiler=gcc
compiler.version=12
compiler.libcxx=libstdc++11
compiler.cppstd=20
build_type=Release

[platform_requires]
eigen/3.4.0
fftw/3.3.10
boost/1.74.0
zlib/1.2.13
hdf5/1.10.8
matio/1.5.23
netcdf/4.9.0
benchmark/1.7.1
doctest/2.4.9
nlohmann_json/3.11.2
rapidcheck/cci.20220514
