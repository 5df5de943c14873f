// NCCL of the stand-in, as far as the library calls it: ranks are threads of the process. Signatures are
// those of nccl.h.
//
// A group of sends and receives is one operation of a stream, which begins when its turn has come and ends
// when each of its messages has met its partner: a rank that forgets a message, or sends without a group
// where the other does the same, waits. NCCL may keep small messages for a late receiver; here a send waits
// too. Sizes that differ, which NCCL leaves open, are an error of both ranks.
#include <nccl.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "machine.hpp"

namespace standin {
namespace {

struct Message {
  int rank;  // whose it is
  bool sends;
  int peer;
  void* data;
  std::size_t bytes;
  cudaStream_t stream;
  bool done = false;

  std::pair<int, int> way() const {  // from, to
    return sends ? std::pair(rank, peer) : std::pair(peer, rank);
  }
};
using MessageOwner = std::shared_ptr<Message>;

struct Member {
  int rank = 0;
  bool gone = false;
  ncclResult_t error = ncclSuccess;  // come upon while messages were under way
  std::size_t groups = 0;            // queued or under way
};

/// The ranks with one unique id, and messages that wait for their partner.
struct World {
  std::vector<std::shared_ptr<Member>> members;
  std::map<std::pair<int, int>, std::deque<MessageOwner>> sent, expected;

  bool complete() const {
    return std::none_of(members.begin(), members.end(), [](const auto& one) { return !one; });
  }
  void post(const MessageOwner& message) {
    (message->sends ? sent : expected)[message->way()].push_back(message);
  }
  void deliver() {
    for (auto& [way, waiting] : expected)
      for (auto& there = sent[way]; !waiting.empty() && !there.empty();) {
        const MessageOwner from = there.front(), to = waiting.front();
        there.pop_front();
        waiting.pop_front();
        std::string complaint;
        if (from->bytes != to->bytes)
          complaint = std::to_string(from->bytes) + " bytes were sent, and " + std::to_string(to->bytes) +
                      " expected";
        for (const Message* one : {from.get(), to.get()})
          if (complaint.empty()) complaint = memory().complaint({one->data, one->bytes, "a message"});
        if (complaint.empty()) {
          const Memory::Window window(memory());
          std::memcpy(to->data, from->data, from->bytes);
          from->done = to->done = true;
        } else {
          report("NCCL from rank " + std::to_string(way.first) + " to rank " + std::to_string(way.second) +
                 ": " + complaint);
          for (const int rank : {way.first, way.second}) members[std::size_t(rank)]->error = ncclInvalidUsage;
        }
      }
  }
  void withdraw(int rank) {
    for (auto* const all : {&sent, &expected})
      for (auto& [way, waiting] : *all)
        std::erase_if(waiting, [&](const MessageOwner& message) { return message->rank == rank; });
  }
};

struct Worlds {
  std::map<std::string, std::shared_ptr<World>> by_id;
  std::uint64_t count = 0;
};
Worlds& worlds() {
  static Worlds& all = *new Worlds;  // outlives every static object
  return all;
}

std::string name_of(const ncclUniqueId& id) { return {id.internal, sizeof id.internal}; }

}  // namespace
}  // namespace standin

struct ncclComm {
  std::shared_ptr<standin::World> world;
  std::shared_ptr<standin::Member> member;
};

