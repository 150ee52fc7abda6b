// mpi_otf2_definitions.cc: collects the global definitions of an archive.
#include "measure/mpi/mpi_otf2_definitions.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include "base/printable.h"
#include "measure/mpi/mpi_otf2_fields.h"

namespace tare::mpi {
namespace {

Otf2Definitions& In(void* data) { return *static_cast<Otf2Definitions*>(data); }

OTF2_CallbackCode OnString(void* data, OTF2_StringRef self, const char* text) {
  In(data).strings[self] = text == nullptr ? "" : text;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnClock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                          std::uint64_t realtime) {
  In(data).ticks_per_second = resolution;
  In(data).clock_offset = offset;
  In(data).utc_ns = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnNode(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                         OTF2_StringRef kind, OTF2_SystemTreeNodeRef parent) {
  In(data).nodes[self] = {name, kind, OTF2_UNDEFINED_STRING, parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnNodeProperty(void* data, OTF2_SystemTreeNodeRef node, OTF2_StringRef name,
                                 OTF2_Type type, OTF2_AttributeValue value) {
  const auto found = In(data).nodes.find(node);
  if (found != In(data).nodes.end() && type == OTF2_TYPE_STRING &&
      In(data).Text(name) == kOtf2Boot) {
    found->second.boot = value.stringRef;
  }
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnProcess(void* data, OTF2_LocationGroupRef self, OTF2_StringRef,
                            OTF2_LocationGroupType, OTF2_SystemTreeNodeRef node,
                            OTF2_LocationGroupRef) {
  In(data).processes[self] = {node};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnLocation(void* data, OTF2_LocationRef self, OTF2_StringRef,
                             OTF2_LocationType type, std::uint64_t events,
                             OTF2_LocationGroupRef process) {
  if (type == OTF2_LOCATION_TYPE_CPU_THREAD) In(data).locations[self] = {events, process};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnRegion(void* data, OTF2_RegionRef self, OTF2_StringRef name,
                           OTF2_StringRef canonical, OTF2_StringRef, OTF2_RegionRole, OTF2_Paradigm,
                           OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
  In(data).regions[self] = {name, canonical};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnGroup(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                          OTF2_Paradigm paradigm, OTF2_GroupFlag flags, std::uint32_t count,
                          const std::uint64_t* members) {
  if (paradigm != OTF2_PARADIGM_MPI) return OTF2_CALLBACK_SUCCESS;
  Otf2Definitions::Group group;
  group.type = type;
  group.global_members = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
  group.members.assign(members, members + count);
  In(data).groups[self] = std::move(group);
  if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) In(data).ranks = self;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnCommunicator(void* data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag) {
  In(data).communicators[self] = {name, group, OTF2_UNDEFINED_GROUP, parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnIntercommunicator(void* data, OTF2_CommRef self, OTF2_StringRef name,
                                      OTF2_GroupRef group, OTF2_GroupRef remote,
                                      OTF2_CommRef parent, OTF2_CommFlag) {
  In(data).communicators[self] = {name, group, remote, parent};
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode OnAttribute(void* data, OTF2_AttributeRef self, OTF2_StringRef name,
                              OTF2_StringRef, OTF2_Type type) {
  if (type == OTF2_TYPE_UINT64) In(data).attributes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

const std::string& Otf2Definitions::Text(OTF2_StringRef string) const {
  static const std::string kNone;
  const auto found = strings.find(string);
  return found == strings.end() ? kNone : found->second;
}

Otf2Definitions::Host Otf2Definitions::HostOf(OTF2_LocationRef location) const {
  const auto at = locations.find(location);
  if (at == locations.end()) return {};
  const auto process = processes.find(at->second.process);
  if (process == processes.end()) return {};
  OTF2_SystemTreeNodeRef node = process->second.node;
  Host host;
  // A process may be on a part of a node, such as a socket. The tree may have a cycle.
  for (std::size_t depth = 0; depth <= nodes.size(); ++depth) {
    const auto found = nodes.find(node);
    if (found == nodes.end()) break;
    if (host.name.empty() || Text(found->second.kind) == "node") {
      host = {Text(found->second.name), Text(found->second.boot)};
    }
    node = found->second.parent;
  }
  return host;
}

std::unexpected<Error> Otf2Damaged(const std::filesystem::path& anchor, OTF2_ErrorCode code) {
  return Fail(ErrorKind::kFormat,
              fmt::format("cannot read the OTF2 archive {}: {}", Printable(anchor.string()),
                          OTF2_Error_GetDescription(code)));
}

Result<Otf2Definitions> ReadOtf2Definitions(OTF2_Reader* reader,
                                            const std::filesystem::path& anchor) {
  Otf2Definitions definitions;
  OTF2_GlobalDefReader* const source = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, OnString);
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, OnClock);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, OnNode);
  OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(callbacks, OnNodeProperty);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, OnProcess);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, OnLocation);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, OnRegion);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, OnGroup);
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, OnCommunicator);
  OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, OnIntercommunicator);
  OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, OnAttribute);
  OTF2_ErrorCode code =
      OTF2_Reader_RegisterGlobalDefCallbacks(reader, source, callbacks, &definitions);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t read = 0;
  if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadAllGlobalDefinitions(reader, source, &read);
  if (code != OTF2_SUCCESS) return Otf2Damaged(anchor, code);
  OTF2_Reader_CloseGlobalDefReader(reader, source);
  return definitions;
}

}  // namespace tare::mpi

#endif
