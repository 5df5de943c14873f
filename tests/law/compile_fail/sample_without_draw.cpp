// Must not compile: sampling with a type that is no residual law.
// Expected: "a residual law needs draw(Stream&, std::span<double>) const"
#include "mno/law/sample.hpp"

struct NoLaw {};

mno::Field<double, 1> draws(const mno::Law<double, 1>& law) { return mno::sample(law, 10, 1, NoLaw{}); }
