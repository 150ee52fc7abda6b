// discover_findings.h: the results of a discovery, next to what the system reports.
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

// All measurements, in seconds, bytes and pages.
struct Measurements {
  std::optional<FirstCache> first;
  Measured first_latency;
  std::optional<std::uint64_t> line_bytes;
  std::optional<SharedSet> first_set;
  OuterLevels outer;
  std::optional<Tlbs> small;                // with the smallest pages
  std::optional<std::uint64_t> page_bytes;  // of these
  std::optional<std::uint64_t>
      huge_bytes;                  // range of one TLB entry where huge pages were requested
  std::optional<Tlbs> huge;        // where they were available
  std::vector<CostSamples> costs;  // of random loads, by bytes
  double walk_overhead = 0;        // seconds per load of a random walk that are not the load itself
};

struct ReportedPages {
  double page_bytes = 0;
  std::optional<double> huge_bytes;
};

Found FindingsOf(const Measurements& measured, const host::Topology& reported,
                 const ReportedPages& pages, bool quick);

}  // namespace tare::survey
