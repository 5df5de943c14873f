#include "write.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "command.hpp"
#include "output.hpp"

namespace program {

namespace {

using mno::Index;
namespace io = mno::io;

/// The fields of the rows, with what to do about missing values.
class RowReader {
 public:
  RowReader(const ImportOptions& options, Plan& plan) : plan_(plan), points_(plan.points()) {
    if (options.missing != "refuse" && options.missing != "drop") {
      char* end = nullptr;
      fill_ = std::strtof(options.missing.c_str(), &end);
      filled_ = *end == '\0' && std::isfinite(fill_);
      if (!filled_)
        throw mno::Error("mno import: --missing: expected refuse, drop or a number to put there, got '" +
                         options.missing + "'.");
    }
  }

  void initial(const Row& row, Index member, std::span<float> out) {
    if (plan_.input.empty())
      field(plan_.state, row.sample, member, row.pair.from, out);
    else
      field(plan_.input, plan_.input.samples() == 1 ? 0 : row.sample, 0, 0, out);
  }
  void final(const Row& row, Index member, std::span<float> out) {
    field(plan_.state, row.sample, member, row.pair.to, out);
  }
  /// Known fields of arrays, then the frames before u0, the nearest first.
  void known(const Row& row, std::span<float> out) {
    const auto arrays = std::size_t(plan_.known.empty() ? 0 : plan_.field_size(plan_.known.channels()));
    if (arrays > 0)
      field(plan_.known, plan_.known.samples() == 1 ? 0 : row.sample, 0,
            plan_.known.has(Role::time) ? row.pair.from : 0, out.first(arrays));
    history(row, 0, out.subspan(arrays));
  }
  void history(const Row& row, Index member, std::span<float> out) {
    const auto size = std::size_t(plan_.field_size(plan_.state.channels()));
    for (Index back = 1; back < plan_.pairs.history; ++back)
      field(plan_.state, row.sample, member, frame_before(row.pair, back, plan_.pairs),
            out.subspan(std::size_t(back - 1) * size, size));
  }

  /// Leaves out rows in which a value is missing; how many.
  Index drop() {
    std::vector<float> values(std::size_t(plan_.field_size(plan_.state.channels())));
    std::map<std::pair<Index, bool>, bool> whole;  // (frame, asked for) of the sample under way
    Index sample = -1;
    dropping_ = true;
    const auto is_whole = [&](Row row, bool last, Index back = 0) {
      if (row.sample != std::exchange(sample, row.sample)) whole.clear();
      row.pair.from = frame_before(row.pair, back, plan_.pairs);
      const auto [at, unknown] = whole.try_emplace({last ? row.pair.to : row.pair.from, last}, true);
      for (Index m = 0; unknown && at->second && m < plan_.state.members(); ++m) {
        last ? final(row, m, values) : initial(row, m, values);
        at->second = std::ranges::all_of(values, [](float u) { return std::isfinite(u); });
      }
      return at->second;
    };
    const auto has_history = [&](const Row& row) {
      for (Index back = 1; back < plan_.pairs.history; ++back)
        if (!is_whole(row, false, back)) return false;
      return true;
    };
    std::vector<Row> rows;
    std::vector<Index> groups;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i)
      if (is_whole(plan_.rows[i], false) && is_whole(plan_.rows[i], true) && has_history(plan_.rows[i])) {
        rows.push_back(plan_.rows[i]);
        if (!plan_.groups.empty()) groups.push_back(plan_.groups[i]);
      }
    dropping_ = false;
    const auto left_out = Index(plan_.rows.size() - rows.size());
    if (rows.empty()) io::refuse(plan_.files[0], "has a missing value in every pair of frames");
    plan_.rows = std::move(rows);
    plan_.groups = std::move(groups);
    return left_out;
  }

 private:
  void field(Frames& from, Index sample, Index member, Index frame, std::span<float> out) {
    from.read(sample, member, frame, points_, out);
    if (dropping_) return;
    for (float& value : out) {
      if (std::isfinite(value)) continue;
      if (!filled_)
        io::refuse(
            plan_.files[0], "has missing values or infinities, the first in sample ", sample, ", frame ",
            frame,
            "; --missing drop leaves out the pairs that have some, --missing NUMBER puts a number there");
      value = fill_;
    }
  }

