#pragma once
// HDF5 files as the C library reads them, with its errors as sentences. This runs in the process that
// reader.hpp starts for it, since damaged files crash the library itself.
//
// Before a dataset is read, what it claims is compared with the bytes that the file has for it. External and
// soft links, external and virtual storage, and filters other than deflate, shuffle and fletcher32 are
// refused: they reach into other files or load code.
#include <hdf5.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "mno/io/array.hpp"
#include "mno/io/file.hpp"
#include "mno/io/hdf5/handle.hpp"

namespace mno::io::detail {

/// Whether a dataset has the block of `count` elements per axis from `start` on, or the sentence.
inline void require_block(const Layout& layout, const Extents& start, const Extents& count) {
  const Extents& shape = layout.shape;
  bool inside = start.size() == shape.size() && count.size() == shape.size();
  for (std::size_t d = 0; inside && d < shape.size(); ++d)
    inside = start[d] >= 0 && count[d] >= 0 && start[d] <= shape[d] && count[d] <= shape[d] - start[d];
  require(inside, "io::Hdf5Dataset::read", "start, count", Text("a block within ", to_string(shape)),
          Text(to_string(count), " from ", to_string(start)));
}

/// A dataset that is open: its layout is known, its elements come on request.
class Hdf5OpenDataset {
 public:
  const Layout& layout() const { return layout_; }

  /// The block of `count` elements per axis from `start` on.
  Array read(const Extents& start, const Extents& count) const {
    require_block(layout_, start, count);
    Array block(layout_.type, count);
    if (block.size() == 0) return block;
    const Hdf5Block part(dataset_.get(), start, count, name_);
    if (H5Dread(dataset_.get(), hdf5_type(layout_.type).get(), part.memory.get(), part.chosen.get(),
                H5P_DEFAULT, block.bytes().data()) < 0)
      hdf5_refuse(name_, "cannot be read");
    check_elements(layout_.type, block.bytes(), name_);
    return block;
  }

 private:
  friend class Hdf5File;
  Hdf5OpenDataset(Hdf5Handle dataset, std::string name, std::uint64_t file_size)
      : dataset_(std::move(dataset)), name_(std::move(name)) {
    read_type();
    read_shape();
    check_storage(file_size);
  }

  void read_type() {
    const Hdf5Handle type(H5Dget_type(dataset_.get()), H5Tclose);
    if (!type) hdf5_refuse(name_, "has no type");
    for (Type candidate : {Type::f32, Type::f64, Type::i32, Type::i64, Type::u8, Type::boolean})
      if (H5Tequal(type.get(), hdf5_type(candidate).get()) > 0) {
        layout_.type = candidate;
        return;
      }
    refuse(name_, "found elements that are none of little-endian f32, f64, i32, i64, u8 and bool");
  }

