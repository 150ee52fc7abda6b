// function_reader.cc: one walk counts and follows direct branches; indirect ones need a second.
#include "binary/code/function_reader.h"

#include <algorithm>
#include <cstring>

#include "binary/code/clone_name.h"

namespace tare::code {
namespace {

using decode::BranchKind;

bool IsJump(BranchKind kind) {
  return kind == BranchKind::kJump || kind == BranchKind::kConditional ||
         kind == BranchKind::kIndirectJump;
}

bool IsIndirect(BranchKind kind) {
  return kind == BranchKind::kIndirectJump || kind == BranchKind::kIndirectCall;
}

SiteKind SiteOf(BranchKind kind) { return IsJump(kind) ? SiteKind::kTailCall : SiteKind::kCall; }

}  // namespace

FunctionReader::FunctionReader(const Targets& targets, std::span<const elf::AddressRange> literals)
    : targets_(targets),
      image_(targets.image()),
      literals_(literals),
      decoder_(image_.architecture()),
      indirect_calls_(targets, literals),
      x86_(image_.architecture() == decode::Architecture::kX86_64),
      object_(image_.type() == elf::FileType::kObject),
      fixed_addresses_(image_.type() == elf::FileType::kExecutable) {
  for (const auto& segment : image_.segments()) {
    if (!segment.executable) continue;
    code_start_ = std::min(code_start_, segment.address);
    code_end_ = std::max(code_end_, segment.address + segment.file_bytes);
  }
}

FunctionCode FunctionReader::Read(std::uint32_t function, CodeFindings& findings) {
  index_ = function;
  function_ = &image_.functions()[function];
  findings_ = &findings;
  result_ = {};
  position_ = 0;
  first_site_ = findings.sites.size();
  any_indirect_ = false;
  const std::size_t first_taken = findings.taken.size();
  decode::ConstantFollower constants(image_.architecture());
  FunctionWalk walk(image_, *function_, decoder_, literals_);
  while (walk.Next()) {
    const Piece& piece = walk.piece();
    if (piece.kind == PieceKind::kPadding) {
      result_.padding_bytes += piece.bytes;
    } else if (piece.kind == PieceKind::kData) {
      result_.data_bytes += piece.bytes;
    } else {
      AddInstruction(piece);
      // On AArch64 an address takes two instructions.
      if (!x86_ && !object_) {
        const auto made = constants.Next(image_.Code(piece.address, 4), piece.address);
        if (made && !made->is_slot) AddTaken(made->value);
        if (made && made->is_slot)
          if (const auto* reference = image_.ReferenceAt(made->value)) AddTaken(reference->target);
      }
    }
  }
  auto own = std::ranges::subrange(
      findings.taken.begin() + static_cast<std::ptrdiff_t>(first_taken), findings.taken.end());
  std::ranges::sort(own);
  findings.taken.erase(std::ranges::unique(own).begin(), findings.taken.end());
  const bool stub = function_->source == elf::FunctionSource::kPlt;
  if (stub) findings.sites.resize(first_site_);
  if (any_indirect_ && !stub)
    result_.jump_tables = indirect_calls_.Resolve(function, decoder_, findings.sites, first_site_);
  return result_;
}

void FunctionReader::AddInstruction(const Piece& piece) {
  const auto& instruction = piece.instruction;
  findings_->mix.Add(instruction);
  ++result_.mix[CategoryOf(instruction)];
  if (instruction.moves_stack_pointer && instruction.branch == BranchKind::kNone)
    result_.has_frame = true;
  if (IsIndirect(instruction.branch)) {
    any_indirect_ = true;
    AddSite(piece, SiteOf(instruction.branch), TargetKind::kUnknown, 0);
  } else if (instruction.target) {
    AddDirect(piece);
  } else {
    AddReferences(piece);
  }
  ++position_;
}

void FunctionReader::AddSite(const Piece& piece, SiteKind kind, TargetKind to,
                             std::uint64_t target) {
  CallSite site;
  site.address = piece.address;
  site.target = target;
  site.position = position_;
  site.kind = kind;
  site.to = to;
  site.conditional = piece.instruction.branch == BranchKind::kConditional;
  site.indirect = IsIndirect(piece.instruction.branch);
  findings_->sites.push_back(site);
}

void FunctionReader::AddDirect(const Piece& piece) {
  if (object_) {
    const auto* reference = image_.FirstReferenceIn(piece.address, piece.address + piece.bytes);
    if (reference != nullptr) {
      if (reference->target == 0) {
        const auto import = targets_.ImportNamed(reference->symbol);
        AddSite(piece, SiteOf(piece.instruction.branch),
                import ? TargetKind::kImport : TargetKind::kUnknown, import.value_or(0));
      } else {
        LeadTo(piece, reference->target);
      }
      return;
    }
  }
  LeadTo(piece, *piece.instruction.target);
}

// foo.cold belongs to foo, and either may jump into the other.
bool FunctionReader::IsOwnPart(std::uint32_t other) const {
  const std::string& name = image_.functions()[other].name;
  return IsSplitPart(name) ||
         (IsSplitPart(function_->name) && BaseName(name) == BaseName(function_->name));
}

void FunctionReader::LeadTo(const Piece& piece, std::uint64_t address) {
  const BranchKind branch = piece.instruction.branch;
  const bool inside = function_->start <= address && address < function_->end;
  if (inside && IsJump(branch)) return;
  const std::uint32_t start = targets_.FunctionStartingAt(address);
  if (start == kNowhere) {
    const std::uint32_t holder = targets_.FunctionHolding(address);
    const auto kind = IsJump(branch) ? SiteKind::kPart : SiteKind::kCall;
    AddSite(piece, kind, holder == kNowhere ? TargetKind::kUnknown : TargetKind::kFunction,
            holder == kNowhere ? 0 : holder);
    return;
  }
  const bool part = IsJump(branch) && IsOwnPart(start);
  AddSite(piece, part ? SiteKind::kPart : SiteOf(branch), TargetKind::kUnknown, 0);
  targets_.Aim(start, findings_->sites.back());
}

void FunctionReader::AddTaken(std::uint64_t address) {
  if (address < code_start_ || address >= code_end_ || address == 0) return;
  const std::uint32_t function = targets_.FunctionStartingAt(address);
  if (function == kNowhere || function == index_) return;
  const auto* stub = targets_.StubOf(function);
  if (stub == nullptr) {
    findings_->taken.push_back(function);
  } else if (stub->function != kNowhere) {
    findings_->taken.push_back(stub->function);
  }
}

void FunctionReader::AddReferences(const Piece& piece) {
  const auto& instruction = piece.instruction;
  if (object_) {
    const auto* reference = image_.FirstReferenceIn(piece.address, piece.address + piece.bytes);
    if (reference != nullptr) AddTaken(reference->target);
    return;
  }
  if (instruction.refers_to) {
    const std::uint64_t place = *instruction.refers_to;
    const bool in_code = place >= code_start_ && place < code_end_;
    // A guessed function may be a table whose bytes only look like a load.
    const bool trusted = function_->source != elf::FunctionSource::kGuessed;
    if (!instruction.refers_to_data) {
      AddTaken(place);
    } else if (const auto* reference = image_.ReferenceAt(place)) {
      AddTaken(reference->target);
    } else if (in_code && trusted && image_.FunctionAt(place) != nullptr) {
      const std::uint64_t bytes = std::max<std::uint64_t>(instruction.load_bytes, 1);
      findings_->literals.push_back({place, place + bytes});
    }
    return;
  }
  // mov edi, 0x401136: in a program at fixed addresses (not PIE) a constant may be a function.
  if (x86_ && fixed_addresses_ && piece.bytes == 5) {
    const auto code = image_.Code(piece.address, 5);
    std::uint32_t value = 0;
    if (code.size() == 5 && (code[0] & std::byte{0xf8}) == std::byte{0xb8}) {
      std::memcpy(&value, code.data() + 1, sizeof(value));
      AddTaken(value);
    }
  }
}

}  // namespace tare::code
