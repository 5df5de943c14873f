#pragma once
// The data file that is written, .npz or HDF5 by its ending: arrays row after row, nothing in place before
// commit().
#include <filesystem>
#include <memory>
#include <mno/io/array.hpp>
#include <mno/io/safe_file.hpp>

namespace program {

class DataOutput {
 public:
  virtual ~DataOutput() = default;
  /// An array of floats, whose rows follow by append().
  virtual void begin(const std::string& name, const mno::io::Layout& layout) = 0;
  virtual void append(std::span<const float> values) = 0;
  virtual void end() = 0;
  virtual void write(const std::string& name, const mno::io::Array& array) = 0;
  virtual void commit() = 0;
};

std::unique_ptr<DataOutput> create_data(const std::filesystem::path& path, bool compress, mno::io::Keep keep);

/// An Error unless the disk has room for so many bytes: better before the work than after it.
void require_room(const std::filesystem::path& path, double bytes);

}  // namespace program
