// objdump_comparison.h: compares our walk over a file's code with objdump's listing, and classifies
// the differences.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "binary/code/function_walk.h"
#include "binary/code/program_code.h"
#include "tests/unit/binary/code/objdump_listing.h"

namespace tare::code {

enum class Cause : unsigned char {
  kMarkedData,
  kReadAsData,
  kZeros,
  kBadBytes,
  kNotDecoded,
  kLonePrefix,
  kJoinedWait,
  kNarrowBranch,
  kOutOfStep,
  kCutOff,
  kOutside,
  kBranchedTo,
  kUnexplained,
};
inline constexpr std::size_t kCauses = 13;

struct CauseRow {
  std::string_view name;
  std::string_view sentence;
  double max_share;  // maximum fraction of a file's instructions
};

inline constexpr std::array<CauseRow, kCauses> kCauseRows = {{
    {"marked data", "a symbol says that it is data, and objdump decodes it", 0.01},
    // libcrypto has tables of 150 kB in its code. The comparison also checks that no branch leads
    // into them.
    {"read as data", "an instruction reads it and nothing falls into it; objdump decodes it", 0.12},
    {"zeros", "zeros that one side leaves out and the other decodes", 0.01},
    {"bad bytes", "objdump knows no instruction for what we decode", 0.01},
    {"not decoded", "we know no instruction for what objdump decodes", 0.001},
    {"lone prefix", "objdump gives a prefix a line of its own", 0.005},
    {"joined wait", "objdump joins fwait and the instruction behind it", 0.001},
    {"narrow branch", "after an operand-size prefix objdump takes 16 bits, as AMD does", 0.001},
    {"out of step", "behind data that was decoded, until both meet again", 0.01},
    {"cut off", "the function ends inside of objdump's instruction", 0.001},
    {"outside", "objdump decodes something that belongs to no function of ours", 0.001},
    {"branched to", "a branch leads into what we call data", 0},
    {"unexplained", "none of these", 0},
}};

struct Comparison {
  std::uint64_t instructions = 0;  // found by both
  std::uint64_t mapped = 0;        // of them, those whose text has a known category
  std::uint64_t calls = 0;         // found by both
  std::uint64_t targets = 0;       // of direct branches that leave their function
  std::array<std::uint64_t, kCauses> causes = {};
  std::vector<std::string> complaints;  // violations; only the first ones

  void Complain(std::string text) {
    constexpr std::size_t kMax = 20;
    if (complaints.size() < kMax) complaints.push_back(std::move(text));
  }
};

// Compares function by function in one pass over the listing.
class ObjdumpComparison {
 public:
  ObjdumpComparison(const ProgramCode& code, const Listing& listing)
      : code_(code),
        listing_(listing),
        x86_(code.image().architecture() == decode::Architecture::kX86_64),
        decoder_(code.image().architecture()) {}

  Comparison Run() {
    for (std::uint32_t i = 0; i < code_.functions().size(); ++i) {
      const auto& function = code_.FunctionAt(i);
      while (next_ < Lines().size() && Lines()[next_].address < function.start) CountOutside();
      CompareFunction(i);
    }
    while (next_ < Lines().size()) CountOutside();
    for (const auto& [from, to] : branches_)
      if (Holds(data_, to)) Count(Cause::kBranchedTo, from, "leads into data");
    return std::move(result_);
  }

 private:
  const std::vector<ListedLine>& Lines() const { return listing_.lines(); }

  void Count(Cause cause, std::uint64_t address, std::string_view what) {
    ++result_.causes[static_cast<std::size_t>(cause)];
    differs_here_ = true;
    if (cause == Cause::kUnexplained) result_.Complain(fmt::format("{:#x}: {}", address, what));
    static const bool all = std::getenv("TARE_OBJDUMP_ALL") != nullptr;
    const auto name = kCauseRows[static_cast<std::size_t>(cause)].name;
    if (all) fmt::print("  {}: {:#x}: {}\n", name, address, what);
  }

  void CountOutside() {
    const ListedLine& line = Lines()[next_++];
    if (line.kind != LineKind::kInstruction || line.address < behind_) return;
    const auto& operation = listing_.OperationOf(line);
    if (operation.starts_with("nop") || operation == "int3" || operation == "udf" ||
        operation == "xchg")
      return;
    Count(IsZero(line.address, 2) ? Cause::kZeros : Cause::kOutside, line.address, operation);
  }

  bool IsZero(std::uint64_t address, std::uint64_t bytes) const {
    const auto code = code_.image().Code(address, bytes);
    return std::ranges::all_of(code, [](std::byte one) { return one == std::byte{0}; });
  }

