// candidates.cc: slots of virtual tables, pointer tables, functions selected at load time.
#include "binary/code/candidates.h"

#include <algorithm>

namespace tare::code {
namespace {

// A pointer table ends at the first word that is not a function; none in practice is longer.
constexpr std::size_t kMaxPointers = 4096;

void SortOnce(std::vector<std::uint32_t>& functions) {
  std::ranges::sort(functions);
  const auto repeated = std::ranges::unique(functions);
  functions.erase(repeated.begin(), repeated.end());
}

}  // namespace

bool Candidates::AddWord(std::uint64_t place, CandidateSet& set) const {
  const auto& image = targets_.image();
  const auto* reference = image.ReferenceAt(place);
  if (reference != nullptr && reference->target == 0) {
    if (reference->symbol.empty()) return false;
    ++set.foreign;
    return true;
  }
  const auto word = image.WordAt(place);
  if (!word || *word == 0) return false;
  std::uint32_t function = targets_.FunctionStartingAt(*word);
  if (function == kNowhere) return false;
  if (const auto* stub = targets_.StubOf(function)) {
    if (stub->function == kNowhere) {
      ++set.foreign;
      return true;
    }
    function = stub->function;
  }
  set.functions.push_back(function);
  return true;
}

CandidateSet Candidates::OfSlot(std::uint64_t slot) const {
  CandidateSet set;
  for (const auto& table : targets_.image().virtual_tables())
    if (slot < (table.end - table.start) / 8) AddWord(table.start + slot * 8, set);
  return set;
}

CandidateSet Candidates::OfTable(std::uint64_t table) const {
  CandidateSet set;
  for (std::size_t i = 0; i < kMaxPointers && AddWord(table + i * 8, set); ++i) {
  }
  return set;
}

CandidateSet Candidates::Make(const CallSite& site) const {
  CandidateSet set;
  switch (site.to) {
    case TargetKind::kVirtual:
      set = OfSlot(site.target);
      break;
    case TargetKind::kTable:
      set = OfTable(site.target);
      break;
    case TargetKind::kVariable:
      AddWord(site.target, set);
      break;
    case TargetKind::kDispatch:
      for (const auto address : targets_.dispatches()[site.target].candidates) {
        const auto function = targets_.FunctionStartingAt(address);
        if (function != kNowhere) set.functions.push_back(function);
      }
      break;
    case TargetKind::kFunction:
    case TargetKind::kImport:
    case TargetKind::kUnknown:
      break;
  }
  SortOnce(set.functions);
  return set;
}

void Candidates::Prepare(const CallSite& site) {
  switch (site.to) {
    case TargetKind::kVirtual:
    case TargetKind::kTable:
    case TargetKind::kVariable:
    case TargetKind::kDispatch: {
      const auto [entry, is_new] = sets_.try_emplace(Key(site.to, site.target));
      if (is_new) entry->second = Make(site);
      break;
    }
    case TargetKind::kFunction:
    case TargetKind::kImport:
    case TargetKind::kUnknown:
      break;
  }
}

const CandidateSet& Candidates::Of(const CallSite& site) const {
  static const CandidateSet kNone;
  const auto found = sets_.find(Key(site.to, site.target));
  return found == sets_.end() ? kNone : found->second;
}

}  // namespace tare::code
