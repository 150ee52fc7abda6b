// static_difference.cc: pairs functions of two builds, joins them with their executions, and splits
// the difference by cause.
#include "analysis/proxy/static_difference.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "analysis/proxy/executed_code.h"
#include "base/printable.h"
#include "binary/code/clone_name.h"
#include "binary/code/function_walk.h"
#include "binary/mix/mix_comparison.h"

namespace tare::proxy {
namespace {

constexpr std::string_view kStub = "@plt";

std::size_t IndexOf(Cause cause) { return static_cast<std::size_t>(cause); }

Amounts AmountsOf(const count::MetricCounts& counts) {
  using count::Metric;
  const auto get = [&](Metric metric) { return static_cast<std::int64_t>(counts[metric]); };
  return {get(Metric::kInstructions), get(Metric::kLoads), get(Metric::kStores),
          get(Metric::kConditionalBranches), get(Metric::kCalls)};
}

Amounts AmountsOf(const decode::Instruction& instruction) {
  using decode::BranchKind;
  const bool calls =
      instruction.branch == BranchKind::kCall || instruction.branch == BranchKind::kIndirectCall;
  return {1, instruction.loads, instruction.stores,
          instruction.branch == BranchKind::kConditional ? 1 : 0, calls ? 1 : 0};
}

Amounts Multiplied(Amounts amounts, std::uint64_t times) {
  const auto factor = static_cast<std::int64_t>(times);
  return {amounts.instructions * factor, amounts.loads * factor, amounts.stores * factor,
          amounts.branches * factor, amounts.calls * factor};
}

// A file, its executions, and its calls of the interface.
struct Side {
  const mix::FileMix& file;
  const count::Tally& tally;
  mix::InterfaceUses uses;
  std::map<std::uint64_t, std::uint32_t> by_start;
  std::vector<Amounts> code;        // of each function
  std::vector<Amounts> hook_calls;  // executed in each function

  Side(const mix::FileMix& given, const count::Tally& run,
       const mix::MeasurementInterface& measurement)
      : file(given), tally(run), uses(mix::FindInterfaceUses(*given.code, measurement)) {
    ReadCode();
    CountHookCalls(measurement);
  }

 private:
  void ReadCode() {
    decode::Decoder decoder(file.image->architecture());
    const auto& functions = file.image->functions();
    code.resize(functions.size());
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
      by_start[functions[i].start] = i;
      code::FunctionWalk walk(*file.image, functions[i], decoder, file.code->literals());
      while (walk.Next())
        if (walk.piece().kind == code::PieceKind::kInstruction)
          code[i] += AmountsOf(walk.piece().instruction);
    }
  }

  void CountHookCalls(const mix::MeasurementInterface& measurement) {
    constexpr std::uint64_t kLongestInstruction = 16;
    hook_calls.resize(code.size());
    const ExecutedCode executed(*file.image, file.path, tally);
    decode::Decoder decoder(file.image->architecture());
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      for (const auto& site : file.code->CallsOf(i)) {
        if (!measurement.OwnerOf(mix::CalledName(*file.code, site))) continue;
        const auto instruction =
            decoder.TryDecode(file.image->Code(site.address, kLongestInstruction), site.address);
        if (instruction)
          hook_calls[i] += Multiplied(AmountsOf(*instruction), executed.At(site.address));
      }
    }
  }
};

class Explainer {
 public:
  Explainer(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
            const mix::FileMix& instrumented, const count::Tally& instrumented_run,
            const mix::MeasurementInterface& measurement)
      : measurement_(measurement),
        sides_{Side(vanilla, vanilla_run, measurement),
               Side(instrumented, instrumented_run, measurement)},
        comparison_(
            mix::Compare(vanilla, instrumented, measurement, sides_[0].uses, sides_[1].uses)) {}

  StaticDifference Run() {
    MarkInlining();
    AddPairs();
    AddRuns();
    for (auto& row : rows_) Split(row);
    SumDifferences();
    return std::move(result_);
  }

 private:
  struct Row {
    FunctionDifference shown;
    Amounts hook_calls;  // executed, instrumented minus vanilla
    bool of_interface = false;
    bool inlining = false;
  };

  // Functions that contain, or are, a body that only one of the builds inlined.
  void MarkInlining() {
    using mix::CallReason;
    for (const auto& change : comparison_.calls) {
      const bool inlined = change.reason == CallReason::kInliningLost ||
                           change.reason == CallReason::kInliningGained;
      if (!inlined && change.reason != CallReason::kMoved) continue;
      inlining_.insert(change.caller);
      if (inlined && !measurement_.OwnerOf(change.callee)) inlining_.insert(change.callee);
    }
    for (const auto& lone : comparison_.lone)
      if (!lone.of_interface && (lone.calls > 0 || lone.inlined_elsewhere.value_or(0) > 0))
        inlining_.insert(comparison_.pairs[lone.pair].name);
  }

  // mix::Compare pairs all stubs at once. Here each has a row, because those of hooks have a cause.
  void AddPairs() {
    for (const auto& pair : comparison_.pairs) {
      for (const std::size_t side : {0U, 1U}) {
        const auto& group = side == 0 ? pair.first : pair.second;
        for (const auto function : group.functions) {
          const auto& binary = sides_[side].file.image->functions()[function];
          const bool stub = sides_[side].file.code->IsStub(function);
          AddFunction(side, function, RowOf("", stub ? binary.name : pair.name));
        }
      }
    }
  }

