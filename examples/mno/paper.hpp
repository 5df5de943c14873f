#pragma once
// The numbers of the paper's tables: the text of paper.json.

namespace program {

extern const char* const paper_json;

}  // namespace program
