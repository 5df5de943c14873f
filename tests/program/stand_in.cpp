// An operator that does nothing, behind the boundary: what a quick compiler of the tests gives back, so that
// the cache can be tested in seconds. Asked to train, it refuses with a sentence that tests look for.
#include <cstring>

#include "boundary.hpp"

namespace {

using namespace demand::boundary;

Status refuse(Message error) {
  std::strncpy(error.text, "the stand-in was asked to work", error.room - 1);
  return Status::refused;
}
void use_planner_lock(PlannerLock) noexcept {}
Status train(const Training*, TrainingReport*, Message error) noexcept { return refuse(error); }
Status load(const char*, std::int32_t, Predictor*, Message error) noexcept { return refuse(error); }
void unload(Predictor*) noexcept {}
Status predict(const Predictor*, const Condition*, std::int32_t, Law*, Message error) noexcept {
  return refuse(error);
}
Status vjp(const Predictor*, const Condition*, const LawBar*, const ConditionBar*, Message error) noexcept {
  return refuse(error);
}
std::uint64_t memory(const Predictor*) noexcept { return 0; }

const Table table{
    version, sizeof(Table),     "mno",  "",    "",      1,        1,    3,      5, 7, 2, 0, 1, 0, 3,
    0,       &use_planner_lock, &train, &load, &unload, &predict, &vjp, &memory};

}  // namespace

extern "C" __attribute__((visibility("default"))) const Table* mno_operator() noexcept { return &table; }
