// event_otf2.cc: one location per thread; spans, events and runs of blocks are regions.
#include "measure/events/event_otf2.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "measure/events/timeline_steps.h"

namespace tare::events {
namespace {

constexpr std::uint64_t kEventChunk = std::uint64_t{1} << 20;
constexpr std::uint64_t kDefinitionChunk = std::uint64_t{4} << 20;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

OTF2_FlushType BeforeFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp AfterFlush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

// OTF2 prints errors by itself otherwise.
OTF2_ErrorCode QuietError(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                          const char*, va_list) {
  return code;
}

class EventsArchive {
 public:
  explicit EventsArchive(OTF2_Archive* archive) : archive_(archive) {}

  void Begin() {
    static constexpr OTF2_FlushCallbacks kFlush = {BeforeFlush, AfterFlush};
    Call(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
    Call(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
    Call(OTF2_Archive_OpenEvtFiles(archive_));
  }

  void Take(const TimelineStep& step) {
    OTF2_EvtWriter*& writer = writers_[step.thread];
    if (writer == nullptr) writer = OTF2_Archive_GetEvtWriter(archive_, step.thread);
    const OTF2_RegionRef region = RegionOf(step.name);
    last_ = std::max(last_, step.time_ns);
    if (step.kind != StepKind::kLeave)
      Call(OTF2_EvtWriter_Enter(writer, nullptr, step.time_ns, region));
    if (step.kind == StepKind::kValue)
      Call(OTF2_EvtWriter_ParameterInt(writer, nullptr, step.time_ns, 0, step.value));
    if (step.kind != StepKind::kEnter)
      Call(OTF2_EvtWriter_Leave(writer, nullptr, step.time_ns, region));
  }

  Result<std::uint64_t> End(const format::EventTables& tables, const std::string& program) {
    std::uint64_t written = 0;
    std::map<std::uint32_t, std::uint64_t> events;
    for (const auto& [thread, writer] : writers_) {
      Call(OTF2_EvtWriter_GetNumberOfEvents(writer, &events[thread]));
      Call(OTF2_Archive_CloseEvtWriter(archive_, writer));
      written += events[thread];
    }
    Call(OTF2_Archive_CloseEvtFiles(archive_));
    Call(OTF2_Archive_OpenDefFiles(archive_));
    for (const auto& [thread, writer] : writers_)
      Call(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, thread)));
    Call(OTF2_Archive_CloseDefFiles(archive_));
    Define(tables, program, events);
    if (error_ != OTF2_SUCCESS) {
      return Fail(ErrorKind::kIo, fmt::format("cannot write the OTF2 archive: {}",
                                              OTF2_Error_GetDescription(error_)));
    }
    return written;
  }

 private:
  void Call(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_ == OTF2_SUCCESS) error_ = code;
  }

  OTF2_RegionRef RegionOf(std::string_view name) {
    const auto found = regions_.find(name);
    if (found != regions_.end()) return found->second;
    return regions_.emplace(std::string(name), static_cast<OTF2_RegionRef>(regions_.size()))
        .first->second;
  }

  OTF2_StringRef Text(const std::string& text) {
    const auto [found, is_new] =
        strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) Call(OTF2_GlobalDefWriter_WriteString(definitions_, found->second, text.c_str()));
    return found->second;
  }

  void Define(const format::EventTables& tables, const std::string& program,
              const std::map<std::uint32_t, std::uint64_t>& events) {
    definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_);
    Call(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, kNsPerSecond, 0, last_ + 1, 0));
    // Readers want them in the order of their numbers.
    std::vector<std::string_view> names(regions_.size());
    for (const auto& [name, region] : regions_) names[region] = name;
    for (OTF2_RegionRef region = 0; region < names.size(); ++region) {
      const OTF2_StringRef text = Text(Printable(std::string(names[region])));
      Call(OTF2_GlobalDefWriter_WriteRegion(definitions_, region, text, text, Text(""),
                                            OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                            OTF2_REGION_FLAG_NONE, Text(""), 0, 0));
    }
    Call(OTF2_GlobalDefWriter_WriteParameter(definitions_, 0, Text("value"),
                                             OTF2_PARAMETER_TYPE_INT64));
    Call(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions_, 0, Text("machine"), Text("machine"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::uint64_t, OTF2_LocationGroupRef> groups;
    for (const auto& [thread, count] : events) {
      const bool known = thread < tables.threads.size();
      const std::uint64_t process = known ? tables.threads[thread].process : 0;
      const auto [group, is_new] =
          groups.try_emplace(process, static_cast<OTF2_LocationGroupRef>(groups.size()));
      if (is_new) {
        Call(OTF2_GlobalDefWriter_WriteLocationGroup(
            definitions_, group->second, Text(fmt::format("{} {}", Printable(program), process)),
            OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
      }
      const std::uint64_t id = known ? tables.threads[thread].thread : thread;
      Call(OTF2_GlobalDefWriter_WriteLocation(definitions_, thread,
                                              Text(fmt::format("Thread {}", id)),
                                              OTF2_LOCATION_TYPE_CPU_THREAD, count, group->second));
    }
  }

  OTF2_Archive* archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::map<std::uint32_t, OTF2_EvtWriter*> writers_;
  std::map<std::string, OTF2_RegionRef, std::less<>> regions_;
  std::map<std::string, OTF2_StringRef> strings_;
  std::uint64_t last_ = 0;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
};

}  // namespace

Result<std::uint64_t> WriteEventsOtf2(const std::filesystem::path& from,
                                      const std::filesystem::path& directory, bool correct) {
  std::error_code error;
  if (std::filesystem::exists(directory, error)) {
    return Fail(ErrorKind::kUsage, fmt::format("{} exists; name a new directory for the archive",
                                               Printable(directory.string())));
  }
  TRY(auto reader, format::EventTraceReader::Open(from));
  while (reader.Next()) continue;
  OTF2_Error_RegisterCallback(QuietError, nullptr);
  OTF2_Archive* archive =
      OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                        kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == nullptr) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot create the OTF2 archive {}", Printable(directory.string())));
  }
  EventsArchive made(archive);
  made.Begin();
  const auto walked =
      ForEachStep(from, correct, [&](const TimelineStep& step) { made.Take(step); });
  auto written = made.End(reader.Tables(), reader.Head().program);
  const bool closed = OTF2_Archive_Close(archive) == OTF2_SUCCESS;
  TRY_VOID(walked);
  if (!closed && written) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot write the OTF2 archive {}", Printable(directory.string())));
  }
  return written;
}

}  // namespace tare::events

#else

namespace tare::events {

Result<std::uint64_t> WriteEventsOtf2(const std::filesystem::path&, const std::filesystem::path&,
                                      bool) {
  return Fail(ErrorKind::kUnsupported,
              "this tare was built without OTF2; install libotf2-trace-dev and build it again");
}

}  // namespace tare::events

#endif
