#pragma once
// Matrices of doubles whose type depends on a template parameter. An expression of plain Eigen::MatrixXd,
// even inside a template, is compiled by every program that includes the header. An expression of these types
// is compiled only by programs that call the template (docs/decisions/compile-time.md).
#include <Eigen/Core>

namespace mno::detail {

template <class T> struct DoubleIn { using type = double; };
template <class T> using MatrixIn = Eigen::MatrixX<typename DoubleIn<T>::type>;
template <class T> using VectorIn = Eigen::VectorX<typename DoubleIn<T>::type>;
template <class T> using RowVectorIn = Eigen::RowVectorX<typename DoubleIn<T>::type>;
template <class T> using ArrayIn = Eigen::ArrayX<typename DoubleIn<T>::type>;

}  // namespace mno::detail
