#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

#include "../../examples/mno/config.hpp"
#include "fuzz.hpp"

/// Options of every kind that the program's commands have.
static void read_as_options(const std::filesystem::path& path) {
  CLI::App app;
  std::filesystem::path data;
  std::string recipe = "auto";
  long long epochs = 200;
  double rate = 2e-3, validation = 0.1;
  int rank = 16;
  bool flag = false;
  program::ConfigKeys keys;
  keys["data"]["data"] = app.add_option("--data", data);
  keys["data"]["validation"] = app.add_option("--validation", validation)->check(CLI::Range(0.0, 1.0));
  keys["model"]["rank"] = app.add_option("--rank", rank)->check(CLI::PositiveNumber);
  keys["training"]["recipe"] =
      app.add_option("--recipe", recipe)->check(CLI::IsMember({"auto", "paper", "decoupled"}));
  keys["training"]["epochs"] = app.add_option("--epochs", epochs);
  keys["training"]["learning-rate"] = app.add_option("--learning-rate", rate)->check(CLI::PositiveNumber);
  keys["training"]["flag"] = app.add_option("--flag", flag);
  program::read_config(path, keys);
  // What has been read is what the checks allow.
  always(rank > 0 && rate > 0 && validation >= 0 && validation <= 1);
  always(recipe == "auto" || recipe == "paper" || recipe == "decoupled");
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const int memory = memfd_create("config", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(memory);
  always(ftruncate(memory, 0) == 0 && pwrite(memory, bytes, size, 0) == ssize_t(size));
  return load_or_refuse([&] { read_as_options(path); });
}
