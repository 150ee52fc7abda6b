// objdump_listing.h: parses objdump's listing of a file, line by line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/decode/architecture.h"
#include "tests/unit/binary/code/objdump_meaning.h"

namespace tare::code {

enum class LineKind : unsigned char {
  kInstruction,
  kPrefix,  // a prefix alone, without an instruction
  kBad,     // bytes that objdump cannot decode
  kData,    // .word, .byte: marked as data by a symbol
};

struct ListedLine {
  std::uint64_t address = 0;
  std::uint64_t target = 0;     // of a direct branch
  std::uint32_t operation = 0;  // in Listing::operations
  std::uint32_t name = 0;       // index in Listing::names, of the target or its relocation; 0: none
  LineKind kind = LineKind::kInstruction;
  Meaning meaning = Meaning::kUnknown;
  bool has_target = false;
  bool relocated = false;  // `name` is the relocation's symbol
  std::optional<decode::Category> category;
};

// The text is parsed as it is read and not stored.
class Listing {
 public:
  // `object`: a relocatable file, not yet linked.
  Listing(decode::Architecture architecture, bool object)
      : architecture_(architecture), object_(object) {
    Number("", names_, name_numbers_);
  }

  // Runs `program`; returns false when it fails. In an object file, addresses become file offsets.
  bool Read(const std::string& program, const std::filesystem::path& file) {
    const std::string quoted = "'" + file.string() + "' 2> /dev/null";
    if (object_) {
      const bool fine = ForEachLine(program + " -h -w " + quoted,
                                    [this](std::string_view line) { AddSection(line); });
      if (!fine) return false;
    }
    const bool x86 = architecture_ == decode::Architecture::kX86_64;
    const bool fine = ForEachLine(program + " -d -w --no-show-raw-insn " + (object_ ? "-r " : "") +
                                      (x86 ? "-M intel " : "") + quoted,
                                  [this](std::string_view line) { AddLine(line); });
    std::ranges::sort(lines_, {}, &ListedLine::address);
    return fine && !lines_.empty();
  }

  void AddLine(std::string_view line) {
    if (line.starts_with("Disassembly of section ")) {
      EnterSection(line);
      return;
    }
    const auto start = line.find_first_not_of(' ');
    if (start == line.npos) return;
    line.remove_prefix(start);
    const auto address = TakeHexadecimal(line);
    if (!address) return;
    if (line.starts_with(":\t")) {
      AddInstruction(*address + bias_, line.substr(2));
    } else if (line.starts_with(" <") && line.ends_with(">:")) {
      labels_.emplace(line.substr(2, line.size() - 4), *address + bias_);
    }
  }

  const std::vector<ListedLine>& lines() const { return lines_; }  // by address
  const std::string& OperationOf(const ListedLine& line) const {
    return operations_[line.operation];
  }
  const std::string& NameOf(const ListedLine& line) const { return names_[line.name]; }
  // Returns the address of a symbol or a section.
  std::optional<std::uint64_t> AddressNamed(const std::string& name) const {
    if (const auto found = labels_.find(name); found != labels_.end()) return found->second;
    if (const auto found = sections_.find(name); found != sections_.end())
      return found->second.front();
    return std::nullopt;
  }

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;

  template <typename Each>
  static bool ForEachLine(const std::string& command, Each each) {
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return false;
    char* line = nullptr;
    std::size_t room = 0;
    for (ssize_t size = 0; (size = getline(&line, &room, pipe)) > 0;) {
      std::string_view text(line, static_cast<std::size_t>(size));
      if (text.ends_with('\n')) text.remove_suffix(1);
      each(text);
    }
    std::free(line);
    return pclose(pipe) == 0;
  }

  static std::optional<std::uint64_t> TakeHexadecimal(std::string_view& text) {
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (read.ec != std::errc() || read.ptr == text.data()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return value;
  }

  static std::string_view TakeWord(std::string_view& text) {
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(text.find_first_not_of(" \t", end), text.size()));
    return word;
  }

  static std::uint32_t Number(std::string_view text, std::vector<std::string>& all,
                              Numbers& numbers) {
    const auto [place, is_new] =
        numbers.try_emplace(std::string(text), static_cast<std::uint32_t>(all.size()));
    if (is_new) all.emplace_back(text);
    return place->second;
  }

