// test program: allocation (it replaces operator new)
// After the first step, a loss of every term takes no memory from the heap.
#include <atomic>
#include <cstdlib>
#include <new>

#include "mno/loss/recipe.hpp"
#include "mno/model/gradient.hpp"
#include "model.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  if (void* const p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)) return p;
  throw std::bad_alloc();
}
}  // namespace

// Not inlined: g++ would see a free of memory from one operator new only where it inlines half of them.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t a) {
  return counted(size, std::size_t(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

using namespace mno;
using namespace mno::testing;

TEST_CASE("no allocation after the first step, with one thread and with two") {
  const SmallProblem<Line> problem(37, 48);
  auto gradient = problem.model.zeros();
  Recipe recipe = Recipe::paper();
  for (const char* name : Recipe::names()) recipe.weight(name) = 0.1;
  recipe.chapman_kolmogorov.weight = 0;  // it asks the model again, for laws of its own
  for (const int threads : {1, 2}) {
    Cpu device(threads);
    TermValues values;
    long counts[4] = {};
    double first = 0, last = 0;
    for (int step = 0; step < 4; ++step) {
      const long before = allocations;
      last = value_and_gradient(problem.model, problem.condition(),
                                recipe.on(problem.ensemble.target(), values), gradient, device);
      if (step == 0) first = last;
      counts[step] = allocations - before;
    }
    CHECK(counts[0] > 0);  // the counter counts
    for (const int step : {1, 2, 3}) CHECK(counts[step] == 0);
    CHECK(first == last);
    for (std::size_t term = 0; term < values.size(); ++term)
      CHECK((values[term] != 0) == (recipe.weight(Recipe::names()[term]) != 0));
  }
}
