// indirect_calls.cc: the second walk of FunctionReader, which follows registers.
#include <algorithm>

#include "code/function_reader.h"

namespace tare::code {
namespace {

using binary::BranchKind;
using Kind = Origin::Kind;

// Looking closer would cost as much as all the rest: most instructions can be told from outside.
bool ChangesNoRegister(const binary::Instruction& instruction, bool x86) {
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
  // On AArch64 a store may move its base register on.
  if (!x86) return false;
  const auto classes = ClassesOf(instruction);
  if (classes.Contains(binary::InstructionClass::kString) || instruction.atomic) return false;
  const bool only_stores = instruction.stores > 0 && instruction.loads == 0;
  return only_stores || classes.Contains(binary::InstructionClass::kCompare);
}

}  // namespace

void FunctionReader::FollowIndirect() {
  next_indirect_ = first_site_;
  RegisterFollower follower(image_.architecture());
  FunctionWalk walk(image_, *function_, decoder_, literals_);
  while (walk.Next())
    if (walk.piece().kind == PieceKind::kInstruction) FollowPiece(walk.piece(), follower);
  // Those that turned out to stay inside are no calls.
  const auto begin = findings_->sites.begin() + static_cast<std::ptrdiff_t>(first_site_);
  findings_->sites.erase(
      std::remove_if(begin, findings_->sites.end(),
                     [](const CallSite& site) { return site.target == kStaysInside; }),
      findings_->sites.end());
}

void FunctionReader::FollowPiece(const Piece& piece, RegisterFollower& follower) {
  const auto& instruction = piece.instruction;
  std::optional<Origin> goes;
  if (ChangesNoRegister(instruction, x86_)) {
    follower.Pass(piece.address);
  } else {
    goes = follower.Next(image_.Code(piece.address, piece.bytes), piece.address);
  }
  const binary::Reference* reference =
      object_ ? image_.FirstReferenceIn(piece.address, piece.address + piece.bytes) : nullptr;
  const bool indirect = instruction.branch == BranchKind::kIndirectJump ||
                        instruction.branch == BranchKind::kIndirectCall;
  if (indirect) {
    auto& sites = findings_->sites;
    while (next_indirect_ < sites.size() && sites[next_indirect_].address < piece.address)
      ++next_indirect_;
    if (next_indirect_ < sites.size() && sites[next_indirect_].address == piece.address) {
      CallSite& site = sites[next_indirect_];
      if (reference != nullptr) {
        ResolveReference(*reference, site);
      } else if (goes) {
        Resolve(*goes, site);
      }
    }
  } else if (reference != nullptr) {
    follower.Relocated(reference->target == 0 ? std::nullopt : std::optional(reference->target));
  }
  if (instruction.target && *instruction.target > piece.address &&
      *instruction.target < function_->end && instruction.branch != BranchKind::kCall)
    follower.BranchesTo(*instruction.target);
  if (instruction.branch == BranchKind::kJump || instruction.branch == BranchKind::kIndirectJump ||
      instruction.branch == BranchKind::kReturn)
    follower.Ends();
}

void FunctionReader::Resolve(const Origin& origin, CallSite& site) {
  const bool jump = site.kind == SiteKind::kTailCall;
  switch (origin.kind) {
    case Kind::kConstant:
      ResolveAddress(origin.value, site);
      break;
    case Kind::kSlot:
      ResolveSlot(origin.value, site);
      break;
    case Kind::kTableTarget:
      if (jump) StayInside(site);
      break;
    case Kind::kTableWord:
      ResolveTable(origin.value, site);
      break;
    case Kind::kField:
      if (origin.loads >= 2 && origin.value % 8 == 0 && origin.value / 8 < most_slots_) {
        site.to = TargetKind::kVirtual;
        site.target = origin.value / 8;
      }
      break;
    default:
      break;
  }
}

void FunctionReader::StayInside(CallSite& site) {
  site.target = kStaysInside;
  ++result_.jump_tables;
}

void FunctionReader::ResolveAddress(std::uint64_t address, CallSite& site) {
  if (site.kind == SiteKind::kTailCall && function_->start <= address && address < function_->end) {
    StayInside(site);
    return;
  }
  const std::uint32_t function = targets_.FunctionStartingAt(address);
  if (function == kNowhere) return;
  SetTarget(function, site);
}

void FunctionReader::ResolveReference(const binary::Reference& reference, CallSite& site) {
  if (reference.chosen_at_run_time || targets_.DispatchBy(reference.target) != kNowhere) {
    const std::uint32_t dispatch = targets_.DispatchBy(reference.target);
    if (dispatch == kNowhere) return;
    site.to = TargetKind::kDispatch;
    site.target = dispatch;
  } else if (reference.target != 0) {
    ResolveAddress(reference.target, site);
  } else if (const auto import = targets_.ImportNamed(reference.symbol)) {
    site.to = TargetKind::kImport;
    site.target = *import;
  }
}

void FunctionReader::ResolveSlot(std::uint64_t slot, CallSite& site) {
  const auto* reference = image_.ReferenceAt(slot);
  if (reference != nullptr && (!reference->symbol.empty() || reference->chosen_at_run_time)) {
    ResolveReference(*reference, site);
    return;
  }
  const auto word = image_.WordAt(slot);
  if (!word || targets_.FunctionStartingAt(*word) == kNowhere) return;
  site.to = TargetKind::kVariable;
  site.target = slot;
}

bool FunctionReader::PointsInside(std::uint64_t place) const {
  const auto word = image_.WordAt(place);
  return word && function_->start <= *word && *word < function_->end;
}

void FunctionReader::ResolveTable(std::uint64_t table, CallSite& site) {
  const bool jump = site.kind == SiteKind::kTailCall;
  const auto word = table == 0 ? std::nullopt : image_.WordAt(table);
  const bool of_functions = word && targets_.FunctionStartingAt(*word) != kNowhere &&
                            targets_.FunctionStartingAt(*word) != index_;
  if (of_functions) {
    site.to = TargetKind::kTable;
    site.target = table;
  } else if (jump && (table == 0 || object_ || PointsInside(table))) {
    StayInside(site);
  }
}

}  // namespace tare::code
