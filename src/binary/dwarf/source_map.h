// source_map.h: the source line and inlined functions of each address of a binary.
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

// Represents a file or a function that the debug information does not name.
inline constexpr std::uint32_t kUnknown = 0xffffffff;

struct SourceLine {
  std::uint32_t file;  // index into SourceMap::files(), or kUnknown
  std::uint32_t line;  // from 1; 0: unknown
  bool operator==(const SourceLine&) const = default;
};

// Code from `start` up to `end` comes from one line.
struct LineRow {
  std::uint64_t start;
  std::uint64_t end;
  SourceLine source;
};

// A function of the source, with its own code or only inlined into others.
struct SourceFunction {
  std::string name;     // linkage name where known, else the name in the source; may be ""
  SourceLine declared;  // line of the definition, or else of the declaration
};

// Out-of-line code of a function.
struct ConcreteFunction {
  std::uint64_t start;
  std::uint32_t function;  // index into SourceMap::functions()
};

// One place where the compiler inlined a function.
struct InlinedCall {
  std::uint64_t inside;       // start of the concrete function that contains it
  std::uint32_t function;     // index into SourceMap::functions()
  SourceLine call_site;       // the call that the body replaces
  std::uint32_t depth;        // 1: directly in the concrete function; 2: in one of depth 1; ...
  std::uint32_t first_range;  // see SourceMap::RangesOf
  std::uint32_t range_count;  // 1 or more
};

// All addresses are those of ElfImage: as in the file; in an object file the offset in the file.
// Deterministic. Does not refer to the image after construction.
class SourceMap {
 public:
  // Reads the debug sections of the image itself. Errors: kNotFound when it has none. Damage is no
  // error: readable parts are present, and problems() describes the rest.
  static Result<SourceMap> Read(const elf::ElfImage& image);
  // The same for a file with debug sections only, such as one from SeparateDebugFile.
  static Result<SourceMap> ReadFile(const std::filesystem::path& path);

  // Nothing for code without a source line.
  std::optional<SourceLine> LineAt(std::uint64_t address) const;
  // Ascending, disjoint and not empty; each has a line.
  std::span<const LineRow> rows() const { return rows_; }

  // By `inside`, then by nesting: a call precedes those inside of it.
  std::span<const InlinedCall> inlined() const { return inlined_; }
  // Ascending, not empty, each in executable code.
  std::span<const AddressRange> RangesOf(const InlinedCall& call) const;

  // By start; one per start.
  std::span<const ConcreteFunction> concrete() const { return concrete_; }
  // The index into functions() of the concrete function that starts there.
  std::optional<std::uint32_t> FunctionStartingAt(std::uint64_t start) const;
  // Where the concrete function that starts there is declared; nothing if unknown.
  std::optional<SourceLine> DeclarationOf(std::uint64_t start) const;

  // Absolute paths where the debug information has the compilation directory.
  const std::vector<std::string>& files() const { return files_; }
  const std::vector<SourceFunction>& functions() const { return functions_; }

  // Sentences about damage and about parts in other files; they contain untrusted text.
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
