// candidates.h: the functions that an indirect call may reach.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "binary/code/call_site.h"
#include "binary/code/targets.h"

namespace tare::code {

struct CandidateSet {
  std::vector<std::uint32_t> functions;  // of this file, ascending
  std::size_t foreign = 0;               // in other files

  friend bool operator==(const CandidateSet&, const CandidateSet&) = default;
};

// Built once for all sites; concurrent reads are safe.
class Candidates {
 public:
  explicit Candidates(const Targets& targets) : targets_(targets) {}

  // Must be called for a site before Of.
  void Prepare(const CallSite& site);
  const CandidateSet& Of(const CallSite& site) const;

 private:
  using Key = std::pair<TargetKind, std::uint64_t>;
  CandidateSet Make(const CallSite& site) const;
  CandidateSet OfSlot(std::uint64_t slot) const;
  CandidateSet OfTable(std::uint64_t table) const;
  // Adds the function to which the word at `place` points; false when it points to none.
  bool AddWord(std::uint64_t place, CandidateSet& set) const;

  const Targets& targets_;
  std::map<Key, CandidateSet> sets_;
};

}  // namespace tare::code