  void AddFunction(std::size_t side, std::uint32_t function, std::size_t number) {
    const Side& own = sides_[side];
    Row& row = rows_[number];
    row_of_[side][function] = number;
    (side == 0 ? row.shown.in_vanilla : row.shown.in_instrumented) = true;
    (side == 0 ? row.shown.vanilla_code : row.shown.instrumented_code) += own.code[function];
    if (side == 0) {
      row.hook_calls -= own.hook_calls[function];
      return;
    }
    row.hook_calls += own.hook_calls[function];
    row.shown.hook_sites +=
        own.uses.calls[function] + own.uses.jumps[function] + own.uses.conditional_jumps[function];
  }

  // The index of the row for a name in an object.
  std::size_t RowOf(const std::string& object, const std::string& name) {
    const auto [entry, is_new] = numbers_.try_emplace({object, name}, rows_.size());
    if (is_new) {
      Row row;
      row.shown.function = mix::ShownName(name);
      row.shown.object =
          object.empty() ? "" : Printable(std::filesystem::path(object).filename().string());
      const std::string bare =
          name.ends_with(kStub) ? name.substr(0, name.size() - kStub.size()) : name;
      row.of_interface = measurement_.OwnerOf(bare).has_value();
      row.inlining = object.empty() && inlining_.contains(name);
      rows_.push_back(std::move(row));
    }
    return entry->second;
  }

  void AddRuns() {
    for (const std::size_t side : {0U, 1U}) {
      for (const auto& [key, function] : sides_[side].tally.functions) {
        const std::size_t number = RowOfRun(side, key, function);
        FunctionDifference& shown = rows_[number].shown;
        (side == 0 ? shown.vanilla : shown.instrumented) += AmountsOf(function.metrics);
        (side == 0 ? shown.in_vanilla : shown.in_instrumented) = true;
      }
      (side == 0 ? result_.vanilla : result_.instrumented) = AmountsOf(sides_[side].tally.total);
    }
  }

  std::size_t RowOfRun(std::size_t side, const engine::FunctionKey& key,
                       const count::FunctionTally& function) {
    const Side& own = sides_[side];
    if (!IsOwn(side, key.object)) return RowOf(key.object, function.function);
    const auto index = own.by_start.find(key.start);
    if (index == own.by_start.end()) return RowOf("", function.function);
    return row_of_[side].at(index->second);
  }

  bool IsOwn(std::size_t side, const std::string& object) {
    const auto [entry, is_new] = own_[side].try_emplace(object, false);
    if (is_new) entry->second = IsSameFile(object, sides_[side].file.path);
    return entry->second;
  }

  static void Split(Row& row) {
    Amounts left = row.shown.Difference();
    auto& parts = row.shown.parts;
    if (row.of_interface) {
      parts[IndexOf(Cause::kHookCode)] = left;
      return;
    }
    parts[IndexOf(Cause::kHookCalls)] = row.hook_calls;
    left -= row.hook_calls;
    const Cause cause = row.inlining               ? Cause::kInlining
                        : row.shown.hook_sites > 0 ? Cause::kAround
                                                   : Cause::kRest;
    parts[IndexOf(cause)] = left;
  }

  void SumDifferences() {
    for (const auto& row : rows_) {
      const FunctionDifference& shown = row.shown;
      for (std::size_t i = 0; i < kCauses; ++i) result_.parts[i] += shown.parts[i];
      result_.hook_calls += row.hook_calls.instructions;
      const bool ran = shown.vanilla != Amounts{} || shown.instrumented != Amounts{};
      if (ran || shown.vanilla_code != shown.instrumented_code) result_.functions.push_back(shown);
    }
    result_.with_debug = sides_[0].file.sources.has_value() && sides_[1].file.sources.has_value();
    std::ranges::sort(result_.functions, {}, [](const FunctionDifference& one) {
      return std::tuple(-std::abs(one.Difference().instructions), std::string_view(one.object),
                        std::string_view(one.function));
    });
  }

  const mix::MeasurementInterface& measurement_;
  std::array<Side, 2> sides_;
  mix::Comparison comparison_;
  std::set<std::string> inlining_;  // base names
  std::vector<Row> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::array<std::map<std::uint32_t, std::size_t>, 2> row_of_;  // by function index in the file
  std::array<std::map<std::string, bool>, 2> own_;
  StaticDifference result_;
};

Amounts Minus(Amounts second, const Amounts& first) { return second -= first; }

}  // namespace

Amounts& Amounts::operator+=(const Amounts& other) {
  instructions += other.instructions;
  loads += other.loads;
  stores += other.stores;
  branches += other.branches;
  calls += other.calls;
  return *this;
}

Amounts& Amounts::operator-=(const Amounts& other) {
  instructions -= other.instructions;
  loads -= other.loads;
  stores -= other.stores;
  branches -= other.branches;
  calls -= other.calls;
  return *this;
}

Amounts FunctionDifference::Difference() const { return Minus(instrumented, vanilla); }
Amounts StaticDifference::Difference() const { return Minus(instrumented, vanilla); }

const CauseText& TextOf(Cause cause) {
  static constexpr auto kTexts = std::to_array<CauseText>({
      {"hook calls", "the calls to the measurement interface"},
      {"hook code", "the code that these calls run: stubs and the interface's own functions"},
      {"around", "arguments, saved registers and frames in functions that call the interface"},
      {"inlining", "functions that only one of the two builds inlines, and their callers"},
      {"rest", "libraries, the loader and the unexplained rest"},
  });
  return kTexts[IndexOf(cause)];
}

Result<StaticDifference> Differ(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
                                const mix::FileMix& instrumented,
                                const count::Tally& instrumented_run,
                                const std::string& interface) {
  if (vanilla.image->architecture() != instrumented.image->architecture())
    return Fail(ErrorKind::kUnsupported, "the two programs are for different processors");
  TRY(const auto measurement, mix::MeasurementInterface::Make(interface));
  return Explainer(vanilla, vanilla_run, instrumented, instrumented_run, measurement).Run();
}

}  // namespace tare::proxy
