// mpi_openmp.cc: checks the OpenMP records of an MPI trace.
#include "format/mpi_openmp.h"

#include <limits>
#include <utility>

namespace tare::format {
namespace {

// Far beyond any run, and far from an overflow.
constexpr std::int64_t kMaxOpenMpNs = std::int64_t{1} << 60;

bool ReadValues(MpiNumbers& numbers, const OpenMpTrace& trace, OpenMpEvent& event) {
  switch (event.kind) {
    case TARE_OPENMP_FORK:
      event.region = numbers.Unsigned();
      event.place = numbers.Unsigned32();
      return event.place <= trace.places.size();
    case TARE_OPENMP_BEGIN:
      event.region = numbers.Unsigned();
      event.index = numbers.Unsigned32();
      event.threads = numbers.Unsigned32();
      return true;
    case TARE_OPENMP_JOIN:
    case TARE_OPENMP_END:
      event.region = numbers.Unsigned();
      return true;
    case TARE_OPENMP_ARRIVE:
    case TARE_OPENMP_RELEASE: {
      const std::uint64_t wait = numbers.Unsigned();
      if (wait >= TARE_OPENMP_WAITS) return false;
      event.wait = static_cast<tare_openmp_wait>(wait);
      return true;
    }
    default:
      return true;
  }
}

bool ReadEvents(MpiNumbers& numbers, OpenMpTrace& to) {
  const std::uint64_t thread = numbers.Unsigned();
  std::int64_t time = numbers.Signed();
  const std::uint64_t count = numbers.Unsigned();
  if (thread > std::numeric_limits<std::uint16_t>::max() || count > numbers.Remaining() ||
      time > kMaxOpenMpNs || time < -kMaxOpenMpNs) {
    return false;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    OpenMpEvent event;
    const std::uint8_t kind = numbers.Byte();
    const std::uint64_t wall = numbers.Unsigned();
    const std::uint64_t idle = numbers.Unsigned();
    if (numbers.IsDamaged() || kind >= TARE_OPENMP_EVENTS || idle > wall ||
        wall > static_cast<std::uint64_t>(kMaxOpenMpNs)) {
      return false;
    }
    time += static_cast<std::int64_t>(wall);
    if (time > kMaxOpenMpNs) return false;
    event.kind = static_cast<tare_openmp_event>(kind);
    event.thread = static_cast<std::uint16_t>(thread);
    event.time_ns = time;
    event.cpu_ns = wall - idle;
    if (!ReadValues(numbers, to, event) || numbers.IsDamaged()) return false;
    to.events.push_back(event);
  }
  return !numbers.IsDamaged();
}

}  // namespace

bool ReadOpenMpBlock(MpiNumbers& numbers, OpenMpTrace& to) {
  const std::size_t before = to.events.size();
  if (ReadEvents(numbers, to)) return true;
  to.events.resize(before);
  return false;
}

bool ReadOpenMpPlace(MpiNumbers& numbers, OpenMpTrace& to) {
  const std::uint64_t number = numbers.Unsigned();
  OpenMpPlace place;
  place.address = numbers.Unsigned();
  place.path = numbers.Text(numbers.Unsigned());
  if (numbers.IsDamaged() || number != to.places.size() + 1) return false;
  to.places.push_back(std::move(place));
  return true;
}

}  // namespace tare::format
