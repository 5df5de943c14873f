// A training step by several ranks: how long it takes, and how much of that is communication. One line of
// JSON from rank 0; benchmarks/scaling starts it, with mpiexec or without.
//
//   scaling_worker [--dimension D] [--points N] [--batch B] [--threads T] [--steps S] [--exchange BYTES]
//
// With --exchange nothing is trained: every rank sends so many bytes to every other one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mno/loss/recipe.hpp"
#include "mno/model/gradient.hpp"
#include "mno/mpi/world.hpp"
#include "mno/train/adamw.hpp"
#include "mno/train/clip.hpp"

namespace {

using namespace mno;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// A communicator whose messages are counted and timed; waiting for the others is part of the time.
class Watched final : public Communicator {
 public:
  explicit Watched(Communicator& inner) : inner_(inner) {}
  Index rank() const override { return inner_.rank(); }
  Index size() const override { return inner_.size(); }
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) override {
    const auto start = Clock::now();
    inner_.exchange(send, receive);
    seconds += since(start);
    ++calls;
    for (Index r = 0; r < size(); ++r)
      if (r != rank()) bytes += double(send[std::size_t(r)].size());
  }
  double seconds = 0, bytes = 0;
  int calls = 0;

 private:
  Communicator& inner_;
};

template <int D> struct Paper {
  static constexpr int dimension = D, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};

using Options = std::map<std::string, long>;

template <int D> void train(Options& options, Watched& ranks) {
  using M = Mno<Paper<D>>;
  Cpu device(static_cast<int>(options["--threads"]), ranks);
  M model(1), gradient = model.zeros();
  AdamW<float> optimiser(M::parameters);
  const Index batch = options["--batch"];
  Grid<D> grid;
  grid.points.fill(options["--points"]);
  Field<float, D> initial(batch, grid, 1), mean = initial, variance = initial;
  for (auto* field : {&initial, &mean, &variance}) {
    Stream random(2);
    for (float& value : field->span()) value = float(random.uniform());
  }
  const Index members = 192, steps = options["--steps"];
  const float time = 0.5f;
  const Recipe recipe = Recipe::decoupled();
  std::vector<double> times, communication;
  for (Index step = -2; step < steps; ++step) {
    ranks.meet();
    ranks.seconds = ranks.bytes = 0;
    ranks.calls = 0;
    const auto start = Clock::now();
    const Target<float, D> target{mean.view(), variance.view(), {&members, 1}};
    value_and_gradient(model, {std::as_const(initial).view(), {&time, 1}}, recipe.on(target), gradient,
                       device);
    clip_gradient(gradient.values(), 1.0);
    optimiser.step(model.values(), std::as_const(gradient).values(), 1e-3, device);
    if (step < 0) continue;
    times.push_back(since(start));
    communication.push_back(ranks.seconds);
  }
  const Shards shards = detail::shards_of(model, Condition<float, D>{std::as_const(initial).view(), {}});
  const Index groups = (shards.count() + shards.group() - 1) / shards.group();  // what ranks can share
  if (ranks.rank() == 0)
    std::printf(
        "{\"ranks\": %ld, \"threads\": %d, \"points\": %ld, \"batch\": %ld, \"groups\": %ld, \"parameters\": "
        "%zu, \"step_seconds\": %.9f, \"communication_seconds\": %.9f, \"bytes_sent\": %.0f, \"exchanges\": "
        "%d}\n",
        long(ranks.size()), device.threads(), long(grid.size()), long(batch), long(groups),
        std::size_t(M::parameters), median(times), median(communication), ranks.bytes, ranks.calls);
}

}  // namespace

int main(int count, char** arguments) {
  Options options{{"--dimension", 1}, {"--points", 64}, {"--batch", 256},
                  {"--threads", 1},   {"--steps", 20},  {"--exchange", -1}};
  for (int i = 1; i + 1 < count; i += 2) {
    const auto at = options.find(arguments[i]);
    if (at == options.end()) {
      std::fprintf(stderr, "scaling_worker: unknown option '%s'.\n", arguments[i]);
      return 2;
    }
    at->second = std::atol(arguments[i + 1]);
  }
  std::unique_ptr<MpiWorld> world;
  if (MpiWorld::launched()) world = std::make_unique<MpiWorld>();
  Watched ranks(world ? static_cast<Communicator&>(*world) : alone());

  if (const long bytes = options["--exchange"]; bytes >= 0) {
    std::vector<std::byte> out(std::size_t(bytes), std::byte(1)), in(std::size_t(bytes * ranks.size()));
    std::vector<std::span<const std::byte>> send(std::size_t(ranks.size()), std::span<const std::byte>(out));
    std::vector<std::span<std::byte>> receive;
    for (Index r = 0; r < ranks.size(); ++r)
      receive.push_back(std::span(in).subspan(std::size_t(bytes * r), std::size_t(bytes)));
    std::vector<double> times;
    for (Index step = 0; step < options["--steps"]; ++step) {
      ranks.meet();
      const auto start = Clock::now();
      ranks.exchange(send, receive);
      times.push_back(since(start));
    }
    if (ranks.rank() == 0)
      std::printf("{\"ranks\": %ld, \"exchange_bytes\": %ld, \"seconds\": %.9f}\n", long(ranks.size()), bytes,
                  median(times));
    return 0;
  }

  if (options["--dimension"] == 2)
    train<2>(options, ranks);
  else
    train<1>(options, ranks);
  return 0;
}
