#pragma once
// A training run as a file: the model, and all that the next step depends on. It is also a model file.
#include "mno/io/safetensors/model_file.hpp"
#include "mno/train/trainer.hpp"

namespace mno {

namespace detail {
/// Everything that must be the same for a resumed run to equal an uninterrupted one.
template <class L> std::string training_text(const TrainingOptions& o, const L& loss, Index samples) {
  static_assert(detail::SaysText<L>,
                "mno: a checkpoint tells losses apart by their text: name a function by own_term(name, "
                "function, numbers), "
                "and give a term that holds more than numbers a `std::string text() const`");
  std::string out = "epochs=" + std::to_string(o.epochs) + " batch=" + std::to_string(o.batch) +
                    " seed=" + std::to_string(o.seed) + " samples=" + std::to_string(samples);
  const auto add = [&](const char* name, double value) {
    out += " " + std::string(name) + "=" + io::detail::number(value);
  };
  add("learning_rate", o.adamw.learning_rate);
  add("beta1", o.adamw.beta1);
  add("beta2", o.adamw.beta2);
  add("epsilon", o.adamw.epsilon);
  add("weight_decay", o.adamw.weight_decay);
  out += o.decay == Decay::cosine ? " decay=cosine" : " decay=none";
  add("warmup_steps", double(o.warmup_steps));
  add("clip", o.clip);
  add("average", o.average);
  add("patience", double(o.patience));
  add("validation_draws", double(o.validation_draws));
  if (!o.residual.gaussian()) out += " residual=" + o.residual.text();
  if (o.symmetries.any()) out += " symmetries=" + o.symmetries.text();
  return out + " loss=" + loss.text();
}

// A run as a file, whatever its loss and device: compiled once for a model.
template <class M>
void write_run(const std::filesystem::path& path, const M& model, const Normaliser& normaliser,
               const TrainingState<M>& state, const std::string& training, io::Metadata metadata,
               const io::LawText& law) {
  using T = typename M::Scalar;
  std::vector<io::NamedArray> arrays;
  io::describe_model(model, normaliser, arrays, metadata, law);
  const auto append = [&](const std::string& prefix, const Buffer<T>& values) {
    if (values.size() == 0) return;
    io::append_leaves<M>(arrays, prefix, std::span<const T>(values.span()));
    std::string& beside = metadata["beside"];
    beside += (beside.empty() ? "" : " ") + prefix;
  };
  append("adamw.first.", state.adamw.first);
  append("adamw.second.", state.adamw.second);
  append("average.", state.average);
  append("best.", state.best);
  metadata["training"] = training;
  metadata["training.epoch"] = std::to_string(state.epoch);
  metadata["training.position"] = std::to_string(state.position);
  metadata["training.step"] = std::to_string(state.adamw.step);
  metadata["training.average_updates"] = std::to_string(state.average_updates);
  metadata["training.best"] = io::detail::number(state.stopping.best);
  metadata["training.best_evaluation"] = std::to_string(state.stopping.best_evaluation);
  metadata["training.evaluations"] = std::to_string(state.stopping.evaluations);
  io::write_safetensors(path, std::move(arrays), metadata);
}

template <class M> struct Run {
  M model;
  TrainingState<M> state;
};
template <class M>
Run<M> read_run(const std::filesystem::path& path, const std::string& expected, Index epochs, Index samples,
                const io::LawText& law) {
  const io::SafetensorsReader file(path);
  const auto& name = file.name();
  io::LoadedModel<M> loaded = io::read_model<M>(file, io::only(law));
  const io::Metadata& metadata = loaded.metadata;
  const std::string& found = io::wanted(name, metadata, "training");
  if (found != expected) io::refuse(name, "expected a run with ", expected, ", found one with ", found);

  const std::string first = M::leaves().front().name;
  std::vector<std::string> prefixes{"", "adamw.first.", "adamw.second."};
  for (const char* prefix : {"average.", "best."})
    if (file.contains(prefix + first)) prefixes.push_back(prefix);
  const auto tensors = io::TensorDifference::of<M>(file, prefixes);
  if (!tensors.none())
    io::refuse(name, "expected the tensors of a checkpoint of this model; ", tensors.str());
  const auto buffer = [&](const std::string& prefix) {
    Buffer<typename M::Scalar> values;
    if (!file.contains(prefix + first)) return values;
    values = Buffer<typename M::Scalar>(M::parameters);
    io::read_leaves<M>(file, prefix, values.span());
    return values;
  };
  const auto count = [&](const char* key, Index least, Index most) {
    return Index(io::wanted_count(name, metadata, key, least, most));
  };
  const Index any = std::numeric_limits<Index>::max();
  TrainingState<M> state;
  state.epoch = count("training.epoch", 0, epochs);
  state.position = count("training.position", 0, samples - 1);
  state.adamw.first = buffer("adamw.first.");
  state.adamw.second = buffer("adamw.second.");
  state.adamw.step = count("training.step", 0, any);
  state.average = buffer("average.");
  state.best = buffer("best.");
  state.average_updates = count("training.average_updates", 0, any);
  state.stopping.best = io::wanted_number(name, metadata, "training.best");
  state.stopping.best_evaluation = count("training.best_evaluation", -1, any);
  state.stopping.evaluations = count("training.evaluations", 0, any);
  return {std::move(loaded.model), std::move(state)};
}

}  // namespace detail

/// Crash-safe: at every moment the path holds a whole checkpoint, and the one before is kept as
/// PATH.previous. Of several ranks all call it, and rank 0 writes.
template <class M, class L, class Device>
void write_checkpoint(const std::filesystem::path& path, const M& model, const Normaliser& normaliser,
                      const Trainer<M, L, Device>& trainer, io::Metadata metadata = {},
                      const io::LawText& law = {}) {
  const TrainingState<M> state = trainer.state();
  if (trainer.ranks().rank() > 0) return;
  detail::write_run(path, model, normaliser, state,
                    detail::training_text(trainer.options(), trainer.loss(), trainer.samples()),
                    std::move(metadata), law);
}

/// Puts the run back: the whole model, with its factor scale, domain and known fields, and the trainer's
/// state. The trainer must have been made with the same options and data, and for the same law; a difference
/// is refused by name. The device may be another: a run may begin on a processor and go on on a GPU.
template <class M, class L, class Device>
void read_checkpoint(const std::filesystem::path& path, M& model, Trainer<M, L, Device>& trainer,
                     const io::LawText& law = {}) {
  detail::Run<M> run =
      detail::read_run<M>(path, detail::training_text(trainer.options(), trainer.loss(), trainer.samples()),
                          trainer.options().epochs, trainer.samples(), law);
  trainer.resume(std::move(run.state));
  model = std::move(run.model);
}

}  // namespace mno
