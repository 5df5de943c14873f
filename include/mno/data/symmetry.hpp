#pragma once
// Symmetries that a law may have: applied to u_0 and u_t alike, they leave the law as it is.
//
//     negative   −u(x)          mirrored   u(−x)          turned   −u(−x)
//     shifted    u(x − s), by whole points along periodic axes
//
// Conditions that are moved at random by the symmetries of their law are as good as further conditions: a
// network that is trained on them learns the symmetries too.
#include <array>
#include <string>

#include "mno/core/random.hpp"
#include "mno/data/ensemble.hpp"

namespace mno {

struct Symmetries {
  bool negative = false, mirrored = false, turned = false, shifted = false;

  bool any() const { return negative || mirrored || turned || shifted; }
  /// "-u(x),u(x-s)", or "none".
  std::string text() const {
    std::string out;
    const auto add = [&](bool holds, const char* what) {
      if (holds) out += (out.empty() ? "" : ",") + std::string(what);
    };
    add(negative, "-u(x)");
    add(mirrored, "u(-x)");
    add(turned, "-u(-x)");
    add(shifted, "u(x-s)");
    return out.empty() ? "none" : out;
  }
  bool operator==(const Symmetries&) const = default;
};

/// One of them: u(x) ↦ ±u(±(x − s)), s in points.
template <int D> struct Move {
  bool negative = false, mirrored = false;
  std::array<Index, D> shift{};

  /// Any product of the symmetries, each as likely as every other.
  static Move random(const Symmetries& symmetries, const Grid<D>& grid, Stream& stream) {
    Move move;
    const auto chance = [&](bool holds) { return stream.bits() % 2 == 1 && holds; };
    move.negative = chance(symmetries.negative);
    move.mirrored = chance(symmetries.mirrored);
    if (chance(symmetries.turned)) {
      move.negative = !move.negative;
      move.mirrored = !move.mirrored;
    }
    for (std::size_t d = 0; d < D; ++d) {
      const std::uint32_t bits = stream.bits();
      if (symmetries.shifted && !grid.domain.bounded[d])
        move.shift[d] = Index(bits % std::uint64_t(grid.points[d]));
    }
    return move;
  }

  /// Where the value of point p of the grid goes.
  Index place(const Grid<D>& grid, Index p) const {
    Index to = 0, stride = 1;
    for (std::size_t d = D; d-- > 0;) {
      const Index n = grid.points[d], x = p % n;
      p /= n;
      to += ((mirrored ? n - x : x) + shift[d]) % n * stride;
      stride *= n;
    }
    return to;
  }
};

/// The fields of one condition in their new places; `to` is an ensemble like `from`. Variances and factors
/// have no sign that would matter.
template <class T, int D>
void move_condition(const Ensemble<T, D>& from, Index condition, const Move<D>& move, Ensemble<T, D>& to) {
  const Grid<D>& grid = from.grid();
  const auto rows = [&](const Field<T, D>& a, Field<T, D>& b, Index first, Index count, bool values) {
    if (a.size() == 0) return;
    const T sign = values && move.negative ? T(-1) : T(1);
    const Index channels = a.channels(), points = grid.size();
    for (Index p = 0; p < points; ++p) {
      const Index place = move.place(grid, p);
      for (Index row = first; row < first + count; ++row) {
        const T* const source = a.data() + (row * points + p) * channels;
        T* const target = b.data() + (row * points + place) * channels;
        for (Index c = 0; c < channels; ++c) target[c] = sign * source[c];
      }
    }
  };
  rows(from.initial, to.initial, condition, 1, true);
  rows(from.mean, to.mean, condition, 1, true);
  rows(from.variance, to.variance, condition, 1, false);
  rows(from.covariance_factor, to.covariance_factor, condition, 1, false);
  if (from.members.size() > 0)
    rows(from.members, to.members, from.target().first_member(condition), from.counts[std::size_t(condition)],
         true);
}

/// Which symmetries are possible. Known fields belong to their places and do not move, so with them there are
/// none. Between walls nothing is mirrored, since no point stands on the far wall.
template <class T, int D>
void require_movable(const char* function, const Symmetries& symmetries, const Ensemble<T, D>& data) {
  if (!symmetries.any()) return;
  require(data.known.size() == 0, function, "symmetries", Text("none, where there are known fields"),
          Text(symmetries.text()));
  require(!data.grid().domain.has_walls() || !(symmetries.mirrored || symmetries.turned), function,
          "symmetries", Text("none that mirrors, between walls"), Text(symmetries.text()));
}

}  // namespace mno
