#pragma once
// The floor of scores on the same members that a model is scored on: the score of the true law, which is
// known through S further members of every condition.
//
// A floor that is computed as an expectation (floor.hpp) scatters by some per cent around what an exact model
// gets on a test set of some hundred conditions. This one follows the test set, because it is computed
// against the same M members. The further members take the place of a model's draws, and the error due to
// their number is subtracted as it is for draws (scorecard.hpp). For w2s and the energy score, which compare
// M draws with M members, only M of the further members are used.
//
// Further members have a scatter of their own. In the square of an error it is √(2M/S) times that of the test
// set: with S = 16 M a floor follows its test set, with S = M it scatters more than the expectation does.
//
// Where the law is known its own scorecard is the floor, and no further members are needed.
#include "mno/metric/scorecard.hpp"

namespace mno::metric {

template <int D> class PairedFloor {
 public:
  PairedFloor(const Grid<D>& grid, Index least_members)
      : few_(grid, least_members, {.metrics = {"w2s", "energy_score"}, .floors = false}),
        all_(grid, least_members,
             {.metrics = {"mean_rmse", "var_rmse", "w2g", "crps", "cov_frobenius_rel"}, .floors = false}) {}

  /// One condition: at least as many further members as there are members.
  template <class Own = void> void add(const Members& further, const Members& members) {
    const Index s = further.cols(), m = members.cols();
    require(s >= m && m >= 2, "metric::PairedFloor", "further",
            Text("at least two members and as many further ones, ", m), Text(s));
    all_.add(further, members);
    few_.add(further.leftCols(m), members);
  }

  /// Metric and value, as the rows of a scorecard.
  std::vector<ScoreRow> rows() const {
    std::vector<ScoreRow> rows = all_.rows();
    for (const ScoreRow& row : few_.rows()) rows.push_back(row);
    return rows;
  }

 private:
  Scorecard<D> few_, all_;  // of M further members, and of all
};

}  // namespace mno::metric
