// openmp_places.h: names of places in the code that start parallel regions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "measure/mpi/openmp_summary.h"

namespace tare::mpi {

// Reads each binary once.
class PlaceNames {
 public:
  PlaceNames();
  ~PlaceNames();
  PlaceNames(const PlaceNames&) = delete;
  PlaceNames& operator=(const PlaceNames&) = delete;

  // "solve (heat.c:42)"; "solve" without debug information; "heat+0x1a40" if the binary cannot be
  // read or is not the one that ran; "unknown" without a place. Printable.
  std::string NameOf(const PlaceOpenMp& place);

 private:
  struct Binary;
  std::map<std::string, std::unique_ptr<Binary>> binaries_;
};

}  // namespace tare::mpi
