// function_table.h: merging overlapping symbols, stubs and frames into one sorted list of
// functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "binary/elf/elf_file.h"
#include "binary/elf/function.h"
#include "binary/elf/symbol_table.h"

namespace tare::elf {

// The order of several names for one address: exported before local, fewer leading underscores,
// strong before weak, shorter, then alphabetically.
bool IsBetterName(const CodeSymbol& a, const CodeSymbol& b);

// "sub_1a40"
std::string NameByAddress(std::uint64_t address);

// Symbols and stubs have priority; frames fill the gaps between them, and `guesses` the remaining
// gaps. A symbol without a size ends at the next start. A function with another in its middle
// occurs twice, before and after it. Everything is clipped to `code`, which must be sorted.
std::vector<Function> FunctionTable(std::vector<CodeSymbol> symbols,
                                    const std::vector<Function>& stubs,
                                    std::vector<AddressRange> frames,
                                    const std::vector<Function>& guesses,
                                    std::span<const AddressRange> code);

// Splits those `functions` whose end is a guess at each of the sorted `starts` within them; the new
// functions are named by their address.
std::vector<Function> SplitAt(std::vector<Function> functions,
                              std::span<const std::uint64_t> starts);

}  // namespace tare::elf
