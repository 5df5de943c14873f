"""The recipe of the package mno: the headers, and the CMake files that find what they need.

    conan create cmake/conan                          # from this checkout
    conan create cmake/conan -o "mno/*:fftw=True"

conanfile.txt, at the top, is what one needs to work on mno itself.
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version


class Mno(ConanFile):
    name = "mno"
    description = "Martingale Neural Operators: from an initial field and a time to the law of a random field"
    license = "MIT"
    topics = ("neural-operator", "uncertainty", "stochastic-pde", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    # As the project's own, MNO_FFTW and so on: what the core uses, and components.
    options = {name: [True, False] for name in ("fftw", "openmp", "npz", "hdf5", "netcdf", "mat")}
    default_options = {"fftw": False, "openmp": True, "npz": True, "hdf5": False, "netcdf": False, "mat": False}
    packages = {
        "fftw": "fftw/[>=3.3 <4]",
        "npz": "zlib/[>=1.2.11 <2]",
        "hdf5": "hdf5/[>=1.10 <2]",
        "netcdf": "netcdf/[>=4.7 <5]",
        "mat": "matio/[>=1.5 <2]",
    }
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "mno", "core", "version.hpp"))
        self.version = re.search(r'library_version = "([0-9.]+)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "include/mno/*.hpp", "cmake/*.cmake", "cmake/*.in"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("eigen/[>=3.4 <4]", transitive_headers=True)
        for name, package in self.packages.items():
            if self.options.get_safe(name):
                self.requires(package, transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)
        least = {"gcc": "12", "clang": "14"}.get(str(self.settings.compiler))
        if least and Version(self.settings.compiler.version) < least:
            raise ConanInvalidConfiguration(f"mno needs {self.settings.compiler} {least} or later.")

    def package_id(self):
        self.info.settings.clear()  # headers are the same for all

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for name in self.options.possible_values:
            toolchain.cache_variables[f"MNO_{name.upper()}"] = "ON" if self.options.get_safe(name) else "OFF"
        for name in ("CUDA", "MPI"):  # components of NVIDIA's compiler, and of the system's MPI
            toolchain.cache_variables[f"MNO_{name}"] = "OFF"
        for what in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"MNO_BUILD_{what}"] = "OFF"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Our own mnoConfig.cmake is in the package: find_package(mno COMPONENTS …) is the same with and without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "mno")]
        self.cpp_info.bindirs, self.cpp_info.libdirs = [], []
