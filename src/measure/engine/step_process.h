// step_process.h: a stepped process: its recording, mappings and decoded code.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "binary/decode/instruction.h"
#include "format/shared_file.h"
#include "format/wire_writer.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

// An instruction of the process, decoded when it is first reached.
struct Site {
  decode::Instruction instruction;
  std::uint32_t word = 0;     // AArch64: the instruction word
  std::uint64_t index = 0;    // index of its block in the recording
  bool pins_zeroing = false;  // AArch64: reads DCZID_EL0, the block size of dc zva
  bool begins_exclusive =
      false;             // AArch64: an exclusive load, whose reservation a step would clear
  bool written = false;  // in memory without a file, which the program may rewrite
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

  // Begins a new recording; after execve the next generation. If it cannot be created, counts are
  // dropped and recorded as lost.
  void BeginRecording();
  // Begins the recording of a forked child, or counts the child as lost in the parent's recording.
  void InheritRecording(StepProcess& parent);
  void SetState(tare_wire_state state);

  // The instruction at `pc`, or null if it cannot be read.
  const Site* At(std::uint64_t pc);
  // Call when mappings may have changed: invalidates what is known about code and mappings.
  void Forget();
  // The region's start address in this process; absent while its file is not mapped.
  std::optional<std::uint64_t> RegionStart();

  tare_wire_counters& Counters(const Site& site, unsigned bank);
  // Reserves a counter bank for a new thread.
  std::optional<unsigned> TakeBank();

  bool ReadMemory(std::uint64_t address, std::span<std::byte> to) const;
  bool WriteMemory(std::uint64_t address, std::span<const std::byte> from) const;

  int threads = 0;  // alive now
  std::uint64_t steps_to_zeroing_read = 0;
  std::set<std::uint64_t> zeroing_reads;  // addresses that read DCZID_EL0

 private:
  struct Mapping {
    format::MappedObject object;
    bool announced = false;
  };
  void LookAtMappings();
  Mapping* MappingAt(std::uint64_t address);
  Result<void> Map(const tare_wire_header& start);
  bool HasChanged(std::uint64_t pc, const Site& site) const;

  pid_t process_;
  std::string directory_;
  std::optional<Region> region_;
  tare_wire_writer writer_{};
  std::uint64_t mapped_bytes_ = 0;
  std::unique_ptr<format::CutGuard> guard_;
  std::vector<Mapping> mappings_;
  bool mappings_stale_ = true;
  std::unordered_map<std::uint64_t, Site> sites_;
};

}  // namespace tare::engine
