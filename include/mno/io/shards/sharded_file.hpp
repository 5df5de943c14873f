#pragma once
// A folder of shards as one file: ensembles that were written in pieces, by several processes, or that no
// single file should hold. ensemble_reader.hpp reads it as it reads any other.
//
//   EnsembleReader data("folder 'shards'", std::make_unique<ShardedFile>("shards", open));
//
// Arrays with an entry for every sample (u0, uT, t, counts, group, and fields where each sample has its own)
// follow each other along their first axis, in the order of the manifest. What is common to all samples
// (length, bounded, fields, or t as one number) is the same in every shard. Arrays of other names are not
// seen.
//
// All shards are looked at when the folder is opened, one after the other (folder.hpp): one that does not fit
// the first is refused by name.
#include <limits>
#include <map>

#include "mno/io/shards/folder.hpp"

namespace mno::io {

namespace detail {

/// An array of all shards: its layout, and after every shard the rows so far. What is common has the rows of
/// the first alone.
struct ShardedLayout {
  Layout layout{};
  std::vector<Index> ends{};  // (shard)
};

/// It may outlive its file.
template <class = void> class ShardedArray final : public StoredArray {
 public:
  ShardedArray(std::shared_ptr<ShardFolder<>> shards, std::string name, ShardedLayout sharded)
      : shards_(std::move(shards)), name_(std::move(name)), sharded_(std::move(sharded)) {}

  const Layout& layout() const override { return sharded_.layout; }
  Array read(const Extents& start, const Extents& count) override {
    require_block(layout(), start, count);
    if (layout().shape.empty() || sharded_.ends.size() == 1)
      return shards_->array(0, name_).read(start, count);
    Array block(layout().type, count);
    std::span<std::byte> rest = block.bytes();
    const auto first = std::ranges::upper_bound(sharded_.ends, start[0]);
    for (auto end = first; !rest.empty(); ++end) {
      const Index begin = end == sharded_.ends.begin() ? 0 : *(end - 1);
      Extents from = start, rows = count;
      from[0] = std::max(start[0], begin) - begin;
      rows[0] = std::min(start[0] + count[0], *end) - begin - from[0];
      const auto shard = std::size_t(end - sharded_.ends.begin());
      const Array piece = shards_->array(shard, name_).read(from, rows);
      if (piece.layout() != Layout{layout().type, rows})
        refuse(shards_->name_of(shard), "expected ", name_, " as it was, found ", piece.layout().str());
      std::ranges::copy(piece.bytes(), rest.begin());
      rest = rest.subspan(piece.bytes().size());
    }
    return block;
  }
  using StoredArray::read;

 private:
  std::shared_ptr<ShardFolder<>> shards_;
  std::string name_;
  ShardedLayout sharded_;
};

}  // namespace detail

template <class = void> class BasicShardedFile final : public ArrayFile {
 public:
  BasicShardedFile(std::filesystem::path folder, OpenShard open)
      : shards_(std::make_shared<detail::ShardFolder<>>(std::move(folder), std::move(open))) {
    for (std::size_t shard = 0; shard < shards_->size(); ++shard) add(shard);
    for (const std::string& name : names_)
      if (!arrays_[name].layout.representable())
        refuse(shards_->name(), "found shards that make ", name,
               " an array that no memory can hold: ", arrays_[name].layout.str());
  }

  std::size_t shards() const { return shards_->size(); }
  std::vector<std::string> names() const override { return names_; }
  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    const auto found = arrays_.find(name);
    if (found == arrays_.end())
      refuse(shards_->name(), "expected an array ", shown(name), ", found ", shown(joined(names_)));
    return std::make_unique<detail::ShardedArray<>>(shards_, name, found->second);
  }

