#pragma once
// Named arrays in one file, as np.savez and np.savez_compressed write them: a zip archive of .npy members.
//
//   NpzReader file("ensemble.npz");
//   auto members = file.open("members");           // layout known, nothing allocated
//   for (Index i = 0; i < members->layout().rows(); ++i) use(members->read_rows(i, 1));
#include <filesystem>
#include <string>
#include <vector>

#include "mno/io/npy/file.hpp"
#include "mno/io/zip/archive.hpp"
#include "mno/io/zip/writer.hpp"

namespace mno::io {

class NpzReader : public ArrayFile {
 public:
  explicit NpzReader(std::shared_ptr<Source> source) : zip_(std::move(source)) {}
  explicit NpzReader(const std::filesystem::path& path) : NpzReader(open_file(path)) {}

  /// The names of the arrays, in the order of the file.
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const ZipEntry& entry : zip_.members())
      if (entry.name.ends_with(".npy")) names.push_back(entry.name.substr(0, entry.name.size() - 4));
    return names;
  }
  bool contains(const std::string& name) const { return zip_.find(name + ".npy") != nullptr; }

  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    const ZipEntry* entry = zip_.find(name + ".npy");
    if (!entry) {
      std::string known;
      for (const std::string& other : names()) known += (known.empty() ? "" : ", ") + other;
      refuse(zip_.name(), "expected an array ", shown(name), ", found ",
             known.empty() ? "'none'" : shown(known));
    }
    return std::make_unique<NpyReader>(zip_.open(*entry));
  }
  Array read(const std::string& name) const { return open(name)->read(); }

 private:
  Zip zip_;
};

/// Arrays go in whole, or in pieces between begin() and end(). Nothing is in place before commit().
class NpzWriter {
 public:
  explicit NpzWriter(const std::filesystem::path& path, Compression compression = Compression::none,
                     Keep keep = Keep::previous)
      : zip_(path, keep), compression_(compression) {}

  void begin(const std::string& name, const Layout& layout) {
    const Bytes header = npy_header(layout);
    zip_.begin(name + ".npy", compression_);
    zip_.write(header);
    layout_ = layout;
    left_ = layout.bytes();
  }
  template <Element T> void append(std::span<const T> values) {
    require(layout_.type == type_of<T>(), "io::NpzWriter::append", "T", Text(name_of(layout_.type)),
            Text(name_of(type_of<T>())));
    append_bytes(std::as_bytes(values));
  }
  void end() {
    require(left_ == 0, "io::NpzWriter::end", "array", Text("all bytes of ", layout_.str()),
            Text(left_, " missing"));
    zip_.end();
  }

  void write(const std::string& name, const Array& array) {
    begin(name, array.layout());
    append_bytes(array.bytes());
    end();
  }
  void commit() { zip_.commit(); }

 private:
  void append_bytes(std::span<const std::byte> bytes) {
    require(bytes.size() <= left_, "io::NpzWriter::append", "values",
            Text("at most ", left_, " bytes more of ", layout_.str()), Text(bytes.size()));
    zip_.write(bytes);
    left_ -= bytes.size();
  }

  ZipWriter zip_;
  Compression compression_;
  Layout layout_;
  std::uint64_t left_ = 0;
};

}  // namespace mno::io
