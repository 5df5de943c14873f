// A training as one of several processes, for world_test.cpp:
//
//   worker train FOLDER THREADS EPOCHS [STEP]   to the end, or until rank 0 is asked to stop after a step;
//   goes on
//                                               from FOLDER/run.checkpoint if that is there
//   worker throw RANK                           this rank leaves by an exception
//   worker hang RANK                            this rank never sends anything again
//   worker exchange                             messages of all sizes, also more than a piece
//
// Every rank writes its process id to FOLDER/pid.RANK. Rank 0 prints what came out, in bits.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mno/mno.hpp>
#include <mno/mpi/world.hpp>
#include <stdexcept>
#include <thread>

using namespace mno;

namespace {

struct Small {
  static constexpr int dimension = 1, channels = 1, rank = 2, width = 24, modes = 8, depth = 2,
                       projection = 8;
};
using M = NuggetMno<Small>;

/// u_t = u_0 and a wave of random amplitude.
Ensemble<float, 1> waves(Index conditions, Index members) {
  const Grid<1> grid{{256}};
  auto data = make_ensemble<float, 1>(conditions, grid, 1);
  for (Index i = 0; i < conditions; ++i) {
    Stream random(1, std::uint64_t(i));
    Field<float, 1> initial(1, grid, 1), u(members, grid, 1);
    const double a = random.normal();
    initial.fill([&](auto x, Index) { return a * std::cos(6.2831853 * x[0]); });
    for (Index m = 0; m < members; ++m) {
      const double c = a + 0.5 * random.normal();
      for (Index p = 0; p < 256; ++p) u(m, p, 0) = float(c * std::cos(6.2831853 * double(p) / 256));
    }
    set_condition<float, 1>(data, i, initial.view(), 1.0f, i, std::as_const(u).view());
  }
  return data;
}

template <class T> unsigned long long digest(std::span<const T> values) {
  unsigned long long hash = 1469598103934665603ull;
  for (const std::byte byte : std::as_bytes(values))
    hash = (hash ^ std::to_integer<unsigned>(byte)) * 1099511628211ull;
  return hash;
}

int train(Communicator& ranks, const std::filesystem::path& folder, int threads, Index epochs, Index stop) {
  std::ofstream(folder / ("pid." + std::to_string(ranks.rank()))) << ::getpid();
  FitOptions options;
  options.training.epochs = epochs;
  options.training.batch = 24;
  options.training.seed = 1;
  options.training.clip = 1;
  options.validation = 0.2;
  options.checkpoint = folder / "run.checkpoint";
  options.checkpoint_seconds = 0;
  options.resume = std::filesystem::exists(options.checkpoint);
  ranks.meet();  // all have looked before anything is written
  Index steps = 0;
  options.interrupted = [&] { return stop > 0 && ++steps >= stop; };
  const auto data = waves(60, 16);
  // [fit]
  mno::Cpu device(threads, ranks);  // so many threads of every rank
  const auto [surrogate, report] = mno::fit<M>(data, mno::Recipe::decoupled(), options, device);
  // [fit] end
  if (ranks.rank() == 0) {
    if (report.interrupted)
      std::printf("interrupted\n");
    else
      std::printf("weights %016llx scores %a %a factor scale %a\n", digest(surrogate.model().values()),
                  report.scores->w2g, report.scores->mean_rmse, report.factor_scale);
  }
  return 0;
}

/// To every rank r go n(r, own) bytes that say who sent them.
int exchange(Communicator& ranks) {
  for (const std::size_t most : {std::size_t(0), std::size_t(1), std::size_t(1000), std::size_t(1) << 20}) {
    const auto length = [&](Index from, Index to) {
      return most * std::size_t(from + 1) / std::size_t(to + 1);
    };
    std::vector<std::vector<std::byte>> out, in;
    for (Index r = 0; r < ranks.size(); ++r) {
      out.emplace_back(length(ranks.rank(), r), std::byte(ranks.rank() * 16 + r));
      in.emplace_back(length(r, ranks.rank()));
    }
    std::vector<std::span<const std::byte>> send(out.begin(), out.end());
    std::vector<std::span<std::byte>> receive(in.begin(), in.end());
    ranks.exchange(send, receive);
    for (Index r = 0; r < ranks.size(); ++r)
      for (const std::byte byte : in[std::size_t(r)])
        if (byte != std::byte(r * 16 + ranks.rank()))
          throw std::runtime_error("other bytes came than were sent");
  }
  if (ranks.rank() == 0) std::printf("exchanged\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  // [world]
  std::unique_ptr<mno::MpiWorld> world;  // MPI ends with it
  if (mno::MpiWorld::launched()) world = std::make_unique<mno::MpiWorld>();
  mno::Communicator& ranks = world ? static_cast<mno::Communicator&>(*world) : mno::alone();
  // [world] end
  const std::string what = count > 1 ? arguments[1] : "";
  const auto number = [&](int i) { return count > i ? std::atoi(arguments[i]) : 0; };
  if (what == "train") return train(ranks, arguments[2], number(3), number(4), number(5));
  if (what == "exchange") return exchange(ranks);
  ranks.meet();
  if (what == "throw") {
    try {
      MpiWorld& own = *world;
      if (ranks.rank() == number(2)) throw std::runtime_error("a rank came upon an error");
      own.meet();
    } catch (const std::exception& error) {
      world->abort(error.what());
    }
  }
  if (what == "hang" && ranks.rank() == number(2)) std::this_thread::sleep_for(std::chrono::minutes(5));
  ranks.meet();
  return 0;
}
