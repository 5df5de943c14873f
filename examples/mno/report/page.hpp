#pragma once
// A run as one page of HTML that needs nothing else: no network, no other file. It fits a phone, a desk and
// paper. The only script is its own, and sorts a table.
#include "plots.hpp"
#include "tables.hpp"
#include "worst.hpp"

namespace mno::report {

inline constexpr const char* page_style = R"css(
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:72rem;font:1rem/1.5 system-ui,sans-serif;color:#222;background:#fff}
h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2rem 0 .5rem;padding-bottom:.2rem;border-bottom:1px solid #ccc}
h3{font-size:1.05rem;margin:1.2rem 0 .4rem;overflow-wrap:anywhere}
p{max-width:42rem;margin:.5rem 0;overflow-wrap:anywhere}
.description{white-space:pre-line}
pre{margin:.5rem 0;padding:.6rem .8rem;background:#f3f3f3;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
.settings{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:0 2rem;margin:.5rem 0}
.settings div{display:flex;justify-content:space-between;gap:1rem;border-bottom:1px solid #eee}
dt{color:#555}
dd{margin:0;text-align:right;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto;margin:.4rem 0 1rem}
table{border-collapse:collapse;font-size:.9rem}
caption{text-align:left;font-weight:600;padding:.2rem 0}
th,td{padding:.25rem .8rem .25rem 0;text-align:left;white-space:nowrap;border-bottom:1px solid #e3e3e3}
th{border-bottom:1px solid #888;font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums}
td,th{vertical-align:top}
tbody th,tfoot th{border-bottom:1px solid #e3e3e3;white-space:normal;min-width:7rem;position:sticky;left:0;background:#fff}
.matrix thead th{white-space:normal;vertical-align:bottom}
small{font-size:.78em;color:#555;font-weight:400}
.best{font-weight:700;color:#00694c}
.floor *,.paper *{font-style:italic;color:#555;font-weight:400}
.sortable td.number,.sortable th.number{padding-right:.5rem;padding-left:.5rem}
.sortable thead th{cursor:pointer}
.verdict{max-width:52rem;margin:.8rem 0;padding:.7rem 1rem;border-left:.35rem solid #777;background:#f3f3f3;font-size:1.1rem}
.verdict.better{border-color:#009e73}
.verdict.worse{border-color:#d55e00}
.verdict p{max-width:none;margin:.2rem 0}
.panels,.worst{display:flex;flex-wrap:wrap;gap:1rem 2.5rem;align-items:flex-start}
.worst>*{flex:0 1 auto;min-width:0;max-width:100%}
.worst .panels{flex:1 1 24rem}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:flex-end}
.tile{flex:0 1 11rem;min-width:7rem}
.tile:has(.wide){flex:1 1 16rem;max-width:34rem}
.tile p{margin:0;font-size:.85rem}
.field{display:block;width:100%;height:auto}
.bar{width:4.8rem;height:11rem;flex:none}
.figures{margin-top:.6rem;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1.2rem 1.5rem}
figure{margin:0;min-width:0}
figcaption{font-weight:600;overflow-wrap:anywhere}
.plot{display:block;width:100%;height:auto;max-width:32rem}
.legend{display:flex;flex-wrap:wrap;gap:0 1rem;margin:.1rem 0 .2rem;padding:0;list-style:none;font-size:.85rem}
.mark{width:26px;height:12px;margin-right:.35rem;vertical-align:-1px}
.note{font-size:.85rem;color:#555;margin:.2rem 0}
@media (max-width:40rem){.tile{flex-basis:6.5rem;min-width:6rem}.bar{width:3.6rem;height:8rem}}
@page{margin:15mm}
@media print{
body{padding:0;max-width:none;font-size:10pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.scroll{overflow:visible}
table{font-size:8.5pt}
th,td{padding-right:.5rem}
h1,h2,h3,caption{break-after:avoid}
figure,tr,pre,.verdict{break-inside:avoid}
.figures{display:block;font-size:0;orphans:1;widows:1}
figure:not(.panel){display:inline-block;width:48%;margin:0 1% 4mm;vertical-align:top;font-size:10pt}
}
)css";

inline std::string section(const char* name, const std::string& content) {
  return content.empty() ? "" : std::string("<section>\n<h2>") + name + "</h2>\n" + content + "</section>\n";
}
inline std::string figures(const std::string& content) {
  return content.empty() ? "" : "<div class=\"figures\">\n" + content + "</div>\n";
}

inline std::string what_was_run(const RunRecord& record) {
  std::string out;
  if (!record.command.empty()) out += "<pre><code>" + escape(record.command) + "</code></pre>\n";
  if (record.settings.empty()) return out;
  out += "<dl class=\"settings\">\n";
  for (const Setting& setting : record.settings)
    out += "<div><dt>" + escape(setting.name) + "</dt><dd>" + escape(setting.value) + "</dd></div>\n";
  return out + "</dl>\n";
}

/// How good it is, on top: green where every reference is beaten, red where one is better than the model.
inline std::string verdict_box(const Verdict& verdict) {
  if (verdict.sentence.empty()) return "";
  const auto is = [](const char* words) {
    return [words](const SkillRow& row) { return row.verdict == words; };
  };
  const std::string kind = std::ranges::any_of(verdict.skills, is("worse than")) ? " worse"
                           : !verdict.skills.empty() && std::ranges::all_of(verdict.skills, is("better than"))
                               ? " better"
                               : "";
  std::string out = "<div class=\"verdict" + kind + "\">\n";
  for (std::size_t begin = 0; begin < verdict.sentence.size();) {  // a paragraph for every line
    const std::size_t end = std::min(verdict.sentence.find('\n', begin), verdict.sentence.size());
    out += "<p>" + escape(verdict.sentence.substr(begin, end - begin)) + "</p>\n";
    begin = end + 1;
  }
  return out + "</div>\n";
}

/// Parts of the record that are empty are left out.
inline std::string render(const RunRecord& record) {
  check(record);
  std::string pictures, examples;
  for (const Figure& one : record.figures) pictures += figure(plot_of(one));
  for (const Example& example : record.examples)
    if (const std::string plots = figures(example_figures(example)); !plots.empty())
      examples += "<h3>" + escape(example.title) + "</h3>\n" + plots;
  const std::string worst = record.conditions ? worst_conditions(*record.conditions) : "";

  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
         escape(record.title) + "</title>\n<style>" + page_style + "</style>\n</head>\n<body>\n<main>\n<h1>" +
         escape(record.title) + "</h1>\n" + (record.verdict ? verdict_box(*record.verdict) : "") +
         (record.description.empty() ? ""
                                     : "<p class=\"description\">" + escape(record.description) + "</p>\n") +
         section("Results", tables(record.rows) + figures(pictures)) + section("Worst conditions", worst) +
         section("Examples", examples) + section("Fields", panels(record.images)) +
         section("Calibration", figures(calibration_figure(record.calibration) +
                                        (record.pit ? pit_figure(*record.pit) : ""))) +
         section("Spectra", figures(spectra_figures(record.spectra))) +
         section("Training", figures(curve_figures(record.curves))) +
         section("What was run", what_was_run(record)) + "</main>\n" + (worst.empty() ? "" : sorting_script) +
         "</body>\n</html>\n";
}

}  // namespace mno::report
