#pragma once
// All operators that a program can have: those that were compiled with it, and any other shape, compiled the
// first time it is needed and kept (folder.hpp).
//
//   demand::Operators operators({.compiled_in = tables, .say = print});
//   const demand::Operator& one = operators.get({.kind = "mno-path", .dimension = 1, .channels = 2, …});
//
// Publication by rename makes every result right whoever else is at work; locks only save work. What does not
// verify or does not fit counts as missing and is compiled again.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "folder.hpp"
#include "object.hpp"
#include "operator.hpp"
#include "toolchain.hpp"

namespace demand {

class Operators {
 public:
  struct Settings {
    std::vector<const boundary::Table*> compiled_in{};
    std::function<void(const std::string&)> say{};  // what is compiled, and how long it took; parts of lines
    std::function<bool()> interrupted{};            // asked while a compiler runs; then Interrupted is thrown
    std::filesystem::path prefix{};  // of installed headers; empty: where the program is installed
  };
  explicit Operators(Settings settings);

  /// The operator with these numbers, all of which are said; compiled now if need be. From any thread.
  const Operator& get(const ShapeNumbers& shape);
  /// The one that a model file was made with.
  const Operator& of_model(const std::filesystem::path& model);
  /// Compiles those that are not there, several at a time.
  void prepare(std::vector<ShapeNumbers> shapes);

  const std::vector<Operator>& compiled_in() const { return compiled_in_; }
  struct Kept {
    Folder::Kept file;
    std::string shape;    // as a list; empty: the file does not say
    std::string problem;  // empty: this program uses it; else what differs
  };
  std::vector<Kept> kept();
  Folder& folder();

 private:
  struct Slot {
    std::mutex mutex{};
    std::optional<Operator> found{};
  };
  const Operator* of_program(const ShapeNumbers& shape) const;
  Slot& slot(const ShapeNumbers& shape);
  std::optional<Operator> kept(const ShapeNumbers& shape, const std::string& key);
  Operator compile(const ShapeNumbers& shape, const std::string& key);
  [[noreturn]] void refuse_failure(const ShapeNumbers& shape, const std::filesystem::path& log,
                                   const std::string& key);
  const Toolchain& toolchain();
  void say(const std::string& text) const;
  std::string without_compiler(const ShapeNumbers& shape, const std::string& why) const;

  Settings settings_;
  std::vector<Operator> compiled_in_{};
  std::mutex mutex_{};  // of what follows
  std::optional<Toolchain> toolchain_{};
  std::optional<Folder> folder_{};
  std::map<std::string, std::unique_ptr<Slot>> slots_{};
  bool quiet_ = false;
};

}  // namespace demand
