#include "../../examples/mno/report/page.hpp"

#include <doctest/doctest.h>

#include <functional>

#include "sample.hpp"

using namespace mno::report;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN(),
             infinity = std::numeric_limits<double>::infinity();

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }
int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++n;
  return n;
}

/// What is wrong with the inside of an opening tag, or "". Numbers in attributes have to be finite.
std::string fault_in_tag(std::string_view tag) {
  const auto skip = [&](auto&& belongs) {
    std::size_t n = 0;
    while (n < tag.size() && belongs(tag[n])) ++n;
    const std::string_view skipped = tag.substr(0, n);
    tag.remove_prefix(n);
    return skipped;
  };
  const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-'; };
  if (skip(in_name).empty()) return "a tag without a name";
  while (tag.starts_with(' ')) {
    tag.remove_prefix(1);
    const std::string name(skip(in_name));
    if (name.empty() || !tag.starts_with("=\"")) return "malformed attribute " + name;
    tag.remove_prefix(2);
    const std::string value(skip([](char c) { return c != '"' && c != '<'; }));
    if (!tag.starts_with('"')) return "open value of " + name;
    tag.remove_prefix(1);
    for (const char* bad : {"nan", "inf"})
      if (name != "aria-label" && has(value, bad)) return bad + (" in " + name);
  }
  return tag.empty() || tag == "/" ? "" : "malformed end of a tag";
}

/// What is wrong with a page's tags and attributes, or "".
std::string fault(const std::string& page) {
  std::vector<std::string> open;
  std::size_t at = page.starts_with("<!DOCTYPE html>") ? 15 : 0;
  while ((at = page.find('<', at)) != page.npos) {
    const std::size_t end = page.find('>', at);
    if (end == page.npos) return "a tag without an end";
    const std::string tag = page.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected <" + tag + ">";
      open.pop_back();
      continue;
    }
    if (const std::string why = fault_in_tag(tag); !why.empty()) return why + " <" + tag.substr(0, 200) + ">";
    const std::string name = tag.substr(0, tag.find_first_of(" /"));
    if (!tag.ends_with('/') && name != "meta") open.push_back(name);
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::string only(const std::function<void(RunRecord&)>& change) {
  RunRecord record;
  record.title = "T";
  change(record);
  return render(record);
}
const std::vector<std::string> sections = {"Results",     "Worst conditions", "Examples", "Fields",
                                           "Calibration", "Spectra",          "Training", "What was run"};

}  // namespace

TEST_CASE("the checker of pages sees faults") {
  CHECK(fault("<!DOCTYPE html>\n<p class=\"a\">x<br/></p>") == "");
  CHECK(fault("<p><b></p></b>") == "unexpected </p>");
  CHECK(fault("<p>") == "<p> is not closed");
  CHECK(fault("<p>a < b</p>") != "");
  CHECK(fault("<p title=\"a\"b\"></p>") != "");
  CHECK(has(fault("<path d=\"M0 nan\"/>"), "nan in"));
  CHECK(has(fault("<rect x=\"-inf\"/>"), "inf in"));
}

TEST_CASE("a page with every part is well-formed and needs nothing else") {
  const std::string page = render(sample_record());
  CHECK(fault(page) == "");
  for (const std::string& name : sections) CHECK(count(page, "<h2>" + name + "</h2>") == 1);
  for (const char* outside : {"http:", "https:", "<link", "src=", "@import", "url("})
    CHECK_FALSE(has(page, outside));
  CHECK(count(page, "<script") == 1);  // which sorts
  CHECK(count(page, "href=") == count(page, "href=\"data:image/png;base64,"));
  CHECK(has(page, "<meta name=\"viewport\""));
  CHECK(has(page, "@media print"));
  CHECK(count(page, "<table class=\"matrix\">") == 4);
  CHECK(count(page, "<table class=\"sortable\">") == 1);
  CHECK(count(page, "<figure>") == 1 + 2 * 6 + 2 + 2 + 2);
  CHECK(count(page, "<figure class=\"panel\">") == 4 + 1);
  CHECK(page.find("Better than climatology (CRPS 83") < page.find("<h2>"));
  CHECK(page.size() < 600000);
}

