#pragma once
// Some libraries may crash on damaged files, so they run in a process of their own (worker.hpp). There the
// library opens the file. Here are its names, layouts and blocks, and every answer is checked.
//
// Starting the process costs a fork, so keep a file and ask for blocks of rows rather than single ones; a
// block is at most about a gigabyte, as that process may take four.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/worker.hpp"

namespace mno::io {

namespace detail {

enum class Question : std::uint8_t { names, layout, block, description };

inline void append_text(Bytes& bytes, std::string_view text) {
  append(bytes, std::uint64_t(text.size()));
  append(bytes, text);
}
inline void append_extents(Bytes& bytes, const Extents& extents) {
  append(bytes, std::uint64_t(extents.size()));
  for (Index n : extents) append(bytes, std::uint64_t(n));
}
inline Bytes question(Question kind, std::string_view name) {
  Bytes bytes{std::byte(kind)};
  append_text(bytes, name);
  return bytes;
}

/// Reads what these functions have written, and refuses anything else.
class Message {
 public:
  Message(std::span<const std::byte> bytes, const std::string& name) : rest_(bytes), name_(name) {}
  template <class T> T number() { return load<T>(piece(sizeof(T)), 0); }
  std::string text() {
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

inline Bytes bytes_of(const Description& description) {
  Bytes bytes;
  append(bytes, std::uint64_t(description.axes.size()));
  for (const std::string& axis : description.axes) append_text(bytes, axis);
  for (const auto& [name, attribute] : description.attributes) {
    append_text(bytes, name);
    append(bytes, std::uint64_t(attribute.texts.size()));
    for (const std::string& text : attribute.texts) append_text(bytes, text);
    append(bytes, std::uint64_t(attribute.numbers.size()));
    for (const double x : attribute.numbers) append(bytes, std::bit_cast<std::uint64_t>(x));
  }
  return bytes;
}
/// A wrong count ends at the first missing piece.
inline Description description_of(Message message) {
  Description description;
  for (auto n = message.number<std::uint64_t>(); n > 0; --n) description.axes.push_back(message.text());
  while (!message.empty()) {
    Attribute& attribute = description.attributes[message.text()];
    for (auto n = message.number<std::uint64_t>(); n > 0; --n) attribute.texts.push_back(message.text());
    for (auto n = message.number<std::uint64_t>(); n > 0; --n)
      attribute.numbers.push_back(std::bit_cast<double>(message.number<std::uint64_t>()));
  }
  return description;
}

/// What the child does: opens on the first question, then answers.
class ArrayServer {
 public:
  using Open = std::function<std::unique_ptr<ArrayFile>()>;
  explicit ArrayServer(Open open) : open_(std::move(open)) {}

  Bytes operator()(std::span<const std::byte> request) {
    if (!file_) file_ = open_();
    const std::string who = "a question";
    Message message(request, who);
    const auto question = Question(message.number<std::uint8_t>());
    const std::string name = message.text();
    Bytes answer;
    if (question == Question::names) {
      for (const std::string& one : file_->names()) append_text(answer, one);
      return answer;
    }
    if (question == Question::description) return bytes_of(file_->describe(name));
    auto known = arrays_.find(name);
    if (known == arrays_.end()) known = arrays_.emplace(name, file_->open(name)).first;
    if (question == Question::layout) {
      append(answer, std::uint8_t(known->second->layout().type));
      append_extents(answer, known->second->layout().shape);
      return answer;
    }
    const Extents start = message.extents(), count = message.extents();
    const Array block = known->second->read(start, count);
    return Bytes(block.bytes().begin(), block.bytes().end());
  }

 private:
  Open open_;
  std::unique_ptr<ArrayFile> file_;
  std::map<std::string, std::unique_ptr<StoredArray>> arrays_;
};

}  // namespace detail

/// An array that is open: its layout is known, its elements come on request. It may outlive its file.
class IsolatedArray final : public StoredArray {
 public:
  const Layout& layout() const override { return layout_; }

  Array read(const Extents& start, const Extents& count) override {
    require_block(layout_, start, count);
    Array block(layout_.type, count);
    if (block.size() == 0) return block;
    Bytes request = detail::question(detail::Question::block, array_);
    detail::append_extents(request, start);
    detail::append_extents(request, count);
    const Bytes bytes = worker_->call(request, block.bytes().size());
    if (bytes.size() != block.bytes().size())
      refuse(name_, "expected ", block.bytes().size(), " bytes, found ", bytes.size());
    std::ranges::copy(bytes, block.bytes().begin());
    check_elements(layout_.type, block.bytes(), name_);
    return block;
  }
  using StoredArray::read;

 private:
  friend class IsolatedFile;
  IsolatedArray(std::shared_ptr<Worker> worker, const std::string& file, std::string array)
      : worker_(std::move(worker)), array_(std::move(array)), name_(file + ", array " + shown(array_)) {
    const Bytes answer = worker_->call(detail::question(detail::Question::layout, array_), 1 << 12);
    detail::Message message(answer, name_);
    const auto type = message.number<std::uint8_t>();
    layout_ = {Type(type), message.extents()};
    if (type > std::uint8_t(Type::boolean) || !layout_.representable()) refuse(name_, "found no layout");
  }

  std::shared_ptr<Worker> worker_;
  std::string array_, name_;
  Layout layout_;
};

class IsolatedFile : public ArrayFile {
 public:
  /// `open` runs in the child. `name` is what sentences call the file.
  IsolatedFile(std::string name, detail::ArrayServer::Open open, std::chrono::seconds patience)
      : name_(std::move(name)) {
    const auto server = std::make_shared<detail::ArrayServer>(std::move(open));
    worker_ = std::make_shared<Worker>(
        name_, [server](auto request) { return (*server)(request); }, patience);
    const Bytes answer = worker_->call(detail::question(detail::Question::names, ""), most_text);
    for (detail::Message message(answer, name_); !message.empty();) names_.push_back(message.text());
  }

  const std::string& name() const { return name_; }
  std::vector<std::string> names() const override { return names_; }
  std::unique_ptr<StoredArray> open(const std::string& array) const override {
    return std::unique_ptr<StoredArray>(new IsolatedArray(worker_, name_, array));
  }
  Description describe(const std::string& array) const override {
    const Bytes answer = worker_->call(detail::question(detail::Question::description, array), most_text);
    return detail::description_of(detail::Message(answer, name_));
  }
  Array read(const std::string& array) const { return open(array)->read(); }

 private:
  static constexpr std::uint64_t most_text = std::uint64_t{1} << 26;

  std::string name_;
  std::shared_ptr<Worker> worker_;
  std::vector<std::string> names_;
};

}  // namespace mno::io
