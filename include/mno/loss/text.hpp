#pragma once
// A loss as text, with all of its numbers: a checkpoint or a cache compares it to notice that a loss has
// changed.
//
// A term that is a plain struct of numbers is read off as it is, whatever its members are called, so that
// none can be forgotten. A term that holds anything else says `std::string text() const` itself.
#include <array>
#include <charconv>
#include <string>
#include <tuple>
#include <type_traits>

namespace mno {

namespace detail {

/// What may initialise any number of an aggregate, or any member: to count how many it has.
struct AnyNumber {
  template <class T>
  requires(std::is_arithmetic_v<T>) operator T() const;
};
struct Anything {
  template <class T> operator T() const;
};
template <class A, class Any, std::size_t... I> constexpr bool takes(std::index_sequence<I...>) {
  return requires { A{(void(I), Any{})...}; };
}
template <class A, class Any = AnyNumber, std::size_t N = 12> constexpr std::size_t count_members() {
  if constexpr (N == 0)
    return 0;
  else if constexpr (takes<A, Any>(std::make_index_sequence<N>{}))
    return N;
  else
    return count_members<A, Any, N - 1>();
}

/// f(number)… for every member of a plain struct of numbers, to be read or set.
template <class A, class F> void for_each_number(A& term, F&& f) {
  constexpr std::size_t n = count_members<std::remove_const_t<A>>();
  static_assert(n < 12, "mno: a term of more than eleven numbers says `std::string text() const` itself");
  const auto all = [&](auto&... number) { (f(number), ...); };
  if constexpr (n == 1) {
    auto& [a] = term;
    all(a);
  } else if constexpr (n == 2) {
    auto& [a, b] = term;
    all(a, b);
  } else if constexpr (n == 3) {
    auto& [a, b, c] = term;
    all(a, b, c);
  } else if constexpr (n == 4) {
    auto& [a, b, c, d] = term;
    all(a, b, c, d);
  } else if constexpr (n == 5) {
    auto& [a, b, c, d, e] = term;
    all(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto& [a, b, c, d, e, g] = term;
    all(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto& [a, b, c, d, e, g, h] = term;
    all(a, b, c, d, e, g, h);
  } else if constexpr (n == 8) {
    auto& [a, b, c, d, e, g, h, i] = term;
    all(a, b, c, d, e, g, h, i);
  } else if constexpr (n == 9) {
    auto& [a, b, c, d, e, g, h, i, j] = term;
    all(a, b, c, d, e, g, h, i, j);
  } else if constexpr (n == 10) {
    auto& [a, b, c, d, e, g, h, i, j, k] = term;
    all(a, b, c, d, e, g, h, i, j, k);
  } else if constexpr (n == 11) {
    auto& [a, b, c, d, e, g, h, i, j, k, l] = term;
    all(a, b, c, d, e, g, h, i, j, k, l);
  }
}

/// The shortest text that gives the number back.
template <class Number> std::string exact_text(Number value) {
  if constexpr (std::is_same_v<Number, bool>) {
    return value ? "true" : "false";
  } else {
    char digits[40];
    return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
}

template <class Term>
concept SaysText = requires(const Term& term) {
  { term.text() } -> std::convertible_to<std::string>;
};
template <class Term>
concept PlainNumbers = std::is_aggregate_v<Term> && count_members<Term>()
> 0 && count_members<Term>() == count_members<Term, Anything>();

}  // namespace detail

/// Can a loss or a term be told from others by its text?
template <class Term>
concept Describable = detail::SaysText<Term> || detail::PlainNumbers<Term>;

/// "student_nll(1, 5, 1e-05, 100)"
template <Describable Term> std::string term_text(const Term& term) {
  if constexpr (detail::SaysText<Term>) {
    return term.text();
  } else {
    std::string out;
    detail::for_each_number(
        term, [&](auto number) { out += (out.empty() ? "" : ", ") + detail::exact_text(number); });
    return std::string(term.name) + "(" + out + ")";
  }
}

}  // namespace mno
