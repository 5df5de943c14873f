#pragma once
// What the HDF5 C library needs around it: handles that close themselves, one caller at a time, errors as
// sentences instead of text on the terminal. Part of the HDF5 component.
#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mno/io/array.hpp"
#include "mno/io/bytes.hpp"
#include "mno/io/worker.hpp"

namespace mno::io {

/// The library is not safe for threads, and prints its errors unless told otherwise. Hold this during every
/// call; afterwards the caller's own setting is restored.
class Hdf5Lock {
 public:
  Hdf5Lock() : lock_(library_mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &report_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Lock() { H5Eset_auto2(H5E_DEFAULT, report_, data_); }
  Hdf5Lock(const Hdf5Lock&) = delete;
  Hdf5Lock& operator=(const Hdf5Lock&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t report_ = nullptr;
  void* data_ = nullptr;
};

class Hdf5Handle {
 public:
  Hdf5Handle() = default;
  /// `close` may be null, for handles that the library owns.
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { close(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// False if the library could not write what was left.
  bool close() {
    if (id_ < 0 || !close_) return true;
    return close_(std::exchange(id_, H5I_INVALID_HID)) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

/// The sentence, with what the library says at the bottom of its error stack.
[[noreturn]] inline void hdf5_refuse(const std::string& name, const char* what) {
  std::string reason;
  const auto first = [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
    if (n == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
  H5Eclear2(H5E_DEFAULT);
  refuse(name, what, reason.empty() ? "" : ": ", plain(reason, 250));
}

/// How elements lie in a file, which is how they lie in memory too. A bool is what NumPy's h5py makes of it.
inline Hdf5Handle hdf5_type(Type type) {
  if (type != Type::boolean) {
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I32LE, H5T_STD_I64LE, H5T_STD_U8LE};
    return {types[std::size_t(type)], nullptr};
  }
  Hdf5Handle boolean(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  const signed char no = 0, yes = 1;
  H5Tenum_insert(boolean.get(), "FALSE", &no);
  H5Tenum_insert(boolean.get(), "TRUE", &yes);
  return boolean;
}

/// A block of a dataset's space, and the memory for it.
struct Hdf5Block {
  Hdf5Handle memory{H5S_ALL, nullptr}, chosen{H5S_ALL, nullptr};

  Hdf5Block(hid_t dataset, const Extents& start, const Extents& count, const std::string& name) {
    if (count.empty()) return;
    const std::vector<hsize_t> from(start.begin(), start.end()), n(count.begin(), count.end());
    chosen = Hdf5Handle(H5Dget_space(dataset), H5Sclose);
    memory = Hdf5Handle(H5Screate_simple(int(n.size()), n.data(), nullptr), H5Sclose);
    if (!chosen || !memory ||
        H5Sselect_hyperslab(chosen.get(), H5S_SELECT_SET, from.data(), nullptr, n.data(), nullptr) < 0)
      hdf5_refuse(name, "cannot choose a block of it");
  }
};

}  // namespace mno::io
