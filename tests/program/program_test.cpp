// The program mno as a user runs it: from a simulation to predictions, files that do not fit, interruptions.
#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <sstream>
#include <thread>

#include "mno/core/random.hpp"
#include "mno/core/version.hpp"
#include "mno/io/hdf5/writer.hpp"
#include "mno/io/zip/npz.hpp"
#include "program/run_program.hpp"

using namespace mno;
using namespace mno::io;

namespace {

const std::string small = " --rank 4 --width 16 --modes 8 --depth 2 ";

void simulate_heat(const Scratch& folder, const std::string& name = "data.npz", int samples = 24) {
  const auto done = mno_in(folder, "simulate heat --samples " + std::to_string(samples) +
                                       " --ensemble 16 --points 16 --seed 1 -o " + name);
  REQUIRE_MESSAGE(done.code == 0, done.errors);
}

std::vector<float> values(Index count, std::uint64_t seed) {
  Stream random(seed);
  std::vector<float> all;
  for (Index i = 0; i < count; ++i) all.push_back(float(random.normal()));
  return all;
}

/// Arrays that train accepts, for tests to spoil.
struct Data {
  Array u0 = Array::of({4, 1, 16}, values(4 * 16, 1));
  Array uT = Array::of({4, 5, 1, 16}, values(4 * 5 * 16, 2));
  Array t = Array::of({4}, std::vector<double>{1, 1, 1, 1});

  void write(const std::filesystem::path& path) const {
    NpzWriter file(path);
    file.write("u0", u0);
    file.write("uT", uT);
    file.write("t", t);
    file.commit();
  }
};

}  // namespace

TEST_CASE("a law with a warp is trained from ensembles: values that span orders of magnitude") {
  const Scratch folder;
  const auto drawn =
      mno_in(folder, "simulate reaction --samples 16 --ensemble 12 --points 16 --steps 20 -o data.npz");
  REQUIRE_MESSAGE(drawn.code == 0, drawn.errors);
  const auto trained = mno_in(
      folder,
      "train --data data.npz -o model.safetensors --warp \"asinh 3\" --epochs 4 --batch 8 --json" + small);
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  CHECK(mno_in(folder, "info model.safetensors").out.find("asinh 3") != std::string::npos);
  const auto scored = mno_in(folder, "evaluate --model model.safetensors --data data.npz --json");
  REQUIRE_MESSAGE(scored.code == 0, scored.errors);
  CHECK(nlohmann::json::parse(scored.out)["rows"].size() > 3);
}

TEST_CASE("from a simulation to a trained, scored and asked model") {
  const Scratch folder;
  simulate_heat(folder);
  const auto again = mno_in(folder,
                            "simulate heat --samples 8 --first-sample 16 --ensemble 16 --points 16 "
                            "--seed 1 -o piece.npz --json");
  REQUIRE(again.code == 0);
  CHECK(nlohmann::json::parse(again.out)["rows"] == 8);
  const auto all = NpzReader(folder / "data.npz").open("uT");
  CHECK(all->layout().str() == "f32 (24, 16, 1, 16)");
  CHECK(all->read_rows(16, 8) == NpzReader(folder / "piece.npz").read("uT"));  // the same sequence

  const auto trained =
      mno_in(folder, "train --data data.npz -o model.safetensors --epochs 30 --batch 8 --json" + small);
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  const auto report = nlohmann::json::parse(trained.out);
  CHECK(report["epochs"] == 30);
  CHECK(report["validation_samples"] == 2);
  CHECK(report["train_samples"] == 22);
  CHECK(report["validation"]["mean_rmse"].get<double>() < 0.5);  // an untrained one has about 1
  CHECK_FALSE(std::filesystem::exists(folder / "model.safetensors.checkpoint"));

  const auto scored = mno_in(folder, "evaluate --model model.safetensors --data piece.npz --json -o scores");
  REQUIRE_MESSAGE(scored.code == 0, scored.errors);
  const auto rows = nlohmann::json::parse(scored.out)["rows"];
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& row : rows) {
    names[row["method"]].push_back(row["metric"]);
    CHECK(std::isfinite(row["value"].get<double>()));
    if (row["method"] != "mno") continue;
    CHECK(row.contains("floor") == (row["metric"] != "coverage"));
    if (row["metric"] == "mean_rmse") {
      CHECK(row["value"].get<double>() > row["floor"].get<double>());
      CHECK(row["value"].get<double>() < 0.5);
    }
  }
  CHECK(names["mno"] == std::vector<std::string>{"mean_rmse", "var_rmse", "w2s", "w2g", "crps",
                                                 "energy_score", "cov_frobenius_rel", "coverage", "coverage",
                                                 "coverage", "coverage"});
  CHECK(names["climatology"] == std::vector<std::string>{"mean_rmse", "var_rmse", "w2g", "crps", "coverage",
                                                         "coverage", "coverage", "coverage"});
  CHECK(names["constant variance"] == names["climatology"]);
  CHECK(nlohmann::json::parse(content(folder / "scores" / "results.json"))["rows"] == rows);
  CHECK(rows.back()["at"]["level"] == 0.95);
  const auto value_of = [&](const std::string& method) {
    for (const auto& row : rows)
      if (row["method"] == method && row["metric"] == "crps") return row["value"].get<double>();
    return 0.0;
  };
  const auto verdict = nlohmann::json::parse(scored.out)["verdict"];
  REQUIRE(verdict["skills"].size() == 2);
  CHECK(verdict["skills"][0]["reference"] == "climatology");
  CHECK(verdict["skills"][0]["verdict"] == "better than");
  CHECK(verdict["skills"][0]["skill"].get<double>() ==
        doctest::Approx(1 - value_of("mno") / value_of("climatology")).epsilon(1e-6));
  CHECK(verdict["skills"][1]["skill"].get<double>() ==
        doctest::Approx(1 - value_of("mno") / value_of("constant variance")).epsilon(1e-6));
  const std::string sentence = verdict["sentence"];
  CHECK(sentence.starts_with("Better than climatology (CRPS "));
  CHECK(says(sentence, ", over 8 conditions. A model that knows the law would have "));
  CHECK(says(content(folder / "scores" / "report.html"), "<p>" + sentence + "</p>"));
  const auto printed = mno_in(folder, "evaluate --model model.safetensors --data piece.npz");
  CHECK(printed.out.starts_with(sentence + "\n8 conditions, 16 members each"));
  const NpzReader moments(folder / "scores" / "evaluation.npz");
  CHECK(moments.open("ensemble_variance")->layout().str() == "f32 (8, 1, 16)");
  const Array before = NpzReader(folder / "piece.npz").read("u0"), after = moments.read("u0");
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK(after.values<float>()[i] == doctest::Approx(before.values<float>()[i]).epsilon(1e-4));

  write_npy(folder / "u0.npy", Array::of({40}, values(40, 3)));  // another grid, without axes of one
  const auto asked = mno_in(
      folder, "predict --model model.safetensors --input u0.npy --time 0.5 --samples 7 -o law.npz --json");
  REQUIRE_MESSAGE(asked.code == 0, asked.errors);
  CHECK(nlohmann::json::parse(asked.out)["samples"] == 7);
  const NpzReader law(folder / "law.npz");
  CHECK(law.open("mean")->layout().str() == "f32 (1, 1, 40)");
  CHECK(law.open("samples")->layout().str() == "f32 (1, 7, 1, 40)");
  const Array factor = law.read("factor"), variance = law.read("variance"), nugget = law.read("nugget");
  CHECK(factor.layout().str() == "f32 (1, 4, 1, 40)");
  for (std::size_t p = 0; p < 40; ++p) {
    double sum = std::pow(double(nugget.values<float>()[p]), 2);
    for (std::size_t k = 0; k < 4; ++k) sum += std::pow(double(factor.values<float>()[k * 40 + p]), 2);
    CHECK(sum == doctest::Approx(double(variance.values<float>()[p])).epsilon(1e-4));
  }
  REQUIRE(mno_in(folder, "predict --model model.safetensors --input u0.npy --time 0 -o start.npz").code == 0);
  const Array start = NpzReader(folder / "start.npz").read("mean");
  const auto u0 = values(40, 3);
  for (std::size_t p = 0; p < 40; ++p)
    CHECK(start.values<float>()[p] == doctest::Approx(u0[p]).epsilon(1e-4));

  const auto told = mno_in(folder, "info model.safetensors --json");
  REQUIRE(told.code == 0);
  CHECK(nlohmann::json::parse(told.out)["parameters"] == report["parameters"]);
  CHECK(says(mno_in(folder, "info model.safetensors").out, "gate.alpha  f32 (1,)"));
  CHECK(nlohmann::json::parse(mno_in(folder, "info data.npz --json").out)["members"] == 16);
}

