#pragma once
// The processes that share a piece of work (its ranks), and what they send each other.
//
//   mno::MpiWorld world;                          // mno/mpi/world.hpp; started by mpirun
//   mno::Cpu device(/*threads=*/4, world);        // 4 threads of every rank
//   mno::Trainer trainer(model, train, &validation, loss, options, device);
//
// A device belongs to a communicator, by default that of one process. On a device of several ranks
// value_and_gradient, Trainer and fit are calls that all ranks make alike, with the same model, data and
// options; each computes its share, and all come to the same bits, whatever their number. Prediction is every
// rank's own, and on mno::Cuda so is value_and_gradient.
//
// Ranks exchange bytes and sum them in the tree of core/tree.hpp. The sums of a message library would depend
// on the number of ranks.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/grid.hpp"

namespace mno {

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Index rank() const = 0;
  virtual Index size() const = 0;

  /// Sends send[r] to every rank r and receives receive[r] from it. All ranks call it, and both sides agree
  /// on the sizes. A rank's own part is copied.
  virtual void exchange(std::span<const std::span<const std::byte>> send,
                        std::span<const std::span<std::byte>> receive) = 0;

  /// Numbers [begin, end) of n that belong to a rank: neighbours, in the order of ranks.
  struct Slice {
    std::size_t begin, end;
  };
  Slice slice(std::size_t n, Index rank) const {
    const auto parts = std::size_t(size()), r = std::size_t(rank);
    return {n / parts * r + std::min(r, n % parts), n / parts * (r + 1) + std::min(r + 1, n % parts)};
  }

  /// Rank `root` has the values; afterwards all have.
  template <class T> void broadcast(std::span<T> values, Index root = 0) {
    static_assert(std::is_trivially_copyable_v<T>, "mno: ranks send each other bytes");
    if (size() == 1) return;
    start();
    if (rank() == root)
      for (Index r = 0; r < size(); ++r) send_[std::size_t(r)] = bytes<const std::byte>(values);
    receive_[std::size_t(root)] = bytes<std::byte>(values);
    if (rank() == root) send_[std::size_t(root)] = receive_[std::size_t(root)] = {};
    exchange(send_, receive_);
  }
  /// Rank r has the values of parts[r]; the parts follow each other. Afterwards every rank has all values.
  template <class T> void all_gather(std::span<T> values, std::span<const Slice> parts) {
    static_assert(std::is_trivially_copyable_v<T>, "mno: ranks send each other bytes");
    if (size() == 1) return;
    start();
    for (Index r = 0; r < size(); ++r) {
      if (r == rank()) continue;
      const auto part = [&](Index of) {
        const Slice& s = parts[std::size_t(of)];
        return values.subspan(s.begin, s.end - s.begin);
      };
      send_[std::size_t(r)] = bytes<const std::byte>(part(rank()));
      receive_[std::size_t(r)] = bytes<std::byte>(part(r));
    }
    exchange(send_, receive_);
  }
  /// The answer of rank 0, on all ranks.
  bool decide(bool own) {
    char word = own ? 1 : 0;
    broadcast(std::span(&word, 1));
    return word != 0;
  }
  /// Does one of the ranks say yes?
  bool any(bool own) {
    std::vector<char> words(std::size_t(size()), 0);
    std::vector<Slice> parts;
    for (Index r = 0; r < size(); ++r) parts.push_back({std::size_t(r), std::size_t(r) + 1});
    words[std::size_t(rank())] = own ? 1 : 0;
    all_gather(std::span(words), std::span<const Slice>(parts));
    return std::find(words.begin(), words.end(), 1) != words.end();
  }
  /// Returns when all ranks are here.
  void meet() { any(false); }

 private:
  template <class Byte, class T> static std::span<Byte> bytes(std::span<T> values) {
    return {reinterpret_cast<Byte*>(values.data()), values.size_bytes()};
  }
  void start() {  // kept, so that a training step allocates nothing
    send_.assign(std::size_t(size()), {});
    receive_.assign(std::size_t(size()), {});
  }
  std::vector<std::span<const std::byte>> send_;
  std::vector<std::span<std::byte>> receive_;
};

/// One process, with nobody to talk to.
class Alone final : public Communicator {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  void exchange(std::span<const std::span<const std::byte>> send,
                std::span<const std::span<std::byte>> receive) override {
    std::copy(send[0].begin(), send[0].end(), receive[0].begin());
  }
};
inline Communicator& alone() {
  static Alone one;
  return one;
}

/// The ranks of a device; a device without a communicator is alone.
template <class Device> Communicator& ranks_of(Device& device) {
  if constexpr (requires { device.communicator(); })
    return device.communicator();
  else
    return alone();
}

namespace detail {

/// How long a rank waits for others before it takes them for lost, in seconds.
inline double rank_timeout() {
  const char* const seconds = std::getenv("MNO_RANK_TIMEOUT");
  if (!seconds) return 900;
  char* end = nullptr;
  const double value = std::strtod(seconds, &end);
  if (end == seconds || *end != '\0' || !(value > 0))
    throw Error("MNO_RANK_TIMEOUT: expected a positive number of seconds, found '" + std::string(seconds) +
                "'");
  return value;
}

/// The slice of n parameters that each rank sums and updates: whole chunks, since norms are summed chunk by
/// chunk.
inline constexpr std::size_t parameter_chunk = 4096;
inline std::vector<Communicator::Slice> parameter_slices(const Communicator& ranks, std::size_t n) {
  std::vector<Communicator::Slice> slices;
  const std::size_t chunks = (n + parameter_chunk - 1) / parameter_chunk;
  for (Index rank = 0; rank < ranks.size(); ++rank) {
    const Communicator::Slice of = ranks.slice(chunks, rank);
    slices.push_back({std::min(n, of.begin * parameter_chunk), std::min(n, of.end * parameter_chunk)});
  }
  return slices;
}
/// Every rank has its slice of values in the layout of the parameters; afterwards all have all.
template <class T> void gather_parameters(Communicator& ranks, std::span<T> values) {
  if (ranks.size() == 1) return;
  const std::vector<Communicator::Slice> slices = parameter_slices(ranks, values.size());
  ranks.all_gather(values, std::span<const Communicator::Slice>(slices));
}

}  // namespace detail
}  // namespace mno
