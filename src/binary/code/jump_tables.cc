// jump_tables.cc: tracking registers to find the tables, and comparisons to find their length.
#include "binary/code/jump_tables.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "binary/code/function_walk.h"
#include "binary/code/register_follower.h"

namespace tare::code {
namespace {

using Kind = Origin::Kind;

using decode::BranchKind;

constexpr std::size_t kMaxElements = 4096;
// Maximum number of instructions between the comparison that guards a table and the jump.
constexpr std::size_t kNear = 24;

struct Table {
  std::uint64_t jump = 0;
  Origin origin;
  std::optional<std::uint64_t> elements;
};

std::uint32_t Word(std::span<const std::byte> code) {
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), std::min(code.size(), sizeof(word)));
  return word;
}

// cmp w8, #12 and cmp x8, #12.
std::optional<std::uint64_t> ComparedA64(std::span<const std::byte> code) {
  const std::uint32_t word = Word(code);
  if ((word & 0x7f80001f) != 0x7100001f) return std::nullopt;
  const std::uint64_t value = (word >> 10) & 0xfff;
  return (word & (1u << 22)) != 0 ? value << 12 : value;
}

// cmp r, imm8; cmp r, imm32; cmp eax, imm32.
std::optional<std::uint64_t> ComparedX86(std::span<const std::byte> code) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(code[i]); };
  std::size_t i = 0;
  if (i < code.size() && at(i) == 0x66) ++i;
  if (i < code.size() && (at(i) & 0xf0) == 0x40) ++i;
  if (code.size() < i + 3) return std::nullopt;
  const bool seven = (at(i + 1) & 0xf8) == 0xf8;  // register operand, /7
  if (at(i) == 0x83 && seven) return at(i + 2) < 0x80 ? std::optional(at(i + 2)) : std::nullopt;
  if (at(i) == 0x80 && seven) return at(i + 2);
  if (at(i) == 0x3c) return at(i + 1);
  const std::size_t number = at(i) == 0x81 && seven ? i + 2 : at(i) == 0x3d ? i + 1 : 0;
  if (number == 0 || code.size() < number + 4) return std::nullopt;
  return Word(code.subspan(number));
}

// Whether this is a conditional branch that is taken when the value is above (unsigned): b.hi, ja.
bool LeavesAbove(bool x86, std::span<const std::byte> code) {
  if (!x86) return (Word(code) & 0xff00001f) == 0x54000008;
  const auto first = static_cast<std::uint8_t>(code[0]);
  return first == 0x77 || (first == 0x0f && static_cast<std::uint8_t>(code[1]) == 0x87);
}

class Finder {
 public:
  Finder(const elf::ElfImage& image, const elf::Function& function)
      : image_(image),
        function_(function),
        x86_(image.architecture() == decode::Architecture::kX86_64),
        follower_(image.architecture()) {}

  void Take(const Piece& piece) {
    starts_.insert(piece.address);
    const auto& instruction = piece.instruction;
    const auto code = image_.Code(piece.address, piece.bytes);
    const auto goes = follower_.Next(code, piece.address);
    if (instruction.branch == BranchKind::kIndirectJump) TakeJump(piece.address, goes);
    RememberBound(instruction, code);
    const bool ahead = instruction.target && *instruction.target > piece.address &&
                       *instruction.target < function_.end;
    if (ahead && instruction.branch != BranchKind::kCall) {
      follower_.BranchesTo(*instruction.target);
    }
    if (instruction.branch == BranchKind::kJump ||
        instruction.branch == BranchKind::kIndirectJump ||
        instruction.branch == BranchKind::kReturn) {
      follower_.Ends();
    }
  }

  JumpTargets Targets() && {
    JumpTargets targets;
    for (const Table& table : tables_) {
      std::set<std::uint64_t> all;
      const std::uint64_t most = table.elements.value_or(kMaxElements);
      for (std::uint64_t i = 0; i < most; ++i) {
        const std::uint64_t place = table.origin.value + i * table.origin.bytes;
        if (i > 0 && !table.elements && IsTable(place)) break;
        const auto target = Element(table.origin, place);
        if (!target || !starts_.contains(*target)) break;
        all.insert(*target);
      }
      targets[table.jump].assign(all.begin(), all.end());
    }
    AddLabels(targets);
    return targets;
  }

