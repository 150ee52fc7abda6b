// otf2_archive.h: an archive of the Open Trace Format 2, where tare was built with its library.
#pragma once

#include <filesystem>

#include "base/result.h"

#ifdef TARE_HAVE_OTF2
#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace tare::format {

// OTF2 prints errors by itself otherwise.
void SilenceOtf2();

// An archive "traces.otf2" that is being written. Events come first, then the definitions. The
// first error of OTF2 is kept and returned by Close.
class Otf2Archive {
 public:
  // `directory` must not exist.
  static Result<Otf2Archive> Create(const std::filesystem::path& directory);

  OTF2_EvtWriter* EventWriter(OTF2_LocationRef location) {
    return OTF2_Archive_GetEvtWriter(archive_.get(), location);
  }
  // The number of its events.
  std::uint64_t CloseEventWriter(OTF2_EvtWriter* writer);

  // After the last event; `locations` are those with events. Times are nanoseconds from 0 to
  // `last`; `utc_ns` is the time of day at 0, or 0.
  void BeginDefinitions(std::span<const OTF2_LocationRef> locations, std::uint64_t last_ns,
                        std::uint64_t utc_ns);
  OTF2_GlobalDefWriter* Definitions() { return definitions_; }
  // The number of a string, which is defined at its first use.
  OTF2_StringRef Text(const std::string& text);
  // `canonical` is the name that tools recognize, if it is another.
  void DefineRegion(OTF2_RegionRef region, const std::string& name, OTF2_Paradigm paradigm,
                    const std::string& canonical = "",
                    OTF2_RegionRole role = OTF2_REGION_ROLE_FUNCTION);
  // `name` is of the form TOOL::WHAT.
  void SetProperty(const char* name, const std::string& value);

  void Call(OTF2_ErrorCode code) {
    if (code != OTF2_SUCCESS && error_ == OTF2_SUCCESS) error_ = code;
  }
  Result<void> Close();

 private:
  struct Closed {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
  };
  explicit Otf2Archive(OTF2_Archive* archive) : archive_(archive) {}

  std::unique_ptr<OTF2_Archive, Closed> archive_;
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::map<std::string, OTF2_StringRef> strings_;
  OTF2_ErrorCode error_ = OTF2_SUCCESS;
};

}  // namespace tare::format

#else

namespace tare::format {

inline Error Otf2Missing() {
  return {ErrorKind::kUnsupported,
          "this tare was built without OTF2; install libotf2-trace-dev and build it again"};
}

}  // namespace tare::format

#endif
