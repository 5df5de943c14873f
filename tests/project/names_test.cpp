// A program may say `using namespace mno;` and have functions, types and variables of its own under everyday
// names. A variable of the same name as anything directly in namespace mno would be ambiguous below, and this
// file would not compile.
#include <doctest/doctest.h>

#include <mno/io.hpp>
#include <mno/mno.hpp>
#include <numeric>
#include <vector>

using namespace mno;

// A user's own, all at global scope; variables, since one stands beside nothing else of its name.
constexpr int load = 1, load_first = 1, store = 1, store_first = 1, padd = 1, psub = 1, pmul = 1, pmadd = 1,
              pdiv = 1, everywhere = 1, lookup = 1, reciprocal = 1, square_root = 1, transpose = 1;
constexpr int Matrix = 1, matrix = 1, Cache = 1, Chunk = 1, Row = 1;
constexpr int check = 1, take = 1, run = 1, rows = 1, text = 1, fill = 1, clip = 1, norm = 1, shuffle = 1,
              permutation = 1;

TEST_CASE("everyday names are the user's own") {
  const std::vector<int> own{load,  load_first, store,  store_first, padd,        psub,      pmul,   pmadd,
                             pdiv,  everywhere, lookup, reciprocal,  square_root, transpose, Matrix, matrix,
                             Cache, Chunk,      Row,    check,       take,        run,       rows,   text,
                             fill,  clip,       norm,   shuffle,     permutation};
  CHECK(std::accumulate(own.begin(), own.end(), 0) == int(own.size()));
}
