#pragma once
// What a call may need of the interpreter while it runs without it: to say a thing, and to know whether
// somebody pressed Ctrl-C.
#include <nanobind/nanobind.h>

#include <chrono>
#include <string>

namespace package {

namespace nb = nanobind;

/// Lives on the stack of the call that it serves, with the interpreter's lock held.
class Session {
 public:
  explicit Session(nb::object say = nb::none()) : say_(std::move(say)), before_(current()) {
    current() = this;
  }
  Session(const Session&) = delete;
  ~Session() { current() = before_; }

  /// That of the calling thread; none: null.
  static Session*& current() {
    thread_local Session* one = nullptr;
    return one;
  }

  void say(const std::string& text) {
    const nb::gil_scoped_acquire held;
    if (!say_.is_none()) say_(text);
  }
  /// Throws the KeyboardInterrupt, or what else a signal's handler raises. The lock is somebody else's for
  /// milliseconds if he is busy, so it is not asked for after every step.
  void check() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return;
    looked_ = now;
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  nb::object say_;  // or None
  Session* before_;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace package