  // "  3 .text  000001f4  0000000000000000  0000000000000000  00000040  2**4  CONTENTS, ..."
  void AddSection(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line[0] < '0' || line[0] > '9') return;
    TakeWord(line);
    const std::string name(TakeWord(line));
    for (int column = 0; column < 3; ++column) TakeWord(line);
    if (const auto offset = TakeHexadecimal(line)) sections_[name].push_back(*offset);
  }

  void EnterSection(std::string_view line) {
    if (!object_) return;
    std::string name(line.substr(std::string_view("Disassembly of section ").size()));
    name.pop_back();
    // Sections of the same name are in the same order in both listings.
    const auto& offsets = sections_[name];
    const std::size_t number = entered_[name]++;
    bias_ = number < offsets.size() ? offsets[number] : 0;
  }

  static bool IsPrefix(std::string_view word) {
    return objdump::IsOneOf(
               word, {"lock", "rep", "repz", "repnz", "repe", "repne", "bnd", "notrack", "cs", "ds",
                      "es", "ss", "fs", "gs", "data16", "addr32", "xacquire", "xrelease"}) ||
           word.starts_with("rex") || word.starts_with('{');
  }

  // objdump prints unallocated AArch64 words with .inst, data with .word.
  LineKind KindOf(std::string_view word) const {
    if (word == "(bad)" || word == ".inst") return LineKind::kBad;
    if (word.starts_with('.')) return LineKind::kData;
    const bool x86 = architecture_ == decode::Architecture::kX86_64;
    return x86 && IsPrefix(word) ? LineKind::kPrefix : LineKind::kInstruction;
  }

  void AddInstruction(std::uint64_t address, std::string_view text) {
    if (text.empty()) return;
    ListedLine line;
    line.address = address;
    const bool x86 = architecture_ == decode::Architecture::kX86_64;
    auto word = TakeWord(text);
    while (x86 && IsPrefix(word) && !text.empty()) word = TakeWord(text);
    line.kind = KindOf(word);
    if (x86) word = word.substr(0, word.find(','));  // jne,pt
    line.operation = Number(word, operations_, operation_numbers_);
    if (line.kind == LineKind::kInstruction) {
      while (meanings_.size() <= line.operation)
        meanings_.push_back(MeaningOf(architecture_, operations_[meanings_.size()]));
      line.meaning = meanings_[line.operation];
      AddOperands(text, line);
    }
    lines_.push_back(line);
  }

  void AddOperands(std::string_view text, ListedLine& line) {
    const bool x86 = architecture_ == decode::Architecture::kX86_64;
    const auto name = text.find('<');
    const auto relocation = text.find(": R_");
    const auto end = std::min({name, text.find(x86 ? " #" : "//"), text.find('\t'), text.size()});
    auto operands = text.substr(0, end);
    while (operands.ends_with(' ')) operands.remove_suffix(1);
    line.category = CategoryIn(architecture_, line.meaning, operations_[line.operation], operands);
    if (line.meaning != Meaning::kCall && line.meaning != Meaning::kJump &&
        line.meaning != Meaning::kConditionalBranch)
      return;
    if (operations_[line.operation].starts_with("ret")) return;  // ret 16
    // The last operand: tbz w0, #3, 1234.
    auto last = operands.substr(operands.rfind(' ') + 1);
    if (last.starts_with("0x")) last.remove_prefix(2);  // if no symbol is near
    const auto target = TakeHexadecimal(last);
    if (!target || !last.empty()) return;
    line.has_target = true;
    line.target = *target + bias_;
    if (relocation != text.npos) {
      const auto symbol = text.substr(std::min(text.find('\t', relocation), text.size() - 1) + 1);
      line.name = Number(symbol, names_, name_numbers_);
      line.relocated = true;
    } else if (name != text.npos) {
      const auto close = text.rfind('>');
      const auto called = text.substr(name + 1, close - name - 1);
      if (called.ends_with("@plt")) line.name = Number(called, names_, name_numbers_);
    }
  }

  decode::Architecture architecture_;
  bool object_;
  std::uint64_t bias_ = 0;
  std::vector<ListedLine> lines_;
  std::vector<std::string> operations_;
  std::vector<std::string> names_;
  std::vector<Meaning> meanings_;
  Numbers operation_numbers_;
  Numbers name_numbers_;
  std::map<std::string, std::uint64_t> labels_;
  std::map<std::string, std::vector<std::uint64_t>> sections_;
  std::map<std::string, std::size_t> entered_;
};

}  // namespace tare::code
