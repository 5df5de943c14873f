#pragma once
// Datasets in HDF5 files, read whole or by hyperslabs. Needs the HDF5 C library: only the headers of this
// folder do.
//
// The library crashes on some damaged files, so each Hdf5Reader has a process of its own that calls it (see
// worker.hpp); what comes back is checked here. Starting it costs a fork, so keep a reader and ask for blocks
// of rows rather than single ones; a block is at most about a gigabyte, as that process may take four.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mno/io/hdf5/file.hpp"
#include "mno/io/hdf5/worker.hpp"

namespace mno::io {

namespace detail {

enum class Hdf5Question : std::uint8_t { names, layout, block };

inline void append_text(Bytes& bytes, std::string_view text) {
  append(bytes, std::uint64_t(text.size()));
  append(bytes, text);
}
inline void append_extents(Bytes& bytes, const Extents& extents) {
  append(bytes, std::uint64_t(extents.size()));
  for (Index n : extents) append(bytes, std::uint64_t(n));
}

/// Reads what the two functions above have written; whatever does not fit is refused.
class Hdf5Message {
 public:
  Hdf5Message(std::span<const std::byte> bytes, const std::string& name) : rest_(bytes), name_(name) {}
  template <class T> T number() { return load<T>(piece(sizeof(T)), 0); }
  std::string Text() {
    const auto size = number<std::uint64_t>();
    return std::string(characters(piece(size)));
  }
  Extents extents() {
    Extents out(std::size_t(std::min<std::uint64_t>(number<std::uint64_t>(), Layout::most_axes + 1)));
    for (Index& n : out) n = Index(number<std::uint64_t>());
    return out;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::byte> piece(std::uint64_t size) {
    if (size > rest_.size()) refuse(name_, "found a broken message from the process that reads it");
    const auto first = rest_.first(std::size_t(size));
    rest_ = rest_.subspan(std::size_t(size));
    return first;
  }
  std::span<const std::byte> rest_;
  const std::string& name_;
};

/// What the child does: opens on the first question, then answers.
class Hdf5Server {
 public:
  using Open = std::function<std::shared_ptr<Hdf5File>()>;
  explicit Hdf5Server(Open open) : open_(std::move(open)) {}

  Bytes operator()(std::span<const std::byte> request) {
    if (!file_) {
      H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
      file_ = open_();
    }
    const std::string name = "a question";
    Hdf5Message message(request, name);
    const auto question = Hdf5Question(message.number<std::uint8_t>());
    Bytes answer;
    if (question == Hdf5Question::names) {
      for (const std::string& name : file_->names()) append_text(answer, name);
      return answer;
    }
    const std::string path = message.Text();
    auto known = datasets_.find(path);
    if (known == datasets_.end()) known = datasets_.emplace(path, file_->open(path)).first;
    if (question == Hdf5Question::layout) {
      append(answer, std::uint8_t(known->second.layout().type));
      append_extents(answer, known->second.layout().shape);
      return answer;
    }
    const Extents start = message.extents(), count = message.extents();
    const Array block = known->second.read(start, count);
    return Bytes(block.bytes().begin(), block.bytes().end());
  }

 private:
  Open open_;
  std::shared_ptr<Hdf5File> file_;
  std::map<std::string, Hdf5OpenDataset> datasets_;
};

}  // namespace detail

/// A dataset that is open: its layout is known, its elements come on request. It may outlive its reader.
class Hdf5Dataset {
 public:
  const Layout& layout() const { return layout_; }

  /// The block of `count` elements per axis from `start` on.
  Array read(const Extents& start, const Extents& count) const {
    detail::require_block(layout_, start, count);
    Array block(layout_.type, count);
    if (block.size() == 0) return block;
    Bytes request;
    append(request, std::uint8_t(detail::Hdf5Question::block));
    detail::append_text(request, path_);
    detail::append_extents(request, start);
    detail::append_extents(request, count);
    const Bytes bytes = worker_->call(request, block.bytes().size());
    if (bytes.size() != block.bytes().size())
      refuse(name_, "expected ", block.bytes().size(), " bytes, found ", bytes.size());
    std::ranges::copy(bytes, block.bytes().begin());
    check_elements(layout_.type, block.bytes(), name_);
    return block;
  }
  /// `count` rows along the first axis.
  Array read_rows(Index first, Index count) const {
    if (layout_.shape.empty()) return read();
    Extents start(layout_.shape.size(), 0), block = layout_.shape;
    start[0] = first;
    block[0] = count;
    return read(start, block);
  }
  Array read() const { return read(Extents(layout_.shape.size(), 0), layout_.shape); }

 private:
  friend class Hdf5Reader;
  Hdf5Dataset(std::shared_ptr<Worker> worker, const std::string& file, std::string path)
      : worker_(std::move(worker)), path_(std::move(path)), name_(file + ", dataset " + shown(path_)) {
    Bytes request;
    append(request, std::uint8_t(detail::Hdf5Question::layout));
    detail::append_text(request, path_);
    const Bytes answer = worker_->call(request, 1 << 12);
    detail::Hdf5Message message(answer, name_);
    const auto type = message.number<std::uint8_t>();
    layout_ = {Type(type), message.extents()};
    if (type > std::uint8_t(Type::boolean) || !layout_.representable()) refuse(name_, "found no layout");
  }

  std::shared_ptr<Worker> worker_;
  std::string path_, name_;
  Layout layout_;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path,
                      std::chrono::seconds patience = std::chrono::seconds(60))
      : name_(file_name(path)) {
    const File readable(path);  // or refused here, with the system's words
    start([path] { return std::make_shared<detail::Hdf5File>(path); }, patience);
  }
  /// A file that is in memory; it must stay there only until this returns.
  explicit Hdf5Reader(std::span<const std::byte> image,
                      std::chrono::seconds patience = std::chrono::seconds(60))
      : name_("memory") {
    start([image] { return std::make_shared<detail::Hdf5File>(image); }, patience);
  }

  /// The names of what lies in the root group.
  const std::vector<std::string>& names() const { return names_; }
  /// "group/dataset", through hard links only: others could lead into other files.
  Hdf5Dataset open(const std::string& path) const { return Hdf5Dataset(worker_, name_, path); }
  Array read(const std::string& path) const { return open(path).read(); }

 private:
  void start(detail::Hdf5Server::Open open, std::chrono::seconds patience) {
    {
      const Hdf5Lock lock;  // no writer is inside the library while the process splits
      const auto server = std::make_shared<detail::Hdf5Server>(std::move(open));
      worker_ = std::make_shared<Worker>(
          name_, [server](auto request) { return (*server)(request); }, patience);
    }
    const Bytes answer =
        worker_->call(std::array{std::byte(detail::Hdf5Question::names)}, std::uint64_t{1} << 26);
    for (detail::Hdf5Message message(answer, name_); !message.empty();) names_.push_back(message.Text());
  }

  std::string name_;
  std::shared_ptr<Worker> worker_;
  std::vector<std::string> names_;
};

}  // namespace mno::io
