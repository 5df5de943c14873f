#include "output.hpp"

#include <mno/io/zip/npz.hpp>
#ifdef MNO_PROGRAM_HDF5
#include <mno/io/hdf5/writer.hpp>
#endif

namespace program {

namespace {

namespace io = mno::io;
using mno::Index;

class NpzOutput final : public DataOutput {
 public:
  NpzOutput(const std::filesystem::path& path, bool compress, io::Keep keep)
      : file_(path, compress ? io::Compression::deflate : io::Compression::none, keep) {}
  void begin(const std::string& name, const io::Layout& layout) override { file_.begin(name, layout); }
  void append(std::span<const float> values) override { file_.append(values); }
  void end() override { file_.end(); }
  void write(const std::string& name, const io::Array& array) override { file_.write(name, array); }
  void commit() override { file_.commit(); }

 private:
  io::NpzWriter file_;
};

#ifdef MNO_PROGRAM_HDF5
/// Rows are collected, since each write has a cost of its own.
class Hdf5Output final : public DataOutput {
 public:
  Hdf5Output(const std::filesystem::path& path, bool compress, io::Keep keep)
      : file_(path, keep), compress_(compress) {}
  void begin(const std::string& name, const io::Layout& layout) override {
    file_.create(name, layout, compress_);
    name_ = name;
    layout_ = layout;
    row_ = 0;
  }
  void append(std::span<const float> values) override {
    collected_.insert(collected_.end(), values.begin(), values.end());
    if (collected_.size() * sizeof(float) >= (std::size_t{1} << 22)) flush();
  }
  void end() override { flush(); }
  void write(const std::string& name, const io::Array& array) override { file_.write(name, array); }
  void commit() override { file_.commit(); }

 private:
  void flush() {
    const std::size_t each = std::size_t(layout_.row_elements());
    const auto rows = Index(collected_.size() / each);
    if (rows == 0) return;
    const std::span whole(collected_.data(), std::size_t(rows) * each);
    file_.write_rows(name_, row_, io::Array::of<float>(layout_.with_rows(rows).shape, whole));
    collected_.erase(collected_.begin(), collected_.begin() + Index(whole.size()));
    row_ += rows;
  }

  io::Hdf5Writer file_;
  bool compress_;
  std::string name_;
  io::Layout layout_;
  Index row_ = 0;
  std::vector<float> collected_;
};
#endif

}  // namespace

std::unique_ptr<DataOutput> create_data(const std::filesystem::path& path, bool compress, io::Keep keep) {
  const std::string ending = path.extension().string();
  if (ending == ".npz") return std::make_unique<NpzOutput>(path, compress, keep);
  if (ending == ".h5" || ending == ".hdf5") {
#ifdef MNO_PROGRAM_HDF5
    return std::make_unique<Hdf5Output>(path, compress, keep);
#else
    throw mno::Error(
        "mno import: this program was built without HDF5; write an .npz file, or configure with "
        "-DMNO_HDF5=ON.");
#endif
  }
  throw mno::Error("mno import: -o: expected a file that ends in .h5, .hdf5 or .npz, got '" + path.string() +
                   "'.");
}

void require_room(const std::filesystem::path& path, double bytes) {
  std::error_code error;
  const auto room =
      std::filesystem::space(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), error);
  if (!error && bytes > double(room.available))
    io::cannot_write(io::file_name(path), "takes about ", bytes / 1e9, " GB, and its disk has ",
                     double(room.available) / 1e9,
                     " left; --every, --samples or fewer --lags make it smaller");
}

}  // namespace program
