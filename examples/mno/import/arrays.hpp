#pragma once
// Arrays in files of other programs, whatever the format.
#include <filesystem>
#include <memory>
#include <mno/io/array_file.hpp>

namespace program {

/// A .npy, .npz, HDF5, NetCDF or MATLAB file, told apart by its first bytes, or a folder of shards.
std::unique_ptr<mno::io::ArrayFile> open_arrays(const std::filesystem::path& path);

}  // namespace program
