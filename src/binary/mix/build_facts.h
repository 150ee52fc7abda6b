// build_facts.h: statistics of a whole binary.
#pragma once

#include <cstdint>
#include <optional>

#include "binary/code/program_code.h"

namespace tare::mix {

struct Facts {
  std::uint64_t functions = 0;  // without stubs
  std::uint64_t stubs = 0;
  std::uint64_t functions_with_frame = 0;
  std::uint64_t functions_without_name = 0;

  std::uint64_t call_sites = 0;    // calls, and jumps that are tail calls
  std::uint64_t import_calls = 0;  // to functions of other files
  std::uint64_t tail_calls = 0;
  std::uint64_t indirect_calls = 0;  // through a register or memory
  std::uint64_t indirect_candidates =
      0;  // of these: with candidates from virtual tables, pointer tables or variables
  std::uint64_t unresolved_calls = 0;  // of these: unresolved
  std::uint64_t jump_tables = 0;

  // Medians; nothing without a pair or a call.
  std::optional<double> bytes_between_calls;         // consecutive call sites of one function
  std::optional<double> instructions_between_calls;  // the same
  std::optional<double> bytes_to_target;             // of direct calls within the file
  // Between the code of two functions of which one calls the other directly; each pair once.
  std::optional<double> bytes_between_bodies;

  // The share of packed instructions among those on floating-point numbers, and among all that
  // compute in vector registers. Nothing where there are none.
  std::optional<double> vectorised_float;
  std::optional<double> vectorised_all;
};

Facts FactsOf(const code::ProgramCode& code);

}  // namespace tare::mix