  static bool Holds(std::span<const elf::AddressRange> ranges, std::uint64_t address) {
    const auto found = std::ranges::upper_bound(ranges, address, {}, &elf::AddressRange::end);
    return found != ranges.end() && found->Contains(address);
  }

  // Returns why a piece of ours is not an instruction.
  Cause CauseOf(const Piece& piece, std::uint64_t function_end) const {
    if (Holds(code_.image().data_in_code(), piece.address)) return Cause::kMarkedData;
    if (IsZero(piece.address, std::min<std::uint64_t>(piece.bytes, 4))) return Cause::kZeros;
    if (Holds(code_.literals(), piece.address)) return Cause::kReadAsData;
    constexpr std::uint64_t kLongest = 15;
    if (x86_ && function_end - piece.address < kLongest) {
      const auto whole = code_.image().Code(piece.address, kLongest);
      const auto decoded = decode::Decode(code_.image().architecture(), whole, piece.address);
      if (decoded && piece.address + decoded->length > function_end) return Cause::kCutOff;
    }
    return Cause::kNotDecoded;
  }

  void CompareFunction(std::uint32_t index) {
    const auto& function = code_.FunctionAt(index);
    FunctionWalk walk(code_.image(), function, decoder_, code_.literals());
    sites_ = code_.CallsOf(index);
    calls_here_ = 0;
    instructions_here_ = 0;
    differs_here_ = false;
    // If objdump has no line here, it decoded across the function's start.
    step_cause_ = Cause::kOutOfStep;
    while (walk.Next()) ComparePiece(index, walk.piece());
    while (next_ < Lines().size() && Lines()[next_].address < function.end)
      TheirsAlone(Lines()[next_++], step_cause_);
    behind_ = function.end;
    CompareCounts(index);
  }

  void ComparePiece(std::uint32_t index, const Piece& piece) {
    const std::uint64_t end = piece.address + piece.bytes;
    while (next_ < Lines().size() && Lines()[next_].address < piece.address)
      TheirsAlone(Lines()[next_++], step_cause_);
    const bool decoded = piece.kind == PieceKind::kInstruction || piece.is_filler;
    const ListedLine* line = next_ < Lines().size() && Lines()[next_].address == piece.address
                                 ? &Lines()[next_]
                                 : nullptr;
    if (!decoded) {
      step_cause_ = CauseOf(piece, code_.FunctionAt(index).end);
      if (piece.kind == PieceKind::kData) data_.push_back({piece.address, end});
      while (next_ < Lines().size() && Lines()[next_].address < end)
        TheirsAlone(Lines()[next_++], step_cause_);
      step_cause_ = Cause::kOutOfStep;
      return;
    }
    if (line == nullptr) {
      const bool zeros = IsZero(piece.address, 2);
      Count(zeros ? Cause::kZeros : step_cause_, piece.address, "only we have it");
      return;
    }
    ++next_;
    CompareLine(index, piece, *line);
  }

  void TheirsAlone(const ListedLine& line, Cause cause) {
    if (line.kind == LineKind::kBad || line.kind == LineKind::kData) return;
    Count(cause, line.address, listing_.OperationOf(line));
  }

  void CompareLine(std::uint32_t index, const Piece& piece, const ListedLine& line) {
    // All differences after this address have their cause here.
    step_cause_ = Cause::kUnexplained;
    if (line.kind == LineKind::kPrefix) step_cause_ = Cause::kLonePrefix;
    if (line.kind == LineKind::kBad || line.kind == LineKind::kData) step_cause_ = Cause::kBadBytes;
    if (IsWait(piece) && listing_.OperationOf(line) != "fwait") step_cause_ = Cause::kJoinedWait;
    if (IsNarrowBranch(piece, line)) step_cause_ = Cause::kNarrowBranch;
    if (step_cause_ != Cause::kUnexplained) {
      Count(step_cause_, piece.address, listing_.OperationOf(line));
      return;
    }
    ++result_.instructions;
    const auto category = decode::CategoryOf(piece.instruction);
    if (line.category) {
      ++result_.mapped;
      if (*line.category != category)
        Count(Cause::kUnexplained, piece.address,
              fmt::format("{} is {} by its text and {} for us", listing_.OperationOf(line),
                          CategoryName(*line.category), CategoryName(category)));
    }
    if (piece.kind != PieceKind::kInstruction) return;
    ++instructions_here_;
    CompareBranch(index, piece, line);
  }

  bool IsWait(const Piece& piece) const {
    const auto code = code_.image().Code(piece.address, 1);
    return x86_ && piece.bytes == 1 && code.size() == 1 && code[0] == std::byte{0x9b};
  }

  bool IsNarrowBranch(const Piece& piece, const ListedLine& line) const {
    const auto code = code_.image().Code(piece.address, 1);
    return x86_ && line.has_target && !line.relocated && piece.instruction.target != line.target &&
           code.size() == 1 && code[0] == std::byte{0x66};
  }