TEST_CASE(
    "a model file says what it is; one that is damaged is told apart, and nothing is predicted from it") {
  const Scratch folder;
  simulate_heat(folder);
  REQUIRE(mno_in(folder, "train --data data.npz -o m.safetensors --epochs 1 --batch 8" + small).code == 0);
  write_npy(folder / "u0.npy", Array::of({40}, values(40, 3)));
  const auto told = nlohmann::json::parse(mno_in(folder, "info m.safetensors --json").out);
  CHECK(told["intact"] == true);
  CHECK(told["metadata"]["expression"].get<std::string>().starts_with(
      "(lift:(pointwise{2->16, weight 16x2, bias 16} + place:("));
  CHECK(told["metadata"]["library"] == "mno " MNO_PROJECT_VERSION);

  Bytes file = read_file(folder / "m.safetensors");
  file.back() ^= std::byte{1};  // the last bit of a weight
  spoil(folder / "m.safetensors", file);
  CHECK(nlohmann::json::parse(mno_in(folder, "info m.safetensors --json").out)["intact"] == false);
  const auto refused = mno_in(folder, "predict --model m.safetensors --input u0.npy --time 0.5 -o law.npz");
  CHECK(refused.code != 0);
  CHECK(says(refused.errors, "'m.safetensors': is damaged"));
  CHECK_FALSE(std::filesystem::exists(folder / "law.npz"));
}

TEST_CASE("at t = 0 the predicted mean is u_0 bit for bit, in the units of the data") {
  const Scratch folder;
  Data data;  // around 0.3, so that the way through normalised numbers and back would round
  std::vector<float> u0 = values(4 * 16, 1), uT = values(4 * 5 * 16, 2);
  for (auto* all : {&u0, &uT})
    for (float& u : *all) u = 0.3f + 1.7f * u;
  data.u0 = Array::of({4, 1, 16}, u0);
  data.uT = Array::of({4, 5, 1, 16}, uT);
  data.write(folder / "data.npz");
  REQUIRE(mno_in(folder, "train --data data.npz -o model.safetensors --epochs 1" + small).code == 0);
  const auto asked = mno_in(folder, "predict --model model.safetensors --input data.npz --time 0 -o law.npz");
  REQUIRE_MESSAGE(asked.code == 0, asked.errors);
  const NpzReader law(folder / "law.npz");
  CHECK(law.read("mean") == data.u0);
  const Array variance = law.read("variance");
  for (const float v : variance.values<float>()) CHECK(v == 0);
}

TEST_CASE("whether a law differs from place to place is looked for, and can be said") {
  const Scratch folder;
  simulate_heat(folder, "data.npz", 80);
  const auto choices = [&](const std::string& with) {
    const auto done =
        mno_in(folder, "train --data data.npz -o m.safetensors --restart --epochs 2 --json " + with + small);
    REQUIRE_MESSAGE(done.code == 0, done.errors);
    return nlohmann::json::parse(done.out)["choices"];
  };
  CHECK(says(choices("")["places"].get<std::string>(), "all alike"));
  CHECK_FALSE(choices("--places yes").contains("places"));
  CHECK_FALSE(choices("--places no").contains("places"));
  CHECK(mno_in(folder, "train --data data.npz -o m.safetensors --places maybe").code == 2);
}

TEST_CASE("an operator that gives draws is trained, judged and asked; a law is trained by the same loss") {
  const Scratch folder;
  simulate_heat(folder);
  const auto train = [&](const std::string& with) {
    return mno_in(folder, "train --data data.npz --epochs 5 --batch 8 --json " + with);
  };
  const std::string noisy = "-o m.safetensors --kind noise-fno --width 16 --modes 8 --depth 2 ";
  const auto trained = train(noisy);
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  const auto report = nlohmann::json::parse(trained.out);
  CHECK(says(report["choices"]["loss"].get<std::string>(), "the operator gives draws"));
  CHECK(report["validation"].contains("crps"));
  const auto about = nlohmann::json::parse(mno_in(folder, "info m.safetensors --json").out)["metadata"];
  CHECK(about["kind"] == "noise-fno");
  CHECK(says(about["training"].get<std::string>(), "loss=draws(1, 8, 0, members 16, fair_energy_score("));

  const auto scored = mno_in(folder, "evaluate --model m.safetensors --data data.npz --json -o scores");
  REQUIRE_MESSAGE(scored.code == 0, scored.errors);
  std::vector<std::string> names;
  const auto evaluation = nlohmann::json::parse(scored.out);
  for (const auto& row : evaluation["rows"]) {
    CHECK(std::isfinite(row["value"].get<double>()));
    if (row["method"] == "mno") names.push_back(row["metric"]);
  }
  CHECK(names == std::vector<std::string>{"mean_rmse", "var_rmse", "w2s", "w2g", "crps", "energy_score",
                                          "cov_frobenius_rel", "coverage", "coverage"});  // 16 draws: .5, .8
  CHECK(evaluation["verdict"]["skills"].size() == 2);
  CHECK(says(content(folder / "scores" / "report.html"), "The worst"));

  const auto ask = [&](const std::string& with) {
    const auto asked = mno_in(folder, "predict --model m.safetensors --input data.npz -o law.npz " + with);
    CHECK_MESSAGE(asked.code == 0, asked.errors);
    return NpzReader(folder / "law.npz").names();
  };
  ask("--time 0 --samples 3");
  const Array u0 = NpzReader(folder / "data.npz").read("u0"),
              samples = NpzReader(folder / "law.npz").read("samples");
  CHECK(samples.layout().str() == "f32 (24, 3, 1, 16)");
  for (std::size_t i = 0; i < samples.size(); ++i)  // every draw is u_0, bit for bit
    CHECK(std::bit_cast<std::uint32_t>(samples.values<float>()[i]) ==
          std::bit_cast<std::uint32_t>(u0.values<float>()[i / 48 * 16 + i % 16]));
  const auto arrays = ask("--time 0.5");
  CHECK(std::ranges::find(arrays, "variance") != arrays.end());
  CHECK(std::ranges::find(arrays, "factor") == arrays.end());

  const auto refused = train(noisy + "--recipe paper");
  CHECK(refused.code == 2);
  CHECK(says(refused.errors, "gives draws, which a recipe has no terms for"));
  const auto law = train("-o law.safetensors --recipe energy --draws 4 --residual laplace" + small);
  REQUIRE_MESSAGE(law.code == 0, law.errors);
  const auto of_law = nlohmann::json::parse(mno_in(folder, "info law.safetensors --json").out)["metadata"];
  CHECK(says(of_law["training"].get<std::string>(), "loss=draws(1, 4, 0, members 16, laplace, fair_energy"));
}