 private:
  void TakeJump(std::uint64_t address, const std::optional<Origin>& goes) {
    if (!goes) return;
    if (goes->kind == Kind::kTableTarget && goes->value != 0 && goes->bytes != 0) {
      tables_.push_back({address, *goes, Bound()});
    } else if (goes->kind == Kind::kTableTarget) {
      tables_.push_back({address, {}, 0});
    } else if (goes->kind == Kind::kTableWord) {
      const auto word = goes->value == 0 ? std::nullopt : image_.WordAt(goes->value);
      if (word && !Inside(*word)) return;
      if (word) {
        tables_.push_back({address, *goes, Bound()});
        tables_.back().origin.bytes = 8;
      } else {
        labels_.push_back(address);
      }
    } else if (goes->kind == Kind::kUnknown || goes->kind == Kind::kElement) {
      labels_.push_back(address);
    }
  }

  void RememberBound(const decode::Instruction& instruction, std::span<const std::byte> code) {
    ++position_;
    if (const auto value = x86_ ? ComparedX86(code) : ComparedA64(code)) {
      compared_ = value;
    } else if (instruction.branch == BranchKind::kConditional) {
      if (compared_ && LeavesAbove(x86_, code)) {
        bound_ = *compared_ + 1;
        bound_at_ = position_;
      }
    }
  }

  std::optional<std::uint64_t> Bound() const {
    if (bound_ == 0 || position_ - bound_at_ > kNear) return std::nullopt;
    return bound_;
  }

  bool Inside(std::uint64_t address) const {
    return function_.start <= address && address < function_.end;
  }

  bool IsTable(std::uint64_t place) const {
    return std::ranges::any_of(tables_,
                               [&](const Table& other) { return other.origin.value == place; });
  }

  std::optional<std::uint64_t> Element(const Origin& origin, std::uint64_t place) const {
    if (origin.bytes == 8) return image_.WordAt(place);
    const auto bytes = image_.Code(place, origin.bytes);
    if (bytes.size() < origin.bytes || origin.bytes == 0) return std::nullopt;
    // Four-byte offsets are signed, shorter ones are not.
    std::uint64_t offset = Word(bytes);
    if (origin.bytes == 4) {
      offset = static_cast<std::uint64_t>(
          std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(offset))});
    }
    return origin.base + offset * origin.scale;
  }

  // Computed gotos: jumps to labels whose addresses are in a table in the program's data.
  void AddLabels(JumpTargets& targets) const {
    if (labels_.empty()) return;
    std::set<std::uint64_t> all;
    for (const elf::Reference& reference : image_.references()) {
      const bool inside = Inside(reference.target) && reference.target != function_.start;
      if (inside && starts_.contains(reference.target)) all.insert(reference.target);
    }
    if (all.empty()) return;
    for (const std::uint64_t jump : labels_) targets[jump].assign(all.begin(), all.end());
  }

  const elf::ElfImage& image_;
  const elf::Function& function_;
  bool x86_;
  RegisterFollower follower_;
  std::set<std::uint64_t> starts_;  // of instructions
  std::vector<Table> tables_;
  std::vector<std::uint64_t> labels_;
  std::size_t position_ = 0;
  std::optional<std::uint64_t> compared_;
  std::uint64_t bound_ = 0;
  std::size_t bound_at_ = 0;
};

}  // namespace

JumpTargets FindJumpTargets(const elf::ElfImage& image, const elf::Function& function,
                            decode::Decoder& decoder, std::span<const elf::AddressRange> literals) {
  Finder finder(image, function);
  FunctionWalk walk(image, function, decoder, literals);
  while (walk.Next()) {
    if (walk.piece().kind == PieceKind::kInstruction) finder.Take(walk.piece());
  }
  return std::move(finder).Targets();
}

}  // namespace tare::code
