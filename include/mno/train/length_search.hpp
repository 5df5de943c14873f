#pragma once
// How long to train: runs of growing length from the same first weights, each a whole schedule of its own,
// until one is no better on validation than the one before.
//
// One long run that is stopped early cannot tell, because a schedule reaches its best only at its end. Each
// length is twice the one before, so that all runs together take at most twice the time of the longest.
//
// The best run so far lies beside the checkpoint as NAME.shorter, so that a search that is interrupted goes
// on like any run, and ends with the same bits.
#include "mno/train/fit_data.hpp"
#include "mno/train/fit_run.hpp"

namespace mno::detail {

/// What a run of one length came to.
template <class M> struct FitTrial {
  M model;
  FitReport report;
  io::Metadata about;
};

template <class M, class Device> class LengthSearch {
 public:
  LengthSearch(std::vector<Index> lengths, const FitData<typename M::Scalar, M::dimension>& data,
               const FitOptions& options, Device& device)
      : lengths_(std::move(lengths)), data_(data), options_(options), device_(device) {
    if (!options.checkpoint.empty()) shorter_ = options.checkpoint.string() + ".shorter";
  }

  /// trial(options) for one length after the other; the best, or the one that was interrupted.
  FitTrial<M> run(const std::function<FitTrial<M>(const FitOptions&)>& trial) {
    std::vector<EpochReport> epochs;
    FitOptions options = options_;
    std::optional<FitTrial<M>> best;
    std::size_t first = 0;
    if (lengths_.size() > 1 && options.resume) first = resumed(best);
    for (std::size_t i = first; i < lengths_.size(); ++i) {
      options.training.epochs = lengths_[i];
      FitTrial<M> now = trial(options);
      epochs.insert(epochs.end(), now.report.epochs.begin(), now.report.epochs.end());
      options.resume = false;
      if (now.report.interrupted) {
        now.report.epochs = std::move(epochs);
        return now;
      }
      tried_.push_back(lengths_[i]);
      if (best && !(now.report.scores->criterion() < best->report.scores->criterion())) break;
      best = std::move(now);
      if (i + 1 < lengths_.size()) keep(*best);
    }
    std::error_code ignored;
    if (writes() && !shorter_.empty()) std::filesystem::remove(shorter_, ignored);
    best->report.epochs = std::move(epochs);
    chosen_ = best->report.epochs_done;
    return std::move(*best);
  }

  FitChoice choice() const {
    std::string all;
    for (const Index epochs : tried_) all += (all.empty() ? "" : ", ") + std::to_string(epochs);
    return {"length", std::to_string(chosen_) + " epochs" +
                          (tried_.size() > 1 ? ": of " + all + " the best on validation"
                                             : ": a usual number of steps for such data")};
  }

 private:
  /// Which length the checkpoint is of, and the best of the shorter ones.
  std::size_t resumed(std::optional<FitTrial<M>>& best) {
    const io::SafetensorsReader file(options_.checkpoint);
    const std::string training = io::wanted(file.name(), io::model_metadata(file), "training");
    const Index epochs = epochs_in(training);
    const auto at = std::find(lengths_.begin(), lengths_.end(), epochs);
    if (at == lengths_.end())
      io::refuse(file.name(), "expected a run of ", lengths_.front(), " to ", lengths_.back(),
                 " epochs, found one of ", epochs);
    tried_.assign(lengths_.begin(), at);
    if (std::filesystem::exists(shorter_)) {
      const io::SafetensorsReader kept(shorter_);
      auto loaded = io::read_model<M>(kept, io::only(law_text(options_.training.residual, options_.warp)));
      const std::string own = io::wanted(kept.name(), loaded.metadata, "training");
      const Index done = epochs_in(own);
      if (done < epochs && behind_epochs(own) == behind_epochs(training) &&
          io::wanted(kept.name(), loaded.metadata, "data") == data_.fingerprint) {
        FitReport report;
        report.epochs_done = done;
        report.scores = score(loaded.model, data_.validation, device_, options_.training.validation_draws,
                              options_.training.residual);
        best.emplace(FitTrial<M>{std::move(loaded.model), std::move(report), {}});
        best->about = options_.about;
        for (const char* key : {"training", "data", "data.samples"}) best->about[key] = loaded.metadata[key];
      }
    }
    require(best || at == lengths_.begin(), "fit", "checkpoint",
            Text("the best of the shorter runs beside it, '", shorter_.string(), "'"), Text("none"));
    return std::size_t(at - lengths_.begin());
  }
  bool writes() const { return ranks_of(device_).rank() == 0; }
  void keep(const FitTrial<M>& best) const {
    if (!writes() || shorter_.empty()) return;
    io::write_model(shorter_, best.model, data_.normaliser, best.about, io::Keep::nothing,
                    law_text(options_.training.residual, options_.warp));
  }
  /// What follows "epochs=N" in the text of a training.
  static std::string behind_epochs(const std::string& training) {
    return training.substr(std::min(training.find(' '), training.size()));
  }
  static Index epochs_in(const std::string& training) {
    constexpr std::string_view before = "epochs=";
    return training.starts_with(before) ? Index(std::atoll(training.c_str() + before.size())) : 0;
  }

  std::vector<Index> lengths_, tried_{};
  const FitData<typename M::Scalar, M::dimension>& data_;
  const FitOptions& options_;
  Device& device_;
  std::filesystem::path shorter_{};
  Index chosen_ = 0;
};

}  // namespace mno::detail
