// sign_tables.cc: table 1 of Carrington et al. (2002) for any machine, and its totals.
#include "cli/commands/sign/sign_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "binary/elf/elf_image.h"
#include "cli/cells.h"

namespace tare::cli {
namespace {

using signature::Hierarchy;
using signature::LevelUse;

Measured SharePercent(Measured share) { return Scaled(std::move(share), 100); }

Measured PerReference(double number, double of) {
  if (of <= 0) return Absent("no references");
  return Unbounded(number / of);
}

std::string LevelName(std::size_t index) { return fmt::format("l{}", index + 1); }

class SignTables {
 public:
  SignTables(std::span<const Hierarchy> hierarchies, const SignUsages& usages, const SignView& view)
      : hierarchies_(hierarchies), usages_(usages), view_(view) {
    for (const Hierarchy& hierarchy : hierarchies) {
      caches_ = std::max(caches_, hierarchy.caches.size());
      tlbs_ = std::max(tlbs_, hierarchy.tlbs.size());
    }
  }

  report::Table Blocks() {
    Start("blocks", "Blocks by share of memory references");
    table_.columns.push_back({"block"});
    table_.columns.push_back(report::SymbolColumn("function"));
    table_.columns.push_back({"source"});
    return Filled(usages_.blocks, [](const MemoryUsage& usage, std::vector<report::Cell>& row) {
      row.emplace_back(Printable(usage.name));
      row.emplace_back(Printable(usage.function.empty() ? "[unknown]" : usage.function));
      row.emplace_back(Printable(usage.source));
    });
  }

  report::Table Functions() {
    Start("functions", "Functions by share of memory references");
    table_.columns.push_back(report::SymbolColumn("function"));
    table_.columns.push_back({"object"});
    return Filled(usages_.functions, [](const MemoryUsage& usage, std::vector<report::Cell>& row) {
      row.emplace_back(Printable(usage.name));
      row.emplace_back(Printable(usage.source));
    });
  }

  report::Table Loops() {
    Start("loops", "Loops by share of memory references, without loops inside of them");
    table_.columns.push_back({"loop"});
    table_.columns.push_back(report::SymbolColumn("function"));
    table_.columns.push_back({"iterations"});
    table_.columns.push_back({"entries"});
    table_.columns.push_back({"depth"});
    return Filled(usages_.loops, [](const MemoryUsage& usage, std::vector<report::Cell>& row) {
      row.emplace_back(Printable(usage.name));
      row.emplace_back(Printable(usage.function.empty() ? "[unknown]" : usage.function));
      row.emplace_back(Count(usage.iterations));
      row.emplace_back(Count(usage.entries));
      row.emplace_back(Number(static_cast<std::int64_t>(usage.depth)));
    });
  }

  report::Table Processes() {
    Start("processes", "Processes, and threads with caches of their own");
    table_.columns.push_back({"process"});
    table_.columns.push_back({"program"});
    return Filled(usages_.parts, [](const MemoryUsage& usage, std::vector<report::Cell>& row) {
      row.emplace_back(usage.name);
      row.emplace_back(Printable(usage.source));
    });
  }

  report::Table Machines() const {
    report::Table table{"machines",
                        "Where references are served",
                        {{"machine"},
                         {"level"},
                         {"size", "bytes"},
                         {"hits", "%"},
                         {"served", "%"},
                         {"write_backs"}},
                        {}};
    for (std::size_t i = 0; i < hierarchies_.size(); ++i) {
      const LevelUse& use = usages_.total.levels[i];
      double before = use.references;
      const auto add = [&](std::string level, std::uint64_t bytes, const Measured& misses,
                           report::Cell written) {
        table.rows.push_back({Printable(hierarchies_[i].name), std::move(level), Count(bytes),
                              SharePercent(signature::HitRate(misses, use.references)),
                              SharePercent(PerReference(before - misses.Value(), use.references)),
                              std::move(written)});
      };
      for (std::size_t level = 0; level < use.misses.size(); ++level) {
        add(LevelName(level), hierarchies_[i].caches[level].bytes, use.misses[level],
            Unbounded(std::round(use.write_backs[level])));
        before = use.misses[level].Value();
      }
      for (std::size_t level = 0; level < use.tlb_misses.size(); ++level) {
        const signature::TlbShape& tlb = hierarchies_[i].tlbs[level];
        before = level == 0 ? use.references : use.tlb_misses[level - 1].Value();
        add(level == 0 ? "tlb" : fmt::format("tlb{}", level + 1), tlb.entries * tlb.page_bytes,
            use.tlb_misses[level], Absent("TLBs write nothing back"));
      }
    }
    return table;
  }

 private:
  bool Several() const { return hierarchies_.size() > 1; }

  void Start(std::string id, std::string title) {
    table_ = {std::move(id), std::move(title), {}, {}};
    if (Several()) table_.columns.push_back({"machine"});
  }

