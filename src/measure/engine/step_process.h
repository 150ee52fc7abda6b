// step_process.h: a process that is stepped: its recording, its mappings, and its code.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "binary/decode/instruction.h"
#include "format/wire_writer.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

// An instruction of the process, decoded when it is first met.
struct Site {
  decode::Instruction instruction;
  std::uint32_t word = 0;         // AArch64's code
  std::uint64_t index = 0;        // of its block in the recording
  bool pins_zeroing = false;      // AArch64: asks for the size that dc zva zeroes
  bool begins_exclusive = false;  // AArch64: a load whose reservation a step would lose
  bool written = false;           // in memory without a file
  std::array<std::byte, 16> code{};
};

class StepProcess {
 public:
  StepProcess(pid_t process, std::string directory, std::optional<Region> region);
  ~StepProcess();
  StepProcess(const StepProcess&) = delete;
  StepProcess& operator=(const StepProcess&) = delete;

  pid_t process() const { return process_; }
  bool recorded() const { return writer_.base != nullptr; }
  tare_wire_header* header() { return tare_wire_head(&writer_); }

  // A recording of its own; after execve the next generation. Counts are dropped, and said to be
  // lost, when it cannot be made.
  void BeginRecording();
  // The child of a fork; what the parent knows of the code stays true.
  void InheritRecording(StepProcess& parent);
  void SetState(tare_wire_state state);

  // The instruction at `pc`, or null when it cannot be read.
  const Site* At(std::uint64_t pc);
  // Mappings may have changed: what is known of code and mappings is looked at again.
  void Forget();
  // Where the region begins in this process; nothing as long as its file is not mapped.
  std::optional<std::uint64_t> RegionStart();

  tare_wire_counters& Counters(const Site& site, unsigned bank);
  // A bank for a new thread.
  std::optional<unsigned> TakeBank();

  bool ReadMemory(std::uint64_t address, std::span<std::byte> to) const;
  bool WriteMemory(std::uint64_t address, std::span<const std::byte> from) const;

  int threads = 0;  // that are alive
  std::uint64_t steps_to_question = 0;
  std::set<std::uint64_t> questions;  // places that asked

 private:
  struct Mapping {
    format::MappedObject object;
    bool told = false;
  };
  void LookAtMappings();
  Mapping* MappingAt(std::uint64_t address);
  bool Map(const tare_wire_header& start);
  bool HasChanged(std::uint64_t pc, const Site& site) const;

  pid_t process_;
  std::string directory_;
  std::optional<Region> region_;
  tare_wire_writer writer_{};
  std::uint64_t mapped_bytes_ = 0;
  std::vector<Mapping> mappings_;
  bool mappings_stale_ = true;
  std::unordered_map<std::uint64_t, Site> sites_;
};

}  // namespace tare::engine
