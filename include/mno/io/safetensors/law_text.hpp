#pragma once
// What a law needs beside mean and factor, as texts in a model file. The code that has the types writes and
// parses the texts, and refuses those that it does not know.
#include "mno/io/safetensors/metadata.hpp"

namespace mno::io {

struct LawText {
  std::string residual = "gaussian";  // the law of ξ in u = m + Bᵀξ
  std::string warp = "none";          // from the law's coordinates to the model's
  std::string calibration = "none";   // of its intervals
  std::string shrinkage = "none";     // of its covariance
  bool operator==(const LawText&) const = default;

  std::string str() const {
    return "residual " + shown(residual) + ", warp " + shown(warp) + ", calibration " + shown(calibration) +
           ", shrinkage " + shown(shrinkage);
  }
};

/// For a caller that knows this law and no other.
inline auto only(LawText expected) {
  return [expected = std::move(expected)](const std::string& file, const LawText& found) {
    if (found != expected) refuse(file, "expected a law with ", expected.str(), ", found ", found.str());
  };
}

inline void describe_law(const LawText& law, Metadata& metadata) {
  metadata["residual"] = law.residual;
  metadata["warp"] = law.warp;
  metadata.erase("calibration");  // of a model that was read and is written again
  if (law.calibration != LawText{}.calibration) metadata["calibration"] = law.calibration;
  metadata.erase("shrinkage");
  if (law.shrinkage != LawText{}.shrinkage) metadata["shrinkage"] = law.shrinkage;
}
inline LawText read_law(const std::string& file, const Metadata& metadata) {
  LawText law{wanted(file, metadata, "residual"), wanted(file, metadata, "warp")};
  if (metadata.contains("calibration")) law.calibration = metadata.at("calibration");
  if (metadata.contains("shrinkage")) law.shrinkage = metadata.at("shrinkage");
  return law;
}

}  // namespace mno::io
