#pragma once
// The boundary between a program and an operator that was compiled for it, with the program or on demand: one
// table of functions on plain data. No exception, no type of std::, of Eigen or of mno crosses it, so both
// sides may be compiled by different compilers and for different processors.
//
// All memory belongs to who made it: an operator copies what it is given before it returns (or says
// `copied`), and writes results into room that the program has.
#include <cstddef>
#include <cstdint>

namespace demand::boundary {

/// To be raised with every change of what stands below.
inline constexpr std::uint32_t version = 7;

/// What a call came to. All but `done` come with a sentence.
enum class Status : std::int32_t { done, refused, cannot_write, no_memory, failed };

/// Room for a sentence; it ends in 0 and is cut where it does not fit.
struct Message {
  char* text;
  std::size_t room;
};

struct Axis {
  std::int64_t points;
  double length;
  std::int64_t bounded;  // 1: it ends at walls
};

/// (batch, grid…, channel) on a grid that stands beside; points lie `pitch` floats apart. No data: empty.
struct Field {
  const float* data;
  std::int64_t batch, channels, pitch;
};

/// As mno::Ensemble; no conditions: none.
struct Ensemble {
  const Axis* axes;
  std::int64_t conditions, channels;
  const float* times;             // (condition)
  const std::int64_t* origins;    // (condition)
  const std::int64_t* counts;     // (condition)
  Field initial, mean, variance;  // (condition, grid…, C)
  Field covariance_factor;        // (condition, grid…, s·C), or empty
  Field members;                  // (all members, grid…, C), or empty
  Field known;                    // (condition or 1, grid…, fields), or empty
};

/// Numbers of a fixed order (exchange.hpp), each in 64 bits.
struct Numbers {
  const std::uint64_t* bits;
  std::size_t count;
};
struct Pair {
  const char *key, *value;
};

struct Scores {
  double mean_rmse, variance_rmse, w2g, crps;
  std::int32_t several, draws;
};
struct Epoch {
  std::int64_t epoch, epochs;
  double loss, learning_rate, gradient_norm, conditions_per_second, seconds_left;
  const double* terms;
  std::size_t term_count;
  const Scores* validation;  // or null
  std::int32_t finished, best;
};

/// Processes that train together, as mno::Communicator: to every rank r go the bytes send[r], from it come
/// receive[r].
struct Bytes {
  void* data;
  std::uint64_t size;
};
struct Ranks {
  std::int64_t rank, size;
  void* context;
  void (*exchange)(void* context, const Bytes* send, const Bytes* receive) noexcept;
};

struct Training {
  Ensemble train, validation;          // as mno::FitData
  const double *shift, *scale;         // of the normaliser, (channel)
  const char* fingerprint;             // of the data
  Numbers options;                     // of mno::FitOptions and the loss
  const char *residual, *warp, *data;  // the law's texts, and what sentences call the data
  const char *checkpoint, *model;      // files; empty: none
  const Pair* about;                   // what the model file should say beside
  std::size_t about_count;
  const char* device;  // "cpu" or "cuda"
  std::int32_t threads, gpu, tf32, shards;
  const Ranks* ranks;             // null: this process alone
  const char* disk;               // a folder for large data (mno/io/disk_memory.hpp); empty: none
  std::uint64_t resident;         // bytes of it in memory
  void* context;                  // of the functions below
  void (*copied)(void* context);  // `train` and `validation` are not read any more
  void (*after_epoch)(void* context, const Epoch* epoch);
  std::int32_t (*interrupted)(void* context);
};
struct TrainingReport {
  std::int32_t interrupted, has_scores;
  std::int64_t epochs_done, train, validation;
  double factor_scale;
  Scores scores;
  Message loss;  // its text
};

/// A loaded model. What the pointers refer to lives as long as it does.
struct Predictor {
  void* model;
  const Axis* axes;             // of the domain: lengths
  const double *shift, *scale;  // of the normaliser, (channel)
  const char *residual, *warp;  // the law's texts
  std::int32_t has_nugget;      // does a law have one?
};
/// u_0, t and known fields; see mno::Condition.
struct Condition {
  const Axis* axes;
  Field initial, known;
  const float* times;
  std::size_t time_count;
  const Axis* known_axes;
  std::int64_t draws;   // of every initial field, where an operator has noise inside; else 1
  std::uint64_t noise;  // names that noise
};
/// Room for a law on the condition's grid. An operator that gives fields gives a mean alone: (batch·draws,
/// …). One that gives draws gives their law where there is room for a factor.
struct Law {
  float *mean, *factor, *nugget;  // (batch, grid…, C), (batch, grid…, r·C), (batch, grid…, C) or null
};

/// Cotangents of a law; null: zero. Those of u_0 and t, which are written: (batch, grid…, C), (batch).
struct LawBar {
  const float *mean, *factor, *nugget;
};
struct ConditionBar {
  float *initial, *times;
};

/// FFTW has one planner in a process, whatever libraries use it: the program's lock around it.
struct PlannerLock {
  void (*lock)();
  void (*unlock)();
};

/// What an operator is and can do. Functions may be called from several threads, a Predictor from one at a
/// time.
struct Table {
  std::uint32_t version, size;  // of this struct, in bytes
  const char *kind, *shape, *expression;
  std::int32_t dimension, channels, rank, width, modes, depth, known;
  std::int32_t stochastic, gives_draws;  // a law, or draws; neither: one field
  std::int32_t rows;  // of a law's factor, which draws may have too, in closed form; 0: none
  std::uint64_t parameters;
  void (*use_planner_lock)(PlannerLock lock) noexcept;
  Status (*train)(const Training* training, TrainingReport* report, Message error) noexcept;
  Status (*load)(const char* file, std::int32_t threads, Predictor* predictor, Message error) noexcept;
  void (*unload)(Predictor* predictor) noexcept;
  /// In the units of the data, or in the model's own coordinates.
  Status (*predict)(const Predictor* predictor, const Condition* condition, std::int32_t own, Law* law,
                    Message error) noexcept;
  /// The adjoint of predict in the units of the data; null: this operator gives draws.
  Status (*vjp)(const Predictor* predictor, const Condition* condition, const LawBar* law_bar,
                const ConditionBar* condition_bar, Message error) noexcept;
  std::uint64_t (*memory)(const Predictor* predictor) noexcept;  // bytes that predictions work in
};

/// What an operator that is compiled on demand exports, and under which name.
using Entry = const Table* (*)() noexcept;
inline constexpr const char* entry_name = "mno_operator";

}  // namespace demand::boundary
