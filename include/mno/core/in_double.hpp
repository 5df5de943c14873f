#pragma once
// Matrices of doubles in a template, as types that depend on one of its parameters. What Eigen makes of an
// expression of plain Eigen::MatrixXd is compiled by all who include the header, also where a template has
// it; written with these, by those who call the template (docs/decisions/compile-time.md).
#include <Eigen/Core>

namespace mno::detail {

template <class T> struct DoubleIn { using type = double; };
template <class T> using MatrixIn = Eigen::MatrixX<typename DoubleIn<T>::type>;
template <class T> using VectorIn = Eigen::VectorX<typename DoubleIn<T>::type>;
template <class T> using RowVectorIn = Eigen::RowVectorX<typename DoubleIn<T>::type>;
template <class T> using ArrayIn = Eigen::ArrayX<typename DoubleIn<T>::type>;

}  // namespace mno::detail
