// listing.h: facts about a binary in one form, so that the answers of several readers can be
// compared as text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf/address_range.h"

namespace readers {

using tare::elf::AddressRange;

struct Symbol {
  std::string_view name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool dynamic = false;
  bool exported = false;
  bool weak = false;
  bool ifunc = false;
};

struct LineRow {
  std::uint64_t address;
  std::string path;
  std::uint64_t line;
};

struct Inlined {
  std::uint64_t inside;
  unsigned depth;
  std::string name;
  std::string call_path;
  std::uint64_t call_line;
  std::vector<AddressRange> ranges;
};

// What a decoder says of one instruction. Nothing: it cannot tell.
struct InstructionFact {
  unsigned length = 0;      // 0: invalid
  std::string_view branch;  // "none", "conditional", "jump", "call", "return", ...
  std::optional<std::uint64_t> target;
  std::optional<bool> loads, stores;
  std::optional<std::uint64_t> load_bytes, store_bytes;
  std::optional<std::uint64_t> written;  // general-purpose registers, a bit for each
  std::string name;
};

// Applies the rules of docs/methods/debug-information.md to what a library gives: code that the
// linker discarded is dropped, the last row of an address counts, adjacent rows of a line are
// merged, the first description of a function counts.
class Listing {
 public:
  explicit Listing(const std::string& path);

  void Add(const Symbol& symbol);
  // The rows of one sequence, in the order of the line program.
  void AddSequence(const std::vector<LineRow>& rows, std::uint64_t end);
  // Out-of-line code; false when another description of the same code came first, whose inlined
  // calls count. `entry` is DW_AT_entry_pc.
  std::optional<std::uint64_t> AddConcrete(const std::string& name,
                                           std::vector<AddressRange> ranges,
                                           std::optional<std::uint64_t> entry);
  void Add(Inlined call);
  void Add(std::uint64_t address, const InstructionFact& fact);

  void Print();

 private:
  std::vector<AddressRange> Clipped(std::vector<AddressRange> ranges) const;
  std::uint64_t CodeEnd(std::uint64_t address) const;
  void PrintLines();

  struct Sequence {
    std::uint64_t start;
    std::uint64_t end;
    std::size_t order;  // in which it was added
    std::vector<LineRow> rows;
  };

  std::vector<AddressRange> code_;
  std::vector<Sequence> sequences_;
  std::map<std::uint64_t, std::string> concrete_;
  std::vector<std::string> facts_;
};

// The path without "." and ".." and repeated slashes.
std::string Normal(const std::string& path);

}  // namespace readers