TEST_CASE("data with walls is trained on, judged, and asked on another grid, without a word about walls") {
  const Scratch folder;
  REQUIRE(
      mno_in(folder, "simulate heat-walls --walls neumann --samples 12 --ensemble 6 --points 16 -o data.npz")
          .code == 0);
  const auto data = nlohmann::json::parse(mno_in(folder, "info data.npz --json").out);
  CHECK(data["bounded"] == nlohmann::json::array({true}));
  const auto trained = mno_in(folder, "train --data data.npz -o m.safetensors --epochs 1 --batch 8" + small);
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  CHECK(nlohmann::json::parse(mno_in(folder, "info m.safetensors --json").out)["metadata"]["bounded"] == "1");
  write_npy(folder / "u0.npy", Array::of({32}, values(32, 3)));
  const auto asked = mno_in(folder, "predict --model m.safetensors --input u0.npy --time 0.5 -o law.npz");
  REQUIRE_MESSAGE(asked.code == 0, asked.errors);
  const NpzReader law(folder / "law.npz");
  CHECK(law.read("mean").shape() == Extents{1, 1, 32});
  CHECK(numbers_of(law.read("bounded"))[0] == 1);
  const auto judged = mno_in(folder, "evaluate --model m.safetensors --data data.npz -o results");
  CHECK_MESSAGE(judged.code == 0, judged.errors);

  REQUIRE(mno_in(folder, "simulate heat --samples 4 --ensemble 6 --points 16 -o periodic.npz").code == 0);
  const auto other = mno_in(folder, "evaluate --model m.safetensors --data periodic.npz -o other");
  CHECK(other.code != 0);
  CHECK(says(other.errors, "expected walls at the ends of axis 0, as the model has, got a periodic one"));
}

TEST_CASE("a model that was trained with least points keeps them, and answers on the grid that is asked") {
  const Scratch folder;
  simulate_heat(folder);
  const std::string run = "train --data data.npz --epochs 3 --batch 8" + small;
  REQUIRE(mno_in(folder, run + "-o given.safetensors").code == 0);
  REQUIRE(mno_in(folder, run + "-o fine.safetensors --least-points 32").code == 0);
  CHECK(says(mno_in(folder, "info fine.safetensors").out, "least_points: 32"));
  CHECK_FALSE(says(mno_in(folder, "info given.safetensors").out, "least_points"));
  write_npy(folder / "u0.npy", Array::of({16}, values(16, 3)));
  for (const std::string name : {"given", "fine"}) {
    const auto asked = mno_in(
        folder, "predict --model " + name + ".safetensors --input u0.npy --time 0.5 -o " + name + ".npz");
    REQUIRE_MESSAGE(asked.code == 0, asked.errors);
  }
  const NpzReader fine(folder / "fine.npz");
  CHECK(fine.open("mean")->layout().str() == "f32 (1, 1, 16)");
  CHECK(fine.read("mean") != NpzReader(folder / "given.npz").read("mean"));
  CHECK(mno_in(folder, run + "-o other.safetensors --least-points -1").code == 2);
}

TEST_CASE("equations on squares are drawn with their channels, and in their order") {
  const Scratch folder;
  const auto draw = [&](const std::string& equation) {
    return mno_in(folder,
                  "simulate " + equation + " --samples 6 --ensemble 4 --steps 4 --seed 2 -o data.npz");
  };
  const auto layout = [&](const std::string& array) {
    return NpzReader(folder / "data.npz").open(array)->layout().str();
  };
  const auto flow = draw("navier-stokes --wavenumber 3 --points 16 --time 0.08 --times 0.04,0.08");
  REQUIRE_MESSAGE(flow.code == 0, flow.errors);
  CHECK(layout("uT") == "f32 (12, 4, 1, 16, 16)");
  CHECK(layout("fields") == "f32 (1, 16, 16)");  // the force, .75 cos 3y
  const auto force = numbers_of(NpzReader(folder / "data.npz").read("fields"));
  for (std::size_t i = 0; i < force.size(); ++i)
    CHECK(force[i] == doctest::Approx(0.75 * std::cos(2 * std::numbers::pi * 3 * double(i % 16) / 16)));
  REQUIRE(draw("navier-stokes --points 16 --time 0.04 --force-known false").code == 0);
  CHECK(std::ranges::count(NpzReader(folder / "data.npz").names(), "fields") == 0);
  CHECK(numbers_of(NpzReader(folder / "data.npz").read("length"))[1] ==
        doctest::Approx(2 * std::numbers::pi));
  REQUIRE(draw("phi4-plane --points 24").code == 0);
  CHECK(layout("u0") == "f32 (6, 1, 24, 24)");
  const auto reaction = draw("gray-scott --points 16 --simulated 32 --time 2 --feed 0.03 --sigma-v 0");
  REQUIRE_MESSAGE(reaction.code == 0, reaction.errors);
  CHECK(layout("uT") == "f32 (6, 4, 2, 16, 16)");
  const auto u0 = numbers_of(NpzReader(folder / "data.npz").read("u0"));
  const auto mean = [&](Index channel) {
    return std::accumulate(u0.begin() + channel * 256, u0.begin() + (channel + 1) * 256, 0.) / 256;
  };
  CHECK(mean(0) == doctest::Approx(0.9).epsilon(1e-3));  // u before v
  CHECK(mean(1) == doctest::Approx(0.1).epsilon(1e-3));
  const auto wrong = draw("navier-stokes --wavenumber 40");
  CHECK(wrong.code == 2);
  CHECK(says(wrong.errors, "'wavenumber': expected a number from 1 to 21, what 64 points carry, got 40."));
}

TEST_CASE("every command has a help text with an example, and says what is wrong with a command line") {
  const Scratch folder;
  for (const char* command :
       {"", "simulate", "simulate burgers", "simulate navier-stokes", "train", "predict", "evaluate",
        "experiment", "experiment burgers", "report", "tables", "info", "operators"}) {
    CAPTURE(std::string(command));
    const auto help = mno_in(folder, std::string(command) + " --help");
    CHECK(help.code == 0);
    CHECK(says(help.out, "Example:\n"));
  }
  CHECK(mno_in(folder, "").code == 2);
  CHECK(mno_in(folder, "simulate burgers --samples many -o x.npz").code == 2);
  CHECK(says(mno_in(folder, "train --data x.npz").errors, "-o MODEL is required"));
  const auto nowhere = mno_in(folder, "simulate heat -o none/x.npz");
  CHECK(nowhere.code == 2);
  CHECK(says(nowhere.errors, "there is no folder 'none'"));
}

TEST_CASE("single draws and different numbers of members are trained on and scored") {
  const Scratch folder;
  const auto scores_of = [&](const Data& data, const std::vector<std::pair<std::string, Array>>& more) {
    NpzWriter file(folder / "data.npz");
    file.write("u0", data.u0);
    file.write("uT", data.uT);
    file.write("t", data.t);
    for (const auto& [name, array] : more) file.write(name, array);
    file.commit();
    const auto trained = mno_in(folder,
                                "train --data data.npz -o m.safetensors --epochs 2 --recipe paper --json "
                                "--weight-variance_consistency 0 --validation 0.5 --restart" +
                                    small);
    REQUIRE_MESSAGE(trained.code == 0, trained.errors);
    CHECK(nlohmann::json::parse(trained.out)["validation"]["crps"].get<double>() > 0);
    const auto scored = mno_in(folder, "evaluate --model m.safetensors --data data.npz --json -o scores");
    REQUIRE_MESSAGE(scored.code == 0, scored.errors);
    return nlohmann::json::parse(scored.out);
  };
  Data data;
  data.uT = Array::of({4, 1, 16}, values(64, 2));  // one draw each
  const auto single = scores_of(data, {});
  CHECK(single["members"] == 1);
  CHECK(single["draws"] == 64);
  std::vector<std::string> names;
  for (const auto& row : single["rows"]) {
    if (row["method"] == "mno") names.push_back(row["metric"]);
    CHECK(std::isfinite(row["value"].get<double>()));
    CHECK_FALSE(row.contains("floor"));
  }
  CHECK(names == std::vector<std::string>{"crps", "energy_score", "log_score", "coverage", "coverage",
                                          "coverage", "coverage", "pit_distance"});
  CHECK(single["verdict"]["skills"].size() == 2);
  const std::string page = content(folder / "scores" / "report.html");
  CHECK(says(page, "The worst 4 of 4 conditions by crps"));
  CHECK(says(page, "Realisation − mean"));
  CHECK(says(page, "Where truths fall in the predicted law"));
  for (const char* of_ensembles : {"ensemble mean", "Members of the ensemble", "Density of u", "Spectra"})
    CHECK_FALSE(says(page, of_ensembles));

  data.uT = Array::of({9, 1, 16}, values(144, 2));
  const auto uneven = scores_of(data, {{"counts", Array::of({4}, std::vector<std::int64_t>{2, 3, 2, 2})}});
  CHECK(uneven["members"] == nlohmann::json{2, 3});
  CHECK(uneven["rows"][0]["metric"] == "mean_rmse");
}

