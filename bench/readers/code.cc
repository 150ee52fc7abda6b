// code.cc: finding the code of a file.
#include "code.h"

#include <algorithm>

#include "base/file.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/symbol_table.h"

namespace readers {

using namespace tare;

Code ReadCode(const std::string& path) {
  Code code;
  auto bytes = ReadFile(path, std::uint64_t{4} << 30);
  if (!bytes) return code;
  code.file = std::move(*bytes);
  const auto file = elf::ReadElfFile(std::as_bytes(std::span(code.file)));
  if (!file) return code;
  if (file->header.e_machine == EM_AARCH64) code.architecture = decode::Architecture::kAArch64;
  const auto data = elf::ReadSymbols(*file).data_in_code;
  for (const auto& section : file->sections) {
    if ((section.flags & SHF_EXECINSTR) == 0 || section.contents.empty()) continue;
    std::uint64_t at = section.address;
    const std::uint64_t end = at + section.contents.size();
    const auto add = [&](std::uint64_t to) {
      if (at < to)
        code.pieces.push_back({at, section.contents.subspan(at - section.address, to - at)});
    };
    for (const auto& range : data) {
      if (range.end <= at || range.start >= end) continue;
      add(std::min(range.start, end));
      at = std::min(range.end, end);
    }
    add(end);
  }
  return code;
}

namespace {

std::optional<unsigned> Decimal(std::string_view text) {
  if (text.empty() || text.size() > 2) return std::nullopt;
  unsigned value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value;
}

std::optional<unsigned> X86Number(std::string_view name) {
  if (name.starts_with("r") && name.size() > 1 && name[1] <= '9') {
    name.remove_prefix(1);
    if (name.ends_with("d") || name.ends_with("w") || name.ends_with("b")) name.remove_suffix(1);
    return Decimal(name);
  }
  constexpr std::string_view kNames[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
  constexpr std::string_view kLow[] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
  constexpr std::string_view kHigh[] = {"ah", "ch", "dh", "bh"};
  const bool wide = name.size() == 3 && (name[0] == 'r' || name[0] == 'e');
  for (unsigned i = 0; i < 8; ++i) {
    if ((wide ? name.substr(1) : name) == kNames[i] || name == kLow[i]) return i;
    if (i < 4 && name == kHigh[i]) return i;
  }
  return std::nullopt;
}

std::optional<unsigned> A64Number(std::string_view name) {
  if (name == "sp" || name == "wsp") return 31;
  if (name == "fp") return 29;
  if (name == "lr") return 30;
  if (!name.starts_with("x") && !name.starts_with("w")) return std::nullopt;
  return Decimal(name.substr(1));
}

}  // namespace

std::optional<unsigned> RegisterNumber(decode::Architecture architecture, std::string_view name) {
  std::string lower(name);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return architecture == decode::Architecture::kX86_64 ? X86Number(lower) : A64Number(lower);
}

}  // namespace readers
