// tally.cc: decodes each block once and multiplies by its number of executions.
#include "measure/count/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "binary/decode/instruction.h"

namespace tare::count {
namespace {

using decode::BranchKind;
using decode::Instruction;

// How often an instruction ran, with the parts that only the engine knows.
struct Executions {
  std::uint64_t reached = 0;     // control reached it
  std::uint64_t operations = 0;  // its operation ran: iterations of a rep-prefixed instruction
  std::uint64_t taken = 0;       // conditional branches: how often it was taken
};

Metric VectorMetric(const Instruction& instruction) {
  if (instruction.scalable) return Metric::kVectorScalable;
  if (instruction.vector_bits <= 64) return Metric::kVector64;
  if (instruction.vector_bits <= 128) return Metric::kVector128;
  if (instruction.vector_bits <= 256) return Metric::kVector256;
  return Metric::kVector512;
}

Metric FloatingMetric(const Instruction& instruction) {
  if (instruction.element_bits <= 16) return Metric::kFloatingHalf;
  if (instruction.element_bits <= 32) return Metric::kFloatingSingle;
  if (instruction.element_bits <= 64) return Metric::kFloatingDouble;
  return Metric::kFloatingExtended;
}

void AddBranch(const Instruction& instruction, const Executions& executions, MetricCounts& to) {
  switch (instruction.branch) {
    case BranchKind::kConditional:
      to.Add(Metric::kConditionalBranches, executions.reached);
      to.Add(Metric::kTakenBranches, executions.taken);
      break;
    case BranchKind::kJump:
    case BranchKind::kIndirectJump:
      to.Add(Metric::kUnconditionalBranches, executions.reached);
      break;
    case BranchKind::kCall:
    case BranchKind::kIndirectCall:
      to.Add(Metric::kCalls, executions.reached);
      break;
    case BranchKind::kReturn:
      to.Add(Metric::kReturns, executions.reached);
      break;
    case BranchKind::kNone:
      break;
  }
}

void AddInstruction(const Instruction& instruction, const Executions& executions,
                    RepConvention convention, MetricCounts& to) {
  const bool each = instruction.repeated && convention == RepConvention::kPerIteration;
  to.Add(Metric::kInstructions, each ? executions.operations : executions.reached);
  to.Add(Metric::kLoads, executions.operations * instruction.loads);
  to.Add(Metric::kStores, executions.operations * instruction.stores);
  to.Add(Metric::kLoadBytes, executions.operations * instruction.load_bytes);
  to.Add(Metric::kStoreBytes, executions.operations * instruction.store_bytes);
  AddBranch(instruction, executions, to);
  if (instruction.system_call) to.Add(Metric::kSystemCalls, executions.reached);
  if (instruction.repeated) {
    to.Add(Metric::kRepeatedInstructions, executions.reached);
    to.Add(Metric::kRepeatIterations, executions.operations);
  }
  if (instruction.atomic) to.Add(Metric::kAtomics, executions.reached);
  if (instruction.x87) to.Add(Metric::kX87, executions.reached);
  if (instruction.fldcw) to.Add(Metric::kFldcw, executions.reached);
  if (instruction.vector) to.Add(VectorMetric(instruction), executions.reached);
  if (instruction.floating_operations > 0) {
    to.Add(FloatingMetric(instruction), executions.reached * instruction.floating_operations);
  }
}

// /proc/PID/maps appends " (deleted)" to the path of an unlinked file; see proc(5).
std::string ObjectName(const format::MappedObject* object) {
  constexpr std::string_view kMark = " (deleted)";
  if (object == nullptr || object->path.empty()) return "[anonymous]";
  std::string name = object->path;
  if (name.ends_with(kMark)) name.resize(name.size() - kMark.size());
  return name;
}

class Adder {
 public:
  Adder(decode::Architecture architecture, RepConvention convention, Images& images)
      : convention_(convention), images_(images) {
    tally_.architecture = architecture;
  }

  // `events` are indexed by block number and may be empty.
  void Add(const format::Recording& recording, std::span<const model::EventCounts> events) {
    events_ = events;
    last_object_.reset();
    ++tally_.processes;
    tally_.threads += recording.threads;
    tally_.region_entries += recording.region_entries;
    for (const format::Block& block : recording.blocks) AddBlock(recording, block);
  }

  Tally Finish() && {
    for (auto& [id, count] : opcodes_) {
      tally_.opcodes[decode::MnemonicName(tally_.architecture, id)] += count;
    }
    return std::move(tally_);
  }

 private:
  // The function at an address of the block's process. Caches the last one because consecutive
  // instructions are usually in the same function.
  FunctionTally& FunctionAt(const format::MappedObject* object, std::uint64_t address) {
    const Place* place = PlaceAt(object, address);
    if (last_ != nullptr && place != nullptr && last_->place == place) return *last_;
    last_key_ = KeyOf(object, place);
    FunctionTally& function = tally_.functions[last_key_];
    function.place = place;
    function.function = place != nullptr ? place->function : last_key_.object;
    last_ = &function;
    return function;
  }

  const Place* PlaceAt(const format::MappedObject* object, std::uint64_t address) {
    if (object == nullptr || object->inode == 0) return nullptr;
    return images_.At(object->path, address - object->start + object->offset);
  }

  static engine::FunctionKey KeyOf(const format::MappedObject* object, const Place* place) {
    return {ObjectName(object), place != nullptr ? place->start : 0};
  }

