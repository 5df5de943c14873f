#pragma once
// Cosine and sine sums along one axis, at a quarter of the arithmetic.
//
//     C_k = w_k Σ_j x_j cos(2πkj/n),   S_k = w_k Σ_j x_j sin(2πkj/n),   k = 0 … h,
//     and the adjoint  y_j = Σ_k w_k (C_k cos(2πkj/n) + S_k sin(2πkj/n)).
//
// The points j and n−j have the same cosine and opposite sines: sums x_j + x_{n−j} make C, differences make
// S, and half of the products are gone. Where 4 divides n, the points j and n/2−j have the same cosine for
// even k and opposite ones for odd k (sines the other way round): folding once more, even and odd k apart,
// leaves a quarter. So rows are folded into two or four *classes*, and each class is a small product with
// its table. Rows are folded a strip of j at a time, so that what is folded stays in L1 on any grid.
#include <array>
#include <numbers>
#include <vector>

#include "mno/core/buffer.hpp"
#include "mno/device/product.hpp"
#include "mno/device/workspace.hpp"

namespace mno {

template <class T> class FoldedAxis {
 public:
  FoldedAxis() = default;
  /// Several weightings w share one folding; `weights[v]` has h + 1 numbers.
  FoldedAxis(Index points, Index highest, const std::vector<std::vector<double>>& weights)
      : points_(points), highest_(highest), quarter_(points % 4 == 0) {
    const Index q = points / 4, half = points / 2;
    if (quarter_) {
      rows_ = q + 1;
      classes_ = {make(false, 0, 2, 0, q + 1, weights), make(false, 1, 2, 0, q, weights),
                  make(true, 2, 2, 1, q, weights), make(true, 1, 2, 1, q + 1, weights)};
    } else {
      rows_ = half + 1;
      classes_ = {make(false, 0, 1, 0, half + 1, weights), make(true, 1, 1, 1, (points + 1) / 2, weights)};
    }
  }

  struct Nothing {
    void operator()(Index, Index) const {}
  };

  Index points() const { return points_; }
  Index highest() const { return highest_; }

  /// cosine (k, column) = C and sine = ±S of the columns of x (point, column); S_0 is set to 0.
  /// Before rows [first, first + count) of x are read, `needed(first, count)` is called, once for every row:
  /// x may be made while it is used.
  template <class Needed = Nothing>
  void project(const MatrixView<const T>& x, const MatrixView<T>& cosine, const MatrixView<T>& sine, T sign,
               std::size_t weighting, Arena& scratch, Needed&& needed = {}) const {
    const ArenaScope scope(scratch);
    const Index columns = x.columns, strip = std::min(rows_, rows_per_strip(columns));
    T* const folded = scratch.take<T>(std::size_t(4 * strip * columns));  // (class, j, column)
    for (Index j = 0; j < rows_; j += strip) {
      const Index count = std::min(strip, rows_ - j);
      for_each_row_range(j, count, needed);
      fold(x, j, count, folded, strip * columns);
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        const Class& part = classes_[c];
        const Index begin = std::max(part.begin, j), end = std::min(part.end, j + count);
        if (part.modes == 0) continue;
        const MatrixView<T>& to = part.sine ? sine : cosine;
        detail::product<T>({to.data + part.first * to.pitch, part.modes, columns, part.step * to.pitch},
                           {part.table[weighting].data() + begin, rows_, 1},
                           {folded + (Index(c) * strip + begin - j) * columns, end - begin, columns, columns},
                           std::max<Index>(end - begin, 0), part.sine ? sign : T(1),
                           j == 0 ? Write::set : Write::add, false);
      }
    }
    std::fill_n(sine.data, columns, T(0));
  }

