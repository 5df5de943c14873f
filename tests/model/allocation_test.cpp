// test program: allocation (it replaces malloc)
// After the first step, neither prediction nor gradient allocates: every malloc of the program is counted.
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "mno/model/gradient.hpp"
#include "mno/model/prepared.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MNO_SANITISED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MNO_SANITISED 1
#endif
#endif

namespace {
std::atomic<long> allocations{0};
}

#if defined(__GLIBC__) && !defined(MNO_SANITISED)
#define MNO_COUNTING 1
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t n) {
  ++allocations;
  return __libc_malloc(n);
}
void* calloc(std::size_t n, std::size_t size) {
  ++allocations;
  return __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) {
  ++allocations;
  return __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t alignment, std::size_t n) {
  ++allocations;
  return __libc_memalign(alignment, n);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  ++allocations;
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}
}
#endif

using namespace mno;

namespace {
struct Line {
  static constexpr int dimension = 1, channels = 1, rank = 16, width = 48, modes = 16, depth = 4;
};
struct Wide : Line {  // products larger than one tile, and so many modes that FFTW is used
  static constexpr int width = 150, modes = 40, depth = 1;
};
struct Plane {
  static constexpr int dimension = 2, channels = 2, rank = 3, width = 8, modes = 5, depth = 2, known = 1,
                       harmonics = 2;
};
template <class S>
using Auxiliary = Model<MnoOperator<S, SeparableDriftHead<S>, MercerHead<S>, PowerGate>, S, double>;

template <class M> void no_allocation(Grid<M::dimension> grid, Index batch, Index least_points = 0) {
  using T = typename M::Scalar;
  using S = typename M::ShapeType;
  constexpr int D = M::dimension;
  M model(1, grid.domain), gradient(1, grid.domain);
  model.set_least_points(least_points);
  if constexpr (known_fields<S>() > 0)
    model.store_known_fields(Field<T, D>(1, Grid<D>{{4, 8}, grid.domain}, known_fields<S>()));
  Field<T, D> u(batch, grid, S::channels);
  u.fill([](Index b, auto x, Index) { return std::sin(7 * x[0] + double(b)); });
  const T t = T(0.5);
  const Condition<T, D> condition{std::as_const(u).view(), {&t, 1}};
  Law<T, D> law(Field<T, D>(batch, grid, S::channels), Field<T, D>(batch, grid, S::rank * S::channels));
  const auto loss = [](const LawBlock<T, D>& block) {
    for (Index r = 0; r < block.mean.rows(); ++r) block.mean_bar.row(r)[0] = block.factor_bar.row(r)[0] = 1;
    return 0.0;
  };
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    Cpu device(threads);
    const Prepared<M> prepared(model);
    const auto step = [&] {
      predict_into(model, condition, law, device);
      predict_into(prepared, condition, law, device);
      value_and_gradient(model, condition, loss, gradient, device);
    };
    step();
    const long before = allocations;
    for (int i = 0; i < 2; ++i) step();
    CHECK(allocations == before);
  }
}
}  // namespace

#ifdef MNO_COUNTING
TEST_CASE("the count works") {
  const long before = allocations;
  std::vector<double> v(1000);
  v.resize(v.size() + std::size_t(before % 2) + 1000);
  CHECK(allocations > before);
}
#endif

TEST_CASE("no allocation after the first step") {
  no_allocation<Mno<Line, float>>({{64}}, 40);
  no_allocation<Mno<Line, double>>({{65}}, 17);
  no_allocation<Mno<Wide, double>>({{96}}, 5);
  no_allocation<Mno<Plane, float>>({{12, 9}}, 20);
  no_allocation<Auxiliary<Line>>({{32}}, 20);
  no_allocation<Mno<Line, float>>({{32}}, 40, 64);
  no_allocation<Mno<Line, float>>({{32}, {{1.0}, {true}}}, 40);
  no_allocation<Mno<Plane, float>>({{8, 12}, {{1.0, 1.0}, {true, true}}}, 20, 16);
}
