#include "commands.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mno/io/safe_file.hpp>
#include <thread>

extern char** environ;

namespace demand {

namespace {

namespace fs = std::filesystem;
constexpr auto between_looks = std::chrono::milliseconds(10);

/// Ours, but for where temporary files go and the language of messages, which are part of the key.
std::vector<std::string> environment(const fs::path& folder) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!text.starts_with("TMPDIR=") && !text.starts_with("LC_ALL=")) all.push_back(text);
  }
  all.push_back("LC_ALL=C");
  if (!folder.empty()) all.push_back("TMPDIR=" + folder.string());
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// The leader of a process group of its own, which dies with this object unless it has come to an end.
class Child {
 public:
  Child(Command command, const fs::path& folder, int output) {
    std::vector<std::string> variables = environment(folder);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int sign : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&usual, sign);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    const int error = ::posix_spawn(&process_, command.front().c_str(), &files, &attributes,
                                    pointers(command).data(), pointers(variables).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) {
      process_ = -1;
      ::dprintf(output, "%s cannot be started: %s\n", command.front().c_str(),
                mno::io::system_message(error).c_str());
      ended_ = true;
    }
  }
  Child(Child&& other) noexcept
      : process_(std::exchange(other.process_, -1)), status_(other.status_), ended_(other.ended_) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (process_ < 0 || ended_) return;
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  bool ended() {
    if (!ended_) ended_ = ::waitpid(process_, &status_, WNOHANG) == process_;
    return ended_;
  }
  bool succeeded() const { return process_ > 0 && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  pid_t process_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace

bool run(std::span<const Command> commands, const fs::path& folder, const fs::path& log,
         const std::function<bool()>& interrupted) {
  const mno::io::Descriptor output(
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output)
    mno::io::cannot_write(mno::io::file_name(log), "cannot be created: ", mno::io::system_message(errno));
  std::vector<Child> children;
  for (const Command& command : commands) children.emplace_back(command, folder, output.get());
  while (true) {
    bool all = true;
    for (Child& child : children) {
      if (!child.ended())
        all = false;
      else if (!child.succeeded())
        return false;
    }
    if (all) return true;
    if (interrupted && interrupted()) throw Interrupted();
    std::this_thread::sleep_for(between_looks);
  }
}

std::string said_by(const Command& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const mno::io::Descriptor from(ends[0]);
  std::string out;
  {
    mno::io::Descriptor to(ends[1]);
    Child child(command, {}, to.get());
    to = mno::io::Descriptor();
    char buffer[4096];
    for (ssize_t n; (n = ::read(from.get(), buffer, sizeof buffer)) != 0;) {
      if (n > 0)
        out.append(buffer, std::size_t(n));
      else if (errno != EINTR)
        break;
    }
    while (!child.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!child.succeeded()) out.clear();
  }
  return out;
}

fs::path find_program(const std::string& name) {
  const auto runs = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) return runs(name) ? fs::path(name) : fs::path();
  const char* const list = std::getenv("PATH");
  std::string folders = list ? list : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path path = fs::path(folders.substr(begin, end - begin)) / name;
    if (end > begin && runs(path)) return path;
    begin = end + 1;
  }
  return {};
}

}  // namespace demand
