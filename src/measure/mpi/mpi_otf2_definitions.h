// mpi_otf2_definitions.h: what an OTF2 archive says about its ranks, communicators and regions.
#pragma once

#include "base/result.h"
#include "format/mpi_trace.h"

#ifdef TARE_HAVE_OTF2
#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tare::mpi {

struct ClosedOtf2Reader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};
using Otf2ReaderPointer = std::unique_ptr<OTF2_Reader, ClosedOtf2Reader>;

struct Otf2Definitions {
  struct Location {
    std::uint64_t events = 0;
    OTF2_LocationGroupRef process = 0;
  };
  struct Process {
    OTF2_SystemTreeNodeRef node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  };
  struct Group {
    OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
    bool global_members = false;
    std::vector<std::uint64_t> members;
  };
  struct Node {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_StringRef kind = OTF2_UNDEFINED_STRING;
    OTF2_StringRef boot = OTF2_UNDEFINED_STRING;
    OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  };
  struct Communicator {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
    OTF2_GroupRef remote = OTF2_UNDEFINED_GROUP;  // of an intercommunicator
    OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
  };
  struct Region {
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    OTF2_StringRef canonical = OTF2_UNDEFINED_STRING;
  };

  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_LocationRef, Location> locations;
  std::unordered_map<OTF2_LocationGroupRef, Process> processes;
  std::unordered_map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::unordered_map<OTF2_GroupRef, Group> groups;
  std::map<OTF2_CommRef, Communicator> communicators;
  std::unordered_map<OTF2_RegionRef, Region> regions;
  std::unordered_map<OTF2_AttributeRef, OTF2_StringRef> attributes;
  std::optional<OTF2_GroupRef> ranks;  // the group of the locations of MPI
  std::uint64_t ticks_per_second = 0;
  std::uint64_t clock_offset = 0;
  std::uint64_t utc_ns = 0;

  const std::string& Text(OTF2_StringRef string) const;
  struct Host {
    std::string name;
    std::string boot;  // empty in archives of other tools
  };
  // The node of the system tree that the location's process is on.
  Host HostOf(OTF2_LocationRef location) const;
};

// The first error of the library as a sentence.
std::unexpected<Error> Otf2Damaged(const std::filesystem::path& anchor, OTF2_ErrorCode code);

Result<Otf2Definitions> ReadOtf2Definitions(OTF2_Reader* reader,
                                            const std::filesystem::path& anchor);

}  // namespace tare::mpi

#endif
