#pragma once
// Channel-first data, (batch, channel, grid…) as most files and Python's packages have it, from and to
// fields, which are channel-last. The one place that knows both orders.
#include <span>
#include <type_traits>
#include <vector>

#include "mno/core/error.hpp"
#include "mno/core/field.hpp"

namespace mno {

namespace detail {
/// f(place, b, p, c) for every entry of a view like this, in the order of channel-first data.
template <class T, int D, class F> void for_each_channel_first(const View<T, D>& like, F&& f) {
  std::size_t place = 0;
  for (Index b = 0; b < like.batch; ++b)
    for (Index c = 0; c < like.channels; ++c)
      for (Index p = 0; p < like.points(); ++p) f(place++, b, p, c);
}

template <class T, int D>
void check_channel_first(const char* function, const View<T, D>& field, std::size_t values) {
  const std::size_t wanted = std::size_t(field.rows() * field.channels);
  require(values == wanted, function, "values", Text(wanted, ", as many as the field has"), Text(values));
}
}  // namespace detail

/// field(b, p, c) = values (b, c, p)
template <class T, int D>
void from_channel_first(std::span<const std::type_identity_t<T>> values, View<T, D> field) {
  detail::check_channel_first("from_channel_first", field, values.size());
  detail::for_each_channel_first(
      field, [&](std::size_t i, Index b, Index p, Index c) { field(b, p, c) = values[i]; });
}

/// values (b, c, p) = field(b, p, c)
template <class T, int D>
void to_channel_first(View<const T, D> field, std::span<std::type_identity_t<T>> values) {
  detail::check_channel_first("to_channel_first", field, values.size());
  detail::for_each_channel_first(
      field, [&](std::size_t i, Index b, Index p, Index c) { values[i] = field(b, p, c); });
}
template <class T, int D> std::vector<T> to_channel_first(View<const T, D> field) {
  std::vector<T> values(std::size_t(field.rows() * field.channels));
  to_channel_first(field, std::span<T>(values));
  return values;
}

}  // namespace mno