namespace standin {
namespace {

struct Group {
  int depth = 0;
  std::vector<std::pair<ncclComm_t, MessageOwner>> messages;
};
thread_local Group group;

/// Messages of one communicator and stream as an operation.
ncclResult_t submit_group(const ncclComm& all, const std::vector<MessageOwner>& messages) {
  Operation operation{"A group of " + std::to_string(messages.size()) + " messages of rank " +
                          std::to_string(all.member->rank),
                      {},
                      {},
                      [member = all.member] { --member->groups; }};
  for (const MessageOwner& message : messages)
    operation.device.push_back(
        {message->data, message->bytes, message->sends ? "what is sent" : "what is received"});
  operation.ready = [world = all.world, member = all.member, messages, posted = false]() mutable {
    if (member->gone) return true;  // aborted: it ends without a result
    if (!std::exchange(posted, true))
      for (const MessageOwner& message : messages) world->post(message);
    world->deliver();
    return std::all_of(messages.begin(), messages.end(), [](const auto& one) { return one->done; });
  };
  ++all.member->groups;
  const cudaError_t error = submit(messages.front()->stream, std::move(operation));
  if (error != cudaSuccess) --all.member->groups;
  return error == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t end_group() {
  auto messages = std::exchange(group.messages, {});
  while (!messages.empty()) {
    const auto [all, first] = messages.front();
    std::vector<MessageOwner> together;
    std::erase_if(messages, [&, one = all, stream = first->stream](const auto& entry) {
      if (entry.first != one || entry.second->stream != stream) return false;
      together.push_back(entry.second);
      return true;
    });
    if (const ncclResult_t result = submit_group(*all, together); result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t add(ncclComm_t all, bool sends, void* data, std::size_t count, ncclDataType_t type, int peer,
                 cudaStream_t stream) {
  const Lock lock(mutex());
  if (fails()) return ncclSystemError;
  if (all == nullptr || all->member->gone || peer < 0 || std::size_t(peer) >= all->world->members.size() ||
      (type != ncclUint8 && type != ncclInt8)) {
    report("NCCL: a message without a communicator, to a rank that does not exist, or not of bytes");
    return ncclInvalidArgument;
  }
  group.messages.emplace_back(
      all, std::make_shared<Message>(Message{all->member->rank, sends, peer, data, count, stream}));
  return group.depth > 0 ? ncclSuccess : end_group();
}

/// Leaves the others; those that wait for it learn that it failed, if it did.
void leave(ncclComm_t all, ncclResult_t others) {
  all->member->gone = true;
  all->world->withdraw(all->member->rank);
  for (const auto& other : all->world->members)
    if (other && !other->gone && other->error == ncclSuccess) other->error = others;
  --communicator_count();
  delete all;
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* uniqueId) {
  const Lock lock(mutex());
  if (fails()) return ncclSystemError;
  *uniqueId = {};
  const std::uint64_t number = ++worlds().count;
  std::memcpy(uniqueId->internal, &number, sizeof number);
  worlds().by_id[name_of(*uniqueId)] = std::make_shared<World>();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId commId, int rank) {
  const Lock lock(mutex());
  if (fails()) return ncclSystemError;
  const auto found = worlds().by_id.find(name_of(commId));
  if (found == worlds().by_id.end() || rank < 0 || rank >= nranks) return ncclInvalidArgument;
  const std::shared_ptr<World> world = found->second;
  if (world->members.empty()) world->members.resize(std::size_t(nranks));
  if (world->members.size() != std::size_t(nranks) || world->members[std::size_t(rank)])
    return ncclInvalidUsage;
  const auto member = world->members[std::size_t(rank)] = std::make_shared<Member>();
  member->rank = rank;
  if (!wait_for([&] { return world->complete(); })) {
    report("NCCL: a rank waited for others that never came");
    return ncclSystemError;
  }
  worlds().by_id.erase(name_of(commId));
  *comm = new ncclComm{world, member};
  ++communicator_count();
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const Lock lock(mutex());
  if (comm == nullptr) return ncclInvalidArgument;
  if (comm->member->groups > 0) report("ncclCommDestroy: messages are under way");
  leave(comm, ncclSuccess);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const Lock lock(mutex());
  if (comm == nullptr) return ncclInvalidArgument;
  leave(comm, ncclRemoteError);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* asyncError) {
  const Lock lock(mutex());
  if (fails()) return ncclSystemError;
  *asyncError = comm->member->error;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  const Lock lock(mutex());
  if (fails()) return ncclSystemError;
  ++group.depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  const Lock lock(mutex());
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  if (fails()) {
    group.messages.clear();
    return ncclSystemError;
  }
  return end_group();
}

ncclResult_t ncclSend(const void* sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add(comm, true, const_cast<void*>(sendbuff), count, datatype, peer, stream);
}
ncclResult_t ncclRecv(void* recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add(comm, false, recvbuff, count, datatype, peer, stream);
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(ncclComm_t) { return ""; }
}
