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

// An indirect function (ifunc), which the loader selects at run time, and its possible results.
struct Dispatch {
  std::string name;
  std::uint64_t resolver;
  std::vector<std::uint64_t> candidates;  // starts of functions, ascending
};

// Addresses are those in the file; the loader adds its bias. In an object file, which has no
// addresses, the address of a byte is its offset in the file.
class ElfImage {
 public:
  // As OpenElf, for bytes in memory.
  static Result<ElfImage> Parse(std::string bytes);

  // Not copyable: references and tables point into its bytes.
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
  // Lower-case hexadecimal; empty where there is none.
  const std::string& build_id() const { return build_id_; }
  // The file has no .symtab.
  bool stripped() const { return stripped_; }
  bool is_static() const { return is_static_; }
  // By address. In an object file each loaded section is one segment.
  const std::vector<Segment>& segments() const { return segments_; }
  // Executable sections, or segments if there are none; ascending and disjoint.
  const std::vector<AddressRange>& code_ranges() const { return code_ranges_; }
  // Sorted and disjoint. A function with another one in its middle occurs twice.
  const std::vector<Function>& functions() const { return functions_; }

  std::optional<std::uint64_t> FileOffsetOf(std::uint64_t address) const;
  // The address of a byte of an executable segment.
  std::optional<std::uint64_t> AddressOf(std::uint64_t file_offset) const;
  // The bytes of the file at `address`: `size` of them, fewer at the end of the segment, none
  // outside of all segments.
  std::span<const std::byte> Code(std::uint64_t address, std::uint64_t size) const;
  // The whole file, for parsing sections (see ReadElfFile); valid until the image is moved or
  // destroyed.
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

  // Data between instructions, according to symbols: literal pools, jump tables. Sorted and
  // disjoint.
  const std::vector<AddressRange>& data_in_code() const { return data_in_code_; }
  // Sorted by address: what the loader fills in programs and libraries, and what the linker will
  // fill in the loaded sections of object files.
  const std::vector<Reference>& references() const { return references_; }
  // The reference at exactly this address; null where there is none.
  const Reference* ReferenceAt(std::uint64_t address) const;
  // The first reference with start <= address < end.
  const Reference* FirstReferenceIn(std::uint64_t start, std::uint64_t end) const;
  // Sorted by start and disjoint. Use WordAt and ReferenceAt for the slots.
  const std::vector<VirtualTable>& virtual_tables() const { return virtual_tables_; }

  // The 64-bit word at `address` after loading, minus the bias if it is an address.
  std::optional<std::uint64_t> WordAt(std::uint64_t address) const;

  // Null for an address outside of all known functions.
  const Function* FunctionAt(std::uint64_t address) const;
  // By mangled or demangled name, with or without parameters; by the name of the function of which
  // it is the only clone. The error suggests a similar name, or lists the clones.
  Result<Function> FindFunction(std::string_view name) const;
  // By its symbol, or else by the argument that the entry code passes to __libc_start_main.
  Result<Function> FindMain() const;

  // For each STT_GNU_IFUNC symbol the functions whose addresses its resolver computes; by name. In
  // a program without symbols the resolver's own name is used.
  std::vector<Dispatch> IfuncCandidates() const;
  // Whether the function contains an instruction that queries the processor (see Instruction).
  bool QueriesProcessor(const Function& function) const;

 private:
  friend class ElfImageBuilder;
  ElfImage() = default;

  const Segment* SegmentAt(std::uint64_t address) const;
  // The word that the loader writes there; nothing for a word that it does not change.
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
  std::vector<std::pair<std::string, std::uint64_t>> resolvers_;  // of indirect functions, by name
  std::vector<AddressRange> data_in_code_;
  std::vector<Reference> references_;
  std::vector<VirtualTable> virtual_tables_;
  std::optional<std::uint64_t> main_;
};

// Errors: kNotFound, kIo; kUnsupported for a script and for programs of other architectures, which
// the message names; kFormat for damage.
Result<ElfImage> OpenElf(const std::filesystem::path& path);

// Copies the bytes.
Result<ElfImage> ParseElf(std::span<const std::byte> bytes);

// The interpreter of a file that begins with "#!", without its arguments.
std::optional<std::string> ScriptInterpreter(std::span<const std::byte> bytes);

}  // namespace tare::elf
