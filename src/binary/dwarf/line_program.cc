// line_program.cc: the line-number state machine (DWARF 5, 6.2.2 and 6.2.5).
#include "binary/dwarf/line_program.h"

#include <fmt/format.h>

#include "binary/dwarf/line_header.h"

namespace tare::dwarf {
namespace {

class LineMachine {
 public:
  LineMachine(const DebugSections& sections, const LineHeader& header, LineProgram& program)
      : sections_(sections),
        header_(header),
        program_(program),
        cursor_(sections.line, header.opcodes, header.end) {}

  // False when an opcode or its operand is truncated.
  bool Run() {
    while (!cursor_.AtEnd() && cursor_.ok()) Step(cursor_.U8());
    // Removes rows without an end.
    program_.starts.resize(first_);
    return cursor_.ok();
  }

  bool ran_backwards() const { return ran_backwards_; }

 private:
  void Step(std::uint8_t opcode) {
    if (opcode >= header_.opcode_base) {
      const auto step = static_cast<std::uint8_t>(opcode - header_.opcode_base);
      Advance(step / header_.line_range);
      line_ +=
          static_cast<std::uint64_t>(std::int64_t{header_.line_base} + step % header_.line_range);
      Emit();
      return;
    }
    switch (opcode) {
      case kLineExtended:
        Extended();
        return;
      case kLineCopy:
        Emit();
        return;
      case kLineAdvancePc:
        Advance(cursor_.Uleb());
        return;
      case kLineAdvanceLine:
        line_ += static_cast<std::uint64_t>(cursor_.Sleb());
        return;
      case kLineSetFile:
        file_ = cursor_.Uleb();
        return;
      case kLineConstAddPc:
        Advance((255U - header_.opcode_base) / header_.line_range);
        return;
      case kLineFixedAdvancePc:
        address_ += cursor_.U16();
        operation_ = 0;
        return;
      default:
        for (unsigned i = 0; i < header_.operands[opcode]; ++i) cursor_.Uleb();
    }
  }

  void Extended() {
    const std::uint64_t length = cursor_.Uleb();
    if (length == 0 || length > cursor_.Remaining()) {
      cursor_.Fail();
      return;
    }
    const std::uint64_t end = cursor_.position() + length;
    const std::uint8_t opcode = cursor_.U8();
    if (opcode == kLineEndSequence) {
      EndSequence();
    } else if (opcode == kLineSetAddress) {
      const std::uint64_t bytes = length - 1;
      if (bytes == 4 || bytes == 8 || bytes == 2)
        address_ = cursor_.Unsigned(static_cast<unsigned>(bytes));
      operation_ = 0;
    } else if (opcode == kLineDefineFile) {
      ReadOldFile(cursor_, program_.files);
    }
    if (cursor_.position() > end) cursor_.Fail();
    cursor_.Skip(end - cursor_.position());
  }

  // DWARF 5, 6.2.5.1; only VLIW machines have several operations per instruction.
  void Advance(std::uint64_t operations) {
    if (header_.operations == 1) {
      address_ += header_.instruction_bytes * operations;
      return;
    }
    const std::uint64_t all = operation_ + operations;
    address_ += header_.instruction_bytes * (all / header_.operations);
    operation_ = all % header_.operations;
  }

  void Emit() {
    auto& starts = program_.starts;
    const bool begins = starts.size() == first_;
    // Code that the linker discarded has address 0 or one beyond all code.
    if (begins && !dead_) dead_ = sections_.CodeEnd(address_) == 0;
    if (dead_) return;
    const LineStart start{address_, static_cast<std::uint32_t>(std::min(file_, kMost32)),
                          line_ > kMost32 ? 0 : static_cast<std::uint32_t>(line_)};
    if (begins) {
      starts.push_back(start);
    } else if (address_ < starts.back().address) {
      ran_backwards_ = true;
      Close(starts.back().address);
      starts.push_back(start);
    } else if (address_ == starts.back().address) {
      starts.back() = start;
    } else if (start.file != starts.back().file || start.line != starts.back().line) {
      starts.push_back(start);
    }
  }

  void EndSequence() {
    if (!dead_ && program_.starts.size() > first_) Close(address_);
    address_ = 0;
    operation_ = 0;
    file_ = 1;
    line_ = 1;
    dead_ = false;
  }

  // Ends the current sequence.
  void Close(std::uint64_t end) {
    auto& starts = program_.starts;
    if (starts[first_].address < end) {
      program_.sequences.push_back({end, first_, starts.size()});
      first_ = starts.size();
    } else {
      starts.resize(first_);
    }
  }

  static constexpr std::uint64_t kMost32 = 0xffffffff;

  const DebugSections& sections_;
  const LineHeader& header_;
  LineProgram& program_;
  Cursor cursor_;
  std::size_t first_ = 0;  // of the current sequence
  bool dead_ = false;
  bool ran_backwards_ = false;
  std::uint64_t address_ = 0;
  std::uint64_t operation_ = 0;
  std::uint64_t file_ = 1;
  std::uint64_t line_ = 1;
};

}  // namespace

LineProgram ReadLineProgram(const DebugSections& sections, const Unit& unit) {
  LineProgram program;
  LineHeader header;
  const auto place = [&] {
    return fmt::format("the line table at {:#x} of .debug_line", unit.line_program);
  };
  const bool readable = ReadLineHeader(sections, unit, header, program.files);
  program.bytes = header.end - std::min(unit.line_program, header.end);
  if (!readable) {
    program.problem = fmt::format("{} has a damaged header", place());
    return program;
  }
  LineMachine machine(sections, header, program);
  if (!machine.Run()) {
    program.problem = fmt::format("{} is truncated", place());
  } else if (machine.ran_backwards()) {
    program.problem = fmt::format("{} has decreasing addresses", place());
  }
  return program;
}

}  // namespace tare::dwarf
