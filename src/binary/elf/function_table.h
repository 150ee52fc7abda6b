// function_table.h: symbols, stubs and frames, which overlap and repeat, made into one sorted list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "binary/elf/elf_file.h"
#include "binary/elf/function.h"
#include "binary/elf/symbol_table.h"

namespace tare::elf {

// Of several names for one address: exported before local, fewer leading underscores, strong before
// weak, shorter, then by the alphabet.
bool IsBetterName(const CodeSymbol& a, const CodeSymbol& b);

// "sub_1a40"
std::string NameByAddress(std::uint64_t address);

// Symbols and stubs as the file names them; where they leave gaps, frames; where those leave gaps,
// `guesses`. A symbol without a size ends where the next thing begins. A function with another in
// its middle is there twice, before and behind it. Everything is cut to `code`, which is sorted.
std::vector<Function> FunctionTable(std::vector<CodeSymbol> symbols,
                                    const std::vector<Function>& stubs,
                                    std::vector<AddressRange> frames,
                                    const std::vector<Function>& guesses,
                                    std::span<const AddressRange> code);

// `functions` with those whose end is a guess cut at each of the sorted `starts` inside of them;
// what begins there is named by its address.
std::vector<Function> SplitAt(std::vector<Function> functions,
                              std::span<const std::uint64_t> starts);

}  // namespace tare::elf