TEST_CASE("all text is escaped") {
  const std::string evil = "<i>&\"'</i>\x01", good = "&lt;i&gt;&amp;&quot;&#39;&lt;/i&gt;\xef\xbf\xbd";
  RunRecord record = sample_record();
  record.title = record.description = record.command = evil;
  record.settings = {{evil, evil}};
  record.rows = {{evil, evil, evil, evil, 1, {{evil, 2.0}}, {}, {}, {}, {}}};
  record.curves = {{evil, {1, 2}, {1, 2}}, {evil + "/" + evil, {1, 2}, {1, 2}}};
  record.examples[0].title = record.images[0].title = evil;
  record.verdict->sentence = record.conditions->metrics[0] = record.conditions->maps[0].title = evil;
  record.conditions->maps[0].rows->front() = evil;
  const std::string page = render(record);
  CHECK(fault(page) == "");
  CHECK_FALSE(has(page, "<i>"));
  CHECK_FALSE(has(page, "\x01"));
  // title twice, description, command, setting 2, row 5, example, image twice; curve names hold a '/'
  // themselves
  CHECK(count(page, good) >= 14);
}

TEST_CASE("parts that are empty are left out") {
  const auto shown_sections = [](const std::string& page) {
    CHECK(fault(page) == "");
    std::vector<std::string> out;
    for (const std::string& name : sections)
      if (has(page, "<h2>" + name + "</h2>")) out.push_back(name);
    return out;
  };
  using Names = std::vector<std::string>;
  CHECK(shown_sections(only([](RunRecord&) {})) == Names{});
  CHECK(shown_sections(only([](RunRecord& r) { r.command = "c"; })) == Names{"What was run"});
  CHECK(shown_sections(only([](RunRecord& r) { r.rows.resize(1); })) == Names{"Results"});
  CHECK(shown_sections(only([](RunRecord& r) { r.images = {{"i", 1, 1, {0}}}; })) == Names{"Fields"});
  CHECK(shown_sections(only([](RunRecord& r) { r.calibration = {{0.5}, {0.5}}; })) == Names{"Calibration"});
  CHECK(shown_sections(only([](RunRecord& r) {
          r.spectra = {{1, 2}, {1, 2}, {}, {}, {}};
        })) == Names{"Spectra"});
  CHECK(shown_sections(only([](RunRecord& r) { r.curves = {{"c", {1}, {1}}}; })) == Names{"Training"});
  const std::string mean_only = only([](RunRecord& r) {
    r.examples = {{.title = "e", .x = {0, 1}, .mean = {1, 2}}};
  });
  CHECK(shown_sections(mean_only) == Names{"Examples"});
  CHECK(count(mean_only, "<figure>") == 1);
  CHECK_FALSE(has(mean_only, "ensemble"));
  // Only what can be drawn is something.
  CHECK(shown_sections(only([](RunRecord& r) {
          r.curves = {{"c", {1, 2}, {not_a_number, infinity}}};
          r.images = {{"i", 1, 1, {not_a_number}}};
          r.calibration = {{0.5}, {not_a_number}};
          r.spectra = {{0, 1}, {1, -1}, {}, {}, {}};
          r.examples = {{.title = "e", .x = {0, 1}, .mean = {not_a_number, not_a_number}}};
        })) == Names{});
}

TEST_CASE("values that are not finite are gaps and dashes") {
  const std::string gap = only([](RunRecord& r) {
    r.curves = {{"c", {0, 1, 2, 3, 4}, {1, 2, not_a_number, 2, 1}}};
  });
  const std::size_t end = gap.find("\" fill=\"none\" stroke=\"#0072b2\"");
  REQUIRE(end != gap.npos);
  const std::string path = gap.substr(gap.rfind('"', end - 1), end - gap.rfind('"', end - 1));
  CHECK(count(path, "M") == 2);
  CHECK(count(path, "L") == 2);

  const std::string dash = only([](RunRecord& r) {
    r.rows = {
        {.table = "t", .value = not_a_number, .interval95 = infinity, .paper = -infinity, .floor = 0.0}};
  });
  CHECK(count(dash, ">– <small>± –</small></td>") == 1);
  CHECK(count(dash, ">–</td>") == 1);  // the paper's; the floor is 0, and nothing is a multiple of it
  CHECK(fault(dash) == "");

  RunRecord record = sample_record();
  std::mt19937 engine(2);
  const double odd[] = {not_a_number, infinity, -infinity, 1e308, -1e308, 5e-324, 0, -0.0};
  const auto spoil = [&](Numbers& list) {
    for (double& x : list)
      if (engine() % 4 == 0) x = odd[engine() % 8];
  };
  for (int round = 0; round < 3; ++round) {
    for (Curve& c : record.curves) spoil(c.x), spoil(c.y);
    for (Example& e : record.examples) {
      for (Numbers* list :
           {&e.x, &e.initial, &e.mean, &e.deviation, &e.truth_mean, &e.truth_deviation, &e.marginal_members})
        spoil(*list);
      for (auto* paths : {&e.draws, &e.members})
        for (Numbers& list : *paths) spoil(list);
    }
    for (Image& i : record.images) spoil(i.values);
    for (ConditionScores& c : record.conditions->all) spoil(c.scores);
    for (Image& i : record.conditions->maps) spoil(i.values);
    spoil(record.pit->shares);
    for (Numbers* list : {&record.calibration.nominal, &record.calibration.covered,
                          &record.spectra.wavenumber, &record.spectra.mean, &record.spectra.truth_variance})
      spoil(*list);
    for (Row& row : record.rows) row.value = odd[engine() % 8];
    CHECK(fault(render(record)) == "");
  }
}

