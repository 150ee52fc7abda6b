// mix_comparison.cc: matching functions by base name, and calls by the names of caller and callee.
#include "binary/mix/mix_comparison.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/enum_table.h"
#include "binary/code/clone_name.h"
#include "binary/mix/inlining.h"

namespace tare::mix {
namespace {

using code::TargetKind;

constexpr std::string_view kStubs = "(stubs of other libraries)";
constexpr std::string_view kNameless = "(functions without a name)";

// One file, with the ids of its names that both files share.
struct Side {
  const FileMix& file;
  const InterfaceUses& uses;
  Inlining inlining;
  std::vector<std::uint32_t> names;                         // of each function
  std::unordered_map<std::uint32_t, std::uint64_t> called;  // call sites by callee
};

using Sites = std::array<std::uint64_t, 2>;  // in the first and in the second file

class Comparer {
 public:
  Comparer(const FileMix& first, const FileMix& second, const MeasurementInterface& measurement,
           const InterfaceUses& first_uses, const InterfaceUses& second_uses)
      : measurement_(measurement),
        sides_{Side{first, first_uses, Inlining(first), {}, {}},
               Side{second, second_uses, Inlining(second), {}, {}}} {}

  Comparison Run() {
    for (auto& side : sides_) NameFunctions(side);
    MakePairs();
    for (std::size_t i = 0; i < sides_.size(); ++i) CountCalls(i);
    ClassifyCalls();
    FindLone();
    SortAll();
    return std::move(result_);
  }

 private:
  std::uint32_t NumberOf(std::string_view name) {
    const auto [entry, is_new] =
        numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return entry->second;
  }

  void NameFunctions(Side& side) {
    const auto& functions = side.file.image->functions();
    side.names.reserve(functions.size());
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
      const bool stub = side.file.code->IsStub(i);
      side.names.push_back(NumberOf(stub ? kStubs
                                    : IsNameless(functions[i])
                                        ? kNameless
                                        : code::BaseName(functions[i].name)));
    }
  }

  static void AddTo(FunctionGroup& group, const Side& side, std::uint32_t function) {
    group.functions.push_back(function);
    Add(side.file.code->functions()[function].mix, group.counts);
    group.interface_calls += side.uses.calls[function] + side.uses.jumps[function] +
                             side.uses.conditional_jumps[function];
  }

  void MakePairs() {
    result_.pairs.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) result_.pairs[i].name = names_[i];
    for (std::size_t s = 0; s < sides_.size(); ++s) {
      const Side& side = sides_[s];
      for (std::uint32_t i = 0; i < side.names.size(); ++i) {
        FunctionPair& pair = result_.pairs[side.names[i]];
        AddTo(s == 0 ? pair.first : pair.second, side, i);
      }
    }
  }

  void CountCalls(std::size_t number) {
    Side& side = sides_[number];
    const auto& code = *side.file.code;
    for (std::uint32_t i = 0; i < side.names.size(); ++i) {
      for (const auto& site : code.CallsOf(i)) {
        if (site.kind == code::SiteKind::kPart) continue;
        const std::uint32_t callee = site.to == TargetKind::kFunction
                                         ? side.names[site.target]
                                         : NumberOf(code::BaseName(CalledName(code, site)));
        ++sites_[std::uint64_t{side.names[i]} << 32 | callee][number];
        ++side.called[callee];
      }
    }
  }

  bool HasFunction(std::size_t side, std::uint32_t name) const {
    if (name >= result_.pairs.size()) return false;
    const auto& pair = result_.pairs[name];
    return !(side == 0 ? pair.first : pair.second).functions.empty();
  }

  // Explains why file `more` has more sites than the other one.
  CallChange Classify(std::uint32_t caller, std::uint32_t callee, const Sites& sites) const {
    CallChange change{std::string(names_[caller]), std::string(names_[callee]), sites[0], sites[1]};
    const std::size_t more = sites[1] > sites[0] ? 1 : 0;
    const std::size_t less = 1 - more;
    const bool added = more == 1;
    if (measurement_.OwnerOf(names_[callee])) {
      change.reason = added ? CallReason::kMeasurement : CallReason::kRemoved;
      return change;
    }
    change.reason = added ? CallReason::kAdded : CallReason::kRemoved;
    const auto inlined = added ? CallReason::kInliningLost : CallReason::kInliningGained;
    const Inlining& other = sides_[less].inlining;
    const bool own = HasFunction(more, callee);
    if (own && HasFunction(less, caller) && other.Times(names_[caller], names_[callee]) > 0) {
      change.reason = inlined;
      change.proved = true;
    } else if (!HasFunction(less, caller)) {
      // The body of the caller, including its calls, is inlined into other functions there, or it
      // does not exist.
      change.reason = CallReason::kMoved;
      change.proved = other.Times(names_[caller]) > 0;
    } else if (own && !HasFunction(less, callee)) {
      // The debug information has no trace of the callee: its body may have been optimized away.
      change.reason = inlined;
    } else if (own && !other.known()) {
      change.reason = inlined;
    }
    return change;
  }

