// operation_rows.h: building blocks of the operation tables of both architectures.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "machine/microbenchmark/loop_row.h"
#include "machine/microbenchmark/operation.h"

namespace tare::microbenchmark {

// RunBranches in assembly; `mask` is the number of directions minus 1.
extern "C" std::uint64_t tare_branches(const std::uint8_t* pattern, std::uint64_t mask,
                                       std::uint64_t count);

// Dividend and divisor, and a number whose square root is taken repeatedly.
inline constexpr auto kDividend = std::bit_cast<std::uint64_t>(2.718281828459045);
inline constexpr auto kDivisor = std::bit_cast<std::uint64_t>(1.4142135623730951);
inline constexpr auto kHuge = std::bit_cast<std::uint64_t>(1e300);
// The divisor is slightly above 2^30; the quotient becomes the next divisor.
inline constexpr std::uint64_t kIntegerDividend = 0x4000000000002545;
inline constexpr std::uint64_t kIntegerDivisor = 0x40000001;

// Instructions per iteration of every chain.
inline constexpr unsigned kChainLinks = 32;

// `each` is the number of operations per instruction.
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
