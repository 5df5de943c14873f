#pragma once
// HDF5 files as the C library reads them, with its errors as sentences. This runs in the process that
// reader.hpp starts for it, since damaged files crash the library itself.
//
// External and soft links are refused: they reach into other files. dataset.hpp says what else is.
#include <hdf5.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/file.hpp"
#include "mno/io/hdf5/attributes.hpp"
#include "mno/io/hdf5/dataset.hpp"
#include "mno/io/hdf5/handle.hpp"

namespace mno::io::detail {

class Hdf5File final : public ArrayFile {
 public:
  explicit Hdf5File(const std::filesystem::path& path) : name_(file_name(path)), size_(File(path).size()) {
    prepare();
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_) hdf5_refuse(name_, "cannot be opened as HDF5");
  }
  /// A file that is in memory.
  explicit Hdf5File(std::span<const std::byte> image, std::string name = "memory")
      : name_(std::move(name)), size_(image.size()) {
    if (image.empty()) refuse(name_, "expected an HDF5 file, found no bytes");
    prepare();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!access || H5Pset_fapl_core(access.get(), 1 << 16, 0) < 0 ||
        H5Pset_file_image(access.get(), const_cast<std::byte*>(image.data()), image.size()) < 0)
      hdf5_refuse(name_, "cannot be opened in memory");
    file_ = Hdf5Handle(H5Fopen("memory", H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file_) hdf5_refuse(name_, "cannot be opened as HDF5");
  }

  /// Of all datasets, "group/dataset", and of links that lead elsewhere, which open() refuses.
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    std::set<haddr_t> seen;  // groups may contain each other
    list(file_.get(), "", names, seen);
    return names;
  }

  /// Through hard links only: others could lead into other files.
  std::unique_ptr<StoredArray> open(const std::string& path) const override {
    const std::string name = name_ + ", dataset " + shown(path);
    require_hard_links(path, name);
    Hdf5Handle dataset(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) hdf5_refuse(name, "cannot be opened as a dataset");
    return std::unique_ptr<StoredArray>(new Hdf5OpenDataset(std::move(dataset), name, size_));
  }

  Description describe(const std::string& path) const override {
    const std::string name = name_ + ", object " + shown(path);
    if (!path.empty()) require_hard_links(path, name);
    const Hdf5Handle object(H5Oopen(file_.get(), path.empty() ? "/" : path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) hdf5_refuse(name, "cannot be opened");
    return hdf5_description(object.get());
  }

 private:
  static void prepare() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors become sentences
    register_lzf();
  }
  void require_hard_links(const std::string& path, const std::string& name) const {
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
      const std::string part = path.substr(0, slash);
      H5L_info_t link{};
      if (part.empty() || H5Lget_info(file_.get(), part.c_str(), &link, H5P_DEFAULT) < 0)
        hdf5_refuse(name, "is not in the file");
      if (link.type != H5L_TYPE_HARD)
        refuse(name, "found a soft or external link, expected the dataset itself");
      if (slash == path.npos) break;
    }
  }

  void list(hid_t group, const std::string& prefix, std::vector<std::string>& names,
            std::set<haddr_t>& seen) const {
    std::vector<std::string> here;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* all) -> herr_t {
      static_cast<std::vector<std::string>*>(all)->emplace_back(name);
      return 0;
    };
    hsize_t index = 0;
    if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &index, add, &here) < 0)
      hdf5_refuse(name_, "cannot be listed");
    for (const std::string& one : here) {
      H5L_info_t link{};
      H5O_info_t object{};
      if (H5Lget_info(group, one.c_str(), &link, H5P_DEFAULT) < 0) continue;
      if (link.type != H5L_TYPE_HARD) {
        names.push_back(prefix + one);
        continue;
      }
      if (H5Oget_info_by_name(group, one.c_str(), &object, H5P_DEFAULT) < 0) continue;
      if (object.type == H5O_TYPE_DATASET) names.push_back(prefix + one);
      if (object.type != H5O_TYPE_GROUP || !seen.insert(object.addr).second) continue;
      const Hdf5Handle inner(H5Gopen2(group, one.c_str(), H5P_DEFAULT), H5Gclose);
      if (inner) list(inner.get(), prefix + one + "/", names, seen);
    }
  }

  std::string name_;
  std::uint64_t size_;
  Hdf5Handle file_;
};

}  // namespace mno::io::detail
