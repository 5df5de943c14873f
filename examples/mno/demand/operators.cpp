#include "operators.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mno/io/safetensors/model_file.hpp>
#include <thread>
#ifdef MNO_HAS_FFTW
#include <mno/spectral/fftw.hpp>
#endif

namespace demand {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string seconds_since(Clock::time_point begin) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(Clock::now() - begin).count());
  return text;
}

/// One lock around FFTW's planner for the program and all operators.
std::mutex& planner_mutex() {
  static std::mutex mutex;
  return mutex;
}
boundary::PlannerLock planner_lock() {
  return {[] { planner_mutex().lock(); }, [] { planner_mutex().unlock(); }};
}

/// The end of what a compiler said: its last lines.
std::string end_of(const fs::path& log) {
  const mno::io::Bytes bytes = mno::io::read_file(log);
  std::string text(mno::io::characters(bytes));
  constexpr int lines = 12;
  std::size_t at = text.size();
  for (int line = 0; line <= lines && at > 0 && at != text.npos; ++line) at = text.rfind('\n', at - 1);
  return at == text.npos || at == 0 ? text : text.substr(at + 1);
}

/// A compiler of templates takes about a gigabyte.
std::size_t compilers_at_a_time() {
  const double memory = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGE_SIZE));
  return std::clamp<std::size_t>(std::size_t(memory / 1.5e9), 1,
                                 std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

Operators::Operators(Settings settings) : settings_(std::move(settings)) {
#ifdef MNO_HAS_FFTW
  mno::fftw_planner().share(planner_lock().lock, planner_lock().unlock);
#endif
  for (const boundary::Table* table : settings_.compiled_in) {
    table->use_planner_lock(planner_lock());
    compiled_in_.emplace_back(*table);
  }
}

void Operators::say(const std::string& text) const {
  if (settings_.say && !quiet_) settings_.say(text);
}

const Operator* Operators::of_program(const ShapeNumbers& shape) const {
  for (const Operator& one : compiled_in_)
    if (one.shape() == shape) return &one;
  return nullptr;
}

Operators::Slot& Operators::slot(const ShapeNumbers& shape) {
  const std::lock_guard lock(mutex_);
  auto& one = slots_[shape.list()];
  if (!one) one = std::make_unique<Slot>();
  return *one;
}

const Toolchain& Operators::toolchain() {
  const std::lock_guard lock(mutex_);
  if (!toolchain_) toolchain_ = Toolchain::find(settings_.prefix);
  return *toolchain_;
}

Folder& Operators::folder() {
  const std::lock_guard lock(mutex_);
  if (!folder_) folder_.emplace(Folder::open());
  return *folder_;
}

std::string Operators::without_compiler(const ShapeNumbers& shape, const std::string& why) const {
  std::string out =
      "mno: there is no operator with " + shape.sentence() + ", and it cannot be compiled. " + why;
  if (compiled_in_.empty()) return out;
  out += "\nCompiled in are:\n";
  for (const Operator& one : compiled_in_) out += "  " + one.shape().sentence() + "\n";
  return out + "More of them: configure with -DMNO_SHAPES='" + shape.list() + ";…' and build.";
}

const Operator& Operators::get(const ShapeNumbers& shape) {
  if (const Operator* one = of_program(shape)) return *one;
  Slot& there = slot(shape);
  const std::lock_guard lock(there.mutex);
  if (there.found) return *there.found;
  std::string key;
  try {
    key = toolchain().key(shape);
  } catch (const NoToolchain& error) {
    throw NoToolchain(without_compiler(shape, error.what()));
  }
  there.found = kept(shape, key);
  if (!there.found) there.found = compile(shape, key);
  return *there.found;
}

std::optional<Operator> Operators::kept(const ShapeNumbers& shape, const std::string& key) {
  const mno::io::Descriptor file = folder().object(key);
  if (!file || !unsealed(file)) return {};
  const Loaded loaded = load(file);
  if (!loaded.table || Operator(*loaded.table).shape() != shape) return {};
  loaded.table->use_planner_lock(planner_lock());
  return Operator(*loaded.table);
}

Operator Operators::compile(const ShapeNumbers& shape, const std::string& key) {
  Folder& place = folder();
  const Folder::Lock lock(place, key, settings_.interrupted);
  if (auto other = kept(shape, key)) return *other;  // somebody was faster
  const Toolchain& tools = toolchain();
  const auto begin = Clock::now();
  say("Compiling the operator " + shape.list() + " with " + tools.compiler_name() +
      (place.why_temporary().empty() ? ", once" : ", not to be kept (" + place.why_temporary() + ")") + " …");
  try {
    const Folder::Workshop workshop(place);
    const fs::path object = workshop.path() / "operator.so", log = workshop.path() / "log";
    const std::vector<Command> commands = tools.compile(shape, workshop.path());
    const Command link = tools.link(workshop.path(), object);
    if (!run(commands, workshop.path(), log, settings_.interrupted) ||
        !run({&link, 1}, workshop.path(), log, settings_.interrupted))
      refuse_failure(shape, log, key);
    About about = tools.parts();
    about["shape"] = shape.list();
    seal(object, about);
    place.publish(object, key);
  } catch (...) {
    say("\n");
    throw;
  }
  say(" " + seconds_since(begin) + "\n");
  const mno::io::Descriptor file = place.object(key);
  Loaded loaded{nullptr, "it is not as it was written"};
  if (file && unsealed(file)) loaded = load(file);
  if (loaded.table && Operator(*loaded.table).shape() != shape) loaded = {nullptr, "it has another shape"};
  if (!loaded.table)
    throw std::runtime_error(
        "mno: the operator " + shape.list() + " was compiled to '" + (place.path() / (key + ".so")).string() +
        "', but cannot be used: " + loaded.error + ". MNO_CACHE_DIR may name another place for operators.");
  loaded.table->use_planner_lock(planner_lock());
  return Operator(*loaded.table);
}

void Operators::refuse_failure(const ShapeNumbers& shape, const fs::path& log, const std::string& key) {
  const std::string end = end_of(log);
  const fs::path whole = folder().keep_log(log, key);
  throw std::runtime_error(
      "mno: the operator " + shape.list() + " could not be compiled. " +
      (whole.empty() ? std::string("The end of what the compiler said")
                     : "What the compiler said is in '" + whole.string() + "'; its end") +
      ":\n" + end +
      "Where a header or a library is missing, on Debian: apt install g++ libeigen3-dev libfftw3-dev.");
}

const Operator& Operators::of_model(const fs::path& model) {
  const mno::io::SafetensorsReader file(model);
  const mno::io::Metadata& metadata = mno::io::model_metadata(file);
  const std::string& shape = mno::io::wanted(file.name(), metadata, "shape");
  if (const auto expression = metadata.find("expression"); expression != metadata.end())
    for (const Operator& one : compiled_in_)
      if (one.shape_text() == shape && one.expression_text() == expression->second) return one;
  const auto kind = metadata.find("kind");
  return get(ShapeNumbers::parse(kind == metadata.end() ? "mno" : kind->second, shape));
}

void Operators::prepare(std::vector<ShapeNumbers> shapes) {
  std::vector<ShapeNumbers> missing;
  for (const ShapeNumbers& shape : shapes) {
    if (of_program(shape) || std::ranges::find(missing, shape) != missing.end()) continue;
    Slot& there = slot(shape);
    const std::lock_guard lock(there.mutex);
    if (there.found) continue;
    try {
      there.found = kept(shape, toolchain().key(shape));
    } catch (const NoToolchain& error) {
      throw NoToolchain(without_compiler(shape, error.what()));
    }
    if (!there.found) missing.push_back(shape);
  }
  // Each is two compilers at work.
  const std::size_t at_a_time = std::min(missing.size(), std::max<std::size_t>(1, compilers_at_a_time() / 2));
  if (at_a_time < 2) {
    for (const ShapeNumbers& shape : missing) get(shape);
    return;
  }
  const auto begin = Clock::now();
  say("Compiling " + std::to_string(missing.size()) + " operators with " + toolchain().compiler_name() +
      ", once …");
  quiet_ = true;
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(missing.size());
  const auto work = [&] {
    for (std::size_t i; (i = next++) < missing.size();) {
      try {
        get(missing[i]);
      } catch (...) {
        errors[i] = std::current_exception();
        next = missing.size();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t t = 1; t < at_a_time; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  quiet_ = false;
  for (const auto& error : errors)
    if (error) {
      say("\n");
      std::rethrow_exception(error);
    }
  say(" " + seconds_since(begin) + "\n");
}

std::vector<Operators::Kept> Operators::kept() {
  const std::map<std::string, std::string>* now = nullptr;
  std::string lacking;
  try {
    now = &toolchain().parts();
  } catch (const NoToolchain&) {
    lacking = "there is no compiler";
  }
  std::vector<Kept> all;
  for (const Folder::Kept& file : folder().list()) {
    Kept one{file, "", ""};
    if (const auto about = unsealed(folder().object(file.key))) {
      one.problem = lacking;
      for (const auto& [name, value] : *about) {
        if (name == "shape")
          one.shape = value;
        else if (now && one.problem.empty() && (!now->contains(name) || now->at(name) != value))
          one.problem = "another " + name;
      }
    } else {
      one.problem = "damaged";
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace demand
