// mpi_tables.h: an MPI trace as sentences and tables.
#pragma once

#include "measure/mpi/mpi_join.h"
#include "measure/mpi/mpi_matching.h"
#include "report/document.h"

namespace tare::cli {

struct MpiView {
  bool verbose = false;  // all ranks and functions, sizes of messages
};

// What the job did, and whether its calls match.
void AddMpiTables(const mpi::JoinedTrace& joined, const MpiView& view, report::Document& document);

// Only whether the calls match, with every problem.
void AddMpiCheck(const mpi::JoinedTrace& joined, report::Document& document);

// Whether every rank is complete and every call has its counterpart.
bool IsSound(const mpi::JoinedTrace& joined, const mpi::Matching& matching);

}  // namespace tare::cli
