#pragma once
// MATLAB's files, version 5 and 7.3, as the library matio reads them, with its errors as sentences. This runs
// in the process that reader.hpp starts for it.
//
// MATLAB stores columns first; here axes have the order that MATLAB shows, in C order. Cells, structures,
// texts, sparse and complex matrices are refused. A variable of version 5 is read whole, since matio 1.5.23
// reads parts of those with four axes wrongly; it has at most 2 GB. The size that a variable claims is
// compared with the bytes of the file: deflate packs at best 1032 to 1, and version 5 may store doubles as
// bytes.
#include <matio.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "mno/io/array_file.hpp"
#include "mno/io/column_major.hpp"
#include "mno/io/file.hpp"
#include "mno/io/npy/block.hpp"
#include "mno/io/stored_type.hpp"

namespace mno::io::detail {

/// Numbers of a class, or nothing where they are not numbers.
inline std::optional<Stored> mat_type(matio_classes type) {
  switch (type) {
    case MAT_C_DOUBLE:
      return Stored::f64;
    case MAT_C_SINGLE:
      return Stored::f32;
    case MAT_C_INT8:
      return Stored::i8;
    case MAT_C_UINT8:
      return Stored::u8;
    case MAT_C_INT16:
      return Stored::i16;
    case MAT_C_UINT16:
      return Stored::u16;
    case MAT_C_INT32:
      return Stored::i32;
    case MAT_C_UINT32:
      return Stored::u32;
    case MAT_C_INT64:
      return Stored::i64;
    case MAT_C_UINT64:
      return Stored::u64;
    default:
      return std::nullopt;
  }
}

struct MatClose {
  void operator()(mat_t* file) const { Mat_Close(file); }
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using MatHandle = std::shared_ptr<mat_t>;

/// A variable that is open.
class MatVariable final : public StoredArray {
 public:
  MatVariable(MatHandle file, const std::string& variable, std::string name, std::uint64_t most)
      : file_(std::move(file)), name_(std::move(name)) {
    variable_.reset(Mat_VarReadInfo(file_.get(), variable.c_str()));
    if (!variable_) refuse(name_, "cannot be opened");
    const auto stored = mat_type(variable_->class_type);
    if (!stored) refuse(name_, "found a cell, a structure, a text or a sparse matrix, expected numbers");
    if (variable_->isComplex) refuse(name_, "found complex numbers, expected real ones");
    stored_ = *stored;
    layout_.type = read_as(stored_);
    if (variable_->rank < 0 || variable_->rank > int(Layout::most_axes))
      refuse(name_, "found ", variable_->rank, " axes");
    for (int d = 0; d < variable_->rank; ++d) {
      const std::size_t length = variable_->dims[d];
      layout_.shape.push_back(length > std::size_t(std::numeric_limits<int>::max()) ? -1 : Index(length));
    }
    if (!layout_.representable()) refuse(name_, "found a shape that cannot be read: ", layout_.str());
    if (layout_.elements() * size_of(stored_) > most)
      refuse(name_, "claims ", layout_.elements() * size_of(stored_), " bytes for ", layout_.str(),
             ", found a file that can hold at most ", most);
  }

  const Layout& layout() const override { return layout_; }

  Array read(const Extents& start, const Extents& count) override {
    require_block(layout_, start, count);
    const auto reversed = [](const Extents& extents) { return Extents(extents.rbegin(), extents.rend()); };
    Array columns(layout_.type, reversed(count));
    if (columns.size() == 0) return Array(layout_.type, count);
    Bytes stored;
    if (Mat_GetVersion(file_.get()) == MAT_FT_MAT5) {
      Memory whole(read_whole(), name_);
      stored = gather(whole, 0, size_of(stored_), reversed(layout_.shape), reversed(start), reversed(count));
    } else {
      std::vector<int> from(start.begin(), start.end()), n(count.begin(), count.end()),
          stride(count.size(), 1);
      stored.resize(columns.size() * size_of(stored_));
      if (Mat_VarReadData(file_.get(), variable_.get(), stored.data(), from.data(), stride.data(),
                          n.data()) != 0)
        refuse(name_, "cannot be read: the file is damaged");
    }
    widen(stored_, stored, false, columns);
    return from_column_major(columns);
  }

 private:
  std::span<const std::byte> read_whole() {
    if (!whole_) whole_.reset(Mat_VarRead(file_.get(), variable_->name));
    const std::uint64_t expected = layout_.elements() * size_of(stored_);
    if (!whole_ || !whole_->data || whole_->nbytes != expected || whole_->class_type != variable_->class_type)
      refuse(name_, "cannot be read: the file is damaged");
    return {static_cast<const std::byte*>(whole_->data), std::size_t(expected)};
  }

  MatHandle file_;
  std::string name_;
  std::unique_ptr<matvar_t, MatClose> variable_, whole_;
  Stored stored_ = Stored::f64;
  Layout layout_;
};

class MatFile final : public ArrayFile {
 public:
  explicit MatFile(const std::filesystem::path& path) : name_(file_name(path)) {
    const std::uint64_t size = File(path).size();
    most_ = checked_product(size, 8 * 1032).value_or(size);
    Mat_LogInitFunc("mno", [](int, char*) {});  // errors become sentences
    file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY), MatClose());
    if (!file_) refuse(name_, "cannot be opened as a MATLAB file");
    const auto version = Mat_GetVersion(file_.get());
    if (version != MAT_FT_MAT5 && version != MAT_FT_MAT73)
      refuse(name_, "found a MATLAB file of version 4; accepted are 5 and 7.3");
    std::size_t count = 0;
    char* const* names = Mat_GetDir(file_.get(), &count);
    for (std::size_t i = 0; names && i < count; ++i)
      if (names[i] && names[i][0] != '#') names_.emplace_back(names[i]);  // '#refs#' belongs to cells
  }

  std::vector<std::string> names() const override { return names_; }
  std::unique_ptr<StoredArray> open(const std::string& variable) const override {
    const std::string name = name_ + ", variable " + shown(variable);
    if (std::ranges::find(names_, variable) == names_.end()) refuse(name, "is not in the file");
    return std::make_unique<MatVariable>(file_, variable, name, most_);
  }

 private:
  std::string name_;
  std::uint64_t most_ = 0;  // bytes that a variable can have
  MatHandle file_;
  std::vector<std::string> names_;
};

}  // namespace mno::io::detail