  /// y (point, column) += Σ_k w_k (C_k cos ± S_k sin), or is set to it. When rows [first, first + count) of y
  /// are there, `done(first, count)` is called, once for every row: they are still in cache.
  template <class Done = Nothing>
  void expand(const MatrixView<const T>& cosine, const MatrixView<const T>& sine, T sign,
              const MatrixView<T>& y, std::size_t weighting, Write write, Arena& scratch,
              Done&& done = {}) const {
    const ArenaScope scope(scratch);
    const Index columns = y.columns, strip = std::min(rows_, rows_per_strip(columns));
    T* const folded = scratch.take<T>(std::size_t(4 * strip * columns));  // (class, j, column)
    for (Index j = 0; j < rows_; j += strip) {
      const Index count = std::min(strip, rows_ - j);
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        const Class& part = classes_[c];
        const Index begin = std::max(part.begin, j), end = std::min(part.end, j + count);
        if (begin >= end) continue;
        const MatrixView<const T>& from = part.sine ? sine : cosine;
        const MatrixView<T> to{folded + (Index(c) * strip + begin - j) * columns, end - begin, columns,
                               columns};
        if (part.modes == 0) {
          std::fill_n(to.data, to.rows * columns, T(0));
          continue;
        }
        detail::product<T>(to, {part.table[weighting].data() + begin, 1, rows_},
                           {from.data + part.first * from.pitch, part.modes, columns, part.step * from.pitch},
                           part.modes, part.sine ? sign : T(1), Write::set, false);
      }
      unfold(folded, strip * columns, j, count, y, write);
      for_each_row_range(j, count, done);
    }
  }

 private:
  /// Modes first, first + step, … ≤ h against the rows [begin, end): the others' entries are zero.
  struct Class {
    bool sine = false;
    Index first = 0, step = 1, modes = 0, begin = 0, end = 0;
    std::vector<Buffer<T>> table;  // per weighting: (mode, j) for all rows j
  };

  /// Angles are reduced in integers, so every entry is right to within an ulp on any grid.
  Class make(bool sine, Index first, Index step, Index begin, Index end,
             const std::vector<std::vector<double>>& weights) const {
    Class part{sine, first, step, highest_ < first ? 0 : (highest_ - first) / step + 1, begin, end, {}};
    const Index rows = quarter_ ? points_ / 4 + 1 : points_ / 2 + 1;
    for (const auto& w : weights) {
      Buffer<T> table(std::size_t(part.modes * rows));
      for (Index m = 0; m < part.modes; ++m)
        for (Index j = 0; j < rows; ++j) {
          const Index k = first + m * step, turn = (k * j) % points_;
          const double angle = 2 * std::numbers::pi * double(turn) / double(points_);
          double value = sine ? std::sin(angle) : std::cos(angle);
          if (sine ? 2 * turn % points_ == 0 : 4 * turn == points_ || 4 * turn == 3 * points_) value = 0;
          table.data()[m * rows + j] = T(w[std::size_t(k)] * value);
        }
      part.table.push_back(std::move(table));
    }
    return part;
  }

  /// f(first, count) for the points that are folded onto the rows [j, j + count).
  template <class F> void for_each_row_range(Index j, Index count, F&& f) const {
    const Index n = points_, half = n / 2, q = n / 4;
    if (count == rows_) return f(0, n);
    f(j, count);
    if (!quarter_) {  // n − i for i in [j, j + count), but 0 and n/2 are their own mirror images
      const Index first = std::max<Index>(j, 1), last = std::min(j + count - 1, (n - 1) / 2);
      if (first <= last) f(n - last, last - first + 1);
      return;
    }
    // n/2 − i; and n − i and n/2 + i, which are 0 and n/2 for i = 0, and one point for i = n/4
    const Index last = std::min(j + count - 1, q - 1);
    if (j <= last) {
      f(half - last, last - j + 1);
      const Index first = std::max<Index>(j, 1);
      if (first <= last) {
        f(n - last, last - first + 1);
        f(half + first, last - first + 1);
      }
    }
    if (j + count > q) f(n - q, 1);
  }

  /// Rows j whose folded copies fill two thirds of a small L1.
  static Index rows_per_strip(Index columns) {
    return std::max<Index>(8, 24576 / (4 * columns * Index(sizeof(T))));
  }

  void fold(const MatrixView<const T>& x, Index first, Index count, T* folded, Index pitch) const {
    using namespace packet;
    const Index n = points_, half = n / 2, columns = x.columns;
    for (Index j = first; j < first + count; ++j) {
      T* const to = folded + (j - first) * columns;
      const auto row = [&](Index i) { return x.data + i * x.pitch; };
      if (!quarter_) {
        if (j == 0 || 2 * j == n) {
          std::copy_n(row(j), columns, to);
        } else {
          const T *const a = row(j), *const b = row(n - j);
          for_each_packet<T>(columns, [&](auto load, auto store) {
            const Packet<T> xa = load(a), xb = load(b);
            store(to, padd(xa, xb));
            store(to + pitch, psub(xa, xb));
          });
        }
      } else if (j == 0) {
        const T *const a = row(0), *const b = row(half);
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> xa = load(a), xb = load(b);
          store(to, padd(xa, xb));
          store(to + pitch, psub(xa, xb));
        });
      } else if (4 * j == n) {
        const T *const a = row(j), *const b = row(n - j);
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> xa = load(a), xb = load(b);
          store(to, padd(xa, xb));
          store(to + 3 * pitch, psub(xa, xb));
        });
      } else {
        const T *const a = row(j), *const b = row(n - j), *const c = row(half - j), *const d = row(half + j);
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> xa = load(a), xb = load(b), xc = load(c), xd = load(d);
          const Packet<T> even = padd(xa, xb), far_even = padd(xc, xd);
          const Packet<T> odd = psub(xa, xb), far_odd = psub(xc, xd);
          store(to, padd(even, far_even));
          store(to + pitch, psub(even, far_even));
          store(to + 2 * pitch, psub(odd, far_odd));
          store(to + 3 * pitch, padd(odd, far_odd));
        });
      }
    }
  }

  void unfold(const T* folded, Index pitch, Index first, Index count, const MatrixView<T>& y,
              Write write) const {
    using namespace packet;
    const Index n = points_, half = n / 2, columns = y.columns;
    for (Index j = first; j < first + count; ++j) {
      const T* const from = folded + (j - first) * columns;
      const auto put = [&](auto load, auto store, Index i, const Packet<T>& value) {
        T* const to = y.data + i * y.pitch;
        store(to, write == Write::add ? Packet<T>(padd(value, load(to))) : value);
      };
      if (!quarter_) {
        const bool alone = j == 0 || 2 * j == n;
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> c = load(from);
          if (alone) return put(load, store, j, c);
          const Packet<T> s = load(from + pitch);
          put(load, store, j, padd(c, s));
          put(load, store, n - j, psub(c, s));
        });
      } else if (j == 0) {
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> even = load(from), odd = load(from + pitch);
          put(load, store, 0, padd(even, odd));
          put(load, store, half, psub(even, odd));
        });
      } else if (4 * j == n) {
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> c = load(from), s = load(from + 3 * pitch);
          put(load, store, j, padd(c, s));
          put(load, store, n - j, psub(c, s));
        });
      } else {
        for_each_packet<T>(columns, [&](auto load, auto store) {
          const Packet<T> even = load(from), odd = load(from + pitch);
          const Packet<T> sine_even = load(from + 2 * pitch), sine_odd = load(from + 3 * pitch);
          const Packet<T> c = padd(even, odd), far_c = psub(even, odd);
          const Packet<T> s = padd(sine_even, sine_odd), far_s = psub(sine_odd, sine_even);
          put(load, store, j, padd(c, s));
          put(load, store, n - j, psub(c, s));
          put(load, store, half - j, padd(far_c, far_s));
          put(load, store, half + j, psub(far_c, far_s));
        });
      }
    }
  }

  Index points_ = 0, highest_ = 0, rows_ = 0;
  bool quarter_ = false;
  std::vector<Class> classes_;  // cosine, sine; or cosine and sine for even and odd k: (CE, CO, SE, SO)
};

}  // namespace mno
