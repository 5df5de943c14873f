#pragma once
// The version of the library. This is its one home: CMake reads the project's version from here, and model
// files say which library wrote them.

namespace mno {

inline constexpr const char* library_version = "0.1.0";

}  // namespace mno
