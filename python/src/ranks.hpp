#pragma once
// Processes that train together, as Python knows them: a function that exchanges bytes, mpi4py's for one.
#include <nanobind/nanobind.h>

#include <mno/device/communicator.hpp>
#include <optional>

namespace package {

namespace nb = nanobind;

/// Of an object with `rank`, `size` and `exchange(send, receive)`, lists of a memoryview for every rank.
class PythonRanks final : public mno::Communicator {
 public:
  explicit PythonRanks(const nb::object& ranks)
      : rank_(nb::cast<mno::Index>(ranks.attr("rank"))),
        size_(nb::cast<mno::Index>(ranks.attr("size"))),
        exchange_(ranks.attr("exchange")) {}
  mno::Index rank() const override { return rank_; }
  mno::Index size() const override { return size_; }
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) override {
    const nb::gil_scoped_acquire held;
    nb::list out, in;
    for (const auto& part : send)
      out.append(view(const_cast<std::byte*>(part.data()), part.size(), PyBUF_READ));
    for (const auto& part : receive) in.append(view(part.data(), part.size(), PyBUF_WRITE));
    exchange_(out, in);
  }

 private:
  static nb::object view(std::byte* data, std::size_t size, int flags) {
    static char nothing = 0;  // a view of no bytes has to point somewhere
    PyObject* const made =
        PyMemoryView_FromMemory(size > 0 ? reinterpret_cast<char*>(data) : &nothing, Py_ssize_t(size), flags);
    if (!made) throw nb::python_error();
    return nb::steal(made);
  }

  mno::Index rank_, size_;
  nb::object exchange_;
};

}  // namespace package
