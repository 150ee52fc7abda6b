// mpi_openmp_tables.h: the OpenMP regions of an MPI trace as sentences and tables.
#pragma once

#include <string>

#include "cli/commands/mpi/mpi_tables.h"
#include "measure/mpi/openmp_summary.h"
#include "report/document.h"

namespace tare::cli {

// What is worth knowing about the threads, with a leading blank; empty if nothing is. `seconds` is
// the time of all ranks.
std::string OpenMpSentence(const mpi::OpenMpSummary& summary, double seconds);

// Adds nothing for a program without OpenMP.
void AddOpenMpTables(const mpi::OpenMpSummary& summary, const MpiView& view,
                     report::Document& document);

}  // namespace tare::cli