 private:
  static std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "none" : all;
  }
  template <class... Parts> [[noreturn]] void differs(std::size_t shard, const Parts&... parts) const {
    refuse(shards_->name_of(shard), parts..., "; the first shard is ", shown((*shards_)[0].file));
  }

  /// What a shard has, after those before it.
  void add(std::size_t shard) {
    const auto all = shards_->file(shard).names();
    std::vector<std::string> found;
    for (const char* name : {"u0", "uT", "t", "length", "bounded", "fields", "counts", "group"})
      if (std::ranges::find(all, name) != all.end()) found.push_back(name);
    if (shard == 0) names_ = found;
    if (found.empty() || found[0] != "u0")
      refuse(shards_->name_of(shard), "expected an array u0, found ", shown(joined(all)));
    if (found != names_)
      differs(shard, "expected the arrays ", joined(names_), " as in the first shard, found ", joined(found));
    const Index samples = (*shards_)[shard].samples;
    const Layout u0 = shards_->array(shard, "u0").layout();
    if (u0.shape.empty() || u0.rows() != samples)
      refuse(shards_->name_of(shard), "expected ", samples, " samples, as '", manifest_name,
             "' says, found u0 ", u0.str());
    for (const std::string& name : names_) {
      const bool list = name == "t" || name == "counts" || name == "group";
      const bool fields =
          name == "fields" && shards_->array(shard, name).layout().shape.size() != u0.shape.size();
      if (list)
        add_list(shard, name, samples);
      else if (fields || name == "length" || name == "bounded")
        add_common(shard, name);
      else
        add_rows(shard, name, name == "uT" ? draws(shard, samples) : double(samples));
    }
  }

  /// Rows of uT: as many as there are samples, or as counts come to.
  double draws(std::size_t shard, Index samples) {
    if (std::ranges::find(names_, "counts") == names_.end()) return double(samples);
    double sum = 0;  // a double does not overflow, whatever a file says
    const auto counts = few_numbers(shard, "counts", samples);
    for (const double count : counts) sum += count;
    return counts.size() == 1 ? sum * double(samples) : sum;
  }
  std::vector<double> few_numbers(std::size_t shard, const std::string& name, Index samples) {
    StoredArray& array = shards_->array(shard, name);
    const Layout& layout = array.layout();
    if (layout.shape.size() > 1 || (layout.rows() != 1 && layout.rows() != samples))
      refuse(shards_->name_of(shard), "expected ", name, " to be one number or ", samples,
             " in a row, found ", layout.str());
    return numbers_of(array.read());
  }

  void add_rows(std::size_t shard, const std::string& name, double rows) {
    const Layout layout = shards_->array(shard, name).layout();
    if (layout.shape.empty() || double(layout.rows()) != rows)
      refuse(shards_->name_of(shard), "expected ", rows, " rows of ", name, ", found ", layout.str());
    append(shard, name, layout);
  }
  /// t, counts and group: a number for every sample, or one for all. One number in a shard of one sample may
  /// be either, and those after it tell.
  void add_list(std::size_t shard, const std::string& name, Index samples) {
    const std::vector<double> numbers = few_numbers(shard, name, samples);
    const Layout layout = shards_->array(shard, name).layout();
    const bool is_each = !layout.shape.empty() && layout.rows() == samples;
    List& list = lists_[name];
    if (shard == 0) list.number = numbers[0];
    list.each = list.each && is_each;
    list.one = list.one && numbers.size() == 1 && numbers[0] == list.number;
    if (!list.each && !list.one)
      differs(shard, "expected ", name,
              " to have a number for every sample in all shards, or the same one number in all, found ",
              layout.str());
    if (list.each) return append(shard, name, layout);
    ShardedLayout& known = arrays_[name];
    if (shard == 0) known.layout = layout;
    if (!known.layout.shape.empty()) known.layout.shape[0] = 1;
    known.ends = {1};
  }
  /// The same in all shards: its bytes are compared by their hash.
  void add_common(std::size_t shard, const std::string& name) {
    StoredArray& array = shards_->array(shard, name);
    const Array content = array.read();
    Sha256 hash;
    hash.add(content.bytes());
    const std::string digits = hash.digits();
    if (shard == 0) {
      common_[name] = digits;
      arrays_[name] = {array.layout(), {array.layout().rows()}};
    }
    if (array.layout() != arrays_[name].layout || digits != common_[name])
      differs(shard, "expected the same ", name, " in all shards, ", arrays_[name].layout.str(),
              ", found another, ", array.layout().str());
  }
  void append(std::size_t shard, const std::string& name, const Layout& layout) {
    ShardedLayout& known = arrays_[name];
    if (shard == 0) known.layout = layout.with_rows(0);
    if (layout.with_rows(0) != known.layout.with_rows(0))
      differs(shard, "expected ", name, " with the type and the axes of the first shard, ",
              known.layout.str(), " so far, found ", layout.str());
    if (layout.rows() > std::numeric_limits<Index>::max() - known.layout.shape[0])
      refuse(shards_->name_of(shard), "found more rows of ", name, " than can be counted");
    known.layout.shape[0] += layout.rows();
    known.ends.push_back(known.layout.shape[0]);
  }

  struct List {
    bool each = true, one = true;  // what it may be, after the shards so far
    double number = 0;             // of the first
  };
  using ShardedLayout = detail::ShardedLayout;

  std::shared_ptr<detail::ShardFolder<>> shards_;
  std::vector<std::string> names_;
  std::map<std::string, ShardedLayout> arrays_;
  std::map<std::string, List> lists_;
  std::map<std::string, std::string> common_;  // hashes
};
using ShardedFile = BasicShardedFile<>;

}  // namespace mno::io
