// mpi_otf2_fields.h: what events of OTF2 have no place for: attributes and names of our own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "format/mpi_trace.h"

namespace tare::mpi {

// Fields of a call that are attributes of its region's entry, if the events inside do not have
// them. Other tools ignore them.
struct Otf2Field {
  std::string_view name;
  std::uint64_t (*get)(const format::MpiEvent&);
  void (*set)(format::MpiEvent&, std::uint64_t);
};

#define TARE_OTF2_FIELD(member)                                          \
  Otf2Field {                                                            \
    "tare::" #member,                                                    \
        [](const format::MpiEvent& event) {                              \
          return static_cast<std::uint64_t>(std::int64_t(event.member)); \
        },                                                               \
        [](format::MpiEvent& event, std::uint64_t value) {               \
          event.member = static_cast<decltype(event.member)>(value);     \
        }                                                                \
  }
inline constexpr auto kOtf2Fields = std::to_array<Otf2Field>({
    TARE_OTF2_FIELD(burst_cpu_ns),
    TARE_OTF2_FIELD(burst_path_ns),
    TARE_OTF2_FIELD(communicator),
    TARE_OTF2_FIELD(request),
    TARE_OTF2_FIELD(peer),
    TARE_OTF2_FIELD(tag),
    TARE_OTF2_FIELD(source),
    TARE_OTF2_FIELD(receive_tag),
    TARE_OTF2_FIELD(root),
    TARE_OTF2_FIELD(new_communicator),
    TARE_OTF2_FIELD(error),
    TARE_OTF2_FIELD(count),
    TARE_OTF2_FIELD(bytes),
    TARE_OTF2_FIELD(bytes_received),
    TARE_OTF2_FIELD(any_source),
    TARE_OTF2_FIELD(any_tag),
    // Of this call and the next ones of the thread.
    TARE_OTF2_FIELD(core),
});
#undef TARE_OTF2_FIELD
inline constexpr std::size_t kOtf2CpuField = 0;

// The archive's property with the path of the program.
inline constexpr const char* kOtf2Program = "TARE::MPI::PROGRAM";
// The property of a host that tells its boots apart.
inline constexpr const char* kOtf2Boot = "tare::boot";

// Names of communicators begin with their kind, which OTF2 does not know: "window 3".
struct Otf2CommunicatorName {
  tare_mpi_comm_kind kind;
  std::string_view name;
};
inline constexpr auto kOtf2CommunicatorNames = std::to_array<Otf2CommunicatorName>({
    {TARE_MPI_COMM_INTRA, "communicator"},
    {TARE_MPI_COMM_INTER, "intercommunicator"},
    {TARE_MPI_COMM_TOPOLOGY, "topology"},
    {TARE_MPI_COMM_WINDOW, "window"},
    {TARE_MPI_COMM_GROUP, "group"},
});

}  // namespace tare::mpi
