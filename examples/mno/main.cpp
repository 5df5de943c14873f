// mno: simulate a stochastic equation, train an operator on the ensembles, ask it for laws, score it.
#include <csignal>
#include <exception>
#include <iostream>
#include <mno/io/safe_file.hpp>
#include <new>
#include <sstream>
#include <thread>

#include "command.hpp"
#include "demand/commands.hpp"
#include "ranks.hpp"

namespace program {

std::vector<std::string>& arguments() {
  static std::vector<std::string> all;
  return all;
}

namespace {
volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }
}  // namespace

bool interruption() { return interrupted != 0; }

void listen_for_interruption() {
  struct sigaction action {};
  action.sa_handler = interrupt;
  action.sa_flags = int(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int threads(int asked) { return asked > 0 ? asked : int(std::max(1u, std::thread::hardware_concurrency())); }

void require_folder_of(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw mno::Error("mno: there is no folder '" + folder.string() + "' to write '" +
                     file.filename().string() + "' into.");
}

}  // namespace program

int main(int argc, char** argv) {
  using namespace program;
  arguments().assign(argv, argv + argc);
  CLI::App app(
      "Martingale Neural Operators: from an initial field and a time to the law of the field at that time.");
  app.name("mno");
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  mno simulate burgers --samples 256 --ensemble 64 --seed 1 -o data.npz\n"
      "  mno train --data data.npz -o model.safetensors\n"
      "  mno evaluate --model model.safetensors --data data.npz\n"
      "Exit codes: 0 done, 1 failed, 2 the command line or a file is not as expected, 3 interrupted.");
  Run run;
  add_simulate(app, run);
  add_import(app, run);
  add_train(app, run);
  add_predict(app, run);
  add_evaluate(app, run);
  add_experiment(app, run);
  add_report(app, run);
  add_tables(app, run);
  add_info(app, run);
  add_operators(app, run);
  // Of several processes, all of them end.
  const auto end = [](const std::string& sentence, int code) {
    end_ranks(sentence, code);
    std::cerr << sentence << "\n";
    return code;
  };
  try {
    app.parse(argc, argv);
    bool together = false;
    for (const char* command : {"train", "experiment", "simulate", "import"})
      together = together || app.got_subcommand(command);
    if (launched_processes() > 1 && !together) {
      if (!silent_rank())
        std::cerr << "mno: of the commands, train, experiment, simulate and import run as several processes; "
                     "start this one without mpirun or srun.\n";
      return bad_input;
    }
    return run();
  } catch (const CLI::ParseError& error) {
    std::ostringstream nowhere;  // rank 0 says it
    const int code = silent_rank() ? app.exit(error, nowhere, nowhere) : app.exit(error);
    return code == 0 ? succeeded : bad_input;
  } catch (const demand::Interrupted&) {
    return end("Interrupted while an operator was compiled; nothing of it is left.", stopped);
  } catch (const mno::io::CannotWrite& error) {
    return end(error.what(), failed);
  } catch (const mno::Error& error) {
    return end(error.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return end("mno: there is not enough memory for this.", failed);
  } catch (const std::exception& error) {
    return end(error.what(), failed);
  }
}
