// operation_rows.h: how the tables of operations of both architectures are written.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "machine/microbenchmark/loop_row.h"
#include "machine/microbenchmark/operation.h"

namespace tare::microbenchmark {

// RunBranches in machine code; `mask` is the number of directions less 1.
extern "C" std::uint64_t tare_branches(const std::uint8_t* pattern, std::uint64_t mask,
                                       std::uint64_t count);

// What is divided, by what, and a number whose square root is taken again and again.
inline constexpr auto kDividend = std::bit_cast<std::uint64_t>(2.718281828459045);
inline constexpr auto kDivisor = std::bit_cast<std::uint64_t>(1.4142135623730951);
inline constexpr auto kHuge = std::bit_cast<std::uint64_t>(1e300);
// Divided by 2^30 and a little more, and by what comes out.
inline constexpr std::uint64_t kIntegerDividend = 0x4000000000002545;
inline constexpr std::uint64_t kIntegerDivisor = 0x40000001;

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

}  // namespace tare::microbenchmark