TEST_CASE("data that cannot be trained on is refused with a sentence and exit code 2") {
  const auto refused = [](const Data& data) {
    const Scratch folder;
    data.write(folder / "data.npz");
    const auto result = mno_in(folder, "train --data data.npz -o m.safetensors --epochs 1" + small);
    CHECK_FALSE(std::filesystem::exists(folder / "m.safetensors"));
    CHECK(result.code == 2);
    return result.errors;
  };
  Data data;
  data.uT = Array::of({4, 5, 1, 15}, values(4 * 5 * 15, 2));
  CHECK(says(refused(data), "found (4, 5, 1, 15)"));
  data = {};
  data.uT.values<float>()[100] = std::numeric_limits<float>::quiet_NaN();
  CHECK(says(refused(data), "a NaN or an infinity in sample 1"));
  data.uT = Array::of({4, 5, 1, 16}, std::vector<float>(320, 2.0f));
  CHECK(says(refused(data), "zero variance"));
  data = {};
  data.u0 = Array::of({1, 1, 16}, values(16, 1));
  data.uT = Array::of({1, 5, 1, 16}, values(80, 2));
  data.t = Array::of({}, std::vector<double>{1});
  CHECK(says(refused(data), "at least two samples"));

  const Scratch folder;
  NpzWriter missing(folder / "missing.npz");
  missing.write("u0", Data().u0);
  missing.commit();
  const auto without = mno_in(folder, "train --data missing.npz -o m.safetensors");
  CHECK(without.code == 2);
  CHECK(says(without.errors, "expected the arrays u0, uT and t, found 'u0'"));

  // A header that claims 10⁹ samples, before the bytes of four.
  Data().write(folder / "claims.npz");
  std::string bytes = content(folder / "claims.npz");
  const auto at = bytes.find("(4, 1, 16), }         ");
  REQUIRE(at != bytes.npos);
  bytes.replace(at, 22, "(1000000000, 1, 16), }");
  spoil(folder / "claims.npz", bytes_of(bytes));
  const auto claims = mno_in(folder, "train --data claims.npz -o m.safetensors");
  CHECK(claims.code == 2);
  CHECK(says(claims.errors, "1000000000"));

  const auto none = mno_in(folder, "train --data none.npz -o m.safetensors");
  CHECK(none.code == 2);
  CHECK(says(none.errors, "cannot be opened"));
}

TEST_CASE("HDF5 files are data too") {
  const Scratch folder;
  const Data data;
  {
    Hdf5Writer file(folder / "data.h5");
    file.write("u0", data.u0);
    file.write("uT", data.uT);
    file.write("t", data.t);
    file.commit();
  }
  data.write(folder / "data.npz");
  const std::string rest = " --epochs 2 --validation 0.25" + small;
  REQUIRE(mno_in(folder, "train --data data.h5 -o a.safetensors" + rest).code == 0);
  REQUIRE(mno_in(folder, "train --data data.npz -o b.safetensors" + rest).code == 0);
  CHECK(content(folder / "a.safetensors") == content(folder / "b.safetensors"));
  CHECK(nlohmann::json::parse(mno_in(folder, "info data.h5 --json").out)["members"] == 5);
}

TEST_CASE("known fields go from the data through the model file to predictions") {
  const Scratch folder;
  const Data data;
  NpzWriter file(folder / "data.npz");
  file.write("u0", data.u0);
  file.write("uT", data.uT);
  file.write("t", data.t);
  file.write("fields", Array::of({1, 16}, values(16, 4)));  // one for all samples: kept in the model
  file.commit();
  write_npy(folder / "u0.npy", Array::of({16}, values(16, 5)));
  const auto trained = mno_in(folder, "train --data data.npz -o m.safetensors --epochs 2" + small);
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  const std::string ask = "predict --model m.safetensors --input u0.npy --time 0.5 -o ";
  REQUIRE(mno_in(folder, ask + "stored.npz").code == 0);
  write_npy(folder / "fields.npy", Array::of({1, 16}, values(16, 4)));
  write_npy(folder / "other.npy", Array::of({1, 16}, values(16, 6)));
  REQUIRE(mno_in(folder, ask + "same.npz --fields fields.npy").code == 0);
  REQUIRE(mno_in(folder, ask + "other.npz --fields other.npy").code == 0);
  const auto mean = [&](const char* name) { return NpzReader(folder / name).read("mean"); };
  CHECK(mean("stored.npz") == mean("same.npz"));
  CHECK_FALSE(mean("stored.npz") == mean("other.npz"));
  NpzWriter both(folder / "both.npz");  // a file that has the fields beside u0, as data files do
  both.write("u0", Array::of({1, 1, 16}, values(16, 5)));
  both.write("fields", Array::of({1, 1, 16}, values(16, 6)));
  both.commit();
  REQUIRE(mno_in(folder, "predict --model m.safetensors --input both.npz --time 0.5 -o beside.npz").code ==
          0);
  CHECK(mean("beside.npz") == mean("other.npz"));
  CHECK(mno_in(folder, "evaluate --model m.safetensors --data data.npz").code == 0);
}

TEST_CASE("an experiment on measured data compares laws with what costs little") {
  const Scratch folder;
  const auto nothing = mno_in(folder, "experiment electricity --measured nowhere");
  CHECK(nothing.code == 2);
  CHECK(says(nothing.errors, "'examples/measured/fetch nowhere' brings it"));
  std::filesystem::create_directory(folder / "measured");
  for (const auto& [part, days, first_month] : {std::tuple("train", 60, 1), std::tuple("test", 21, 20)}) {
    NpzWriter file(folder / "measured" / ("electricity_" + std::string(part) + ".npz"));
    const auto u =
        values(Index(days + 1) * 16, std::uint64_t(days));  // yesterday's level goes on, with noise
    std::vector<float> u0(std::size_t(days) * 16), uT(u0.size());
    for (std::size_t i = 0; i < u0.size(); ++i) {
      u0[i] = 3 * u[i / 16];
      uT[i] = 2 * u[i / 16] + u[i + 16];
    }
    std::vector<double> month(std::size_t(days), 0.0);
    for (int day = 0; day < days; ++day) month[std::size_t(day)] = first_month + day / 6;
    file.write("u0", Array::of({days, 1, 16}, u0));
    file.write("uT", Array::of({days, 1, 16}, uT));
    file.write("t", Array::of({}, std::vector<double>{1}));
    file.write("group", Array::of({days}, month));
    file.commit();
  }
  const auto done = mno_in(
      folder,
      "experiment electricity --measured measured --epochs 2 --pairs 2 --json -o out/electricity" + small);
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  const auto told = nlohmann::json::parse(done.out);
  const auto value = [&](const std::string& method, const std::string& metric) {
    for (const auto& row : told["rows"])
      if (row["table"] == "electricity" && row["method"] == method && row["metric"] == metric)
        return row["value"].get<double>();
    return std::numeric_limits<double>::quiet_NaN();
  };
  CHECK(value("damped persistence", "crps") < 0.9 * value("climatology", "crps"));
  CHECK(value("damped persistence", "crps") < value("persistence", "crps"));
  double least = 1e9;  // the best baseline is at 0, and the others are above it
  for (const char* method : {"climatology", "persistence", "damped persistence", "linear",
                             "fno, one variance", "fno, residual covariance"})
    least = std::min(least, value(method, "crps_to_best"));
  CHECK(least == 0);
  CHECK(std::isfinite(value("mno", "energy_to_best")));
  int models = 0;  // every fifth month is validated on, and not trained on
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out" / "cache"))
    if (entry.path().extension() == ".safetensors") {
      ++models;
      CHECK_MESSAGE(says(content(entry.path()), "48 train, 12 validation"), entry.path());
    }
  CHECK(models > 2);
}

