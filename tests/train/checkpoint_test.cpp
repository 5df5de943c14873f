// Checkpoints: whatever happens to the process or to the disk, a whole one is there, and training goes on
// from it as if nothing had happened.
#include "mno/train/checkpoint.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <random>
#include <thread>

#include "io/scratch.hpp"
#include "io/size_limit.hpp"
#include "line.hpp"

using namespace mno;

namespace {

using mno_test::Line;
using M = Mno<Line, float>;
using Names = std::vector<std::string>;

/// Waves that decay, with a random amplitude.
Ensemble<float, 1> data(Index entries) {
  const Grid<1> grid{{8}};
  auto result = make_ensemble<float, 1>(entries, grid, 1);
  for (Index e = 0; e < entries; ++e) {
    Stream random(5, std::uint64_t(e));
    const double phase = random.normal();
    Field<float, 1> initial(1, grid, 1), members(4, grid, 1);
    const auto wave = [&](double x) { return std::sin(6.2831853 * x + phase); };
    initial.fill([&](auto x, Index) { return wave(x[0]); });
    members.fill([&](Index, auto x, Index) { return 0.5 * wave(x[0]) + 0.1 * random.normal(); });
    set_condition<float, 1>(result, e, initial.view(), 1.0f, e, std::as_const(members).view());
  }
  return result;
}

/// A run of 4 steps an epoch. One thread: a process that is forked has no others.
struct Run {
  Run() : device(1), train(data(8)), validation(data(2)), model(1) {
    TrainingOptions options;
    options.epochs = 150;
    options.batch = 2;
    options.average = 0.9;
    trainer.emplace(model, train, &validation, Recipe::decoupled(), options, device);
  }
  void step() {
    trainer->run_epoch([](const StepReport&) { return true; });
  }
  void save(const std::filesystem::path& path) const {
    write_checkpoint(path, model, Normaliser::identity(1), *trainer);
  }
  std::int64_t steps() const { return trainer->state().adamw.step; }
  std::vector<float> everything() const {
    const auto state = trainer->state();
    std::vector<float> all(model.values().begin(), model.values().end());
    for (const auto* buffer : {&state.adamw.first, &state.adamw.second, &state.average, &state.best})
      all.insert(all.end(), buffer->span().begin(), buffer->span().end());
    const EarlyStopping& stopping = state.stopping;
    for (const double number : {double(state.epoch), double(state.position), double(state.adamw.step),
                                double(state.average_updates), stopping.best,
                                double(stopping.best_evaluation), double(stopping.evaluations)})
      all.push_back(float(number));
    return all;
  }

  Cpu device;
  Ensemble<float, 1> train, validation;
  M model;
  std::optional<Trainer<M>> trainer;
};

std::string content(const std::filesystem::path& path) {
  return std::string(io::characters(io::read_file(path)));
}

/// Trains and writes a checkpoint after every step, for ever. Says so when it has begun.
[[noreturn]] void train_on(const std::filesystem::path& path, int begun) {
  try {
    Run run;
    read_checkpoint(path, run.model, *run.trainer);
    if (::write(begun, "b", 1) != 1) ::_exit(2);
    for (;;) {
      if (!run.trainer->finished()) run.step();
      run.save(path);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(1);
  }
}

}  // namespace

TEST_CASE("a resumed run knows which evaluation was the best, and stops when the other would") {
  const Scratch scratch;
  Run run;
  while (run.trainer->epoch() < 6) run.trainer->run_epoch();
  run.save(scratch / "run");
  Run again;
  read_checkpoint(scratch / "run", again.model, *again.trainer);
  CHECK(again.everything() == run.everything());
  const EarlyStopping before = run.trainer->state().stopping, after = again.trainer->state().stopping;
  CHECK(before.evaluations == 6);
  CHECK(before.best_evaluation >= 0);
  for (Index patience = 0; patience < 7; ++patience) {
    EarlyStopping a = before, b = after;
    a.patience = b.patience = patience;
    CHECK(a.stop() == b.stop());
  }
}

TEST_CASE("a run that is killed a hundred times at random moments equals one that is not, bit for bit") {
  const Scratch scratch;
  const auto path = scratch / "run.checkpoint";
  // Kills come within the time that three steps take: in the middle of writing, mostly.
  Run first;
  first.save(path);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    first.step();
    first.save(path);
  }
  const std::chrono::duration<double, std::micro> longest = std::chrono::steady_clock::now() - start;
  std::mt19937 random(11);
  std::int64_t last = first.steps();
  int progressed = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    CAPTURE(kill_number);
    int begun[2];
    REQUIRE(::pipe(begun) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) train_on(path, begun[1]);
    ::close(begun[1]);
    char byte = 0;
    const bool ready = ::read(begun[0], &byte, 1) == 1;
    ::close(begun[0]);
    std::this_thread::sleep_for(longest * (double(random()) / double(random.max())));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(ready);
    REQUIRE(WIFSIGNALED(status));