TEST_CASE("a matrix has methods by metrics, the best marked, and floor and paper below") {
  const std::string page = only([](RunRecord& r) {
    r.rows = {{.table = "t",
               .benchmark = "b",
               .method = "m",
               .metric = "crps",
               .value = 0.03,
               .seeds = 5,
               .interval95 = 0.002,
               .paper = 0.04,
               .floor = 0.02},
              {.table = "t",
               .benchmark = "b",
               .method = "m",
               .metric = "coverage",
               .value = 0.8,
               .at = {{"level", 0.9}},
               .seeds = 5},
              {.table = "t",
               .benchmark = "b",
               .method = "n",
               .metric = "crps",
               .value = 0.05,
               .seeds = 5,
               .floor = 0.02},
              {.table = "t", .benchmark = "c", .method = "m", .metric = "e", .value = 12}};
  });
  CHECK(fault(page) == "");
  CHECK(has(page, "<caption>b, means over 5 runs</caption>"));
  CHECK(has(page,
            "<th scope=\"col\" class=\"number\">crps<br/><small>σ</small></th><th scope=\"col\" "
            "class=\"number\">coverage<br/><small>of 0.9</small></th>"));
  CHECK(has(page,
            "<tr><th scope=\"row\">m</th><td class=\"number best\">0.03 <small>± 0.002</small><br/>"
            "<small>1.5 × floor</small></td><td class=\"number\">0.8</td></tr>"));
  CHECK(has(page,
            "<tr><th scope=\"row\">n</th><td class=\"number\">0.05<br/><small>2.5 × floor</small></td>"
            "<td class=\"number\">–</td></tr>"));
  CHECK(has(page, "<tr class=\"paper\"><th scope=\"row\">paper</th><td class=\"number\">0.04</td>"));
  CHECK(count(page, "<tr class=\"floor\"><th scope=\"row\">floor</th><td class=\"number\">0.02</td>") == 1);
  CHECK_FALSE(
      has(page.substr(page.find("<caption>c</caption>")), "class=\"floor\""));  // nobody has one there
}

TEST_CASE("each place has its own floor where the data differ, and the best is the best there") {
  const std::string page = only([](RunRecord& r) {
    for (const double t : {1.0, 2.0})
      for (const std::string method : {"m", "n"})
        r.rows.push_back({.table = "t",
                          .benchmark = "b",
                          .method = method,
                          .metric = "w2g",
                          .value = (method == "m") == (t == 1.0) ? 3 * t : 5 * t,
                          .at = {{"t", t}},
                          .floor = t});
  });
  CHECK(count(page, "<tr class=\"floor\">") == 2);
  CHECK(count(page, "class=\"number best\"") == 2);
  CHECK(has(page, "<td>t = 2</td><td class=\"number best\">6<br/>"));
}

TEST_CASE("the verdict is green if all references are beaten, red if one is better") {
  const auto box = [](const char* first, const char* second) {
    return verdict_box({"A\nB", {{"r", first, 0, {}}, {"s", second, 0, {}}}});
  };
  CHECK(has(box("better than", "better than"), "<div class=\"verdict better\">\n<p>A</p>\n<p>B</p>"));
  CHECK(has(box("better than", "no better than"), "<div class=\"verdict\">"));
  CHECK(has(box("better than", "worse than"), "<div class=\"verdict worse\">"));
  CHECK(has(verdict_box({"A", {}}), "<div class=\"verdict\">"));
}

TEST_CASE("a record whose lists do not fit is not rendered") {
  CHECK_THROWS_AS(only([](RunRecord& r) { r.curves = {{"c", {1, 2}, {1}}}; }), std::runtime_error);
}

TEST_CASE("a figure over results is on the page and a picture of its own") {
  const RunRecord record = sample_record();
  const std::string page = render(record);
  CHECK(has(page, "<figcaption>Error over the rank</figcaption>"));
  CHECK(has(page, "<td>backbone = split</td>"));
  const std::string alone = picture(plot_of(record.figures.at(0)));
  CHECK(fault(alone) == "");
  CHECK(alone.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 360 285\""));
  CHECK(has(alone, ">theory</text>"));
  CHECK(has(alone, "stroke=\"#777777\""));  // what is no model's is grey
  CHECK(picture(Plot{.title = "empty"}).empty());
}
