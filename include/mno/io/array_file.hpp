#pragma once
// Named arrays in a file, whatever its format: their user need not know whether it is .npz or HDF5.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mno/io/array.hpp"

namespace mno::io {

/// Refuses a block of `count` elements per axis from `start` on that the array does not have.
inline void require_block(const Layout& layout, const Extents& start, const Extents& count) {
  const Extents& shape = layout.shape;
  bool inside = start.size() == shape.size() && count.size() == shape.size();
  for (std::size_t d = 0; inside && d < shape.size(); ++d)
    inside = start[d] >= 0 && count[d] >= 0 && start[d] <= shape[d] && count[d] <= shape[d] - start[d];
  require(inside, "io::StoredArray::read", "start, count", Text("a block within ", to_string(shape)),
          Text(to_string(count), " from ", to_string(start)));
}

/// An array whose layout is known and whose elements come on request.
class StoredArray {
 public:
  virtual ~StoredArray() = default;
  virtual const Layout& layout() const = 0;
  /// The block of `count` elements per axis from `start` on.
  virtual Array read(const Extents& start, const Extents& count) = 0;

  /// `count` rows along the first axis.
  Array read_rows(Index first, Index count) {
    const Extents& shape = layout().shape;
    if (shape.empty()) return read({}, {});
    Extents start(shape.size(), 0), block = shape;
    start[0] = first;
    block[0] = count;
    return read(start, block);
  }
  Array read() { return read(Extents(layout().shape.size(), 0), layout().shape); }
};

/// What a file notes beside an array: words, or numbers.
struct Attribute {
  std::vector<std::string> texts{};
  std::vector<double> numbers{};
};
/// What a file says of an array, a group or itself.
struct Description {
  std::vector<std::string> axes{};  // names of the axes, if they have any
  std::map<std::string, Attribute> attributes{};

  /// The first word or number of an attribute, or nothing.
  std::string text(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() || found->second.texts.empty() ? "" : found->second.texts[0];
  }
  std::vector<double> numbers(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::vector<double>() : found->second.numbers;
  }
};

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  /// Of all arrays; "group/array" where there are groups.
  virtual std::vector<std::string> names() const = 0;
  /// The array may outlive the file.
  virtual std::unique_ptr<StoredArray> open(const std::string& name) const = 0;
  /// Of an array or a group; "" is the file itself.
  virtual Description describe(const std::string&) const { return {}; }
};

}  // namespace mno::io
