// Messages between devices, through the host and by the stand-in's NCCL: all arrives, and a rank that is
// lost, mistaken or silent ends in a sentence instead of a wait without end. Ranks are threads.
#include <chrono>
#include <cstdlib>

#include "mno/cuda/exchange.hpp"
#include "support.hpp"
#include "thread_ranks.hpp"
#ifdef MNO_STANDIN_NCCL
#include "mno/cuda/nccl.hpp"
#endif

using mno::Communicator, mno::CudaError, mno::Index, mno::test::ThreadRanks;
using standin::test::Array, standin::test::Clean, standin::test::Stream;

namespace {

/// Memory of a rank, and what it sends: length(from, to) numbers 100 from + to.
struct Mail {
  using Length = std::size_t (*)(std::size_t from, std::size_t to);
  Communicator& ranks;
  std::vector<std::unique_ptr<Array<int>>> out, in;
  std::vector<std::span<const std::byte>> send;
  std::vector<std::span<std::byte>> receive;
  Stream stream;
  mno::cuda::Checks check;

  Mail(Communicator& all, Length length) : ranks(all) {
    const auto own = std::size_t(all.rank());
    for (std::size_t r = 0; r < std::size_t(all.size()); ++r) {
      out.push_back(std::make_unique<Array<int>>(std::vector<int>(length(own, r), int(100 * own + r))));
      in.push_back(std::make_unique<Array<int>>(length(r, own)));
      send.push_back(std::as_bytes(std::span(out[r]->data(), out[r]->size)));
      receive.push_back(std::as_writable_bytes(std::span(in[r]->data(), in[r]->size)));
    }
  }
  bool right() const {
    for (std::size_t r = 0; r < in.size(); ++r)
      for (const int number : in[r]->values())
        if (number != int(100 * r) + int(ranks.rank())) return false;
    return true;
  }
};
std::size_t uneven(std::size_t from, std::size_t to) {
  return from == 1 && to == 0 ? 0 : 7 * from + 3 * to + 1;
}

template <class Exchange> void everything_arrives() {
  const Clean clean;
  for (const Index size : {1, 2, 3, 5}) {
    std::vector<char> right(std::size_t(size), 0);
    ThreadRanks(size).run([&](Communicator& ranks) {
      Exchange exchange(ranks);
      Mail mail(ranks, uneven);
      exchange.exchange(mail.send, mail.receive, mail.stream, mail.check);
      exchange.exchange(mail.send, mail.receive, mail.stream, mail.check);  // and once more
      CHECK(cudaStreamSynchronize(mail.stream) == cudaSuccess);
      right[std::size_t(ranks.rank())] = mail.right();
    });
    CHECK(std::ranges::count(right, 1) == size);
  }
}

}  // namespace

TEST_CASE("messages of all sizes arrive through the host") { everything_arrives<mno::cuda::ThroughHost>(); }

#ifdef MNO_STANDIN_NCCL

