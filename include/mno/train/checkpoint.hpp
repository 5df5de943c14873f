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
  return out + " loss=" + loss.text();
}
}  // namespace detail

/// Crash-safe: at every moment the path holds a whole checkpoint, and the one before is kept as
/// PATH.previous.
template <class M, class L, class Device>
void write_checkpoint(const std::filesystem::path& path, const M& model, const Normaliser& normaliser,
                      const Trainer<M, L, Device>& trainer, io::Metadata metadata = {}) {
  using T = typename M::Scalar;
  const TrainingState<M> state = trainer.state();
  std::vector<io::NamedArray> arrays;
  io::describe_model(model, normaliser, arrays, metadata);
  io::append_leaves<M>(arrays, "adamw.first.", std::span<const T>(state.adamw.first.span()));
  io::append_leaves<M>(arrays, "adamw.second.", std::span<const T>(state.adamw.second.span()));
  if (state.average.size() > 0)
    io::append_leaves<M>(arrays, "average.", std::span<const T>(state.average.span()));
  if (state.best.size() > 0) io::append_leaves<M>(arrays, "best.", std::span<const T>(state.best.span()));
  metadata["training"] = detail::training_text(trainer.options(), trainer.loss(), trainer.samples());
  metadata["training.epoch"] = std::to_string(state.epoch);
  metadata["training.position"] = std::to_string(state.position);
  metadata["training.step"] = std::to_string(state.adamw.step);
  metadata["training.average_updates"] = std::to_string(state.average_updates);
  metadata["training.best"] = io::detail::number(state.stopping.best);
  metadata["training.best_evaluation"] = std::to_string(state.stopping.best_evaluation);
  metadata["training.evaluations"] = std::to_string(state.stopping.evaluations);
  io::write_safetensors(path, std::move(arrays), metadata);
}

/// Puts the run back: the whole model, with its factor scale, domain and known fields, and the trainer's
/// state. The trainer must have been made with the same options and data; a difference is refused by name.
/// The device may be another: a run may begin on a processor and go on on a GPU.
template <class M, class L, class Device>
void read_checkpoint(const std::filesystem::path& path, M& model, Trainer<M, L, Device>& trainer) {
  const io::SafetensorsReader file(path);
  const io::Metadata& metadata = file.metadata();
  const auto& name = file.name();
  const std::string& expected = detail::training_text(trainer.options(), trainer.loss(), trainer.samples());
  const std::string& found = io::wanted(name, metadata, "training");
  if (found != expected) io::refuse(name, "expected a run with ", expected, ", found one with ", found);
  io::LoadedModel<M> loaded = io::read_model<M>(file);
  const auto integer = [&](const char* key) { return Index(io::wanted_number(name, metadata, key)); };
  const auto buffer = [&](const std::string& prefix) {
    Buffer<typename M::Scalar> values(M::parameters);
    io::read_leaves<M>(file, prefix, values.span());
    return values;
  };
  const std::string first = M::leaves().front().name;
  TrainingState<M> state;
  state.epoch = integer("training.epoch");
  state.position = integer("training.position");
  state.adamw.first = buffer("adamw.first.");
  state.adamw.second = buffer("adamw.second.");
  state.adamw.step = integer("training.step");
  if (file.contains("average." + first)) state.average = buffer("average.");
  if (file.contains("best." + first)) state.best = buffer("best.");
  state.average_updates = integer("training.average_updates");
  state.stopping.best = io::wanted_number(name, metadata, "training.best");
  state.stopping.best_evaluation = integer("training.best_evaluation");
  state.stopping.evaluations = integer("training.evaluations");
  if (state.epoch < 0 || state.position < 0 || state.position >= trainer.samples() || state.adamw.step < 0)
    io::refuse(name, "expected a place within the training run, found epoch ", state.epoch, ", sample ",
               state.position);
  trainer.resume(std::move(state));
  model = std::move(loaded.model);
}

}  // namespace mno
