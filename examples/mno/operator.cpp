#include "operator.hpp"

#include <signal.h>

#include <cstdio>

#include "command.hpp"

namespace program {

/// The operators that CMake's MNO_SHAPES asked for (compiled_in.cpp.in).
std::vector<const demand::boundary::Table*> compiled_in();

namespace {

/// While this lives, Ctrl-C and SIGTERM set the flag of `interruption`; afterwards they do what they did
/// before.
class Listening {
 public:
  Listening() {
    for (std::size_t i = 0; i < 2; ++i) ::sigaction(signs[i], nullptr, &before_[i]);
    listen_for_interruption();
  }
  ~Listening() {
    for (std::size_t i = 0; i < 2; ++i) ::sigaction(signs[i], &before_[i], nullptr);
  }
  Listening(const Listening&) = delete;

 private:
  static constexpr int signs[] = {SIGINT, SIGTERM};
  struct sigaction before_[2]{};
};

}  // namespace

demand::Operators& operators() {
  static demand::Operators all({.compiled_in = compiled_in(),
                                .say =
                                    [](const std::string& text) {
                                      std::fputs(text.c_str(), stderr);
                                      std::fflush(stderr);
                                    },
                                .interrupted = interruption});
  return all;
}

const Operator& choose(const ShapeNumbers& wanted) {
  const Listening listening;
  return operators().get(demand::completed(wanted));
}
const Operator& of_model(const std::filesystem::path& model) {
  const Listening listening;
  return operators().of_model(model);
}
void prepare(const std::vector<ShapeNumbers>& shapes) {
  const Listening listening;
  operators().prepare(shapes);
}

}  // namespace program