namespace {

using mno::NcclWorld;

/// What every rank had to say about body(ranks), or nothing; and the seconds that it took.
struct Outcome {
  std::vector<std::string> sentences;
  double seconds = 0;
};
template <class Body> Outcome outcome(Index size, Body&& body) {
  Outcome result{std::vector<std::string>(std::size_t(size))};
  const auto start = std::chrono::steady_clock::now();
  ThreadRanks(size).run([&](Communicator& ranks) {
    try {
      body(ranks);
    } catch (const CudaError& error) {
      result.sentences[std::size_t(ranks.rank())] = error.what();
    }
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}
bool has(const std::string& text, const char* words) { return text.find(words) != std::string::npos; }

struct ShortPatience {
  ShortPatience() { ::setenv("MNO_RANK_TIMEOUT", "0.3", 1); }
  ~ShortPatience() { ::unsetenv("MNO_RANK_TIMEOUT"); }
};

}  // namespace

TEST_CASE("messages of all sizes arrive by NCCL") {
  const auto held = standin::usage();
  everything_arrives<NcclWorld>();
  CHECK(standin::usage() == held);
}

TEST_CASE("a rank that sends nothing is noticed, and the world is not used again") {
  const Clean clean;
  const ShortPatience patience;
  const Outcome got = outcome(3, [&](Communicator& ranks) {
    NcclWorld nccl(ranks);
    Mail mail(ranks, uneven);
    if (ranks.rank() == 2) {  // it takes part, but does not say a word until the others have given up
      std::this_thread::sleep_for(std::chrono::seconds(2));
      return;
    }
    CHECK_THROWS_AS(nccl.exchange(mail.send, mail.receive, mail.stream, mail.check), CudaError);
    nccl.exchange(mail.send, mail.receive, mail.stream, mail.check);
  });
  CHECK(got.seconds < 10);
  CHECK(has(got.sentences[0], "an exchange failed before"));
  CHECK(has(got.sentences[1], "an exchange failed before"));
  CHECK(got.sentences[2].empty());
}

TEST_CASE("who waited too long says so, the others that a rank is gone") {
  const Clean clean;
  const ShortPatience patience;
  const Outcome got = outcome(2, [&](Communicator& ranks) {
    NcclWorld nccl(ranks);
    Mail mail(ranks, uneven);
    if (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
    nccl.exchange(mail.send, mail.receive, mail.stream, mail.check);
  });
  CHECK(got.sentences[0] ==
        "mno::NcclWorld: rank 0 of 2: nothing came from another rank for 0.3 s (MNO_RANK_TIMEOUT), so the "
        "run is ended.");
  CHECK(got.sentences[1] ==
        "mno::Cuda: an exchange on device 0 of rank 1 failed with remote process exited or there was a "
        "network error.");
}

TEST_CASE("ranks that do not agree on a size both end") {
  standin::reset();
  const Outcome got = outcome(2, [&](Communicator& ranks) {
    NcclWorld nccl(ranks);
    Mail mail(ranks, uneven);
    if (ranks.rank() == 1) mail.send[0] = std::as_bytes(std::span(mail.out[1]->data(), 2));  // 0 are awaited
    if (ranks.rank() == 0) mail.receive[1] = std::as_writable_bytes(std::span(mail.in[0]->data(), 1));
    nccl.exchange(mail.send, mail.receive, mail.stream, mail.check);
  });
  for (const std::string& sentence : got.sentences) CHECK(has(sentence, "an exchange on device 0 of rank"));
  REQUIRE(standin::violations().size() == 1);
  CHECK(has(standin::violations()[0], "8 bytes were sent, and 4 expected"));
  CHECK(got.seconds < 10);
  standin::reset();
}

TEST_CASE("whichever call fails, a rank says so, none waits for ever, and nothing is left over") {
  const Clean clean;
  const auto held = standin::usage();
  int failures = 0;
  for (std::uint64_t n = 1;; ++n) {
    const Outcome got = outcome(2, [&](Communicator& ranks) {
      NcclWorld nccl(ranks);
      Mail mail(ranks, uneven);
      ranks.meet();
      if (ranks.rank() == 0) standin::fail_call(n);
      ranks.meet();
      nccl.exchange(mail.send, mail.receive, mail.stream, mail.check);
    });
    if (standin::failure_pending()) break;
    ++failures;
    CAPTURE(n);
    // A rank that has all of its messages may be done when another one fails.
    CHECK(std::ranges::count(got.sentences, std::string()) < 2);
    CHECK(got.seconds < 10);
    CHECK(standin::usage() == held);
    if (n > 200) break;
  }
  CHECK(failures > 8);
}

TEST_CASE("the stand-in: nothing moves before a group ends, and without a group both sides wait") {
  standin::reset();
  std::vector<char> moved(4, 0);
  ThreadRanks(2).run([&](Communicator& ranks) {
    const auto own = std::size_t(ranks.rank());
    ncclUniqueId id{};
    if (own == 0) ncclGetUniqueId(&id);
    ranks.broadcast(std::span(&id, 1));
    ncclComm_t all = nullptr;
    ncclCommInitRank(&all, 2, id, int(own));
    const Array<char> out(std::vector<char>(5, char(own))), in(5);
    const Stream stream;
    const auto done = [&] {  // after many looks
      for (int look = 0; look < 50; ++look) {
        if (cudaStreamQuery(stream) == cudaSuccess) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      cudaGetLastError();
      return false;
    };
    ncclGroupStart();
    ncclSend(out.data(), 5, ncclUint8, int(1 - own), all, stream);
    ncclRecv(in.data(), 5, ncclUint8, int(1 - own), all, stream);
    ranks.meet();
    moved[own] = standin::queued() > 0;
    ranks.meet();
    ncclGroupEnd();
    moved[own] = char(moved[own] + 2 * done());
    ncclSend(out.data(), 5, ncclUint8, int(1 - own), all, stream);
    ncclRecv(in.data(), 5, ncclUint8, int(1 - own), all, stream);
    moved[2 + own] = done();
    ranks.meet();
    ncclCommAbort(all);
    ranks.meet();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);  // what was aborted ends
  });
  CHECK(moved == std::vector<char>{2, 2, 0, 0});
  for (const auto& violation : standin::violations()) FAIL_CHECK(violation);
  standin::reset();
}

#endif
