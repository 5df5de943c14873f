// A folder of shards reads as the one file that it was cut from, one shard at a time; a shard that is not
// what the manifest says, or does not fit the others, is refused by name.
#include "mno/io/shards/sharded_file.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "io/scratch.hpp"
#include "mno/core/random.hpp"
#include "mno/io/ensemble_reader.hpp"
#include "mno/io/zip/npz.hpp"
#include "property.hpp"

using namespace mno;
using namespace mno::io;
using namespace mno::testing;

namespace {

using Named = std::map<std::string, Array>;

std::vector<float> values(Index count, std::uint64_t seed) {
  Stream random(seed);
  std::vector<float> all;
  for (Index i = 0; i < count; ++i) all.push_back(float(random.normal()));
  return all;
}

/// Arrays in memory as a file. How many are open at once is counted.
class Held final : public StoredArray {
 public:
  explicit Held(Array array) : array_(std::move(array)) {}
  const Layout& layout() const override { return array_.layout(); }
  Array read(const Extents& start, const Extents& count) override {
    require_block(layout(), start, count);
    Array block(layout().type, count);
    const std::size_t each = size_of(layout().type), axes = count.size();
    for (std::size_t i = 0; i < block.size(); ++i) {
      std::size_t rest = i, at = 0, stride = 1;
      for (std::size_t d = axes; d-- > 0;) {
        at += (std::size_t(start[d]) + rest % std::size_t(count[d])) * stride;
        rest /= std::size_t(count[d]);
        stride *= std::size_t(layout().shape[d]);
      }
      std::copy_n(array_.bytes().begin() + std::ptrdiff_t(at * each), each,
                  block.bytes().begin() + std::ptrdiff_t(i * each));
    }
    return block;
  }

 private:
  Array array_;
};
class HeldFile final : public ArrayFile {
 public:
  explicit HeldFile(Named arrays) : arrays_(std::move(arrays)) { most = std::max(most, ++open_now); }
  ~HeldFile() override { --open_now; }
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const auto& [name, array] : arrays_) all.push_back(name);
    return all;
  }
  std::unique_ptr<StoredArray> open(const std::string& name) const override {
    return std::make_unique<Held>(arrays_.at(name));
  }
  inline static int open_now = 0, most = 0;

 private:
  Named arrays_;
};

/// A folder whose files are their names, and what they stand for is in memory.
struct Folder {
  Scratch scratch{};
  std::map<std::string, Named> content{};
  std::vector<Shard> shards{};
  int opened = 0;

  void add(Named arrays, Index samples = -1) {
    const std::string name = shard_name(Index(shards.size()), "");
    spoil(scratch / name, bytes("content of " + name));
    if (samples < 0) samples = arrays.at("u0").layout().rows();
    content[name] = std::move(arrays);
    shards.push_back(describe_shard(scratch.path(), name, samples));
  }
  std::unique_ptr<ShardedFile> open() {
    spoil(scratch / manifest_name, bytes(manifest_text(shards)));
    return std::make_unique<ShardedFile>(scratch.path(), [this](const std::filesystem::path& path) {
      ++opened;
      return std::make_unique<HeldFile>(content.at(path.filename().string()));
    });
  }
  std::string refused() {
    return refusal([&] { open(); });
  }
};

Array rows_of(const Array& array, Index first, Index count) { return Held(array).read_rows(first, count); }

/// Any ensemble that a file may hold.
struct Case {
  Named arrays{};
  Index samples = 0;
  std::vector<Index> counts{};  // of draws, where they differ
  bool fields_each = false;