  template <typename Fill>
  report::Table Filled(const std::vector<MemoryUsage>& usages, Fill begin) {
    AddColumns();
    const std::size_t rows = view_.top == 0 ? usages.size() : std::min(view_.top, usages.size());
    for (std::size_t machine = 0; machine < hierarchies_.size(); ++machine) {
      double cumulative = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        std::vector<report::Cell> row;
        if (Several()) row.emplace_back(Printable(hierarchies_[machine].name));
        begin(usages[i], row);
        cumulative += usages[i].References();
        AddCells(usages[i], cumulative, machine, row);
        table_.rows.push_back(std::move(row));
      }
    }
    return std::move(table_);
  }

  void AddColumns() {
    auto& columns = table_.columns;
    columns.insert(columns.end(),
                   {{"share", "%"}, {"cumulative", "%"}, {"flops_per_reference"}, {"random"}});
    for (std::size_t i = 0; i < caches_; ++i) columns.push_back({LevelName(i), "%"});
    if (tlbs_ > 0) columns.push_back({"tlb", "%"});
    for (std::size_t i = 1; i < tlbs_; ++i) columns.push_back({fmt::format("tlb{}", i + 1), "%"});
    columns.insert(columns.end(), {{"executions"},
                                   {"instructions"},
                                   {"loads"},
                                   {"stores"},
                                   {"bytes_per_reference"},
                                   {"stride_same"},
                                   {"stride_one"},
                                   {"stride_two"},
                                   {"stride_three_to_eight"},
                                   {"stride_larger"},
                                   {"indirect"},
                                   {"chained"},
                                   {"chain"}});
  }

  void AddCells(const MemoryUsage& usage, double cumulative, std::size_t machine,
                std::vector<report::Cell>& row) const {
    const double all = usages_.total.References();
    const double references = usage.References();
    row.emplace_back(SharePercent(PerReference(references, all)));
    row.emplace_back(SharePercent(PerReference(cumulative, all)));
    row.emplace_back(PerReference(usage.flops, references));
    row.emplace_back(StrideShare(usage, usage.strides.random));
    const LevelUse none;
    const LevelUse& use = machine < usage.levels.size() ? usage.levels[machine] : none;
    for (std::size_t i = 0; i < caches_; ++i) row.emplace_back(Hits(use, use.misses, i));
    if (tlbs_ > 0) row.emplace_back(Hits(use, use.tlb_misses, 0));
    for (std::size_t i = 1; i < tlbs_; ++i) row.emplace_back(Hits(use, use.tlb_misses, i));
    row.emplace_back(Count(usage.executions));
    row.emplace_back(Unbounded(std::round(usage.instructions)));
    row.emplace_back(Count(usage.loads));
    row.emplace_back(Count(usage.stores));
    row.emplace_back(PerReference(usage.bytes, references));
    const signature::Strides& strides = usage.strides;
    for (const double part :
         {strides.same, strides.one, strides.two, strides.three_to_eight, strides.larger})
      row.emplace_back(StrideShare(usage, part));
    const double loads =
        usage.addresses.independent + usage.addresses.indirect + usage.addresses.chained;
    row.emplace_back(LoadShare(usage.addresses.indirect, loads));
    row.emplace_back(LoadShare(usage.addresses.chained, loads));
    row.emplace_back(Chain(usage));
  }

  Measured Hits(const LevelUse& use, const std::vector<Measured>& misses, std::size_t level) const {
    if (level >= misses.size()) return Absent("the machine has no such level");
    return SharePercent(signature::HitRate(misses[level], use.references));
  }

  static Measured StrideShare(const MemoryUsage& usage, double references) {
    if (usage.strides.sampled == 0) return Absent("no references were sampled for strides");
    return PerReference(references, usage.References());
  }

  static Measured LoadShare(double of_kind, double loads) {
    if (loads <= 0) return Absent("no loads");
    return Unbounded(of_kind / loads);
  }