  void ClassifyCalls() {
    for (const auto& [key, sites] : sites_) {
      result_.unchanged_calls += std::min(sites[0], sites[1]);
      if (sites[0] == sites[1]) continue;
      result_.calls.push_back(Classify(static_cast<std::uint32_t>(key >> 32),
                                       static_cast<std::uint32_t>(key & 0xffffffff), sites));
    }
    MarkMoved();
  }

  // f called h through the inlined body of g; now f calls g, and g calls h.
  void MarkMoved() {
    struct Through {
      std::vector<std::uint32_t> first;  // callees that are inlined in the first file only
      std::vector<std::uint32_t> second;
    };
    std::unordered_map<std::string_view, Through> through;
    for (const auto& change : result_.calls) {
      if (change.reason == CallReason::kInliningLost)
        through[change.caller].first.push_back(NumberOf(change.callee));
      if (change.reason == CallReason::kInliningGained)
        through[change.caller].second.push_back(NumberOf(change.callee));
    }
    for (auto& change : result_.calls) {
      const bool removed = change.reason == CallReason::kRemoved;
      if (!removed && change.reason != CallReason::kAdded) continue;
      const auto found = through.find(change.caller);
      if (found == through.end()) continue;
      const std::uint32_t callee = NumberOf(change.callee);
      const std::size_t side = removed ? 1 : 0;
      for (const auto via : removed ? found->second.first : found->second.second) {
        const auto sites = sites_.find(std::uint64_t{via} << 32 | callee);
        if (sites != sites_.end() && sites->second[side] > 0) change.reason = CallReason::kMoved;
      }
    }
  }

  void FindLone() {
    for (std::size_t i = 0; i < result_.pairs.size(); ++i) {
      const FunctionPair& pair = result_.pairs[i];
      const bool empty = pair.first.functions.empty() && pair.second.functions.empty();
      if (pair.InBoth() || empty || pair.name == kStubs || pair.name == kNameless) continue;
      LoneFunction lone;
      lone.pair = i;
      lone.in_first = !pair.first.functions.empty();
      const Side& own = sides_[lone.in_first ? 0 : 1];
      const Side& other = sides_[lone.in_first ? 1 : 0];
      const auto called = own.called.find(static_cast<std::uint32_t>(i));
      lone.calls = called == own.called.end() ? 0 : called->second;
      if (other.inlining.known()) lone.inlined_elsewhere = other.inlining.Times(pair.name);
      lone.of_interface = measurement_.OwnerOf(pair.name).has_value();
      result_.lone.push_back(lone);
    }
  }

  void SortAll() {
    std::ranges::sort(result_.calls, {}, [](const CallChange& one) {
      return std::tuple(-std::abs(one.Difference()), std::string_view(one.caller),
                        std::string_view(one.callee));
    });
    const auto size = [&](const LoneFunction& one) {
      const auto& pair = result_.pairs[one.pair];
      return Sum(one.in_first ? pair.first.counts : pair.second.counts);
    };
    std::ranges::sort(result_.lone, {},
                      [&](const LoneFunction& one) { return std::tuple(~size(one), one.pair); });
  }

  const MeasurementInterface& measurement_;
  std::array<Side, 2> sides_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::uint64_t, Sites> sites_;  // by caller and callee
  Comparison result_;
};

}  // namespace

const CallReasonText& TextOf(CallReason reason) {
  static constexpr auto kTexts = std::to_array<CallReasonText>({
      {"measurement", "calls of the measurement interface"},
      {"inlining lost", "the first file inlines the callee there, the second calls it"},
      {"inlining gained", "the second file inlines the callee there, the first calls it"},
      {"moved", "the same call is in another function, which is inlined in one of the files"},
      {"added", "only the second file has them"},
      {"removed", "only the first file has them"},
  });
  static_assert(kTexts.size() == CountUpTo(CallReason::kRemoved));
  return kTexts[static_cast<std::size_t>(reason)];
}

Comparison Compare(const FileMix& first, const FileMix& second,
                   const MeasurementInterface& measurement, const InterfaceUses& first_uses,
                   const InterfaceUses& second_uses) {
  return Comparer(first, second, measurement, first_uses, second_uses).Run();
}

}  // namespace tare::mix