  static Case any() {
    Case one;
    const Index n = one.samples = any_in<Index>(1, 9), dimension = any_in<Index>(1, 3),
                channels = any_in<Index>(1, 3);
    const std::uint64_t seed = any_seed();
    const auto shape = [&](std::initializer_list<Index> leading) {
      Extents all(leading);
      for (Index d = 0; d < dimension; ++d) all.push_back(3 + d);
      return all;
    };
    const auto floats = [&](const Extents& extents, std::uint64_t more) {
      return Array::of(extents, values(Index(Layout{Type::f32, extents}.elements()), seed + more));
    };
    one.arrays.emplace("u0", floats(shape({n, channels}), 1));
    switch (any_in<int>(0, 3)) {
      case 0:
        one.arrays.emplace("uT", floats(shape({n, 2, channels}), 2));
        break;
      case 1:
        one.arrays.emplace("uT", floats(shape({n, channels}), 2));
        break;
      default: {
        std::vector<std::int64_t> counts;
        for (Index s = 0; s < n; ++s)
          one.counts.push_back(any_in<Index>(1, 4)), counts.push_back(one.counts.back());
        const Index draws = std::accumulate(one.counts.begin(), one.counts.end(), Index(0));
        one.arrays.emplace("uT", floats(shape({draws, channels}), 2));
        one.arrays.emplace("counts", Array::of({n}, counts));
      }
    }
    if (any_bool()) {
      std::vector<double> times;
      for (Index s = 0; s < n; ++s) times.push_back(0.5 * double(any_in<Index>(0, 3)));
      one.arrays.emplace("t", Array::of({n}, times));
    } else {
      one.arrays.emplace("t", Array::of({}, std::vector<double>{0.5}));
    }
    if (any_bool())
      one.arrays.emplace("length", Array::of({dimension}, std::vector<double>(std::size_t(dimension), 2)));
    if (any_bool())
      one.arrays.emplace("bounded",
                         Array::of({dimension}, std::vector<std::int32_t>(std::size_t(dimension), 1)));
    if (any_bool()) {
      std::vector<std::int64_t> groups;
      for (Index s = 0; s < n; ++s) groups.push_back(any_in<Index>(0, 3));
      one.arrays.emplace("group", Array::of({n}, groups));
    }
    if (any_bool()) {
      one.fields_each = any_bool();
      one.arrays.emplace("fields", floats(one.fields_each ? shape({n, 2}) : shape({2}), 3));
    }
    return one;
  }

  Index draws(Index first, Index count) const {
    if (counts.empty()) return count;
    return std::accumulate(counts.begin() + first, counts.begin() + first + count, Index(0));
  }
  /// Samples [first, first + count) as a shard.
  Named piece(Index first, Index count) const {
    Named some;
    for (const auto& [name, array] : arrays) {
      const bool list = (name == "t" || name == "counts" || name == "group") && !array.shape().empty() &&
                        array.layout().rows() == samples;
      const bool each = name == "u0" || (name == "fields" && fields_each) || list;
      if (name == "uT")
        some.emplace(name, rows_of(array, draws(0, first), draws(first, count)));
      else
        some.emplace(name, each ? rows_of(array, first, count) : array);
    }
    return some;
  }
  /// The ends of shards.
  std::vector<Index> cuts() const {
    std::vector<Index> ends;
    for (Index s = 1; s < samples; ++s)
      if (any_bool()) ends.push_back(s);
    ends.push_back(samples);
    return ends;
  }
};

Case three_samples() {
  Case one;
  one.samples = 3;
  one.arrays = {{"u0", Array::of({3, 1, 4}, values(12, 1))},
                {"uT", Array::of({3, 2, 1, 4}, values(24, 2))},
                {"t", Array::of({3}, std::vector<double>{0.1, 0.2, 0.3})},
                {"length", Array::of({1}, std::vector<double>{1})}};
  return one;
}
/// Shards of two samples and one, of which the second is as `change` makes it.
template <class Change> std::string refused(Change&& change, Case one = three_samples()) {
  Folder folder;
  folder.add(one.piece(0, 2));
  Named second = one.piece(2, 1);
  change(second);
  folder.add(std::move(second), 1);
  const std::string sentence = folder.refused();
  if (!sentence.empty()) CHECK(says(sentence, "shard-00001"));
  return sentence;
}

}  // namespace