    Run now;
    REQUIRE_NOTHROW(read_checkpoint(path, now.model, *now.trainer));
    CHECK(now.steps() >= last);
    progressed += now.steps() > last;
    last = now.steps();
    if (const auto previous = path.string() + ".previous"; std::filesystem::exists(previous)) {
      Run before;
      REQUIRE_NOTHROW(read_checkpoint(previous, before.model, *before.trainer));
      CHECK(before.steps() <= now.steps());
    }
  }
  CHECK(progressed > 10);  // or nothing was tried
  MESSAGE("steps after a hundred kills: " << last);

  Run killed, whole;
  read_checkpoint(path, killed.model, *killed.trainer);
  while (!killed.trainer->finished()) killed.step();
  while (!whole.trainer->finished()) whole.trainer->run_epoch();
  CHECK(killed.everything() == whole.everything());
  killed.save(path);  // removes what the killed ones left
  CHECK(files_in(scratch.path()) == Names{"run.checkpoint", "run.checkpoint.previous"});
}

TEST_CASE("a checkpoint brings the whole model, not its weights alone") {
  const Scratch scratch;
  Run run;
  run.model = M(5, Domain<1>{{2.0}});
  run.model.set_factor_scale(0.25f);
  run.save(scratch / "run.checkpoint");
  Run other;
  read_checkpoint(scratch / "run.checkpoint", other.model, *other.trainer);
  CHECK(other.model.factor_scale() == 0.25f);
  CHECK(other.model.domain() == Domain<1>{{2.0}});
  CHECK(std::ranges::equal(other.model.values(), run.model.values()));
}

TEST_CASE("a disk that fills up leaves the checkpoint and the one before, no temporary, and a sentence") {
  const Scratch scratch;
  const auto path = scratch / "run.checkpoint";
  Run run;
  run.save(path);
  run.step();
  run.save(path);
  const std::string before = content(path), previous = content(path.string() + ".previous");
  run.step();
  for (const double share : {0.0, 0.1, 0.9, 0.999}) {
    CAPTURE(share);
    std::string sentence;
    {
      const SizeLimit limit(rlim_t(share * double(before.size())));
      sentence = refusal([&] { run.save(path); });
    }
    CHECK(says(sentence, path.string()));
    CHECK(says(sentence, "File too large"));
    CHECK(says(sentence, "the file itself is unchanged"));
    CHECK(content(path) == before);
    CHECK(content(path.string() + ".previous") == previous);
    CHECK(files_in(scratch.path()) == Names{"run.checkpoint", "run.checkpoint.previous"});
  }
  Run again;
  read_checkpoint(path, again.model, *again.trainer);
  CHECK(again.steps() == 1);
  run.save(path);  // there is room again
  read_checkpoint(path, again.model, *again.trainer);
  CHECK(again.steps() == 2);
}

