#pragma once
// Rows of results as a matrix: a line is a method at a place, a column is a metric. Lines of one place are a
// block, which has one floor and one number of the paper per column.
#include <algorithm>
#include <functional>
#include <map>

#include "metrics.hpp"

namespace mno::report {

struct Matrix {
  struct Column {
    std::string metric = {};
    std::optional<At> level = {};  // of coverage, where levels are columns
    bool operator==(const Column&) const = default;
  };
  struct Line {
    std::string method = {};
    std::vector<const Row*> cells = {};  // (column); nullptr: not measured
  };
  struct Block {
    std::map<std::string, At> at = {};
    std::vector<Line> lines = {};
    std::vector<std::optional<double>> floors = {}, papers = {};  // (column)
  };
  std::vector<std::string> places = {};  // the names of all coordinates, in the order of their first rows
  std::vector<Column> columns = {};
  std::vector<Block> blocks = {};

  /// Do all blocks have the same floors? Then they were scored on the same data, and can be compared.
  bool one_floor() const {
    const auto has = [](const auto& floor) { return floor.has_value(); };
    return std::ranges::all_of(blocks, [&](const Block& b) {
      return std::ranges::any_of(b.floors, has) && b.floors == blocks.front().floors;
    });
  }
};

/// The columns in this order and no others; none: all, and every level of coverage is one of its own.
inline Matrix matrix_of(const std::vector<const Row*>& rows, const std::vector<std::string>& metrics = {}) {
  Matrix matrix;
  for (const std::string& metric : metrics) matrix.columns.push_back({metric});
  const auto column_of = [&](const Row& row) {
    Matrix::Column column{row.metric};
    if (metrics.empty() && row.at.contains("level")) column.level = row.at.at("level");
    return column;
  };
  if (metrics.empty())
    for (const Row* row : rows)
      if (const auto column = column_of(*row);
          std::ranges::find(matrix.columns, column) == matrix.columns.end())
        matrix.columns.push_back(column);
  for (const Row* row : rows) {
    const Matrix::Column name = column_of(*row);
    const auto column = std::ranges::find(matrix.columns, name);
    if (column == matrix.columns.end()) continue;
    const auto c = std::size_t(column - matrix.columns.begin());
    std::map<std::string, At> at = row->at;
    if (name.level) at.erase("level");
    for (const auto& [place, value] : at)
      if (std::ranges::find(matrix.places, place) == matrix.places.end()) matrix.places.push_back(place);
    auto block = std::ranges::find_if(matrix.blocks, [&](const Matrix::Block& b) { return b.at == at; });
    if (block == matrix.blocks.end()) {
      block = matrix.blocks.insert(matrix.blocks.end(), {at});
      block->floors.resize(matrix.columns.size());
      block->papers.resize(matrix.columns.size());
    }
    auto line =
        std::ranges::find_if(block->lines, [&](const Matrix::Line& l) { return l.method == row->method; });
    if (line == block->lines.end())
      line = block->lines.insert(block->lines.end(),
                                 {row->method, std::vector<const Row*>(matrix.columns.size(), nullptr)});
    line->cells[c] = row;
    if (row->floor && !block->floors[c]) block->floors[c] = row->floor;
    if (row->paper && !block->papers[c]) block->papers[c] = row->paper;
  }
  return matrix;
}

/// Is it the best of a column among these lines, or as good by the 95% intervals? One line has no best.
inline bool is_best(const std::vector<const Matrix::Line*>& lines, std::size_t column, const Row& row) {
  const auto bad = badness(row);
  if (!bad) return false;
  const Row* best = nullptr;
  int compared = 0;
  for (const Matrix::Line* line : lines) {
    const Row* other = line->cells[column];
    if (!other || !badness(*other)) continue;
    ++compared;
    if (!best || *badness(*other) < *badness(*best)) best = other;
  }
  return compared > 1 &&
         *bad <= *badness(*best) +
                     (best == &row ? 0.0 : best->interval95.value_or(0) + row.interval95.value_or(0));
}

}  // namespace mno::report