  void CompareBranch(std::uint32_t index, const Piece& piece, const ListedLine& line) {
    const auto& function = code_.FunctionAt(index);
    if (line.meaning == Meaning::kCall) ++calls_here_;
    if (!line.has_target || code_.IsStub(index)) return;
    if (!line.relocated) branches_.emplace_back(piece.address, line.target);
    if (!line.relocated && piece.instruction.target != line.target)
      Count(Cause::kUnexplained, piece.address, fmt::format("objdump goes to {:#x}", line.target));
    const auto site = std::ranges::find(sites_, piece.address, &CallSite::address);
    const auto target = TargetOf(line);
    const bool inside = target && function.start <= *target && *target < function.end;
    if (inside && line.meaning != Meaning::kCall) {
      if (site != sites_.end())
        Count(Cause::kUnexplained, piece.address, "a jump inside of its function is a site");
      return;
    }
    if (site == sites_.end()) {
      Count(Cause::kUnexplained, piece.address, "a branch out of its function is no site");
      return;
    }
    ++result_.targets;
    if (!LeadsTo(*site, line, target))
      Count(Cause::kUnexplained, piece.address,
            fmt::format("our call site leads elsewhere than to {:#x} {}: {} {:#x}", line.target,
                        listing_.NameOf(line), static_cast<int>(site->to), site->target));
  }

  // Returns nothing for a name that the file does not define.
  std::optional<std::uint64_t> TargetOf(const ListedLine& line) const {
    if (!line.relocated) return line.target;
    const std::string& text = listing_.NameOf(line);
    const auto sign = text.find_last_of("+-");
    const bool has_addend = sign != text.npos && text.compare(sign + 1, 2, "0x") == 0;
    const auto base = listing_.AddressNamed(has_addend ? text.substr(0, sign) : text);
    if (!base) return std::nullopt;
    std::uint64_t addend = 0;
    if (has_addend) addend = std::stoull(text.substr(sign + 1), nullptr, 16);
    if (has_addend && text[sign] == '-') addend = 0 - addend;
    return *base + addend + (x86_ ? 4 : 0);
  }

  bool LeadsTo(const CallSite& site, const ListedLine& line,
               std::optional<std::uint64_t> target) const {
    const auto& targets = code_.targets();
    if (!target) {
      const std::string& name = listing_.NameOf(line);
      return site.to == TargetKind::kImport && name.starts_with(targets.imports()[site.target]);
    }
    const std::uint32_t holder = targets.FunctionHolding(*target);
    if (holder == kNowhere) return site.to == TargetKind::kUnknown;
    const auto* stub = targets.StubOf(holder);
    if (stub == nullptr) return site.to == TargetKind::kFunction && site.target == holder;
    const std::string& name = listing_.NameOf(line);
    switch (site.to) {
      case TargetKind::kFunction:
        return site.target == stub->function || site.target == holder;
      case TargetKind::kImport:
        return name.empty() || name == fmt::format("{}@plt", targets.imports()[site.target]);
      case TargetKind::kDispatch:
        return site.target == stub->dispatch;
      default:
        return stub->function == kNowhere && stub->import == kNowhere && stub->dispatch == kNowhere;
    }
  }

  void CompareCounts(std::uint32_t index) {
    const auto& function = code_.FunctionAt(index);
    const auto& mix = code_.functions()[index].mix;
    const std::uint64_t counted = mix[decode::Category::kCalls];
    result_.calls += calls_here_;
    const bool same = instructions_here_ == mix.Instructions() && calls_here_ == counted;
    if (!differs_here_ && !same)
      result_.Complain(fmt::format("{}: {} instructions and {} calls counted, not {} and {}",
                                   function.name, mix.Instructions(), counted, instructions_here_,
                                   calls_here_));
    const auto sites =
        static_cast<std::uint64_t>(std::ranges::count(sites_, SiteKind::kCall, &CallSite::kind));
    if (!code_.IsStub(index) && sites != counted)
      result_.Complain(
          fmt::format("{}: {} calls counted and {} call sites", function.name, counted, sites));
  }

  const ProgramCode& code_;
  const Listing& listing_;
  bool x86_;
  decode::Decoder decoder_;
  Comparison result_;
  std::size_t next_ = 0;
  std::vector<elf::AddressRange> data_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> branches_;  // from, to
  std::uint64_t behind_ = 0;
  std::span<const CallSite> sites_;
  std::uint64_t calls_here_ = 0;
  std::uint64_t instructions_here_ = 0;
  bool differs_here_ = false;
  Cause step_cause_ = Cause::kUnexplained;
};

}  // namespace tare::code
