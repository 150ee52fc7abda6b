// mpi_otf2_openmp.cc: enters and leaves OpenMP regions so that they are nested.
#include "measure/mpi/mpi_otf2_openmp.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "measure/mpi/openmp_places.h"
#include "measure/mpi/openmp_regions.h"

namespace tare::mpi {
namespace {

constexpr std::array<OTF2_RegionRole, kWaitKinds> kWaitRoles = {
    OTF2_REGION_ROLE_BARRIER,          OTF2_REGION_ROLE_IMPLICIT_BARRIER,
    OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_REGION_ROLE_TASK_WAIT,
    OTF2_REGION_ROLE_TASK_WAIT,        OTF2_REGION_ROLE_BARRIER};

}  // namespace

OTF2_RegionRef OpenMpOtf2Regions::OfPlace(const format::MpiRank& rank, std::uint32_t place) {
  std::pair<std::pair<std::string, std::string>, std::uint64_t> key;
  if (place > 0) {
    const format::OpenMpPlace& known = rank.openmp.places[place - 1];
    key = {known.path.empty() ? std::pair(rank.header.program, rank.header.build_id)
                              : std::pair(known.path, std::string()),
           known.address};
  }
  const auto number = static_cast<OTF2_RegionRef>(first_ + kWaitKinds + places_.size());
  return places_.try_emplace(key, number).first->second;
}

void OpenMpOtf2Regions::Define(format::Otf2Archive& archive) const {
  if (places_.empty()) return;
  for (std::size_t kind = 0; kind < kWaitKinds; ++kind) {
    const auto name = Name(static_cast<WaitKind>(kind));
    archive.DefineRegion(OfWait(static_cast<unsigned>(kind)), fmt::format("OpenMP wait: {}", name),
                         OTF2_PARADIGM_OPENMP, "", kWaitRoles[kind]);
  }
  PlaceNames names;
  for (const auto& [key, number] : places_) {
    PlaceOpenMp place;
    place.place = {key.second, key.first.first};
    place.build_id = key.first.second;
    place.is_known = !place.place.path.empty();
    archive.DefineRegion(number, fmt::format("OpenMP parallel region in {}", names.NameOf(place)),
                         OTF2_PARADIGM_OPENMP, "", OTF2_REGION_ROLE_PARALLEL);
  }
}

OpenMpOtf2Spans::OpenMpOtf2Spans(const format::MpiRank& rank, std::int64_t offset_ns,
                                 OpenMpOtf2Regions& regions) {
  const OpenMpRegions found = FindOpenMpRegions(rank.openmp);
  for (const OpenMpMember& member : found.members) {
    const OpenMpRegion& region = found.regions[member.region];
    // The thread that starts a region is in it before its team is.
    const std::int64_t start = member.index == 0 ? region.start_ns : member.start_ns;
    threads_[member.thread].spans.push_back(
        {start + offset_ns, member.end_ns + offset_ns, regions.OfPlace(rank, region.place)});
  }
  for (const OpenMpWait& wait : found.waits) {
    threads_[wait.thread].spans.push_back({wait.start_ns + offset_ns, wait.end_ns + offset_ns,
                                           regions.OfWait(static_cast<unsigned>(wait.kind))});
  }
  for (auto& [number, thread] : threads_) {
    std::ranges::stable_sort(thread.spans, [](const Span& a, const Span& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
  }
}

std::vector<std::uint16_t> OpenMpOtf2Spans::Threads() const {
  std::vector<std::uint16_t> numbers;
  for (const auto& [number, thread] : threads_) numbers.push_back(number);
  return numbers;
}

OTF2_TimeStamp OpenMpOtf2Spans::Stamp(Thread& thread, std::int64_t time) {
  thread.written = std::max(thread.written, time);
  return static_cast<OTF2_TimeStamp>(thread.written);
}

void OpenMpOtf2Spans::LeaveTop(Thread& thread, std::int64_t time, format::Otf2Archive& archive,
                               OTF2_EvtWriter* writer) {
  const OTF2_RegionRef region = thread.open.back().region;
  thread.open.pop_back();
  archive.Call(OTF2_EvtWriter_Leave(writer, nullptr, Stamp(thread, time), region));
}

void OpenMpOtf2Spans::WriteUntil(std::uint16_t number, std::int64_t start, std::int64_t end,
                                 format::Otf2Archive& archive, OTF2_EvtWriter* writer) {
  const auto found = threads_.find(number);
  if (found == threads_.end()) return;
  Thread& thread = found->second;
  while (true) {
    const std::int64_t next = thread.next < thread.spans.size()
                                  ? thread.spans[thread.next].start
                                  : std::numeric_limits<std::int64_t>::max();
    if (!thread.open.empty() && thread.open.back().end <= std::min(next, start)) {
      LeaveTop(thread, thread.open.back().end, archive, writer);
    } else if (next < start) {
      Span span = thread.spans[thread.next++];
      if (!thread.open.empty()) span.end = std::min(span.end, thread.open.back().end);
      archive.Call(OTF2_EvtWriter_Enter(writer, nullptr, Stamp(thread, span.start), span.region));
      thread.open.push_back(span);
    } else {
      break;
    }
  }
  while (!thread.open.empty() && thread.open.back().end < end) {
    LeaveTop(thread, start, archive, writer);
  }
  if (end != std::numeric_limits<std::int64_t>::max()) Stamp(thread, end);
}

std::uint64_t OpenMpOtf2Spans::Finish(std::uint16_t number, format::Otf2Archive& archive,
                                      OTF2_EvtWriter* writer) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  WriteUntil(number, kNever, kNever, archive, writer);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(threads_[number].written, 0));
}

}  // namespace tare::mpi

#endif
