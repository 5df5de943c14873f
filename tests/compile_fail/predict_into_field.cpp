// expect: this operator gives a law, not a field: predict into a Law
#include <mno/model/predict.hpp>

struct S {
  static constexpr int dimension = 1, channels = 1, rank = 4, width = 8, modes = 4, depth = 1;
};
void run(const mno::Mno<S>& model, const mno::Condition<float, 1>& condition, mno::Law<float, 1>& law,
         mno::Field<float, 1>& field) {
#ifdef MNO_CONTROL
  mno::predict_into(model, condition, law);
  (void)field;
#else
  mno::predict_into(model, condition, field);
  (void)law;
#endif
}
