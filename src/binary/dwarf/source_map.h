// source_map.h: which source line and which inlined functions an address of a binary comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"

namespace tare::dwarf {

using elf::AddressRange;

// Stands for a file or a function that the debug information does not name.
inline constexpr std::uint32_t kUnknown = 0xffffffff;

struct SourceLine {
  std::uint32_t file;  // index into SourceMap::files(), or kUnknown
  std::uint32_t line;  // from 1; 0 where unknown
  bool operator==(const SourceLine&) const = default;
};

// Code from `start` up to `end` comes from one line.
struct LineRow {
  std::uint64_t start;
  std::uint64_t end;
  SourceLine source;
};

// A function of the source, whether it has code of its own or was only put into others.
struct SourceFunction {
  std::string name;  // as in the symbol table where it is known, else as in the source; may be ""
  SourceLine declared;  // where the definition, or else the declaration, stands
};

// Code of a function of its own, not inlined.
struct ConcreteFunction {
  std::uint64_t start;
  std::uint32_t function;  // index into SourceMap::functions()
};

// One place where the compiler put a function's body.
struct InlinedCall {
  std::uint64_t inside;       // start of the concrete function that holds it
  std::uint32_t function;     // index into SourceMap::functions()
  SourceLine call_site;       // the call that the body replaces
  std::uint32_t depth;        // 1: directly in the concrete function; 2: in one of depth 1; ...
  std::uint32_t first_range;  // see SourceMap::RangesOf
  std::uint32_t range_count;  // 1 or more
};

// All addresses are those of ElfImage: as in the file; in an object file a byte's offset in the
// file. The same bytes give the same map. It keeps nothing of the image.
class SourceMap {
 public:
  // From the debug sections of the image itself. Errors: kNotFound when it has none. Damage is no
  // error: what could be read is there, and problems() says what could not.
  static Result<SourceMap> Read(const elf::ElfImage& image);
  // The same for a file that may hold debug sections only, such as one of SeparateDebugFile.
  static Result<SourceMap> ReadFile(const std::filesystem::path& path);

  // Nothing for code that no source line explains.
  std::optional<SourceLine> LineAt(std::uint64_t address) const;
  // Ascending; no two overlap, none is empty, and each has a line.
  std::span<const LineRow> rows() const { return rows_; }

  // By `inside`, then as nested: a call stands before those inside it.
  std::span<const InlinedCall> inlined() const { return inlined_; }
  // Ascending, not empty, each in executable code.
  std::span<const AddressRange> RangesOf(const InlinedCall& call) const;

  // By start; one for each start.
  std::span<const ConcreteFunction> concrete() const { return concrete_; }
  // Of the concrete function that starts there: an index into functions().
  std::optional<std::uint32_t> FunctionStartingAt(std::uint64_t start) const;
  // Where the concrete function that starts there is declared; nothing where that is not known.
  std::optional<SourceLine> DeclarationOf(std::uint64_t start) const;

  // Whole paths where the compiler told its directory.
  const std::vector<std::string>& files() const { return files_; }
  const std::vector<SourceFunction>& functions() const { return functions_; }

  // Sentences about damage and about parts that are kept elsewhere; they hold text from outside.
  const std::vector<std::string>& problems() const { return problems_; }
  bool complete() const { return problems_.empty(); }

 private:
  friend class SourceMapBuilder;
  SourceMap() = default;

  std::vector<LineRow> rows_;
  std::vector<InlinedCall> inlined_;
  std::vector<AddressRange> ranges_;
  std::vector<ConcreteFunction> concrete_;
  std::vector<std::string> files_;
  std::vector<SourceFunction> functions_;
  std::vector<std::string> problems_;
};

}  // namespace tare::dwarf
