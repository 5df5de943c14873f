#include "arrays.hpp"

#include <mno/io/shards/sharded_file.hpp>
#include <mno/io/zip/npz.hpp>
#ifdef MNO_PROGRAM_HDF5
#include <mno/io/hdf5/reader.hpp>
#endif
#ifdef MNO_PROGRAM_NETCDF
#include <mno/io/netcdf/reader.hpp>
#endif
#ifdef MNO_PROGRAM_MAT
#include <mno/io/mat/reader.hpp>
#endif
#include <array>

namespace program {

namespace {

namespace io = mno::io;
using ArrayFilePointer = std::unique_ptr<io::ArrayFile>;

/// A .npy file is one array, which has the file's name.
class NpyFile final : public io::ArrayFile {
 public:
  explicit NpyFile(const std::filesystem::path& path) : path_(path) { open(name()); }
  std::vector<std::string> names() const override { return {name()}; }
  std::unique_ptr<io::StoredArray> open(const std::string& asked) const override {
    if (asked != name())
      io::refuse(io::file_name(path_), "has the array ", io::shown(name()), ", not ", io::shown(asked));
    return std::make_unique<io::NpyReader>(path_);
  }

 private:
  std::string name() const { return path_.stem().string(); }
  std::filesystem::path path_;
};

[[noreturn, maybe_unused]] void refuse_format(const std::filesystem::path& path, const char* format,
                                              const char* option) {
  io::refuse(io::file_name(path), "is a ", format,
             " file, which this program was built without; configure with -D", option, "=ON");
}

ArrayFilePointer open_netcdf(const std::filesystem::path& path) {
#ifdef MNO_PROGRAM_NETCDF
  return std::make_unique<io::NetcdfReader>(path);
#else
  refuse_format(path, "NetCDF", "MNO_NETCDF");
#endif
}

ArrayFilePointer open_mat(const std::filesystem::path& path) {
#ifdef MNO_PROGRAM_MAT
  return std::make_unique<io::MatReader>(path);
#else
  refuse_format(path, "MATLAB", "MNO_MAT");
#endif
}

/// NetCDF-4 files are HDF5 too. A property that its library writes into the root group tells them apart, or
/// the file's name.
ArrayFilePointer open_hdf5(const std::filesystem::path& path) {
#ifdef MNO_PROGRAM_HDF5
  auto file = std::make_unique<io::Hdf5Reader>(path);
#ifdef MNO_PROGRAM_NETCDF
  const std::string ending = path.extension().string();
  if (ending == ".nc" || ending == ".nc4" || ending == ".cdf" ||
      file->describe("").attributes.contains("_NCProperties"))
    return open_netcdf(path);
#endif
  return file;
#else
  refuse_format(path, "HDF5", "MNO_HDF5");
#endif
}

ArrayFilePointer open_npz(const std::filesystem::path& path) {
  auto file = std::make_unique<io::NpzReader>(path);
  if (file->names().empty())
    io::refuse(io::file_name(path),
               "is a zip archive without .npy arrays; of a PyTorch file, save the tensors with "
               "np.savez(FILE, x=x.numpy(), y=y.numpy())");
  return file;
}

ArrayFilePointer open_one(const std::filesystem::path& path) {
  std::array<std::byte, 10> start{};
  io::File file(path);
  file.read(0, std::span(start).first(std::size_t(std::min<std::uint64_t>(file.size(), start.size()))));
  const std::string_view begin = io::characters(start);
  if (begin.starts_with("\x89HDF\r\n\x1a\n")) return open_hdf5(path);
  if (begin.starts_with("CDF\x01") || begin.starts_with("CDF\x02") || begin.starts_with("CDF\x05"))
    return open_netcdf(path);
  if (begin == "MATLAB 5.0" || begin == "MATLAB 7.3") return open_mat(path);
  if (begin.starts_with("PK")) return open_npz(path);
  if (begin.starts_with("\x93NUMPY")) return std::make_unique<NpyFile>(path);
  io::refuse(file.name(), "is none of .npy, .npz, HDF5, NetCDF and MATLAB's version 5 and 7.3");
}

}  // namespace

std::unique_ptr<io::ArrayFile> open_arrays(const std::filesystem::path& path) {
  std::error_code ignored;  // what is not there is refused as a file
  if (std::filesystem::is_directory(path, ignored)) return std::make_unique<io::ShardedFile>(path, open_one);
  return open_one(path);
}

}  // namespace program