TEST_CASE("an experiment goes from nothing to a page, goes on where it was, and refuses other settings") {
  const Scratch folder;
  const std::string run =
      "experiment burgers --samples 12 --validation 4 --test 3 --ensemble 8 --epochs 2 --json -o "
      "out/burgers" +
      small;
  const auto done = mno_in(folder, run);
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  const auto first = nlohmann::json::parse(done.out);
  CHECK(first["rows"][0]["table"] == "1d-spde");
  CHECK(first["rows"][0]["method"] == "mno");
  CHECK(first["rows"][0]["paper"] == 0.023);  // of the paper's table
  CHECK(first["rows"][0]["seeds"] == 1);
  CHECK_FALSE(first["rows"][0].contains("interval95"));
  std::map<std::string, std::vector<std::string>> metrics;
  for (const auto& row : first["rows"]) metrics[row["method"]].push_back(row["metric"]);
  CHECK(metrics["mno"] == metrics["mno-paper-recipe"]);
  CHECK(metrics["fno"] == std::vector<std::string>{"mean_rmse", "w2s", "w2g", "crps", "energy_score"});
  const std::string page = content(folder / "out" / "burgers" / "report.html");
  CHECK(metrics["fno-constant-variance"] == metrics["mno"]);  // controls are scored as any law
  CHECK(metrics["fno-residual-covariance"] == metrics["mno"]);
  for (const char* part : {"<h2>Results</h2>", "<h2>Examples</h2>", "<h2>Calibration</h2>",
                           "<h2>Spectra</h2>", "<h2>Training</h2>", "reduced run"})
    CHECK_MESSAGE(says(page, part), part);

  const auto cached = [&] {
    std::map<std::string, std::filesystem::file_time_type> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "out" / "cache"))
      files[entry.path().filename().string()] = entry.last_write_time();
    return files;
  };
  const auto before = cached();
  const auto more = mno_in(folder, run + " --pairs 2");  // the first is done already
  REQUIRE_MESSAGE(more.code == 0, more.errors);
  const auto both = nlohmann::json::parse(more.out);
  const auto after = cached();
  CHECK(after.size() == before.size() + 12);  // three files of data, three models with history and seconds
  for (const auto& [name, time] : before) CHECK_MESSAGE(after.at(name) == time, name);
  CHECK(both["rows"][0]["seeds"] == 2);
  CHECK(both["rows"][0]["interval95"].get<double>() > 0);
  const auto row = both["rows"][0];  // the mean of what stands beside it, and the first is what it was
  const std::vector<double> values = row["values"], floors = row["floors"];
  REQUIRE(values.size() == 2);
  CHECK(values[0] == first["rows"][0]["value"].get<double>());
  CHECK(values[1] != values[0]);
  CHECK(floors[1] != floors[0]);  // other test conditions
  CHECK(row["value"].get<double>() == doctest::Approx((values[0] + values[1]) / 2));
  CHECK(row["ratio"].get<double>() == doctest::Approx((values[0] / floors[0] + values[1] / floors[1]) / 2));
  CHECK(nlohmann::json::parse(content(folder / "out" / "burgers" / "results.json"))["rows"] == both["rows"]);

  // What another experiment needs is there already, if it is the same.
  const auto coverage =
      mno_in(folder,
             "experiment coverage --samples 12 --validation 4 --test 3 --ensemble 8 --epochs 2 "
             "--json -o out/coverage" +
                 small);
  REQUIRE_MESSAGE(coverage.code == 0, coverage.errors);
  CHECK(cached().size() == after.size() + 1);  // conditions to calibrate on

  // Each of these takes a minute to compile.
  std::vector<std::string> rivals{"noise-fno", "diffusion-50"};
  if (std::getenv("MNO_ALL_TESTS")) rivals.push_back("wiener-chaos");
  const auto beside = mno_in(
      folder,
      "experiment burgers --samples 12 --validation 4 --test 3 --ensemble 8 --epochs 2 "
      "--json -o out/rivals --rivals " +
          std::accumulate(rivals.begin() + 1, rivals.end(), rivals[0],
                          [](const std::string& all, const std::string& one) { return all + "," + one; }) +
          small);
  REQUIRE_MESSAGE(beside.code == 0, beside.errors);
  CHECK(cached().size() == after.size() + 3 * rivals.size() + 4);  // models with history and seconds
  std::map<std::string, std::vector<std::string>> of_rivals;
  const auto with_rivals = nlohmann::json::parse(beside.out);
  std::map<std::string, double> steps;
  for (const auto& one : with_rivals["rows"]) {
    if (one["table"] == "1d-spde") of_rivals[one["method"]].push_back(one["metric"]);
    if (one["metric"] == "steps") steps[one["method"]] = one["value"];
  }
  for (const char* method : {"mno", "fno", "noise-fno", "mno-energy", "mno-same-steps", "fno-same-steps"})
    CHECK(steps[method] == 2);  // epochs of one batch
  CHECK(of_rivals["mno"] == metrics["mno"]);
  CHECK(of_rivals["mno-same-steps"] == metrics["mno"]);
  CHECK(of_rivals["mno-energy"] == metrics["mno"]);  // the law, by the loss of draws
  auto by_draws = metrics["mno"];
  by_draws.resize(by_draws.size() - 3);  // eight draws tell one of four levels of coverage
  for (const std::string& rival : rivals) CHECK(of_rivals[rival] == by_draws);

  const auto other = mno_in(folder, run + " --data-seed 2");
  CHECK(other.code == 2);
  CHECK_MESSAGE(says(other.errors, "holds an experiment with other settings"), other.errors);
  REQUIRE(mno_in(folder, run + " --data-seed 2 --restart").code == 0);

  REQUIRE(mno_in(folder, "report out/coverage --rows rows.json --pictures coverage").code == 0);
  CHECK(nlohmann::json::parse(content(folder / "rows.json"))["rows"] ==
        nlohmann::json::parse(coverage.out)["rows"]);
  CHECK(content(folder / "coverage-coverage.svg").starts_with("<svg xmlns="));
}