TEST_CASE("however it is cut, a folder reads as the file") {
  CHECK(for_any("any ensemble, cut anywhere", [] {
    const Case one = Case::any();
    Folder folder;
    Index first = 0;
    for (const Index end : one.cuts()) {
      folder.add(one.piece(first, end - first));
      first = end;
    }
    const auto file = folder.open();
    HOLDS(file->shards() == folder.shards.size());
    HOLDS(file->names().size() == one.arrays.size());
    for (const auto& [name, whole] : one.arrays) {
      const auto array = file->open(name);
      HOLDS(array->layout() == whole.layout());
      HOLDS(array->read() == whole);
      Extents start, count;
      for (const Index n : whole.shape()) {
        start.push_back(any_in<Index>(0, n + 1));
        count.push_back(any_in<Index>(0, n - start.back() + 1));
      }
      HOLDS(array->read(start, count) == Held(whole).read(start, count));
    }
    // And what trains sees the same ensemble.
    EnsembleReader cut("cut", folder.open()), whole("whole", std::make_unique<HeldFile>(one.arrays));
    HOLDS(cut.samples() == one.samples);
    HOLDS(cut.counts() == whole.counts());
    HOLDS(cut.length() == whole.length());
    HOLDS(cut.bounded() == whole.bounded());
    HOLDS(cut.known_fields() == whole.known_fields());
    for (Index s = 0; s < one.samples; ++s) HOLDS(cut.group(s) == whole.group(s));
    const auto all = [](EnsembleReader& reader) {
      std::vector<float> seen;
      const auto pass = [&]<int D>(std::integral_constant<int, D>) {
        reader.for_each<float, D>([&](Index, Field<float, D>& initial, float time, Field<float, D>& drawn) {
          seen.insert(seen.end(), initial.span().begin(), initial.span().end());
          seen.push_back(time);
          seen.insert(seen.end(), drawn.span().begin(), drawn.span().end());
        });
        const auto known = reader.known<float, D>();
        seen.insert(seen.end(), known.span().begin(), known.span().end());
      };
      if (reader.dimension() == 1)
        pass(std::integral_constant<int, 1>());
      else
        pass(std::integral_constant<int, 2>());
      return seen;
    };
    HOLDS(all(cut) == all(whole));
  }));
}

TEST_CASE("one shard is open at a time, each is opened once in a pass, and hashed once in all") {
  const Case one = three_samples();
  Folder folder;
  for (Index s = 0; s < 3; ++s) folder.add(one.piece(s, 1));
  HeldFile::most = 0;
  const auto file = folder.open();
  CHECK(folder.opened == 3);
  const auto u0 = file->open("u0"), uT = file->open("uT");
  folder.opened = 0;
  for (Index s = 0; s < 3; ++s) u0->read_rows(s, 1), uT->read_rows(s, 1);
  CHECK(folder.opened == 3);
  CHECK(HeldFile::most == 1);
  CHECK(HeldFile::open_now == 1);
}

TEST_CASE("an array outlives its file") {
  const Case one = three_samples();
  Folder folder;
  folder.add(one.piece(0, 2));
  folder.add(one.piece(2, 1));
  auto file = folder.open();
  const auto array = file->open("uT");
  file.reset();
  CHECK(array->read() == one.arrays.at("uT"));
}

TEST_CASE("shards of .npz files are an ensemble") {
  const Scratch scratch;
  const Case one = three_samples();
  const auto write = [](const std::filesystem::path& path, const Named& arrays) {
    NpzWriter file(path);
    for (const auto& [name, array] : arrays) file.write(name, array);
    file.commit();
  };
  const auto folder = scratch / "data";
  prepare_shards(folder);
  write(folder / shard_name(0), one.piece(0, 1));
  write(folder / shard_name(1), one.piece(1, 2));
  const OpenShard open = [](const std::filesystem::path& path) { return std::make_unique<NpzReader>(path); };
  CHECK(says(refusal([&] { ShardedFile file(folder, open); }),
             "expected its manifest 'shards.json', found none"));
  write_manifest(folder,
                 {describe_shard(folder, shard_name(0), 1), describe_shard(folder, shard_name(1), 2)});
  // [shards]
  const auto open_npz = [](const std::filesystem::path& file) {
    return std::make_unique<mno::io::NpzReader>(file);
  };
  mno::io::EnsembleReader reader("the shards", std::make_unique<mno::io::ShardedFile>(folder, open_npz));
  const auto data = reader.read<float, 1>();
  // [shards] end
  CHECK(data.initial.batch() == 3);
  CHECK(data.times[2] == 0.3f);

  // A bit of a shard is another one.
  const Bytes good = read_file(folder / shard_name(1));
  for (std::size_t at = 0; at < good.size(); at += 7) {
    Bytes bad = good;
    bad[at] ^= std::byte(1 << at % 8);
    spoil(folder / shard_name(1), bad);
    const std::string sentence = refusal([&] { ShardedFile file(folder, open); });
    CHECK(says(sentence, "shard-00001.npz': expected bytes with the SHA-256"));
  }
  spoil(folder / shard_name(1), good);
  CHECK(refusal([&] { ShardedFile file(folder, open); }).empty());
}

