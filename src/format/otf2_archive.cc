// otf2_archive.cc: calls of the OTF2 library that every archive needs.
#include "format/otf2_archive.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <system_error>

#include "base/printable.h"

namespace tare::format {
namespace {

constexpr std::uint64_t kOtf2EventChunk = std::uint64_t{1} << 20;
constexpr std::uint64_t kOtf2DefinitionChunk = std::uint64_t{4} << 20;
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;

OTF2_FlushType BeforeFlush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}
OTF2_TimeStamp AfterFlush(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }

OTF2_ErrorCode QuietError(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                          const char*, va_list) {
  return code;
}

}  // namespace

void SilenceOtf2() { OTF2_Error_RegisterCallback(QuietError, nullptr); }

Result<Otf2Archive> Otf2Archive::Create(const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory, error)) {
    return Fail(ErrorKind::kUsage, fmt::format("{} exists; name a new directory for the archive",
                                               Printable(directory.string())));
  }
  SilenceOtf2();
  Otf2Archive made(OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE,
                                     kOtf2EventChunk, kOtf2DefinitionChunk, OTF2_SUBSTRATE_POSIX,
                                     OTF2_COMPRESSION_NONE));
  if (made.archive_ == nullptr) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot create the OTF2 archive {}", Printable(directory.string())));
  }
  static constexpr OTF2_FlushCallbacks kFlush = {BeforeFlush, AfterFlush};
  made.Call(OTF2_Archive_SetFlushCallbacks(made.archive_.get(), &kFlush, nullptr));
  made.Call(OTF2_Archive_SetSerialCollectiveCallbacks(made.archive_.get()));
  made.Call(OTF2_Archive_OpenEvtFiles(made.archive_.get()));
  return made;
}

std::uint64_t Otf2Archive::CloseEventWriter(OTF2_EvtWriter* writer) {
  std::uint64_t events = 0;
  Call(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
  Call(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
  return events;
}

void Otf2Archive::BeginDefinitions(std::span<const OTF2_LocationRef> locations,
                                   std::uint64_t last_ns, std::uint64_t utc_ns) {
  Call(OTF2_Archive_CloseEvtFiles(archive_.get()));
  Call(OTF2_Archive_OpenDefFiles(archive_.get()));
  for (const OTF2_LocationRef location : locations) {
    Call(OTF2_Archive_CloseDefWriter(archive_.get(),
                                     OTF2_Archive_GetDefWriter(archive_.get(), location)));
  }
  Call(OTF2_Archive_CloseDefFiles(archive_.get()));
  definitions_ = OTF2_Archive_GetGlobalDefWriter(archive_.get());
  Call(OTF2_GlobalDefWriter_WriteClockProperties(definitions_, kTicksPerSecond, 0, last_ns + 1,
                                                 utc_ns));
}

OTF2_StringRef Otf2Archive::Text(const std::string& text) {
  const auto [found, is_new] =
      strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
  if (is_new) Call(OTF2_GlobalDefWriter_WriteString(definitions_, found->second, text.c_str()));
  return found->second;
}

void Otf2Archive::DefineRegion(OTF2_RegionRef region, const std::string& name,
                               OTF2_Paradigm paradigm, const std::string& canonical,
                               OTF2_RegionRole role) {
  const OTF2_StringRef text = Text(name);
  const OTF2_StringRef known = canonical.empty() ? text : Text(canonical);
  Call(OTF2_GlobalDefWriter_WriteRegion(definitions_, region, text, known, Text(""), role, paradigm,
                                        OTF2_REGION_FLAG_NONE, Text(""), 0, 0));
}

void Otf2Archive::SetProperty(const char* name, const std::string& value) {
  if (!value.empty()) Call(OTF2_Archive_SetProperty(archive_.get(), name, value.c_str(), true));
}

Result<void> Otf2Archive::Close() {
  Call(OTF2_Archive_Close(archive_.release()));
  if (error_ == OTF2_SUCCESS) return {};
  return Fail(ErrorKind::kIo,
              fmt::format("cannot write the OTF2 archive: {}", OTF2_Error_GetDescription(error_)));
}

}  // namespace tare::format

#endif
