// tally.h: sums a recording's blocks into totals, functions, blocks and opcodes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/decode/architecture.h"
#include "format/recording.h"
#include "measure/count/images.h"
#include "measure/count/instruction_metric.h"
#include "measure/engine/function_key.h"
#include "model/core/model_event.h"
#include "model/vpmu/consumer.h"

namespace tare::count {

// Whether an instruction with a rep prefix counts once, as hardware counters count it, or once per
// iteration.
enum class RepConvention { kOnce, kPerIteration };

struct FunctionTally {
  std::string function;
  const Place* place = nullptr;  // null for code without a file
  MetricCounts metrics;
  model::EventCounts events;
};

// A basic block, as the engine saw it.
struct BlockTally {
  std::string object;
  std::string function;
  std::uint64_t offset = 0;  // in the file; an address for code without a file
  std::uint64_t instructions = 0;
  std::uint64_t executions = 0;
  model::EventCounts events;
};

// One instruction of a block. Those that the decoder does not know are counted at the first of
// them.
struct CodeTally {
  std::uint32_t object = 0;      // index into Tally::objects
  std::uint64_t offset = 0;      // as in BlockTally
  const Place* place = nullptr;  // its function; null for code without a file
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
};

struct Tally {
  decode::Architecture architecture = decode::Architecture::kX86_64;
  MetricCounts total;
  model::EventCounts events;  // filled by the virtual engine, here and below; otherwise all 0
  std::map<engine::FunctionKey, FunctionTally> functions;
  // Direct calls that ran, including tail calls, within a file. The function of a PLT stub is
  // "NAME@plt".
  std::map<engine::FunctionKey, std::set<engine::FunctionKey>> calls;
  std::map<engine::FunctionKey, std::string>
      stubs;  // PLT stubs and the names of the functions that they call
  std::vector<BlockTally> blocks;
  std::vector<CodeTally> code;  // in the order of the blocks; an address can be in several
  std::vector<std::string> objects;
  std::map<std::string, std::uint64_t> opcodes;
  std::uint64_t undecoded = 0;  // executed instructions that the decoder does not know
  std::uint64_t processes = 0;
  std::uint64_t threads = 0;
  std::uint64_t region_entries = 0;
  std::optional<format::PartialTransfers> partial_transfers;  // absent: the engine sees none
};

// `images` must outlive the result. `events` are those of the same run, or empty. Fails when the
// recordings are of different architectures.
Result<Tally> SumRecordings(std::span<const format::Recording> recordings, RepConvention convention,
                            Images& images, std::span<const vpmu::ProcessEvents> events = {});

}  // namespace tare::count
