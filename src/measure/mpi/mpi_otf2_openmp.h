// mpi_otf2_openmp.h: OpenMP regions and waits as regions of an OTF2 archive.
#pragma once

#include "format/otf2_archive.h"

#ifdef TARE_HAVE_OTF2

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "format/mpi_trace.h"

namespace tare::mpi {

// Numbers of the archive's regions for OpenMP, which follow those of MPI functions.
class OpenMpOtf2Regions {
 public:
  explicit OpenMpOtf2Regions(OTF2_RegionRef first) : first_(first) {}

  OTF2_RegionRef OfPlace(const format::MpiRank& rank, std::uint32_t place);
  OTF2_RegionRef OfWait(unsigned kind) const { return first_ + kind; }
  // Writes the definitions of those that were asked for, and of all waits.
  void Define(format::Otf2Archive& archive) const;

 private:
  OTF2_RegionRef first_;
  // By path, build id (of the program) and address.
  std::map<std::pair<std::pair<std::string, std::string>, std::uint64_t>, OTF2_RegionRef> places_;
};

// The spans of one rank's threads, entered and left in the order of time between its calls.
class OpenMpOtf2Spans {
 public:
  // `offset_ns` is added to times.
  OpenMpOtf2Spans(const format::MpiRank& rank, std::int64_t offset_ns, OpenMpOtf2Regions& regions);

  // All threads that have spans.
  std::vector<std::uint16_t> Threads() const;
  // Writes what a thread entered and left up to `start`, and leaves what does not last until `end`:
  // a call from `start` to `end` can follow.
  void WriteUntil(std::uint16_t thread, std::int64_t start, std::int64_t end,
                  format::Otf2Archive& archive, OTF2_EvtWriter* writer);
  // Writes the rest, and returns the last time.
  std::uint64_t Finish(std::uint16_t thread, format::Otf2Archive& archive, OTF2_EvtWriter* writer);

 private:
  struct Span {
    std::int64_t start = 0;
    std::int64_t end = 0;
    OTF2_RegionRef region = 0;
  };
  struct Thread {
    std::vector<Span> spans;  // by start; outer ones first
    std::size_t next = 0;
    std::vector<Span> open;
    std::int64_t written = 0;  // the last time
  };

  static OTF2_TimeStamp Stamp(Thread& thread, std::int64_t time);
  static void LeaveTop(Thread& thread, std::int64_t time, format::Otf2Archive& archive,
                       OTF2_EvtWriter* writer);

  std::map<std::uint16_t, Thread> threads_;
};

}  // namespace tare::mpi

#endif