TEST_CASE("a shard that is missing, a link or no file is refused by name") {
  const Case one = three_samples();
  Folder folder;
  folder.add(one.piece(0, 2));
  folder.add(one.piece(2, 1));
  CHECK(folder.refused().empty());
  const auto second = folder.scratch / "shard-00001";
  std::filesystem::rename(second, folder.scratch / "elsewhere");
  CHECK(says(folder.refused(), "shard-00001': is missing, and 'shards.json' names it"));
  std::filesystem::create_symlink(folder.scratch / "elsewhere", second);
  CHECK(says(folder.refused(), "shard-00001': expected a regular file, found a link"));
  std::filesystem::remove(second);
  std::filesystem::create_directory(second);
  CHECK(says(folder.refused(), "shard-00001': expected a regular file, found something else"));
  std::filesystem::remove(second);
  std::filesystem::rename(folder.scratch / "elsewhere", second);
  CHECK(folder.refused().empty());

  const auto manifest = folder.scratch / manifest_name;
  const auto open = [&] { return refusal([&] { ShardedFile file(folder.scratch.path(), nullptr); }); };
  std::filesystem::rename(manifest, folder.scratch / "elsewhere");
  CHECK(says(open(), "expected its manifest 'shards.json', found none"));
  std::filesystem::create_symlink(folder.scratch / "elsewhere", manifest);
  CHECK(says(open(), "shards.json': expected a regular file, found a link"));
  std::filesystem::remove(manifest);
  spoil(manifest, {});
  std::filesystem::resize_file(manifest, most_manifest_bytes + 1);
  CHECK(says(open(), "expected at most 33554432 bytes"));
  CHECK(says(refusal([&] { ShardedFile file(folder.scratch / "nowhere", nullptr); }), "found none"));
}

TEST_CASE("a shard that is written to while it is in use is noticed when it is opened again") {
  const Case one = three_samples();
  Folder folder;
  folder.add(one.piece(0, 2));
  folder.add(one.piece(2, 1));
  const auto file = folder.open();
  const auto u0 = file->open("u0");
  u0->read_rows(0, 1);
  spoil(folder.scratch / "shard-00001", bytes("other content"));
  CHECK(says(refusal([&] { u0->read_rows(2, 1); }), "shard-00001': expected bytes with the SHA-256"));
  spoil(folder.scratch / "shard-00001", bytes("content of shard-00001"));
  CHECK(u0->read() == one.arrays.at("u0"));  // the same bytes, in a file that was written to
}

TEST_CASE("shards that do not fit the first are refused, with what was expected and found") {
  const auto none = [](Named&) {};
  CHECK(refused(none).empty());
  CHECK(says(refused([](Named& a) { a.erase("length"); }), "expected the arrays u0, uT, t, length"));
  CHECK(says(refused([](Named& a) { a.erase("u0"); }), "expected an array u0"));
  CHECK(refused([](Named& a) { a.emplace("other", Array::of({1}, std::vector<double>{1})); }).empty());
  CHECK(says(refused([](Named& a) {
               a.at("u0") = Array::of({2, 1, 4}, values(8, 3));
             }),
             "expected 1 samples, as 'shards.json' says, found u0 f32 (2, 1, 4)"));
  CHECK(says(refused([](Named& a) { a.at("u0") = Array::of({}, values(1, 3)); }), "expected 1 samples"));
  CHECK(says(refused([](Named& a) {
               a.at("u0") = Array::of({1, 1, 5}, values(5, 3));
             }),
             "expected u0 with the type and the axes of the first shard"));
  CHECK(says(refused([](Named& a) {
               a.at("u0") = Array::of({1, 4}, values(4, 3));
             }),
             "expected u0 with the type"));
  CHECK(says(refused([](Named& a) { a.at("u0") = a.at("u0").as<double>(); }), "expected u0 with the type"));
  CHECK(says(refused([](Named& a) {
               a.at("uT") = Array::of({2, 1, 4}, values(8, 3));
             }),
             "expected 1 rows of uT"));
  CHECK(says(refused([](Named& a) {
               a.at("uT") = Array::of({1, 3, 1, 4}, values(12, 3));
             }),
             "expected uT with the type"));
  CHECK(says(refused([](Named& a) { a.at("length") = Array::of({1}, std::vector<double>{2}); }),
             "expected the same length in all shards"));
  CHECK(says(refused([](Named& a) { a.at("length") = Array::of({}, std::vector<double>{1}); }),
             "expected the same length in all shards"));
  CHECK(says(refused([](Named& a) {
               a.at("t") = Array::of({2}, std::vector<double>{1, 2});
             }),
             "expected t to be one number or 1 in a row"));
  CHECK(says(refused([](Named& a) {
               a.at("t") = Array::of({1, 1}, std::vector<double>{1});
             }),
             "expected t to be one number"));
  CHECK(says(refused([](Named& a) { a.at("t") = Array::of({}, std::vector<double>{1}); }),
             "a number for every sample in all shards, or the same one number in all"));
  Case common = three_samples();
  common.arrays.at("t") = Array::of({}, std::vector<double>{0.5});
  CHECK(refused(none, common).empty());
  CHECK(says(refused([](Named& a) { a.at("t") = Array::of({}, std::vector<double>{1}); }, common),
             "or the same one number in all"));
  common.arrays.emplace("fields", Array::of({2, 4}, values(8, 5)));
  CHECK(refused(none, common).empty());
  CHECK(says(refused(
                 [](Named& a) {
                   a.at("fields") = Array::of({2, 4}, values(8, 6));
                 },
                 common),
             "expected the same fields in all shards"));
  CHECK(says(refused(
                 [](Named& a) {
                   a.at("fields") = Array::of({1, 2, 4}, values(8, 5));
                 },
                 common),
             "expected fields with the type and the axes of the first shard"));
}