  void read_shape() {
    const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose);
    const int axes = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
    if (axes < 0 || axes > H5S_MAX_RANK) hdf5_refuse(name_, "has no shape");
    if (H5Sget_simple_extent_type(space.get()) == H5S_NULL)
      refuse(name_, "found a dataset without elements or shape");
    std::vector<hsize_t> sizes(std::size_t(axes), 0);
    if (axes > 0 && H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr) < 0)
      hdf5_refuse(name_, "has no shape");
    for (hsize_t n : sizes)
      layout_.shape.push_back(n > hsize_t(std::numeric_limits<Index>::max()) ? -1 : Index(n));
    if (!layout_.representable()) refuse(name_, "found a shape that no memory can hold: ", layout_.str());
  }

  void check_storage(std::uint64_t file_size) const {
    const Hdf5Handle list(H5Dget_create_plist(dataset_.get()), H5Pclose);
    if (!list) hdf5_refuse(name_, "has no storage");
    const H5D_layout_t storage = H5Pget_layout(list.get());
    if (storage != H5D_COMPACT && storage != H5D_CONTIGUOUS && storage != H5D_CHUNKED)
      refuse(name_, "found virtual storage; accepted are compact, contiguous and chunked");
    if (H5Pget_external_count(list.get()) != 0)
      refuse(name_, "found its data in other files, expected it in this one");

    bool deflated = false;
    const int filters = H5Pget_nfilters(list.get());
    if (filters < 0) hdf5_refuse(name_, "has no list of filters");
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0, configuration = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(list.get(), unsigned(i), &flags, &values, nullptr, 0, nullptr, &configuration);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
        refuse(name_, "found filter ", filter, "; accepted are deflate, shuffle and fletcher32");
      deflated = deflated || filter == H5Z_FILTER_DEFLATE;
    }

    const std::uint64_t stored = H5Dget_storage_size(dataset_.get());
    const std::uint64_t most =
        !deflated ? stored : checked_product(stored, 1032).value_or(stored);  // as deflate can
    if (stored > file_size || layout_.bytes() > most)
      refuse(name_, "claims ", layout_.bytes(), " bytes for ", layout_.str(), ", found ", stored,
             " stored in a file of ", file_size);
    if (storage == H5D_CHUNKED) check_chunk(list.get(), most);
  }
  /// A chunk is read as a whole, so it must not be larger than what is stored either.
  void check_chunk(hid_t list, std::uint64_t most) const {
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    const int axes = H5Pget_chunk(list, int(sizes.size()), sizes.data());
    if (axes != int(layout_.shape.size()))
      refuse(name_, "found chunks of another dimension than the dataset's");
    std::uint64_t bytes = size_of(layout_.type);
    for (std::size_t d = 0; d < std::size_t(axes); ++d) {
      const auto product = checked_product(bytes, sizes[d]);
      if (!product || *product == 0 || (layout_.bytes() > 0 && *product > most))
        refuse(name_, "found chunks larger than what is stored");
      bytes = *product;
    }
  }

  Hdf5Handle dataset_;
  std::string name_;
  Layout layout_;
};

class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path) : name_(file_name(path)), size_(File(path).size()) {
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_) hdf5_refuse(name_, "cannot be opened as HDF5");
  }
  /// A file that is in memory.
  explicit Hdf5File(std::span<const std::byte> image, std::string name = "memory")
      : name_(std::move(name)), size_(image.size()) {
    if (image.empty()) refuse(name_, "expected an HDF5 file, found no bytes");
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    if (!access || H5Pset_fapl_core(access.get(), 1 << 16, 0) < 0 ||
        H5Pset_file_image(access.get(), const_cast<std::byte*>(image.data()), image.size()) < 0)
      hdf5_refuse(name_, "cannot be opened in memory");
    file_ = Hdf5Handle(H5Fopen("memory", H5F_ACC_RDONLY, access.get()), H5Fclose);
    if (!file_) hdf5_refuse(name_, "cannot be opened as HDF5");
  }

  /// The names of what lies in the root group.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
      return 0;
    };
    hsize_t index = 0;
    if (H5Literate(file_.get(), H5_INDEX_NAME, H5_ITER_INC, &index, add, &names) < 0)
      hdf5_refuse(name_, "cannot be listed");
    return names;
  }

  /// "group/dataset", through hard links only: others could lead into other files.
  Hdf5OpenDataset open(const std::string& path) const {
    const std::string name = name_ + ", dataset " + shown(path);
    for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
      const std::string part = path.substr(0, slash);
      H5L_info_t link{};
      if (part.empty() || H5Lget_info(file_.get(), part.c_str(), &link, H5P_DEFAULT) < 0)
        hdf5_refuse(name, "is not in the file");
      if (link.type != H5L_TYPE_HARD)
        refuse(name, "found a soft or external link, expected the dataset itself");
      if (slash == path.npos) break;
    }
    Hdf5Handle dataset(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset) hdf5_refuse(name, "cannot be opened as a dataset");
    return Hdf5OpenDataset(std::move(dataset), name, size_);
  }

 private:
  std::string name_;
  std::uint64_t size_;
  Hdf5Handle file_;
};

}  // namespace mno::io::detail
