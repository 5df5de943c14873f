#pragma once
// Writing HDF5 files, crash-safe as all files here: nothing is in place before commit().
//
// The library does not survive a full disk: it tries again when its handles are closed, and crashes when the
// program ends. So everything is flushed while handles are open. After a failure the rest is written to
// memory and dropped.
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mno/io/hdf5/handle.hpp"
#include "mno/io/safe_file.hpp"

namespace mno::io {

class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path, Keep keep = Keep::previous)
      : target_(path, keep), name_(file_name(path)) {
    const Hdf5Lock lock;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // The temporary is locked by its owner already.
    if (!access || H5Pset_file_locking(access.get(), false, true) < 0) hdf5_refuse(name_, "cannot be set up");
    file_ = Hdf5Handle(H5Fcreate(target_.temporary().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                       H5Fclose);
    if (!file_) hdf5_refuse(name_, "cannot be created");
  }

  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;
  ~Hdf5Writer() {
    const Hdf5Lock lock;
    datasets_.clear();
    file_.close();
  }

  /// A dataset "group/name" to be filled by rows. Deflated ones are stored in chunks of about a megabyte.
  void create(const std::string& path, const Layout& layout, bool deflate = false) {
    require(layout.representable() && layout.shape.size() <= H5S_MAX_RANK, "io::Hdf5Writer::create", "layout",
            Text("a shape of at most ", H5S_MAX_RANK, " axes"), Text(layout.str()));
    const Hdf5Lock lock;
    const std::vector<hsize_t> sizes(layout.shape.begin(), layout.shape.end());
    const Hdf5Handle space(
        sizes.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(sizes.size()), sizes.data(), nullptr),
        H5Sclose);
    const Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
        list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    bool ready = space && links && list && H5Pset_create_intermediate_group(links.get(), 1) >= 0;
    if (ready && deflate && !sizes.empty() && layout.elements() > 0) {
      std::vector<hsize_t> chunk = sizes;
      std::uint64_t bytes = layout.bytes();
      for (hsize_t& n : chunk) {  // the leading axes are cut first
        const std::uint64_t rest = bytes / n,
                            whole = std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / rest);
        n = std::min<hsize_t>(n, whole);
        bytes = rest;
      }
      ready = H5Pset_chunk(list.get(), int(chunk.size()), chunk.data()) >= 0 &&
              H5Pset_shuffle(list.get()) >= 0 && H5Pset_deflate(list.get(), 6) >= 0;
    }
    Hdf5Handle dataset;
    if (ready)
      dataset = Hdf5Handle(H5Dcreate2(file_.get(), path.c_str(), hdf5_type(layout.type).get(), space.get(),
                                      links.get(), list.get(), H5P_DEFAULT),
                           H5Dclose);
    if (!dataset) hdf5_refuse(name_ + ", dataset " + shown(path), "cannot be created");
    datasets_.insert_or_assign(path, Open{std::move(dataset), layout});
  }

  /// Rows of a dataset that was created before, from row `first` on.
  void write_rows(const std::string& path, Index first, const Array& rows) {
    const auto found = datasets_.find(path);
    require(found != datasets_.end(), "io::Hdf5Writer::write_rows", "path",
            Text("a dataset that was created"), Text(path));
    const auto& [dataset, layout] = found->second;
    const Index count = rows.layout().rows();
    require(rows.layout() == layout.with_rows(count) && first >= 0 && first <= layout.rows() &&
                count <= layout.rows() - first,
            "io::Hdf5Writer::write_rows", "rows", Text("rows within ", layout.str()),
            Text(rows.layout().str(), " from ", first));
    if (rows.size() == 0) return;
    const Hdf5Lock lock;
    const std::string name = name_ + ", dataset " + shown(path);
    Extents start(layout.shape.size(), 0);
    if (!start.empty()) start[0] = first;
    const Hdf5Block part(dataset.get(), start, rows.shape(), name);
    if (H5Dwrite(dataset.get(), hdf5_type(layout.type).get(), part.memory.get(), part.chosen.get(),
                 H5P_DEFAULT, rows.bytes().data()) < 0)
      give_up();
  }
  void write(const std::string& path, const Array& array, bool deflate = false) {
    create(path, array.layout(), deflate);
    write_rows(path, 0, array);
  }

  void commit() {
    const Hdf5Lock lock;
    for (auto& [path, open] : datasets_)
      if (H5Dflush(open.dataset.get()) < 0) give_up();
    if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) give_up();
    bool written = true;
    for (auto& [path, open] : datasets_) written = open.dataset.close() && written;
    datasets_.clear();
    if (!file_.close() || !written) hdf5_refuse(name_, "cannot be written");
    target_.commit();
  }

 private:
  [[noreturn]] void give_up() {
    std::string reason;
    const auto look = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
      const std::string_view text = error->desc ? error->desc : "";
      const std::string_view before = "error message = '";
      const std::size_t at = text.find(before);
      if (at != text.npos) {
        const std::string_view rest = text.substr(at + before.size());
        *static_cast<std::string*>(out) = rest.substr(0, rest.find('\''));
      }
      return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &reason);
    close_into_memory();
    H5Eclear2(H5E_DEFAULT);
    cannot_write(name_, "cannot be written: ", reason.empty() ? "HDF5 does not say why" : plain(reason, 250),
                 "; the file itself is unchanged");
  }

  /// The rest is written to a file in memory, which the library can cut and extend. A limit on the size of
  /// files would hold for that one too, so it is lifted meanwhile.
  void close_into_memory() {
    void* handle = nullptr;
    const Descriptor memory(::memfd_create("mno", MFD_CLOEXEC));
    if (H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &handle) >= 0 && handle && memory)
      ::dup2(memory.get(), *static_cast<int*>(handle));
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit lifted{before.rlim_max, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &lifted);
    datasets_.clear();
    file_.close();
    ::setrlimit(RLIMIT_FSIZE, &before);
  }

  struct Open {
    Hdf5Handle dataset;
    Layout layout;
  };
  SafeFile target_;
  std::string name_;
  Hdf5Handle file_;
  std::map<std::string, Open> datasets_;
};

}  // namespace mno::io
