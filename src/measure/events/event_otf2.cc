// event_otf2.cc: one location per thread; spans, events and runs of blocks are regions.
#include "measure/events/event_otf2.h"

#include "format/otf2_archive.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.h"
#include "measure/events/timeline_steps.h"

namespace tare::events {
namespace {

class EventsArchive {
 public:
  explicit EventsArchive(format::Otf2Archive& archive) : archive_(archive) {}

  void Take(const TimelineStep& step) {
    OTF2_EvtWriter*& writer = writers_[step.thread];
    if (writer == nullptr) writer = archive_.EventWriter(step.thread);
    const OTF2_RegionRef region = RegionOf(step.name);
    last_ = std::max(last_, step.time_ns);
    if (step.kind != StepKind::kLeave)
      archive_.Call(OTF2_EvtWriter_Enter(writer, nullptr, step.time_ns, region));
    if (step.kind == StepKind::kValue)
      archive_.Call(OTF2_EvtWriter_ParameterInt(writer, nullptr, step.time_ns, 0, step.value));
    if (step.kind != StepKind::kEnter)
      archive_.Call(OTF2_EvtWriter_Leave(writer, nullptr, step.time_ns, region));
  }

  // The number of events written.
  std::uint64_t End(const format::EventTables& tables, const std::string& program) {
    std::uint64_t written = 0;
    std::map<std::uint32_t, std::uint64_t> events;
    std::vector<OTF2_LocationRef> locations;
    for (const auto& [thread, writer] : writers_) {
      events[thread] = archive_.CloseEventWriter(writer);
      locations.push_back(thread);
      written += events[thread];
    }
    archive_.BeginDefinitions(locations, last_, 0);
    DefineRegions();
    DefineThreads(tables, program, events);
    return written;
  }

 private:
  OTF2_RegionRef RegionOf(std::string_view name) {
    const auto found = regions_.find(name);
    if (found != regions_.end()) return found->second;
    return regions_.emplace(std::string(name), static_cast<OTF2_RegionRef>(regions_.size()))
        .first->second;
  }

  void DefineRegions() {
    // Readers want them in the order of their numbers.
    std::vector<std::string_view> names(regions_.size());
    for (const auto& [name, region] : regions_) names[region] = name;
    for (OTF2_RegionRef region = 0; region < names.size(); ++region)
      archive_.DefineRegion(region, Printable(std::string(names[region])), OTF2_PARADIGM_USER);
    archive_.Call(OTF2_GlobalDefWriter_WriteParameter(
        archive_.Definitions(), 0, archive_.Text("value"), OTF2_PARAMETER_TYPE_INT64));
  }

  void DefineThreads(const format::EventTables& tables, const std::string& program,
                     const std::map<std::uint32_t, std::uint64_t>& events) {
    archive_.Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(
        archive_.Definitions(), 0, archive_.Text("machine"), archive_.Text("machine"),
        OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::uint64_t, OTF2_LocationGroupRef> groups;
    for (const auto& [thread, count] : events) {
      const bool known = thread < tables.threads.size();
      const std::uint64_t process = known ? tables.threads[thread].process : 0;
      const auto [group, is_new] =
          groups.try_emplace(process, static_cast<OTF2_LocationGroupRef>(groups.size()));
      if (is_new) {
        const auto name = archive_.Text(fmt::format("{} {}", Printable(program), process));
        archive_.Call(OTF2_GlobalDefWriter_WriteLocationGroup(
            archive_.Definitions(), group->second, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
            OTF2_UNDEFINED_LOCATION_GROUP));
      }
      const std::uint64_t id = known ? tables.threads[thread].thread : thread;
      const auto name = archive_.Text(fmt::format("Thread {}", id));
      archive_.Call(OTF2_GlobalDefWriter_WriteLocation(archive_.Definitions(), thread, name,
                                                       OTF2_LOCATION_TYPE_CPU_THREAD, count,
                                                       group->second));
    }
  }

  format::Otf2Archive& archive_;
  std::map<std::uint32_t, OTF2_EvtWriter*> writers_;
  std::map<std::string, OTF2_RegionRef, std::less<>> regions_;
  std::uint64_t last_ = 0;
};

}  // namespace

Result<std::uint64_t> WriteEventsOtf2(const std::filesystem::path& from,
                                      const std::filesystem::path& directory, bool correct) {
  TRY(auto reader, format::EventTraceReader::Open(from));
  reader.SkipBlocks();
  while (reader.Next()) continue;
  TRY(auto archive, format::Otf2Archive::Create(directory));
  EventsArchive made(archive);
  const auto walked =
      ForEachStep(from, correct, [&](const TimelineStep& step) { made.Take(step); });
  const std::uint64_t written = made.End(reader.Tables(), reader.Head().program);
  const auto closed = archive.Close();
  TRY_VOID(walked);
  TRY_VOID(closed);
  return written;
}

}  // namespace tare::events

#else

namespace tare::events {

Result<std::uint64_t> WriteEventsOtf2(const std::filesystem::path&, const std::filesystem::path&,
                                      bool) {
  return std::unexpected(format::Otf2Missing());
}

}  // namespace tare::events

#endif
