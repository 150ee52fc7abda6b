// operation_rows.h: how the tables of operations of both architectures are written.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/kernel_row.h"
#include "kernels/operation.h"

namespace tare::kernels {

// RunBranches in machine code; `mask` is the number of directions less 1.
extern "C" std::uint64_t tare_branches(const std::uint8_t* pattern, std::uint64_t mask,
                                       std::uint64_t count);

// In one turn of every chain.
inline constexpr unsigned kChainLinks = 32;

// `each` operations are in one instruction.
constexpr Operation Independent(std::string_view name, std::string_view unit, unsigned each,
                                unsigned instructions, std::string_view mnemonic,
                                std::string_view symbol, void (*run)(std::uint64_t)) {
  return {name, unit, Form::kThroughput, each * instructions, instructions, mnemonic, symbol, run};
}

constexpr Operation Chained(std::string_view name, std::string_view mnemonic,
                            std::string_view symbol, void (*run)(std::uint64_t)) {
  return {name, "op", Form::kLatency, kChainLinks, kChainLinks, mnemonic, symbol, run};
}

}  // namespace tare::kernels