TEST_CASE("a sweep tells other experiments how every method is trained best") {
  const Scratch folder;
  const auto run = [&](const std::string& name, const std::string& more) {
    return mno_in(folder, "experiment " + name +
                              " --samples 8 --validation 4 --test 4 --ensemble 8 --epochs 1 --pairs 1 "
                              "--rivals noise-fno --json -o out/" +
                              name + small + more);
  };
  const auto swept = run("sweep", "");
  REQUIRE_MESSAGE(swept.code == 0, swept.errors);
  const auto rows = nlohmann::json::parse(swept.out)["rows"];
  std::map<std::string, std::vector<double>> crps;  // of every method, one for every setting
  double least = 1e9, rate = 0;
  for (const auto& row : rows) {
    CHECK(std::isfinite(row["value"].get<double>()));
    if (row["metric"] != "crps") continue;
    const double value = row["value"];
    crps[row["method"]].push_back(value);
    if (row["method"] != "noise-fno" || value >= least) continue;
    least = value;
    rate = row["at"]["learning_rate"];
  }
  for (const char* method : {"mno", "fno", "noise-fno"}) CHECK(crps[method].size() == 3);

  CHECK(says(run("budget", "").errors, "--sweep FILE, a record of mno experiment sweep"));
  CHECK(says(run("budget", " --sweep none.json").errors, "'none.json' has no rows of a sweep"));
  REQUIRE(mno_in(folder, "report out/sweep --rows sweep.json").code == 0);
  for (const std::string name : {"budget", "generative-efficiency"}) {
    const auto done = run(name, " --restart --sweep sweep.json");
    REQUIRE_MESSAGE(done.code == 0, done.errors);
    for (const auto& row : nlohmann::json::parse(done.out)["rows"])
      CHECK_MESSAGE(std::isfinite(row["value"].get<double>()), row.dump());
    const auto record = nlohmann::json::parse(content(folder / "out" / name / "run.json"));
    int seen = 0;
    for (const auto& method : record["methods"]) {
      if (method["method"] != "noise-fno") continue;
      ++seen;
      std::istringstream words(method["runs"][0]["training"].get<std::string>());
      for (std::string word; words >> word;)
        if (word.starts_with("learning_rate=")) CHECK(std::stod(word.substr(14)) == rate);
    }
    CHECK(seen == (name == "budget" ? 2 : 1));
  }
}

namespace {

/// Runs an experiment with next to nothing, and computes a number of it again from the model and the data
/// that its record names. Returns its rows.
nlohmann::json smallest_form(const Scratch& folder, const std::string& name, const std::string& more) {
  CAPTURE(name);
  const auto done =
      mno_in(folder, "experiment " + name +
                         " --samples 8 --validation 4 --test 4 --ensemble 8 --epochs 1 --pairs 1 "
                         "--json -o out/" +
                         name + small + more);
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  const auto rows = nlohmann::json::parse(done.out)["rows"];
  CHECK(rows.size() >= 10);
  for (const auto& row : rows) CHECK_MESSAGE(std::isfinite(row["value"].get<double>()), row.dump());
  CHECK(std::filesystem::exists(folder / "out" / name / "report.html"));

  const auto record = nlohmann::json::parse(content(folder / "out" / name / "run.json"));
  CHECK(record["version"] == mno::library_version);
  const auto method = record["methods"][0];
  const auto at = method.value("at", nlohmann::json::object());
  std::string flags = " --members 8";
  if (at.contains("t")) flags += " --time " + at["t"].dump();
  if (at.contains("resolution")) flags += " --points " + std::to_string(at["resolution"].get<int>());
  const auto again =
      mno_in(folder, "evaluate --json --model out/cache/" + method["runs"][0]["model"].get<std::string>() +
                         " --data out/cache/" + method["runs"][0]["data"].get<std::string>() + flags);
  REQUIRE_MESSAGE(again.code == 0, again.errors);
  const std::string own = method["method"], called = own.starts_with("mno") ? "mno" : own;  // by evaluate
  const auto of = [&](const nlohmann::json& among, const std::string& name, const std::string& metric) {
    for (const auto& row : among)
      if (row["metric"] == metric && row.value("at", nlohmann::json::object()) == at && row["method"] == name)
        return row["value"].get<double>();
    return std::nan("");
  };
  auto found = nlohmann::json::parse(again.out)["rows"];
  for (auto& row : found)
    if (row["metric"] != "coverage") row["at"] = at;
  for (const char* metric : {"mean_rmse", "crps"})
    CHECK_MESSAGE(of(found, called, metric) == doctest::Approx(of(rows, own, metric)).epsilon(1e-9), metric);
  return rows;
}

}  // namespace

TEST_CASE("every experiment has a smallest form") {
  const Scratch folder;
  for (const std::string name : {"phi4", "spdebench-phi4", "rough-volatility", "superresolution",
                                 "cross-covariance", "ablations", "heat", "defaults"})
    smallest_form(folder, name, " --ranks 4");
}

TEST_CASE("experiments on squares have a smallest form, and pictures") {
  if (!std::getenv("MNO_ALL_TESTS")) return;  // they need operators of their own
  const Scratch folder;
  const auto flow = smallest_form(folder, "turbulent-flow", " --points 16 --rivals ffno");
  std::map<std::string, std::vector<std::string>> metrics;
  for (const auto& row : flow)
    if (row["benchmark"] == "kolmogorov" && row["table"] == "2d-fields")
      metrics[row["method"]].push_back(row["metric"]);
  CHECK(metrics["ffno"] == std::vector<std::string>{"mean_rmse", "w2s", "w2g", "crps", "energy_score"});
  CHECK(metrics["ffno-residual-covariance"] == metrics["mno-factorised"]);  // a control is scored as any law
  CHECK(metrics["mno-factorised"].size() > metrics["ffno"].size());
  const std::string page = content(folder / "out" / "turbulent-flow" / "report.html");
  for (const char* part : {"predicted mean", "Deviation", "<h2>Spectra</h2>"})
    CHECK_MESSAGE(says(page, part), part);

  const auto cached = [&](const std::string& beginning) {
    return std::ranges::count_if(std::filesystem::directory_iterator(folder / "out" / "cache"),
                                 [&](const auto& entry) {
                                   const std::string name = entry.path().filename().string();
                                   return name.starts_with(beginning) && name.ends_with(".safetensors");
                                 });
  };
  const auto models = cached("mno-factorised");
  const auto grids = smallest_form(folder, "resolution-2d", " --points 16 --rivals mno-factorised");
  CHECK(cached("mno-factorised") == models);  // that of the flow
  std::vector<double> asked;
  for (const auto& row : grids)
    if (row["metric"] == "mean_rmse") asked.push_back(row["at"]["resolution"]);
  CHECK(asked == std::vector<double>{32, 64, 128});

  std::map<double, int> of_channels;
  for (const auto& row : smallest_form(folder, "gray-scott", " --points 16 --rivals mno-factorised"))
    if (row["metric"] == "variance_ratio") ++of_channels[row["at"]["channel"]];
  CHECK(of_channels == std::map<double, int>{{0, 1}, {1, 1}});

  int to_exact = 0;
  for (const auto& row : smallest_form(folder, "heat-2d", " --points 16 --rivals mno-factorised"))
    if (row["metric"] == "cov_to_exact") ++to_exact;
  CHECK(to_exact == 1);
}

TEST_CASE("an experiment that is interrupted goes on, and its rows are those of an undisturbed one") {
  const Scratch folder;
  const auto run = [](const char* out, int threads) {
    return "experiment burgers --samples 64 --validation 4 --test 3 --ensemble 8 --epochs 10 --pairs 2 "
           "--threads " +
           std::to_string(threads) + " -o " + out + "/burgers" + small;
  };
  const auto whole = mno_in(folder, run("whole", 1));
  REQUIRE_MESSAGE(whole.code == 0, whole.errors);
  int interruptions = 0;
  for (const int sign : {SIGINT, SIGKILL}) {
    ::unlink((folder / "stderr.txt").c_str());  // what an earlier run said
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const std::string command = "cd '" + folder.path().string() + "' && exec '" MNO_PROGRAM_PATH "' " +
                                  run("parts", 2) + " >stdout.txt 2>stderr.txt";
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    for (int wait = 0; wait < 2000; ++wait) {  // once it shows an epoch it trains
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::error_code none;
      if (std::filesystem::exists(folder / "stderr.txt", none) &&
          says(content(folder / "stderr.txt"), "epoch "))
        break;
    }
    ::kill(child, sign);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;  // it was faster than the signal
    if (sign == SIGINT) {
      REQUIRE(WIFEXITED(status));
      CHECK(WEXITSTATUS(status) == 3);
      CHECK(says(content(folder / "stderr.txt"), "to go on, give the same command again"));
    }
    ++interruptions;
  }
  CHECK(interruptions >= 1);
  const auto rest = mno_in(folder, run("parts", 2));
  REQUIRE_MESSAGE(rest.code == 0, rest.errors);
  CHECK(nlohmann::json::parse(content(folder / "parts" / "burgers" / "results.json")) ==
        nlohmann::json::parse(content(folder / "whole" / "burgers" / "results.json")));
}

