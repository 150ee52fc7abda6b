// indirect_calls.cc: a separate walk that tracks register values.
#include "binary/code/indirect_calls.h"

#include <algorithm>

namespace tare::code {
namespace {

using decode::BranchKind;
using Kind = Origin::Kind;

// Marks a site that is not a call.
constexpr std::uint64_t kStaysInside = UINT64_MAX;

// A closer look would cost as much as everything else; most instructions can be classified without
// it.
bool ChangesNoRegister(const decode::Instruction& instruction, bool x86) {
  switch (instruction.branch) {
    case BranchKind::kConditional:
    case BranchKind::kJump:
    case BranchKind::kReturn:
      return true;
    case BranchKind::kNone:
      break;
    default:
      return false;
  }
  if (instruction.nop) return true;
  // On AArch64 a store may write back its base register.
  if (!x86) return false;
  const auto classes = ClassesOf(instruction);
  if (classes.Contains(decode::InstructionClass::kString) || instruction.atomic) return false;
  const bool only_stores = instruction.stores > 0 && instruction.loads == 0;
  return only_stores || classes.Contains(decode::InstructionClass::kCompare);
}

}  // namespace

IndirectCalls::IndirectCalls(const Targets& targets, std::span<const elf::AddressRange> literals)
    : targets_(targets),
      image_(targets.image()),
      literals_(literals),
      x86_(image_.architecture() == decode::Architecture::kX86_64),
      object_(image_.type() == elf::FileType::kObject) {
  for (const auto& table : image_.virtual_tables())
    max_slots_ = std::max(max_slots_, (table.end - table.start) / 8);
}

std::uint32_t IndirectCalls::Resolve(std::uint32_t function, decode::Decoder& decoder,
                                     std::vector<CallSite>& sites, std::size_t first) {
  function_ = &image_.functions()[function];
  jump_tables_ = 0;
  std::size_t next = first;
  RegisterFollower follower(image_.architecture());
  FunctionWalk walk(image_, *function_, decoder, literals_);
  while (walk.Next()) {
    const Piece& piece = walk.piece();
    if (piece.kind != PieceKind::kInstruction) continue;
    while (next < sites.size() && sites[next].address < piece.address) ++next;
    const bool here =
        next < sites.size() && sites[next].address == piece.address && sites[next].indirect;
    Follow(piece, follower, here ? &sites[next] : nullptr);
  }
  const auto begin = sites.begin() + static_cast<std::ptrdiff_t>(first);
  sites.erase(std::remove_if(begin, sites.end(),
                             [](const CallSite& site) { return site.target == kStaysInside; }),
              sites.end());
  return jump_tables_;
}

void IndirectCalls::Follow(const Piece& piece, RegisterFollower& follower, CallSite* site) {
  const auto& instruction = piece.instruction;
  std::optional<Origin> goes;
  if (ChangesNoRegister(instruction, x86_)) {
    follower.Pass(piece.address);
  } else {
    goes = follower.Next(image_.Code(piece.address, piece.bytes), piece.address);
  }
  const elf::Reference* reference =
      object_ ? image_.FirstReferenceIn(piece.address, piece.address + piece.bytes) : nullptr;
  if (site != nullptr && reference != nullptr) {
    ToReference(*reference, *site);
  } else if (site != nullptr && goes) {
    Classify(*goes, *site);
  } else if (reference != nullptr) {
    follower.Relocated(reference->target == 0 ? std::nullopt : std::optional(reference->target));
  }
  const bool ahead = instruction.target && *instruction.target > piece.address &&
                     *instruction.target < function_->end;
  if (ahead && instruction.branch != BranchKind::kCall) follower.BranchesTo(*instruction.target);
  if (instruction.branch == BranchKind::kJump || instruction.branch == BranchKind::kIndirectJump ||
      instruction.branch == BranchKind::kReturn)
    follower.Ends();
}

void IndirectCalls::Classify(const Origin& origin, CallSite& site) {
  switch (origin.kind) {
    case Kind::kConstant:
      ToAddress(origin.value, site);
      break;
    case Kind::kSlot:
      ToSlot(origin.value, site);
      break;
    case Kind::kTableTarget:
      if (site.kind == SiteKind::kTailCall) StayInside(site);
      break;
    case Kind::kTableWord:
      ToTable(origin.value, site);
      break;
    case Kind::kField:
      if (origin.loads >= 2 && origin.value % 8 == 0 && origin.value / 8 < max_slots_) {
        site.to = TargetKind::kVirtual;
        site.target = origin.value / 8;
      }
      break;
    default:
      break;
  }
}

bool IndirectCalls::IsInside(std::uint64_t address) const {
  return function_->start <= address && address < function_->end;
}

void IndirectCalls::StayInside(CallSite& site) {
  site.target = kStaysInside;
  ++jump_tables_;
}

void IndirectCalls::ToAddress(std::uint64_t address, CallSite& site) {
  if (site.kind == SiteKind::kTailCall && IsInside(address)) {
    StayInside(site);
    return;
  }
  const std::uint32_t function = targets_.FunctionStartingAt(address);
  if (function != kNowhere) targets_.Aim(function, site);
}

void IndirectCalls::ToReference(const elf::Reference& reference, CallSite& site) {
  const std::uint32_t dispatch =
      reference.target == 0 ? kNowhere : targets_.DispatchBy(reference.target);
  if (dispatch != kNowhere) {
    site.to = TargetKind::kDispatch;
    site.target = dispatch;
  } else if (reference.target != 0 && !reference.chosen_at_run_time) {
    ToAddress(reference.target, site);
  } else if (const auto import = targets_.ImportNamed(reference.symbol)) {
    site.to = TargetKind::kImport;
    site.target = *import;
  }
}

void IndirectCalls::ToSlot(std::uint64_t slot, CallSite& site) {
  const auto* reference = image_.ReferenceAt(slot);
  if (reference != nullptr && (!reference->symbol.empty() || reference->chosen_at_run_time)) {
    ToReference(*reference, site);
    return;
  }
  const auto word = image_.WordAt(slot);
  if (!word || targets_.FunctionStartingAt(*word) == kNowhere) return;
  site.to = TargetKind::kVariable;
  site.target = slot;
}

void IndirectCalls::ToTable(std::uint64_t table, CallSite& site) {
  const bool jump = site.kind == SiteKind::kTailCall;
  const auto word = table == 0 ? std::nullopt : image_.WordAt(table);
  const bool inside = word && IsInside(*word);
  if (word && !inside && targets_.FunctionStartingAt(*word) != kNowhere) {
    site.to = TargetKind::kTable;
    site.target = table;
  } else if (jump && (table == 0 || object_ || inside)) {
    StayInside(site);
  }
}

}  // namespace tare::code