TEST_CASE("a file system without room left, where one can be made") {
  const Scratch scratch;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // a small file system that only this process sees
    enum { good, wrong, not_allowed };
    if ((::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=128k") != 0)
      ::_exit(not_allowed);
    const auto path = scratch / "run.checkpoint";
    try {
      Run run;
      run.save(path);
      const std::string before = content(path);
      spoil(scratch / "ballast", io::Bytes(std::size_t{1} << 20));  // as much of it as there is room for
      run.step();
      const std::string sentence = refusal([&] { run.save(path); });
      const bool as_it_should = says(sentence, "No space left on device") &&
                                says(sentence, "the file itself is unchanged") && content(path) == before &&
                                files_in(scratch.path()) == Names{"ballast", "run.checkpoint"};
      if (!as_it_should) std::fprintf(stderr, "%s\n", sentence.c_str());
      ::_exit(as_it_should ? good : wrong);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(wrong);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2)
    MESSAGE("left out: this process may not mount a file system");
  else
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("of 200 bits of a checkpoint, whichever flips, none goes unnoticed") {
  const Scratch scratch;
  const auto path = scratch / "run.checkpoint";
  Run run;
  while (run.trainer->epoch() < 2) run.trainer->run_epoch();
  run.step();
  run.save(path);
  const io::Bytes good = io::read_file(path);
  std::mt19937_64 random(20261);
  Run again;
  const auto before = again.everything();
  for (int flip = 0; flip < 200; ++flip) {
    io::Bytes bad = good;
    const std::size_t bit = random() % (8 * good.size());
    bad[bit / 8] ^= std::byte(1u << bit % 8);
    spoil(path, bad);
    CHECK_MESSAGE(!refusal([&] { read_checkpoint(path, again.model, *again.trainer); }).empty(), "bit ", bit,
                  " of ", 8 * good.size());
  }
  CHECK(again.everything() == before);  // what is refused changes nothing
  spoil(path, good);
  read_checkpoint(path, again.model, *again.trainer);
  CHECK(again.everything() == run.everything());
}

TEST_CASE("a checkpoint is a model file; its own tensors are complete, and there are no others") {
  const Scratch scratch;
  const auto path = scratch / "run.checkpoint";
  Run run;
  run.trainer->run_epoch();
  run.save(path);
  CHECK(std::ranges::equal(io::read_model<M>(path).model.values(), run.model.values()));
  CHECK(io::SafetensorsReader(path).metadata().at("beside") == "adamw.first. adamw.second. average. best.");

  // The same file with other tensors.
  const auto rewrite = [&](const std::string& without, const std::string& with, io::Metadata more = {}) {
    const io::SafetensorsReader file(path);
    io::Metadata metadata = file.metadata();
    for (const auto& [key, value] : more) metadata[key] = value;
    std::vector<io::Array> arrays;
    std::vector<std::string> names;
    for (const std::string& name : file.names())
      if (name != without) {
        names.push_back(name);
        arrays.push_back(file.read(name));
      }
    if (!with.empty()) {
      names.push_back(with);
      arrays.push_back(arrays[0]);
    }
    std::vector<io::NamedArray> named;
    for (std::size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], arrays[i]);
    io::write_safetensors(scratch / "other", std::move(named), metadata);
    Run other;
    return refusal([&] { read_checkpoint(scratch / "other", other.model, *other.trainer); });
  };
  CHECK(rewrite("", "").empty());
  CHECK(says(rewrite("adamw.second.gate.alpha", ""), "it lacks the tensor 'adamw.second.gate.alpha'"));
  CHECK(says(rewrite("best.gate.alpha", ""), "it lacks the tensor 'best.gate.alpha'"));
  CHECK(says(rewrite("gate.alpha", ""), "it lacks the tensor 'gate.alpha'"));
  CHECK(says(rewrite("", "adamw.first.more"), "it has the unexpected tensor 'adamw.first.more'"));
  CHECK(says(rewrite("", "more"), "it has the unexpected tensor 'more'"));
  CHECK(says(rewrite("", "", {{"training.step", "-1"}}), "expected training.step from 0 to"));
  CHECK(says(rewrite("", "", {{"training.position", "8"}}),
             "expected training.position from 0 to 7, found '8'"));
  CHECK(says(rewrite("", "", {{"training.epoch", "1e1"}}),
             "expected training.epoch from 0 to 150, found '1e1'"));
  CHECK(says(rewrite("", "", {{"residual", "laplace"}}), "found residual 'laplace'"));

  io::write_model(scratch / "other", run.model, Normaliser::identity(1), io::read_model<M>(path).metadata);
  CHECK(says(refusal([&] { read_checkpoint(scratch / "other", run.model, *run.trainer); }),
             "expected the tensors of a checkpoint of this model; it lacks the tensors 'adamw.first."));
}

TEST_CASE("a run for another law goes on only as such") {
  const Scratch scratch;
  const io::LawText law{.residual = "laplace"};
  Run run, again;
  run.step();
  write_checkpoint(scratch / "run", run.model, Normaliser::identity(1), *run.trainer, {}, law);
  CHECK(says(refusal([&] { read_checkpoint(scratch / "run", again.model, *again.trainer); }),
             "found residual 'laplace'"));
  read_checkpoint(scratch / "run", again.model, *again.trainer, law);
  CHECK(again.everything() == run.everything());
}
