// mix_tables_detail.cc: the contents of a binary other than its categories.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/mix/mix_tables.h"

namespace tare::cli {
namespace {

using code::CallSite;
using code::SiteKind;
using code::TargetKind;
using report::Cell;

constexpr std::size_t kNamesOfCandidates = 8;

std::string_view Kind(const CallSite& site) {
  switch (site.kind) {
    case SiteKind::kCall:
      return "call";
    case SiteKind::kTailCall:
      return site.conditional ? "conditional tail call" : "tail call";
    case SiteKind::kPart:
      return "part";
  }
  return "call";
}

std::string_view Through(const CallSite& site) {
  switch (site.to) {
    case TargetKind::kFunction:
      return site.indirect ? "pointer" : "direct";
    case TargetKind::kImport:
      return "import";
    case TargetKind::kDispatch:
      return "dispatch";
    case TargetKind::kVirtual:
      return "virtual";
    case TargetKind::kTable:
      return "table";
    case TargetKind::kVariable:
      return "variable";
    case TargetKind::kUnknown:
      return "unresolved";
  }
  return "unresolved";
}

// Names of the first few candidates.
std::string Names(const mix::FileMix& file, const code::CandidateSet& set) {
  std::vector<std::string> names;
  for (const auto function : set.functions) {
    if (names.size() == kNamesOfCandidates) break;
    names.push_back(ShownName(file.image->functions()[function].name));
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (set.functions.size() > names.size())
    text += fmt::format(" and {} more", set.functions.size() - names.size());
  if (set.foreign > 0)
    text += fmt::format("{}{} of other files", text.empty() ? "" : ", ", set.foreign);
  return text;
}

Cell Callee(const mix::FileMix& file, const CallSite& site) {
  const auto name = mix::CalledName(*file.code, site);
  if (!name.empty()) return ShownName(std::string(name));
  if (site.to == TargetKind::kVirtual) return fmt::format("virtual function {}", site.target);
  if (site.to == TargetKind::kTable) return fmt::format("table at {:#x}", site.target);
  if (site.to == TargetKind::kVariable) return fmt::format("pointer at {:#x}", site.target);
  return Absent("unresolved by tables and relocations");
}

Measured Optional(const std::optional<double>& value, double factor, const char* absence) {
  return value ? Known(*value * factor) : Absent(absence);
}

}  // namespace

report::Table FactsTable(const mix::FileMix& file, const mix::Facts& facts) {
  report::Table table{"facts", "Properties of the file", {{"fact"}, {"value"}}, {}};
  const auto add = [&](const char* fact, Measured value, const char* unit = "") {
    value.unit = unit;
    table.rows.push_back({std::string(fact), std::move(value)});
  };
  const auto& code = *file.code;
  add("instructions", Count(code.total().Instructions()));
  add("code", Count(code.code_bytes()), "bytes");
  add("padding in code", Count(code.padding_bytes()), "bytes");
  add("data in code", Count(code.data_bytes()), "bytes");
  add("functions", Count(facts.functions));
  add("functions with a stack frame", Count(facts.functions_with_frame));
  add("functions without a name", Count(facts.functions_without_name));
  add("PLT stubs", Count(facts.stubs));
  add("call sites", Count(facts.call_sites));
  add("calls to other libraries", Count(facts.import_calls));
  add("tail calls", Count(facts.tail_calls));
  add("indirect calls", Count(facts.indirect_calls));
  add("indirect calls with candidates", Count(facts.indirect_candidates));
  add("unresolved calls", Count(facts.unresolved_calls));
  add("jump tables", Count(facts.jump_tables));
  constexpr const char* kNoPair = "no function has two calls";
  add("median distance between calls", Optional(facts.instructions_between_calls, 1, kNoPair),
      "instructions");
  add("median distance between calls in bytes", Optional(facts.bytes_between_calls, 1, kNoPair),
      "bytes");
  add("median distance from call to target",
      Optional(facts.bytes_to_target, 1, "no direct call has its target in the file"), "bytes");
  add("median distance between caller and callee",
      Optional(facts.bytes_between_bodies, 1, "no direct call has its target in the file"),
      "bytes");
  add("vectorization of floating point",
      Optional(facts.vectorised_float, 100, "there are no floating-point instructions"), "%");
  add("vectorization overall",
      Optional(facts.vectorised_all, 100, "there is no arithmetic in vector registers"), "%");
  return table;
}

report::Table InterfaceTable(std::span<const mix::InterfaceUses> uses,
                             std::span<const std::string> files) {
  report::Table table{
      "interface",
      "Calls of a measurement interface",
      {{"file"}, report::SymbolColumn("function"), {"interface"}, {"sites"}, {"in_functions"}},
      {}};
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (const auto& use : uses[i].uses)
      table.rows.push_back(
          {files[i], ShownName(use.name), use.owner, Count(use.sites), Count(use.functions)});
  return table;
}

report::Table CallTable(const mix::FileMix& file, std::size_t max_rows) {
  report::Table table{"calls",
                      "Call sites",
                      {report::SymbolColumn("caller"),
                       {"address"},
                       {"kind"},
                       {"through"},
                       report::SymbolColumn("callee"),
                       {"candidates"},
                       {"names", "", true}},
                      {}};
  for (std::uint32_t i = 0; i < file.code->functions().size(); ++i) {
    for (const auto& site : file.code->CallsOf(i)) {
      if (table.rows.size() == max_rows) return table;
      const auto& candidates = file.code->CandidatesOf(site);
      const std::size_t count = candidates.functions.size() + candidates.foreign;
      const bool certain = site.to == TargetKind::kFunction || site.to == TargetKind::kImport;
      table.rows.push_back({ShownName(file.image->functions()[i].name),
                            fmt::format("{:#x}", site.address), std::string(Kind(site)),
                            std::string(Through(site)), Callee(file, site),
                            Count(certain ? 1 : count), Names(file, candidates)});
    }
  }
  return table;
}

report::Table LineTable(const mix::FileMix& file, const mix::SourceMix& mix, std::size_t max_rows) {
  report::Table table{"lines", "Source lines", {{"source"}, {"instructions"}}, {}};
  AddCategoryColumns(table.columns);
  std::vector<const mix::LineMix*> order;
  for (const auto& line : mix.lines) order.push_back(&line);
  std::ranges::sort(order, {}, [](const mix::LineMix* line) {
    return std::tuple(~mix::Sum(line->counts), line->source.file, line->source.line);
  });
  order.resize(std::min(order.size(), max_rows));
  const auto& files = file.sources->files();
  for (const auto* line : order) {
    const std::string name =
        line->source.file < files.size() ? files[line->source.file] : "(unknown file)";
    std::vector<Cell> row = {Printable(fmt::format("{}:{}", name, line->source.line)),
                             Count(mix::Sum(line->counts))};
    AddCategoryCells(line->counts, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table InlinedTable(const mix::FileMix& file, const mix::SourceMix& mix,
                           std::size_t max_rows) {
  report::Table table{
      "inlined",
      "Inlined functions",
      {report::SymbolColumn("function"), {"times"}, {"in_functions"}, {"instructions"}},
      {}};
  AddCategoryColumns(table.columns);
  std::vector<const mix::InlinedMix*> order;
  for (const auto& one : mix.inlined) order.push_back(&one);
  std::ranges::sort(order, {}, [](const mix::InlinedMix* one) {
    return std::tuple(~mix::Sum(one->counts), ~one->times, one->function);
  });
  order.resize(std::min(order.size(), max_rows));
  for (const auto* one : order) {
    const auto& functions = file.sources->functions();
    const std::string name =
        one->function < functions.size() ? functions[one->function].name : "(no name)";
    std::vector<Cell> row = {ShownName(name), Count(one->times), Count(one->callers),
                             Count(mix::Sum(one->counts))};
    AddCategoryCells(one->counts, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

std::string WeightedTitle(const mix::WeightedMix& weighted) {
  const double counted = weighted.covered + weighted.missed + weighted.of_others;
  if (counted == 0) return "Mix of executed instructions";
  if (weighted.of_time) {
    return fmt::format("Mix weighted by time: {:.1f} % of the samples are in this file",
                       100 * weighted.covered / counted);
  }
  return fmt::format(
      "Mix of executed instructions: {:.1f} % of the counted instructions are in this file",
      100 * weighted.covered / counted);
}

}  // namespace

report::Table WeightedTable(const mix::FileMix& file, const mix::WeightedMix& weighted) {
  report::Table table{"weighted",
                      WeightedTitle(weighted),
                      {{"category"}, {"count"}, {"share", "%"}, {"static_share", "%"}},
                      {}};
  const auto& counts = file.code->total().categories;
  double all = 0;
  for (const double one : weighted.counts) all += one;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto with_verdict = [&](Measured number) {
      if (weighted.by_block || !number.value) return number;
      number.exact = false;
      return Doubtful(number, "every instruction of a function is assumed to run equally often");
    };
    const auto sum = static_cast<double>(mix::Sum(counts));
    table.rows.push_back(
        {std::string(CategoryName(static_cast<decode::Category>(i))),
         with_verdict(Count(static_cast<std::uint64_t>(std::llround(weighted.counts[i])))),
         with_verdict(all > 0 ? Known(100 * weighted.counts[i] / all) : Absent("nothing ran")),
         sum > 0 ? Known(100 * static_cast<double>(counts[i]) / sum)
                 : Absent("there are no instructions")});
  }
  return table;
}

}  // namespace tare::cli
