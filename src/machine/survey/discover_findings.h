// discover_findings.h: what a discovery found, set beside what the system reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/host/topology.h"
#include "machine/survey/discover.h"
#include "machine/survey/discover_outer.h"
#include "machine/survey/discover_tlb.h"

namespace tare::survey {

// Everything that was measured, in seconds, bytes and pages.
struct Measured {
  std::optional<FirstCache> first;
  Ranged first_latency;
  std::optional<std::uint64_t> line_bytes;
  std::optional<SharedSet> first_set;
  OuterLevels outer;
  std::optional<Translations> small;        // with pages as small as they come
  std::optional<std::uint64_t> page_bytes;  // of them
  std::optional<std::uint64_t>
      huge_bytes;                    // what one translation covers where huge pages were asked for
  std::optional<Translations> huge;  // where they were had
  std::vector<CostSamples> costs;    // of random loads, against bytes
  double walk_overhead = 0;          // seconds of a walk's load that are not the load
};

struct ReportedPages {
  double page_bytes = 0;
  std::optional<double> huge_bytes;
};

Found FindingsOf(const Measured& measured, const host::Topology& reported,
                 const ReportedPages& pages, bool quick);

}  // namespace tare::survey
