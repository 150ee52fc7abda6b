// elf_image.h: a program or library as its file describes it: segments, functions, dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "binary/decode/architecture.h"
#include "binary/elf/address_range.h"
#include "binary/elf/elf_reference.h"
#include "binary/elf/function.h"

namespace tare::elf {

enum class FileType { kExecutable, kPie, kSharedLibrary, kObject };

struct Segment {
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t file_bytes;
  std::uint64_t memory_bytes;
  bool readable;
  bool writable;
  bool executable;
};

// A function that the loader picks at run time, and all that its resolver may pick.
struct Dispatch {
  std::string name;
  std::uint64_t resolver;
  std::vector<std::uint64_t> candidates;  // starts of functions, ascending
};

// Addresses are those in the file; a loader adds its bias. In an object file, which has none, a
// byte's address is its offset in the file.
class ElfImage {
 public:
  // As OpenElf, for bytes in memory.
  static Result<ElfImage> Parse(std::string bytes);

  // References and tables point into its bytes.
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ElfImage(ElfImage&&) = default;
  ElfImage& operator=(ElfImage&&) = default;

  decode::Architecture architecture() const { return architecture_; }
  FileType type() const { return type_; }
  std::uint64_t file_bytes() const { return bytes_.size(); }
  std::uint64_t entry() const { return entry_; }
  // Empty for a static program.
  const std::string& interpreter() const { return interpreter_; }
  // Small hexadecimal letters; empty where there is none.
  const std::string& build_id() const { return build_id_; }
  // No .symtab.
  bool stripped() const { return stripped_; }
  bool is_static() const { return is_static_; }
  // By address. In an object file each loaded section is one.
  const std::vector<Segment>& segments() const { return segments_; }
  // Executable sections, or else segments; ascending and apart.
  const std::vector<AddressRange>& code_ranges() const { return code_ranges_; }
  // Sorted; no two overlap. A function with another one in its middle is there twice.
  const std::vector<Function>& functions() const { return functions_; }

  std::optional<std::uint64_t> FileOffsetOf(std::uint64_t address) const;
  // The address of a byte of an executable segment.
  std::optional<std::uint64_t> AddressOf(std::uint64_t file_offset) const;
  // Bytes that the file holds at `address`: `size` of them, fewer where its segment ends before,
  // none where there is no segment.
  std::span<const std::byte> Code(std::uint64_t address, std::uint64_t size) const;
  // The whole file, for readers of sections (see ReadElfFile); valid as long as the image stays
  // put.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

  // Data that lies between instructions, as symbols tell: literal pools, jump tables. Sorted,
  // apart.
  const std::vector<AddressRange>& data_in_code() const { return data_in_code_; }
  // Sorted by address. In programs and libraries what the loader fills, in object files what the
  // linker will fill in sections that are loaded.
  const std::vector<Reference>& references() const { return references_; }
  // The reference of exactly this place; null where there is none.
  const Reference* ReferenceAt(std::uint64_t address) const;
  // The first with start <= its address < end.
  const Reference* FirstReferenceIn(std::uint64_t start, std::uint64_t end) const;
  // Sorted by start; no two overlap. WordAt and ReferenceAt read the slots.
  const std::vector<VirtualTable>& virtual_tables() const { return virtual_tables_; }

  // The 64-bit word that the program finds at `address` once it is loaded, less the bias where it
  // is an address.
  std::optional<std::uint64_t> WordAt(std::uint64_t address) const;

  // Nothing for an address that lies in no known function.
  const Function* FunctionAt(std::uint64_t address) const;
  // By name as in the file or demangled, with or without its arguments. The error names a near
  // match.
  Result<Function> FindFunction(std::string_view name) const;
  // By its symbol, or else by what the code at the entry hands to the C library.
  Result<Function> FindMain() const;

  // For each STT_GNU_IFUNC symbol the functions whose addresses its resolver makes; by name. In a
  // program without symbols the resolver's own name stands for it.
  std::vector<Dispatch> IfuncCandidates() const;
  // Whether the function's code contains an instruction that asks the processor (see Instruction).
  bool ProcessorQuestions(const Function& function) const;

 private:
  friend class ElfImageBuilder;
  ElfImage() = default;

  const Segment* SegmentAt(std::uint64_t address) const;
  // What the loader puts there; nothing for a word that it does not touch.
  std::optional<std::uint64_t> SlotAt(std::uint64_t address) const;

  std::string bytes_;
  decode::Architecture architecture_ = decode::Architecture::kX86_64;
  FileType type_ = FileType::kExecutable;
  std::uint64_t entry_ = 0;
  std::string interpreter_;
  std::string build_id_;
  bool stripped_ = true;
  bool is_static_ = true;
  std::vector<Segment> segments_;
  std::vector<AddressRange> code_ranges_;
  std::vector<Function> functions_;
  std::vector<std::pair<std::string, std::uint64_t>>
      resolvers_;  // of dispatched functions, by name
  std::vector<AddressRange> data_in_code_;
  std::vector<Reference> references_;
  std::vector<VirtualTable> virtual_tables_;
  std::optional<std::uint64_t> main_;
};

// Errors: kNotFound, kIo; kUnsupported for a script and for programs of other machines, which the
// message names; kFormat for damage.
Result<ElfImage> OpenElf(const std::filesystem::path& path);

// Copies the bytes.
Result<ElfImage> ParseElf(std::span<const std::byte> bytes);

// The interpreter of a file that begins with "#!", without its arguments.
std::optional<std::string> ScriptInterpreter(std::span<const std::byte> bytes);

}  // namespace tare::elf
