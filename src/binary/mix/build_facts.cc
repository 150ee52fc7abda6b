// build_facts.cc: one pass over functions and call sites.
#include "binary/mix/build_facts.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "binary/mix/file_mix.h"
#include "stats/sample.h"

namespace tare::mix {
namespace {

using code::SiteKind;
using code::TargetKind;
using decode::InstructionClass;

std::optional<double> Median(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return stats::MedianOf(values);
}

std::optional<double> Share(std::uint64_t part, std::uint64_t rest) {
  if (part + rest == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(part + rest);
}

class Collector {
 public:
  explicit Collector(const code::ProgramCode& code) : code_(code) {}

  Facts Collect() {
    for (std::uint32_t i = 0; i < code_.functions().size(); ++i) AddFunction(i);
    facts_.bytes_between_calls = Median(between_);
    facts_.instructions_between_calls = Median(instructions_);
    facts_.bytes_to_target = Median(to_target_);
    AddBodies();
    facts_.bytes_between_bodies = Median(between_bodies_);
    const auto& total = code_.total();
    const auto packed_float = total[InstructionClass::kPackedFloat];
    const auto scalar_float = total[InstructionClass::kScalarFloat];
    facts_.vectorised_float = Share(packed_float, scalar_float);
    facts_.vectorised_all =
        Share(packed_float + total[InstructionClass::kPackedInteger], scalar_float);
    return facts_;
  }

 private:
  void AddFunction(std::uint32_t index) {
    if (code_.IsStub(index)) {
      ++facts_.stubs;
      return;
    }
    const auto& function = code_.functions()[index];
    ++facts_.functions;
    if (function.has_frame) ++facts_.functions_with_frame;
    if (IsNameless(code_.FunctionAt(index))) ++facts_.functions_without_name;
    facts_.jump_tables += function.jump_tables;
    const code::CallSite* before = nullptr;
    for (const auto& site : code_.CallsOf(index)) {
      if (site.kind == SiteKind::kPart) continue;
      AddSite(index, site);
      if (before != nullptr) {
        between_.push_back(static_cast<double>(site.address - before->address));
        instructions_.push_back(site.position - before->position);
      }
      before = &site;
    }
  }

  void AddSite(std::uint32_t caller, const code::CallSite& site) {
    ++facts_.call_sites;
    if (site.kind == SiteKind::kTailCall) ++facts_.tail_calls;
    if (site.to == TargetKind::kImport) ++facts_.import_calls;
    if (site.indirect) {
      ++facts_.indirect_calls;
      const auto& candidates = code_.CandidatesOf(site);
      if (!candidates.functions.empty() || candidates.foreign > 0) ++facts_.indirect_candidates;
    }
    if (site.to == TargetKind::kUnknown) ++facts_.unresolved_calls;
    if (site.to != TargetKind::kFunction || site.indirect) return;
    const auto callee = static_cast<std::uint32_t>(site.target);
    if (callee != caller) pairs_.insert(std::minmax(caller, callee));
    const auto target = code_.FunctionAt(callee).start;
    to_target_.push_back(
        static_cast<double>(std::max(target, site.address) - std::min(target, site.address)));
  }

  void AddBodies() {
    for (const auto& [one, other] : pairs_) {
      const elf::Function* first = &code_.FunctionAt(one);
      const elf::Function* second = &code_.FunctionAt(other);
      if (first->start > second->start) std::swap(first, second);
      const auto end = first->end;
      between_bodies_.push_back(static_cast<double>(second->start > end ? second->start - end : 0));
    }
  }

  const code::ProgramCode& code_;
  Facts facts_;
  std::vector<double> between_;
  std::vector<double> instructions_;
  std::vector<double> to_target_;
  std::vector<double> between_bodies_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // of callers and callees
};

}  // namespace

Facts FactsOf(const code::ProgramCode& code) { return Collector(code).Collect(); }

}  // namespace tare::mix
