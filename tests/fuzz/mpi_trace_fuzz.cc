// mpi_trace_fuzz.cc: reads arbitrary files of MPI processes. An input with the magic number is a
// file; any other is the records of a chunk that gets a valid checksum, so that they are parsed.
// OpenMP regions are found in what is read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "format/mpi_trace.h"
#include "measure/mpi/openmp_regions.h"
#include "tests/unit/format/mpi_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  using namespace tare::format;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string file(input);
  if (!input.starts_with("tarempi1")) {
    MpiFileBuilder forged(1, 4);
    forged.Predefined();
    for (const char byte : input) forged.Byte(static_cast<unsigned char>(byte));
    file = forged.Bytes();
  }
  auto reader = MpiRankReader::From(BytesOf(file), "input");
  if (!reader) {
    CHECK(reader.error().kind == ErrorKind::kFormat && !reader.error().message.empty());
    return 0;
  }
  const MpiRank rank = ReadMpiRank(std::move(*reader));
  CHECK(rank.outcome.complete == rank.outcome.reason.empty());
  CHECK(rank.outcome.complete || rank.outcome.reason.starts_with("incomplete: "));
  for (const MpiEvent& event : rank.events) {
    CHECK(event.communicator < rank.communicators.size());
    CHECK(event.end_ns >= event.start_ns);
    CHECK(event.peer < static_cast<std::int64_t>(rank.header.size));
    CHECK(rank.CompletionsOf(event).size() == event.completions.count);
    CHECK(rank.ListOf(event).size() == event.list.count);
  }
  for (const OpenMpEvent& event : rank.openmp.events) {
    CHECK(event.kind < TARE_OPENMP_EVENTS && event.wait < TARE_OPENMP_WAITS);
    CHECK(event.place <= rank.openmp.places.size());
  }
  const mpi::OpenMpRegions found = mpi::FindOpenMpRegions(rank.openmp);
  for (const mpi::OpenMpRegion& region : found.regions) CHECK(region.end_ns >= region.start_ns);
  for (const mpi::OpenMpMember& member : found.members) {
    CHECK(member.region < found.regions.size() && member.end_ns >= member.start_ns);
  }
  for (const mpi::OpenMpWait& wait : found.waits) {
    CHECK(wait.member < found.members.size() && wait.end_ns >= wait.start_ns);
  }
  return 0;
}
