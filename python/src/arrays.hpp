#pragma once
// NumPy's arrays as fields and as files of ensembles, and fields as NumPy's arrays. Fields are channel-last,
// arrays channel-first.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <map>
#include <mno/core/channel_first.hpp>
#include <mno/io/array_file.hpp>

namespace package {

namespace nb = nanobind;
namespace io = mno::io;
using mno::Index;

/// An array of any type, row-major, for reading.
using Given = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
/// The same of floats: (sample, channel, x…).
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, float>;
using Doubles = nb::ndarray<nb::numpy, double>;

inline io::Extents shape_of(const auto& array) {
  io::Extents shape;
  for (std::size_t d = 0; d < array.ndim(); ++d) shape.push_back(Index(array.shape(d)));
  return shape;
}

/// An array that hands its numbers out without a copy until it is read.
class GivenArray final : public io::StoredArray {
 public:
  GivenArray(const std::string& name, const Given& array)
      : layout_{type_of(name, array), shape_of(array)}, data_(static_cast<const std::byte*>(array.data())) {}
  const io::Layout& layout() const override { return layout_; }
  io::Array read(const io::Extents& start, const io::Extents& count) override {
    io::require_block(layout_, start, count);
    io::Array block(layout_.type, count);
    copy(0, 0, start, count, block.bytes().data());
    return block;
  }

 private:
  static io::Type type_of(const std::string& name, const Given& array) {
    const nb::dlpack::dtype type = array.dtype();
    if (type == nb::dtype<float>()) return io::Type::f32;
    if (type == nb::dtype<double>()) return io::Type::f64;
    mno::require(type == nb::dtype<std::int64_t>(), "fit", name.c_str(),
                 mno::Text("floats, or whole numbers"), mno::Text("another type"));
    return io::Type::i64;
  }
  /// The part of the block along the axes from `axis` on, whose place in the array is known before; gives
  /// where the next part goes.
  std::byte* copy(std::size_t axis, Index place, const io::Extents& start, const io::Extents& count,
                  std::byte* to) const {
    const std::size_t bytes = io::size_of(layout_.type);
    if (axis == count.size()) return std::copy_n(data_ + std::size_t(place) * bytes, bytes, to);
    place = place * layout_.shape[axis] + start[axis];
    bool whole = true;  // behind this axis
    Index behind = 1;
    for (std::size_t d = axis + 1; d < count.size(); ++d) {
      whole = whole && count[d] == layout_.shape[d];
      behind *= layout_.shape[d];
    }
    if (whole)
      return std::copy_n(data_ + std::size_t(place * behind) * bytes,
                         std::size_t(count[axis] * behind) * bytes, to);
    for (Index i = 0; i < count[axis]; ++i) to = copy(axis + 1, place + i, start, count, to);
    return to;
  }

  io::Layout layout_;
  const std::byte* data_;
};

/// Named arrays as if they were a file. They must outlive it.
class GivenFile final : public io::ArrayFile {
 public:
  explicit GivenFile(const std::map<std::string, Given>& arrays) : arrays_(arrays) {}
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, array] : arrays_) all.push_back(name);
    return all;
  }
  std::unique_ptr<io::StoredArray> open(const std::string& name) const override {
    return std::make_unique<GivenArray>(name, arrays_.at(name));
  }

 private:
  const std::map<std::string, Given>& arrays_;
};

template <int D>
mno::Domain<D> domain_of(const std::vector<double>& length, const std::vector<bool>& bounded) {
  mno::require(length.size() == D && bounded.size() == D, "Law", "length, bounded", mno::Text(D, " numbers"),
               mno::Text(length.size(), " and ", bounded.size()));
  mno::Domain<D> domain;
  for (std::size_t d = 0; d < D; ++d) {
    mno::require(std::isfinite(length[d]) && length[d] > 0, "Law", "length",
                 mno::Text("positive finite lengths"), mno::Text(length[d]));
    domain.length[d] = length[d];
    domain.bounded[d] = bounded[d];
  }
  return domain;
}

/// (sample, channel, x…) as a field.
template <int D>
mno::Field<float, D> field_of(const char* function, const char* name, const Floats& array,
                              const mno::Domain<D>& domain) {
  const io::Extents shape = shape_of(array);
  mno::require(shape.size() == D + 2 && array.size() > 0, function, name,
               mno::Text("(sample, channel, x…) in dimension ", D, ", with at least one of everything"),
               mno::Text(io::to_string(shape)));
  mno::Grid<D> grid{{}, domain};
  std::copy(shape.end() - D, shape.end(), grid.points.begin());
  mno::Field<float, D> field(shape[0], grid, shape[1]);
  mno::from_channel_first<float, D>({array.data(), array.size()}, field.view());
  return field;
}
template <int D>
void require_finite(const char* function, const char* name, const mno::Field<float, D>& field) {
  mno::require(mno::all_finite<float, D>(std::as_const(field).view()), function, name,
               mno::Text("finite values"), mno::Text("a NaN or an infinity"));
}

/// An array of NumPy's that owns what the vector has.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner);
}

/// A field's values with their shape, (sample, channel, x…): made without the interpreter's lock.
struct Values {
  std::vector<float> values;
  std::vector<std::size_t> shape;

  template <int D>
  explicit Values(const mno::Field<float, D>& field)
      : values(mno::to_channel_first<float, D>(field.view())),
        shape{std::size_t(field.batch()), std::size_t(field.channels())} {
    for (const Index n : field.grid().points) shape.push_back(std::size_t(n));
  }
  Result array() && { return array_of(std::move(values), shape); }
};

}  // namespace package