TEST_CASE("the tables of the documentation are those of the recorded rows") {
  const Scratch folder;
  const std::string docs = MNO_SOURCE_DIR "/docs/";
  REQUIRE(
      mno_in(folder, "tables '" + docs + "experiments.md' --results '" + docs + "results' -o made.md").code ==
      0);
  CHECK_MESSAGE(content(folder / "made.md") == content(docs + "experiments.md"),
                "again: mno tables docs/experiments.md --results docs/results");
}

TEST_CASE("recorded rows are the means of the runs that stand beside them, and say how they came about") {
  for (const auto& entry : std::filesystem::directory_iterator(MNO_SOURCE_DIR "/docs/results")) {
    const auto record = nlohmann::json::parse(content(entry.path()));
    if (!record.contains("methods")) continue;  // of the protocol before
    CHECK_MESSAGE(says(record["command"].get<std::string>(), "experiment"), entry.path().string());
    for (const auto& row : record["rows"]) {
      CAPTURE(row.dump());
      const std::vector<double> values = row["values"];
      const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
      CHECK(row["value"].get<double>() == doctest::Approx(mean).epsilon(1e-9));
      if (!row.contains("ratio")) continue;
      const std::vector<double> floors = row["floors"];
      double ratio = 0;
      for (std::size_t i = 0; i < values.size(); ++i)
        ratio += values[i] / floors.at(i) / double(values.size());
      CHECK(row["ratio"].get<double>() == doctest::Approx(ratio).epsilon(1e-9));
    }
    for (const auto& method : record["methods"])
      for (const auto& run : method["runs"]) {
        CHECK(run["seconds"].get<double>() > 0);
        CHECK(says(run["training"].get<std::string>(), "epochs="));
      }
  }
}

TEST_CASE("planes are trained on as lines are, and their fields are images on the page") {
  const Scratch folder;
  NpzWriter file(folder / "data.npz");
  file.write("u0", Array::of({4, 1, 8, 8}, values(4 * 64, 1)));
  file.write("uT", Array::of({4, 5, 1, 8, 8}, values(4 * 5 * 64, 2)));
  file.write("t", Array::of({}, std::vector<double>{1}));
  file.commit();
  const auto trained = mno_in(folder, "train --data data.npz -o m.safetensors --epochs 2");
  REQUIRE_MESSAGE(trained.code == 0, trained.errors);
  REQUIRE(mno_in(folder, "evaluate --model m.safetensors --data data.npz -o out").code == 0);
  const std::string page = content(folder / "out" / "report.html");
  CHECK(says(page, "<h2>Fields</h2>"));
  CHECK(says(page, "<h3>The worst: condition "));
  CHECK(says(page, "<h3>A typical one: condition "));
  for (const char* shown : {"predicted mean", "ensemble mean", "a member"})
    CHECK_MESSAGE(says(page, shown), shown);
  const auto run = nlohmann::json::parse(content(folder / "out" / "run.json"));
  std::map<std::string, int> panels;
  for (const auto& image : run["images"]) ++panels[image["panel"]];
  for (const auto& [panel, images] : panels)
    CHECK(images == (panel.ends_with("/Values") ? 5 : panel.ends_with("/Deviation") ? 2 : 1));
  CHECK(panels.size() == 3 * 4);  // with two of errors; the third of the worst is the one in the middle
  CHECK(run["conditions"]["maps"].size() == 1);
  CHECK(run["conditions"]["maps"][0]["width"] == 8);
}

TEST_CASE(
    "data that takes more memory than is allowed lies on the disk, trains to the same bits, and takes "
    "hardly more of it where there is four times as much") {
  Scratch folder;
  const auto simulate = [&](long samples, const std::string& file) {
    REQUIRE(mno_in(folder, "simulate heat --points 512 --samples " + std::to_string(samples) +
                               " --ensemble 8 --seed 1 -o " + file)
                .code == 0);
  };
  simulate(4000, "data.npz");
  simulate(1000, "quarter.npz");
  // Mean, variance, u_0 and 8 factors of every condition, as they are read and as they are prepared.
  constexpr long statistics = 2 * 512 * 4 * (3 + 8);
  const auto peak_of = [&](const std::string& data, const std::string& model, const std::string& with) {
    const std::string command =
        "cd '" + folder.path().string() + "' && exec '" MNO_PROGRAM_PATH "' train --data " + data +
        " --epochs 1 --no-symmetries --places no -o " + model + with + small + ">out.txt 2>&1";
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr));
    int status = 0;
    struct rusage used {};
    REQUIRE(::wait4(child, &status, 0, &used) == child);
    REQUIRE_MESSAGE(status == 0, content(folder / "out.txt"));
    return used.ru_maxrss * 1024;
  };
  const long plain = peak_of("data.npz", "plain.safetensors", ""),
             bounded = peak_of("data.npz", "bounded.safetensors", " --memory 8M"),
             quarter = peak_of("quarter.npz", "quarter.safetensors", " --memory 8M");
  MESSAGE("at most ", bounded >> 20, " MB and ", plain >> 20, " MB in memory; statistics take ",
          4000 * statistics >> 20, "; ", quarter >> 20, " with a quarter of them");
  CHECK(bounded < plain - 4000 * statistics / 2);
  // docs/training.md: what is allowed, 400 bytes of every condition, and what the system maps until pages are
  // given back, which does not depend on the amount of data.
  CHECK(bounded < quarter + 3000 * 400 + (24 << 20));
  CHECK(content(folder / "bounded.safetensors") == content(folder / "plain.safetensors"));
  CHECK(mno_in(folder, "train --data data.npz -o m.safetensors --memory much").code == 2);
}

TEST_CASE("runs are put side by side, and it is said where their data differ") {
  const Scratch folder;
  simulate_heat(folder);
  simulate_heat(folder, "other.npz", 6);
  for (const std::string epochs : {"1", "9"}) {
    const auto trained = mno_in(folder, "train --data data.npz --epochs " + epochs + " --batch 8 -o m" +
                                            epochs + ".safetensors" + small);
    REQUIRE_MESSAGE(trained.code == 0, trained.errors);
    REQUIRE(mno_in(folder, "evaluate --model m" + epochs + ".safetensors --data data.npz -o runs/e" + epochs)
                .code == 0);
  }
  REQUIRE(mno_in(folder, "evaluate --model m1.safetensors --data other.npz -o third").code == 0);
  const auto both = mno_in(folder, "report runs/e1 runs/e9 -o both.html");
  REQUIRE_MESSAGE(both.code == 0, both.errors);
  CHECK(says(both.out, "e9 has the least CRPS on data.npz. Better than e1 (CRPS "));
  const std::string page = content(folder / "both.html");
  for (const char* part :
       {"<th scope=\"row\">e1</th>", "<th scope=\"row\">e9</th>", "<th scope=\"row\">climatology</th>",
        "<th scope=\"row\">constant variance of e9</th>", "<figcaption>Loss: all terms</figcaption>",
        "e1, e9: scored on data.npz, 24 conditions, 16 members each."})
    CHECK_MESSAGE(says(page, part), part);
  CHECK_FALSE(says(page, "different data"));
  const auto told = mno_in(folder, "report runs/e1 third --json");
  REQUIRE(told.code == 0);
  CHECK(nlohmann::json::parse(told.out)["file"] == "report.html");
  CHECK(says(content(folder / "report.html"), "These are different data"));
  CHECK(mno_in(folder, "report runs/e1 none").code == 2);
}