  // Adds a call from the current function to another function of the same file.
  void AddCall(const format::MappedObject* object, std::uint64_t target) {
    constexpr std::string_view kStub = "@plt";
    if (object == nullptr || target < object->start || target >= object->end) return;
    const Place* place = PlaceAt(object, target);
    if (place == nullptr || place == last_->place) return;
    const engine::FunctionKey key = KeyOf(object, place);
    tally_.calls[last_key_].insert(key);
    if (place->function.ends_with(kStub)) {
      tally_.stubs[key] = place->function.substr(0, place->function.size() - kStub.size());
    }
  }

  static std::uint64_t OffsetOf(const format::MappedObject* object, std::uint64_t address) {
    const bool in_file = object != nullptr && object->inode != 0;
    return in_file ? address - object->start + object->offset : address;
  }

  std::uint32_t NumberOf(const format::MappedObject* object) {
    if (last_object_ == object) return last_number_;
    const auto [found, is_new] =
        numbers_.try_emplace(ObjectName(object), static_cast<std::uint32_t>(tally_.objects.size()));
    if (is_new) tally_.objects.push_back(found->first);
    last_object_ = object;
    last_number_ = found->second;
    return found->second;
  }

  void AddBlock(const format::Recording& recording, const format::Block& block) {
    const format::MappedObject* object = block.object ? &recording.objects[*block.object] : nullptr;
    BlockTally summary;
    summary.executions = block.executions;
    summary.instructions = block.instructions;
    summary.object = ObjectName(object);
    summary.offset = OffsetOf(object, block.address);
    FunctionTally& function = FunctionAt(object, block.address);
    summary.function = function.function;
    if (block.number < events_.size()) {
      summary.events = events_[block.number];
      function.events += summary.events;
      tally_.events += summary.events;
    }
    AddInstructions(block, object);
    tally_.blocks.push_back(std::move(summary));
  }

  void AddInstructions(const format::Block& block, const format::MappedObject* object) {
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < block.instructions; ++i) {
      const std::uint64_t address = block.address + at;
      const auto decoded =
          decode::Decode(tally_.architecture, std::span(block.code).subspan(at), address);
      FunctionTally& function = FunctionAt(object, address);
      MetricCounts counts;
      if (!decoded) {
        // The start of the next instruction is unknown, so the rest of the block is only counted.
        const std::uint64_t rest = (block.instructions - i) * block.executions;
        tally_.undecoded += rest;
        counts.Add(Metric::kInstructions, rest);
        i = block.instructions - 1;
      } else {
        AddInstruction(*decoded, ExecutionsOf(block, *decoded), convention_, counts);
        opcodes_[decoded->mnemonic] += counts[Metric::kInstructions];
        const bool goes =
            decoded->branch == BranchKind::kCall || decoded->branch == BranchKind::kJump;
        const auto target = goes ? decoded->target : std::nullopt;
        if (target) AddCall(object, *target);
        at += decoded->length;
      }
      function.metrics += counts;
      tally_.total += counts;
      tally_.code.push_back({NumberOf(object), OffsetOf(object, address), function.place,
                             counts[Metric::kInstructions], counts[Metric::kLoads],
                             counts[Metric::kStores]});
    }
  }

  static Executions ExecutionsOf(const format::Block& block, const Instruction& instruction) {
    Executions executions{block.executions, block.executions, 0};
    if (block.repeated && instruction.repeated) executions.operations = block.second;
    if (block.conditional && instruction.branch == BranchKind::kConditional) {
      executions.taken = block.executions - std::min(block.executions, block.second);
    }
    return executions;
  }

  RepConvention convention_;
  Images& images_;
  std::span<const model::EventCounts> events_;  // of the current recording
  Tally tally_;
  FunctionTally* last_ = nullptr;
  engine::FunctionKey last_key_;
  std::map<std::uint32_t, std::uint64_t> opcodes_;
  std::map<std::string, std::uint32_t> numbers_;            // of tally_.objects
  std::optional<const format::MappedObject*> last_object_;  // of this recording
  std::uint32_t last_number_ = 0;
};

std::span<const model::EventCounts> EventsOf(const format::Recording& recording,
                                             std::span<const vpmu::ProcessEvents> events) {
  const auto found = std::ranges::find_if(events, [&](const vpmu::ProcessEvents& of) {
    return of.process == recording.process && of.generation == recording.generation;
  });
  if (found == events.end()) return {};
  return found->blocks;
}

}  // namespace

Result<Tally> SumRecordings(std::span<const format::Recording> recordings, RepConvention convention,
                            Images& images, std::span<const vpmu::ProcessEvents> events) {
  if (recordings.empty()) {
    return Fail(ErrorKind::kUnsupported, "the engine wrote no recording");
  }
  const auto architecture = decode::ArchitectureOf(recordings.front().machine);
  if (!architecture) {
    return Fail(ErrorKind::kFormat,
                fmt::format("recording: unknown architecture {}", recordings.front().machine));
  }
  Adder adder(*architecture, convention, images);
  std::optional<format::PartialTransfers> transfers = format::PartialTransfers{};
  for (const format::Recording& recording : recordings) {
    if (recording.machine != recordings.front().machine) {
      return Fail(ErrorKind::kUnsupported, "the program's processes have different architectures");
    }
    adder.Add(recording, EventsOf(recording, events));
    if (transfers && recording.partial_transfers) {
      transfers->number += recording.partial_transfers->number;
      transfers->squares += recording.partial_transfers->squares;
    } else {
      transfers.reset();
    }
  }
  Tally tally = std::move(adder).Finish();
  tally.partial_transfers = transfers;
  return tally;
}

}  // namespace tare::count