  // "load 1, float_add 0.5" per execution.
  static std::string Chain(const MemoryUsage& usage) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < signature::kWorkKinds; ++i) {
      if (usage.chain[i] <= 0 || usage.executions == 0) continue;
      parts.push_back(
          fmt::format("{} {}", Name(static_cast<signature::Work>(i)),
                      Rounded(usage.chain[i] / static_cast<double>(usage.executions), 3)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::span<const Hierarchy> hierarchies_;
  const SignUsages& usages_;
  const SignView& view_;
  std::size_t caches_ = 0;
  std::size_t tlbs_ = 0;
  report::Table table_;
};

std::string UsagePlace(const MemoryUsage& usage) {
  const std::string function = Printable(usage.function.empty() ? usage.name : usage.function);
  return usage.source.empty() ? function
                              : fmt::format("{} ({})", function, Printable(usage.source));
}

// "L1 97.1 %, L2 2.1 %, memory 0.8 %". A level that serves next to nothing is left out.
std::string ServedBy(const LevelUse& use) {
  std::vector<std::string> parts;
  double before = use.references;
  constexpr double kMinShare = 0.0001;
  const auto add = [&](double served, const std::string& level) {
    if (served < kMinShare * use.references) return;
    parts.push_back(fmt::format("{} {} %", level, Rounded(100 * served / use.references, 3)));
  };
  for (std::size_t i = 0; i < use.misses.size(); ++i) {
    add(before - use.misses[i].Value(), fmt::format("L{}", i + 1));
    before = use.misses[i].Value();
  }
  add(before, "memory");
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The blocks that make most references, then the level that serves them.
std::string SignSummary(const SignUsages& usages, std::span<const Hierarchy> hierarchies) {
  const double all = usages.total.References();
  if (all <= 0) return "The program makes no memory references.";
  constexpr double kMainShare = 0.8;
  double sum = 0;
  std::size_t count = 0;
  while (count < usages.blocks.size() && sum < kMainShare * all)
    sum += usages.blocks[count++].References();
  const MemoryUsage& first = usages.blocks.front();
  std::string text = count == 1
                         ? fmt::format("One block, in {}, makes {} % of the references.",
                                       UsagePlace(first), Rounded(100 * sum / all, 3))
                         : fmt::format(
                               "{} blocks make {} % of the references; the first, in {}, makes "
                               "{} %.",
                               Grouped(count), Rounded(100 * sum / all, 3), UsagePlace(first),
                               Rounded(100 * first.References() / all, 3));
  for (std::size_t i = 0; i < hierarchies.size() && i < 2; ++i) {
    text += fmt::format(" On {}, they are served by {}.", Printable(hierarchies[i].name),
                        ServedBy(usages.total.levels[i]));
  }
  return text;
}

std::string AssumedText(std::span<const Hierarchy> hierarchies) {
  std::vector<std::string> parts;
  for (const Hierarchy& hierarchy : hierarchies) {
    if (hierarchy.assumed.empty()) continue;
    parts.push_back(fmt::format("Assumed of {}: {}.", Printable(hierarchy.name),
                                Printable(fmt::format("{}", fmt::join(hierarchy.assumed, "; ")))));
  }
  return fmt::format("{}", fmt::join(parts, "\n\n"));
}

}  // namespace

Result<std::vector<Hierarchy>> HierarchiesOf(std::span<const DescribedMachine> machines) {
  std::vector<Hierarchy> hierarchies;
  for (const DescribedMachine& machine : machines) {
    if (machine.profile) {
      hierarchies.push_back(signature::HierarchyOf(*machine.profile));
    } else if (machine.processor) {
      hierarchies.push_back(signature::HierarchyOf(*machine.processor));
    }
    CHECK(!hierarchies.empty());
    auto valid = signature::Validate(hierarchies.back());
    if (!valid) return Fail(valid.error().kind, "--machine: " + valid.error().message);
  }
  return hierarchies;
}

void AddSignTables(const signature::Signature& signature, std::span<const Hierarchy> hierarchies,
                   const SignView& view, report::Document& document) {
  const SignUsages usages = SumUsages(signature, hierarchies);
  std::string summary = SignSummary(usages, hierarchies);
  if (IsReplaced(signature.caveats)) {
    summary +=
        " The signature ends where the program replaced itself by another one; --children signs "
        "that one, too.";
  }
  document.blocks.emplace_back(report::Text{"summary", std::move(summary)});
  if (!view.all && !view.verbose) {
    for (std::size_t i = 0; i < hierarchies.size(); ++i)
      document.blocks.emplace_back(ShortSignTable(usages, view.per, hierarchies[i], i, view.top));
    return;
  }
  SignTables tables(hierarchies, usages, view);
  if (view.all || view.per == "block") document.blocks.emplace_back(tables.Blocks());
  if (view.all || view.per == "function") document.blocks.emplace_back(tables.Functions());
  if (view.all || view.per == "loop") document.blocks.emplace_back(tables.Loops());
  document.blocks.emplace_back(tables.Processes());
  document.blocks.emplace_back(tables.Machines());
  const std::string assumed = AssumedText(hierarchies);
  if (!assumed.empty()) document.blocks.emplace_back(report::Text{"assumed", assumed});
}

std::vector<Caveat> SignCaveats(const signature::Signature& signature,
                                std::span<const DescribedMachine> machines) {
  std::vector<Caveat> caveats = signature.caveats;
  if (!signature.complete)
    caveats.push_back(
        {CaveatId::kIncomplete, "the signature is incomplete: the program or tare was stopped"});
  for (const signature::Object& object : signature.objects) {
    if (object.path.empty() || object.build_id.empty()) continue;
    const auto image = elf::OpenElf(object.path);
    if (!image || image->build_id() == object.build_id) continue;
    caveats.push_back({CaveatId::kChangedBinary,
                       fmt::format("{} has another build id now", Printable(object.path))});
  }
  const std::string_view own = Name(signature.architecture);
  for (const DescribedMachine& machine : machines) {
    if (!machine.profile || machine.profile->architecture.empty()) continue;
    if (machine.profile->architecture == own) continue;
    caveats.push_back(
        {CaveatId::kOtherInstructionSet,
         fmt::format("the program is signed for {}, {} is {}", own,
                     Printable(machine.profile->name), Printable(machine.profile->architecture))});
  }
  return caveats;
}

}  // namespace tare::cli