TEST_CASE("a report is made anew from what a run has left") {
  const Scratch folder;
  simulate_heat(folder);
  REQUIRE(mno_in(folder, "train --data data.npz -o m.safetensors --epochs 3" + small).code == 0);
  CHECK(std::ranges::count(content(folder / "m.safetensors.history.jsonl"), '\n') == 3);
  REQUIRE(mno_in(folder, "evaluate --model m.safetensors --data data.npz -o out").code == 0);
  const std::string page = content(folder / "out" / "report.html");
  std::filesystem::remove(folder / "out" / "report.html");
  REQUIRE(mno_in(folder, "report out").code == 0);
  CHECK(content(folder / "out" / "report.html") == page);
  const auto none = mno_in(folder, "report .");
  CHECK(none.code == 2);
  CHECK(says(none.errors, "there is no run.json in '.'"));
  spoil(folder / "out" / "run.json", bytes_of(std::string_view("{\"title\": 3}")));
  const auto bad = mno_in(folder, "report out");
  CHECK(bad.code == 2);
  CHECK(says(bad.errors, "member 'title': expected a string"));
}

TEST_CASE("a disk that is full is an error, and what was there stays") {
  const Scratch folder;
  simulate_heat(folder);
  // No file may grow beyond 8 blocks of 512 bytes: as a full disk, for whatever is written next.
  const std::string before = content(folder / "data.npz");
  const std::string limited = "simulate heat --samples 64 --ensemble 16 --points 16 -o data.npz";
  const std::string command = "cd '" + folder.path().string() +
                              "' && trap '' XFSZ; ulimit -f 8; '" MNO_PROGRAM_PATH "' " + limited +
                              " >/dev/null 2>/dev/null";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(content(folder / "data.npz") == before);
}

TEST_CASE("a device that the program was not built for is answered with how to have it") {
  const Scratch folder;
  simulate_heat(folder);
  const auto result = mno_in(folder, "train --data data.npz -o m.safetensors --device cuda" + small);
  CHECK(result.code == 2);
  CHECK(
      says(result.errors, "This operator was compiled without CUDA. Configure with -DMNO_CUDA_PROGRAMS=ON"));
  CHECK(!std::filesystem::exists(folder / "m.safetensors"));
  CHECK(says(mno_in(folder, "train --data data.npz -o m.safetensors --device abacus").errors, "abacus"));
}

TEST_CASE("a configuration gives what flags do not, and nothing else may stand in it") {
  const Scratch folder;
  simulate_heat(folder);
  spoil(folder / "run.toml",
        bytes_of(std::string_view(
            "[data]\ndata = \"data.npz\"\nvalidation = 0.25\n[model]\noutput = \"toml.safetensors\"\n"
            "rank = 4\nwidth = 16\nmodes = 8\ndepth = 2\n[training]\nepochs = 7\nlearning-rate = "
            "1e-3\n[weights]\nhilbert_schmidt = 2\n"
            "crps = 0.5\n")));
  const auto done = mno_in(folder, "train --config run.toml --epochs 2 --json");
  REQUIRE_MESSAGE(done.code == 0, done.errors);
  const auto report = nlohmann::json::parse(done.out);
  CHECK(report["model"] == "toml.safetensors");
  CHECK(report["epochs"] == 2);  // the flag wins
  CHECK(report["validation_samples"] == 6);
  const auto told = nlohmann::json::parse(mno_in(folder, "info toml.safetensors --json").out);
  CHECK(says(told["metadata"]["training"].get<std::string>(), " learning_rate=0.001 "));
  CHECK(says(told["metadata"]["training"].get<std::string>(), " hilbert_schmidt(2, "));
  CHECK(says(told["metadata"]["training"].get<std::string>(), " crps(0.5"));

  const auto refused = [&](const std::string& text) {
    spoil(folder / "bad.toml", bytes_of(std::string_view(text)));
    const auto result = mno_in(folder, "train --config bad.toml --data data.npz -o bad.safetensors");
    CHECK(result.code == 2);
    return result.errors;
  };
  CHECK(says(refused("[training]\nepoch = 3\n"), "unknown key 'epoch' in [training]"));
  CHECK(says(refused("[train]\nepochs = 3\n"), "unknown key 'train'"));
  CHECK(says(refused("[training]\nepochs = \"many\"\n"), "key 'epochs' in [training]"));
  CHECK(says(refused("[training\n"), "is not TOML at line 1"));
}

TEST_CASE("SIGINT leaves a checkpoint, and the run that goes on from it equals an uninterrupted one") {
  const Scratch folder;
  simulate_heat(folder, "data.npz", 64);
  const std::string run = "train --data data.npz --epochs 16 --batch 4 --seed 3" + small + "-o ";
  const auto whole = mno_in(folder, run + "whole.safetensors");
  REQUIRE_MESSAGE(whole.code == 0, whole.errors);
  CHECK(says(whole.errors, "epoch 16/16  loss "));

  int interruptions = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    ::unlink((folder / "stderr.txt").c_str());  // what an earlier run said
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      std::string command = "cd '" + folder.path().string() + "' && exec '" MNO_PROGRAM_PATH "' " + run +
                            "parts.safetensors" + (interruptions ? " --resume" : "") +
                            " >stdout.txt 2>stderr.txt";
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    // Once it has shown an epoch it is under way.
    for (int wait = 0; wait < 1000; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::error_code none;
      if (std::filesystem::file_size(folder / "stderr.txt", none) > 0 && !none) break;
    }
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 0) break;  // it was faster than the signal
    CHECK(WEXITSTATUS(status) == 3);
    ++interruptions;
    const std::string said = content(folder / "stderr.txt");
    CHECK(says(said, "parts.safetensors.checkpoint'. To go on:\n"));
    CHECK(says(said, "-o parts.safetensors --resume\n"));
    CHECK_FALSE(std::filesystem::exists(folder / "parts.safetensors"));
  }
  CHECK(interruptions >= 1);
  const auto forgot = mno_in(folder, run + "parts.safetensors");
  CHECK(forgot.code == 2);
  CHECK(says(forgot.errors, "add --resume to go on with it, or --restart"));
  const auto other = mno_in(folder, run + "parts.safetensors --resume --learning-rate 0.5");
  CHECK(other.code == 2);
  CHECK(says(other.errors, "learning_rate=0.5"));
  const auto finer = mno_in(folder, run + "parts.safetensors --resume --least-points 32");
  CHECK(finer.code == 2);
  CHECK(says(finer.errors, "expected a run with least points 32, found one with 0"));
  const auto rest = mno_in(folder, run + "parts.safetensors --resume");
  REQUIRE_MESSAGE(rest.code == 0, rest.errors);
  CHECK(content(folder / "parts.safetensors") == content(folder / "whole.safetensors"));
  CHECK(says(mno_in(folder, run + "parts.safetensors --resume").errors, "there is no checkpoint"));
}

TEST_CASE("a loss that is no number is an error that names the step and the last good checkpoint") {
  const Scratch folder;
  simulate_heat(folder);
  const std::string run =
      "train --data data.npz -o m.safetensors --epochs 50 --schedule constant "
      "--checkpoint-seconds 0 --learning-rate 1e30" +
      small;
  const auto at_once = mno_in(folder, run);
  CHECK(at_once.code == 1);
  CHECK(says(at_once.errors, "in epoch 2, step 2 (samples "));
  CHECK(says(at_once.errors, "No checkpoint was written before it."));
  const auto later = mno_in(folder, run + "--validation 0");
  CHECK(later.code == 1);
  CHECK(says(later.errors, "The last good checkpoint is 'm.safetensors.checkpoint', of epoch 1."));
  CHECK_FALSE(std::filesystem::exists(folder / "m.safetensors"));
}
