#pragma once
// A dataset of an HDF5 file as the C library reads it, with its errors as sentences.
//
// Before it is read, the size that it claims is compared with the bytes that the file has for it. External
// and virtual storage, and filters other than deflate, shuffle, fletcher32 and LZF are refused: they reach
// into other files or load code. Numbers of other widths and byte orders come as the smallest type of ours
// that holds them, u64 as f64.
#include <hdf5.h>

#include <array>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/hdf5/handle.hpp"
#include "mno/io/hdf5/lzf.hpp"

namespace mno::io::detail {

/// A dataset that is open: its layout is known, its elements come on request.
class Hdf5OpenDataset final : public StoredArray {
 public:
  const Layout& layout() const override { return layout_; }

  Array read(const Extents& start, const Extents& count) override {
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
    stored_ = H5Tget_size(type.get());
    if (H5Tequal(type.get(), hdf5_type(Type::boolean).get()) > 0) {
      layout_.type = Type::boolean;
      return;
    }
    const H5T_class_t kind = H5Tget_class(type.get());
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || stored_ > 8)
      refuse(name_, "found elements that are neither numbers of at most 64 bits nor bools");
    const bool natural = kind == H5T_INTEGER && H5Tget_sign(type.get()) == H5T_SGN_NONE;
    if (kind == H5T_FLOAT)
      layout_.type = stored_ <= 4 ? Type::f32 : Type::f64;
    else if (natural)
      layout_.type = stored_ == 1   ? Type::u8
                     : stored_ == 2 ? Type::i32
                     : stored_ <= 4 ? Type::i64
                                    : Type::f64;
    else
      layout_.type = stored_ <= 4 ? Type::i32 : Type::i64;
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

    bool packed = false;
    const int filters = H5Pget_nfilters(list.get());
    if (filters < 0) hdf5_refuse(name_, "has no list of filters");
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0, configuration = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(list.get(), unsigned(i), &flags, &values, nullptr, 0, nullptr, &configuration);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32 &&
          filter != lzf_filter)
        refuse(name_, "found filter ", filter, "; accepted are deflate, shuffle, fletcher32 and LZF");
      packed = packed || filter == H5Z_FILTER_DEFLATE || filter == lzf_filter;
    }

    const std::uint64_t stored = H5Dget_storage_size(dataset_.get()), claimed = layout_.elements() * stored_;
    const std::uint64_t most =
        !packed ? stored : checked_product(stored, 1032).value_or(stored);  // as deflate can; LZF packs less
    if (stored > file_size || claimed > most)
      refuse(name_, "claims ", claimed, " bytes for ", layout_.str(), ", found ", stored,
             " stored in a file of ", file_size);
    if (storage == H5D_CHUNKED) check_chunk(list.get(), most);
  }
  /// A chunk is read as a whole, so it must not be larger than what is stored either.
  void check_chunk(hid_t list, std::uint64_t most) const {
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    const int axes = H5Pget_chunk(list, int(sizes.size()), sizes.data());
    if (axes != int(layout_.shape.size()))
      refuse(name_, "found chunks of another dimension than the dataset's");
    std::uint64_t bytes = stored_;
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
  std::uint64_t stored_ = 0;  // bytes of an element in the file
};

}  // namespace mno::io::detail