TEST_CASE("draws belong to the shard of their sample, not only to some shard") {
  Case ragged = three_samples();
  ragged.counts = {1, 2, 2};
  ragged.arrays.at("uT") = Array::of({5, 1, 4}, values(20, 2));
  ragged.arrays.emplace("counts", Array::of({3}, std::vector<std::int64_t>{1, 2, 2}));
  CHECK(refused([](Named&) {}, ragged).empty());
  CHECK(says(refused([](Named& a) { a.at("counts") = Array::of({1}, std::vector<std::int64_t>{3}); }, ragged),
             "expected 3 rows of uT, found f32 (2, 1, 4)"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(says(refused([&](Named& a) { a.at("counts") = Array::of({1}, std::vector<double>{nan}); }, ragged),
             "rows of uT"));
}

TEST_CASE("one number in shards of one sample may be the same for all, or each sample's own") {
  const auto folder_of = [](std::vector<std::vector<double>> times) {
    auto folder = std::make_unique<Folder>();
    for (const auto& t : times) {
      const auto n = Index(t.size() > 1 ? t.size() : 1);
      folder->add({{"u0", Array::of({n, 1, 4}, values(4 * n, 1))}, {"t", Array::of({Index(t.size())}, t)}});
    }
    return folder;
  };
  CHECK(folder_of({{1}, {2}, {3, 4}})->open()->open("t")->read() ==
        Array::of({4}, std::vector<double>{1, 2, 3, 4}));
  CHECK(folder_of({{1}, {1}})->open()->open("t")->read() == Array::of({2}, std::vector<double>{1, 1}));
  // A shard of two samples with one number makes it one for all.
  auto folder = folder_of({{1}, {1}});
  folder->add({{"u0", Array::of({2, 1, 4}, values(8, 1))}, {"t", Array::of({1}, std::vector<double>{1})}});
  CHECK(folder->open()->open("t")->read() == Array::of({1}, std::vector<double>{1}));
  folder = folder_of({{1}, {2}});
  folder->add({{"u0", Array::of({2, 1, 4}, values(8, 1))}, {"t", Array::of({1}, std::vector<double>{1})}});
  CHECK(says(folder->refused(), "shard-00002': expected t to have a number for every sample in all shards"));
}

TEST_CASE("an array that is not there is named, and blocks outside are refused") {
  Folder folder;
  folder.add(three_samples().piece(0, 3));
  const auto file = folder.open();
  CHECK(says(refusal([&] { file->open("x"); }), "expected an array 'x', found 'u0, uT, t, length'"));
  CHECK(says(refusal([&] { file->open("u0")->read_rows(2, 2); }), "a block within (3, 1, 4)"));
}