  Plan& plan_;
  io::Extents points_;
  float fill_ = 0;
  bool filled_ = false, dropping_ = false;
};

[[noreturn]] void refuse_member(const Plan& plan, const Row& row, Index member) {
  io::refuse(plan.files[0], "expected members that start from the same field",
             plan.pairs.history > 1 ? "s" : "", ", found that members 0 and ", member, " of sample ",
             row.sample, " differ; if they are trajectories of their own, call that axis sample");
}

}  // namespace

mno::Index drop_missing(const ImportOptions& options, Plan& plan) { return RowReader(options, plan).drop(); }

namespace {
bool known_varies(const Plan& plan) {
  return plan.known.samples() > 1 || plan.known.has(Role::time) || plan.pairs.history > 1;
}
Index passes_of(const Plan& plan) { return known_varies(plan) ? 3 : 2; }
}  // namespace

Index steps_of(const Plan& plan, Index rows) { return rows * passes_of(plan); }

bool write_data(const ImportOptions& options, Plan& plan, const std::filesystem::path& output, io::Keep keep,
                Progress& progress, const GoOn& go_on) {
  RowReader reader(options, plan);
  const auto rows = Index(plan.rows.size()), channels = plan.state.channels(), members = plan.state.members();
  const bool several = plan.state.has(Role::member);
  const double fields =
      double(rows) * double(1 + members) * double(plan.field_size(channels)) +
      (known_varies(plan) ? double(rows) * double(plan.field_size(plan.known_fields())) : 0);
  require_room(output, fields * sizeof(float));
  const auto file = create_data(output, options.compress, keep);
  std::vector<float> values(std::size_t(plan.field_size(channels))), other(values.size());
  const Index passes = passes_of(plan);
  Index pass = 0;
  std::vector<std::string> stages{"u0", "uT", "fields"};
  const auto each_row = [&](auto&& body) {
    for (Index r = 0; r < rows; ++r) {
      if (!go_on()) return false;
      body(plan.rows[std::size_t(r)]);
      const auto percent = [&](Index n) { return (100 * n) / (rows * passes); };
      const Index done = pass * rows + r + 1;
      if (progress.terminal() && percent(done) != percent(done - 1))
        progress.show(stages[std::size_t(pass)] + ": " + std::to_string(percent(done)) + " %");
    }
    ++pass;
    file->end();
    return true;
  };

  file->begin("u0", {io::Type::f32, plan.shape({rows, channels})});
  if (!each_row([&](const Row& row) {
        reader.initial(row, 0, values);
        for (Index m = 1; plan.input.empty() && m < members; ++m) {
          reader.initial(row, m, other);
          if (other != values) refuse_member(plan, row, m);
        }
        file->append(values);
      }))
    return false;
  file->begin(
      "uT", {io::Type::f32, several ? plan.shape({rows, members, channels}) : plan.shape({rows, channels})});
  if (!each_row([&](const Row& row) {
        for (Index m = 0; m < members; ++m) {
          reader.final(row, m, values);
          file->append(values);
        }
      }))
    return false;
  if (const Index count = plan.known_fields(); count > 0) {
    std::vector<float> field(std::size_t(plan.field_size(count)));
    if (known_varies(plan)) {
      const auto past = std::size_t(plan.field_size((plan.pairs.history - 1) * channels));
      std::vector<float> others(past);
      file->begin("fields", {io::Type::f32, plan.shape({rows, count})});
      if (!each_row([&](const Row& row) {
            reader.known(row, field);
            for (Index m = 1; past > 0 && m < members; ++m) {
              reader.history(row, m, others);
              if (!std::equal(others.begin(), others.end(), field.end() - std::ptrdiff_t(past)))
                refuse_member(plan, row, m);
            }
            file->append(field);
          }))
        return false;
    } else {
      reader.known(plan.rows[0], field);
      file->write("fields", io::Array::of(plan.shape({count}), field));
    }
  }
  std::vector<double> times, length;
  std::vector<std::int64_t> groups(plan.groups.begin(), plan.groups.end());
  std::vector<std::int32_t> bounded;
  for (const Row& row : plan.rows) times.push_back(row.pair.time);
  for (const AxisFacts& axis : plan.axes) length.push_back(axis.length), bounded.push_back(axis.bounded);
  file->write("t", io::Array::of({rows}, times));
  if (!groups.empty()) file->write("group", io::Array::of({rows}, groups));
  file->write("length", io::Array::of({Index(length.size())}, length));
  if (std::ranges::find(bounded, 1) != bounded.end())
    file->write("bounded", io::Array::of({Index(bounded.size())}, bounded));
  file->commit();
  return true;
}

}  // namespace program
