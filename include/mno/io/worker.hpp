#pragma once
// A child process that answers requests, for libraries that a hostile file may bring down: if it crashes,
// hangs or takes too much memory, the caller gets an Error and lives on. It protects only from such
// accidents: code that takes over the child has all rights of the caller.
//
// The child is a fork, so it must not need locks that other threads of the caller hold. So hold
// library_mutex() while you call such a library in this process; the fork takes it too.
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

#include "mno/io/file.hpp"

namespace mno::io {

/// Libraries that keep state of their own (HDF5, and what is built on it) have one caller at a time.
inline std::recursive_mutex& library_mutex() {
  static std::recursive_mutex one;
  return one;
}

class Worker {
 public:
  using Serve = std::function<Bytes(std::span<const std::byte>)>;  // throws to refuse

  /// `name` is what sentences call the file; `memory` is what the child may take beyond what it starts with.
  Worker(std::string name, Serve serve, std::chrono::seconds patience = std::chrono::seconds(60),
         std::uint64_t memory = std::uint64_t{4} << 30)
      : name_(std::move(name)), patience_(patience) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      refuse(name_, "cannot be read in a process of its own: ", system_message(errno));
    Descriptor mine(ends[0]), other(ends[1]);
    const std::lock_guard nobody_inside(library_mutex());
    child_ = ::fork();
    if (child_ < 0) refuse(name_, "cannot be read in a process of its own: ", system_message(errno));
    if (child_ == 0) {
      ::close(ends[0]);
      live(ends[1], serve, memory);
    }
    socket_ = std::move(mine);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { end(); }

  /// The answer of at most `most` bytes.
  Bytes call(std::span<const std::byte> request, std::uint64_t most) {
    const std::lock_guard lock(mutex_);
    if (!socket_) refuse(name_, "is closed, since reading it has failed before");
    Bytes head;
    append(head, std::uint64_t(request.size()));
    std::array<std::byte, 9> answer{};
    if (!give(socket_.get(), head) || !give(socket_.get(), request) || !take(answer)) fail();
    const bool refused = load<std::uint8_t>(answer, 0) != 0;
    const auto size = load<std::uint64_t>(answer, 1);
    if (size > (refused ? longest_sentence : most)) fail();
    Bytes bytes(static_cast<std::size_t>(size));
    if (!take(bytes)) fail();
    if (refused) throw Error(std::string(characters(bytes)));
    return bytes;
  }

 private:
  static constexpr std::uint64_t longest_sentence = 1 << 16;

  static bool give(int socket, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes = bytes.subspan(std::size_t(n));
    }
    return true;
  }
  /// Waits at most `patience` milliseconds for each piece; for ever if that is negative.
  static bool receive(int socket, std::span<std::byte> out, int patience) {
    while (!out.empty()) {
      pollfd ready{socket, POLLIN, 0};
      const int some = ::poll(&ready, 1, patience);
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) return false;
      const ssize_t n = ::recv(socket, out.data(), out.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      out = out.subspan(std::size_t(n));
    }
    return true;
  }
  bool take(std::span<std::byte> out) const {
    return receive(socket_.get(), out, int(std::chrono::milliseconds(patience_).count()));
  }

  [[noreturn]] void fail() {
    end();
    refuse(name_,
           "cannot be read: the process that tried has crashed, has run out of memory or has not answered "
           "within ",
           patience_.count(), " s; the file is damaged or hostile");
  }
  void end() noexcept {
    socket_ = Descriptor();
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);  // it only reads files
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
  }

  [[noreturn]] static void live(int socket, const Serve& serve, std::uint64_t memory) {
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_WRONLY);  // what a crash prints is for nobody
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    limit_memory(memory);
    std::array<std::byte, 8> head{};
    while (receive(socket, head, -1)) {
      Bytes request(load<std::uint64_t>(head, 0)), bytes, answer;
      if (!receive(socket, request, -1)) break;
      std::uint8_t refused = 0;
      try {
        bytes = serve(request);
      } catch (const std::exception& error) {
        refused = 1;
        append(bytes, std::string_view(error.what()).substr(0, longest_sentence));
      }
      append(answer, refused);
      append(answer, std::uint64_t(bytes.size()));
      if (!give(socket, answer) || !give(socket, bytes)) break;
    }
    ::_exit(0);
  }
  static void limit_memory(std::uint64_t memory) {
    unsigned long long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
      if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
      std::fclose(file);
    }
    rlimit limit{};
    if (pages == 0 || ::getrlimit(RLIMIT_AS, &limit) != 0) return;
    const auto most = checked_sum(pages * std::uint64_t(::sysconf(_SC_PAGESIZE)), memory);
    if (most && *most < limit.rlim_cur) limit.rlim_cur = *most, ::setrlimit(RLIMIT_AS, &limit);
  }

  std::string name_;
  std::chrono::seconds patience_;
  std::mutex mutex_;
  pid_t child_ = -1;
  Descriptor socket_;
};

}  // namespace mno::io
