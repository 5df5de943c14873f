#pragma once
// Named arrays in a file, whatever its format: what uses them need not know whether it is .npz or HDF5.
#include <memory>
#include <string>
#include <vector>

#include "mno/io/array.hpp"

namespace mno::io {

/// An array whose layout is known and whose rows, along the first axis, come on request.
class StoredArray {
 public:
  virtual ~StoredArray() = default;
  virtual const Layout& layout() const = 0;
  virtual Array read_rows(Index first, Index count) = 0;
};

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::vector<std::string> names() const = 0;
  /// The array may outlive the file.
  virtual std::unique_ptr<StoredArray> open(const std::string& name) const = 0;
};

/// Reader has names() and open(name); what it opens has layout() and read_rows(first, count).
template <class Reader> class ArrayFileOf final : public ArrayFile {
  using Opened = decltype(std::declval<const Reader&>().open(std::string()));

  class Stored final : public StoredArray {
   public:
    explicit Stored(Opened array) : array_(std::move(array)) {}
    const Layout& layout() const override { return array_.layout(); }
    Array read_rows(Index first, Index count) override { return array_.read_rows(first, count); }

   private:
    Opened array_;
  };

 public:
  explicit ArrayFileOf(Reader reader) : reader_(std::move(reader)) {}
  std::vector<std::string> names() const override { return reader_.names(); }
  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    return std::make_unique<Stored>(reader_.open(name));
  }

 private:
  Reader reader_;
};

}  // namespace mno::io
