// mpi_openmp.h: the OpenMP events of one process, as its file has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/mpi_numbers.h"
#include "format/mpi_wire.h"

namespace tare::format {

// tare_openmp_event is documented in mpi_wire.h.
struct OpenMpEvent {
  tare_openmp_event kind = TARE_OPENMP_FORK;
  std::uint16_t thread = 0;
  tare_openmp_wait wait = TARE_OPENMP_EXPLICIT;  // of arrivals and releases
  std::uint32_t place = 0;                       // of a fork: index into `places` plus 1; 0: none
  std::uint32_t index = 0;                       // of a member, in its team
  std::uint32_t threads = 0;                     // of the team, likewise
  std::uint64_t region = 0;                      // number of the parallel region, from 1
  std::int64_t time_ns = 0;                      // since MPI_Init, or since the process began
  std::uint64_t cpu_ns = 0;                      // of the thread since its event before

  friend bool operator==(const OpenMpEvent&, const OpenMpEvent&) = default;
};

// Code that starts regions: the address after the call of the runtime.
struct OpenMpPlace {
  std::uint64_t address = 0;  // in the file
  std::string path;           // empty: the program

  friend bool operator==(const OpenMpPlace&, const OpenMpPlace&) = default;
};

struct OpenMpTrace {
  std::vector<OpenMpEvent> events;  // those of each thread in their order
  std::vector<OpenMpPlace> places;
};

// Append what follows the code byte of a record. False if it is damaged; `to` is unchanged then.
bool ReadOpenMpBlock(MpiNumbers& numbers, OpenMpTrace& to);
bool ReadOpenMpPlace(MpiNumbers& numbers, OpenMpTrace& to);

}  // namespace tare::format
