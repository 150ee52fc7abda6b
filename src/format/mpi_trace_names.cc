// mpi_trace_names.cc: names of MPI functions and operations.
#include <algorithm>
#include <array>

#include "format/mpi_trace.h"

namespace tare::format {
namespace {

struct FunctionRow {
  std::string_view name;
  MpiOperation operation;
};

constexpr auto kFunctionRows = std::to_array<FunctionRow>({
#define TARE_MPI_ROW(name, operation) {"MPI_" #name, TARE_MPI_##operation},
    TARE_MPI_FUNCTIONS(TARE_MPI_ROW)
#undef TARE_MPI_ROW
});
static_assert(kFunctionRows.size() == TARE_MPI_FUNCTION_COUNT);

constexpr auto kOperationNames = std::to_array<std::string_view>({
    "other",
    "init",
    "finalize",
    "abort",
    "send",
    "receive",
    "send-receive",
    "probe",
    "wait",
    "poll",
    "request",
    "barrier",
    "bcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "reduce",
    "allreduce",
    "reduce-scatter",
    "scan",
    "exscan",
    "neighbor-allgather",
    "neighbor-alltoall",
    "communicator",
    "communicator-free",
    "window",
    "window-free",
    "fence",
    "put",
    "get",
    "accumulate",
    "lock",
    "unlock",
    "flush",
    "post",
    "start",
    "complete",
    "window-wait",
    "io",
});
static_assert(kOperationNames.size() == TARE_MPI_OPERATIONS);

}  // namespace

std::string_view MpiFunctionName(MpiFunction function) {
  switch (function) {
    case TARE_MPI_F_Poll:
      return "tests without success";
    case TARE_MPI_F_Start_send:
    case TARE_MPI_F_Start_bsend:
    case TARE_MPI_F_Start_ssend:
    case TARE_MPI_F_Start_rsend:
      return "MPI_Start (send)";
    case TARE_MPI_F_Start_recv:
      return "MPI_Start (receive)";
    default:
      return kFunctionRows[function].name;
  }
}

std::string_view MpiFunctionCode(MpiFunction function) { return kFunctionRows[function].name; }

std::optional<MpiFunction> ParseMpiFunction(std::string_view code) {
  const auto found = std::ranges::find(kFunctionRows, code, &FunctionRow::name);
  if (found == kFunctionRows.end()) return std::nullopt;
  return static_cast<MpiFunction>(found - kFunctionRows.begin());
}

MpiOperation OperationOf(MpiFunction function) { return kFunctionRows[function].operation; }

std::string_view MpiOperationName(MpiOperation operation) { return kOperationNames[operation]; }

bool IsCollective(MpiOperation operation) {
  return operation >= TARE_MPI_BARRIER && operation <= TARE_MPI_FENCE;
}

}  // namespace tare::format
