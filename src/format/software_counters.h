// software_counters.h: reads the counters of programs built by tare-cc, while they run or
// afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/counters_wire.h"

namespace tare::format {

enum class SlotKind { kCount, kSum, kMinimum, kMaximum, kHistogram };

// A metric, from one line of a unit's text.
struct SlotMetric {
  std::string name;
  SlotKind kind = SlotKind::kCount;
  bool is_signed = false;
  bool is_function = false;  // counts a selected function, not a named metric
  std::uint64_t slot = 0;    // slot in the module's bank
  // If not empty: counted at calls of the function with this linker symbol, which the unit does not
  // define. Invalid if a module of the process counts the entries of that function.
  std::string site = {};
};

// A metric that is counted where a function is entered, regardless of the caller.
struct EntryMetric {
  std::string name;
  std::string linkage;
  auto operator<=>(const EntryMetric&) const = default;
};

// A function reported by gcc's instrumentation hooks.
struct HookedFunction {
  std::uint64_t address = 0;  // in the module's file
  std::uint64_t slot = 0;     // slot in the module's bank
};

// The block counters of one unit.
struct UnitBlocks {
  std::uint64_t unit = 0;   // id
  std::uint64_t first = 0;  // first slot in the module's bank
  std::uint64_t count = 0;
};

// One module of one process, mapped read-only (its header also writable if the file allows it).
// Trusts nothing in the file: offsets and sizes are checked when it is opened and are not read
// again.
class CounterFile {
 public:
  // Also fails (kFormat) on a file that is not complete yet; the caller can retry.
  static Result<CounterFile> Open(const std::filesystem::path& path);
  // The caller keeps the descriptor. `name` is used in messages.
  static Result<CounterFile> OpenDescriptor(int descriptor, const std::filesystem::path& name);
  CounterFile(CounterFile&&) noexcept;
  CounterFile& operator=(CounterFile&&) noexcept;
  ~CounterFile();

  // The current header, with offsets and sizes as they were when the file was opened.
  tare_counters_header Header() const;
  const std::string& ModulePath() const;
  // Without those at call sites of functions whose entries this module counts itself.
  const std::vector<SlotMetric>& Metrics() const;
  // The entries that are visible to other modules of the process.
  const std::vector<EntryMetric>& Entries() const;
  const std::vector<UnitBlocks>& Blocks() const;

  // The sum of each slot over all banks; minima and maxima are combined and stay in their stored
  // form. `to` has Header().slots elements.
  void Read(std::span<std::uint64_t> to) const;
  // The same for one slot.
  std::uint64_t ReadSlot(std::uint64_t slot, SlotKind kind) const;

  // In no particular order. Their number grows while the program runs; see Header().functions_used.
  std::vector<HookedFunction> HookedFunctions() const;

  // Appends the new records of the signal sampler to `values` and returns their number. Each record
  // has Header().sample_values values. Frees their space in the ring for the program.
  std::size_t TakeSamples(std::vector<std::uint64_t>& values);
  // Asks the running signal sampler for another interval; 0 stops it permanently. Returns false if
  // the file is not writable.
  bool SetSampleInterval(std::uint64_t interval_ns);

 private:
  struct Mapping;
  explicit CounterFile(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

// The directory of a run while the program runs: files appear as modules are loaded and processes
// fork.
class CounterDirectory {
 public:
  explicit CounterDirectory(std::filesystem::path directory);

  CounterDirectory(CounterDirectory&&) noexcept;
  CounterDirectory& operator=(CounterDirectory&&) noexcept;
  ~CounterDirectory();

  // Looks for new files; those that are not complete yet are checked again next time. Returns false
  // if there is no new file. Makes only one system call if nothing has changed.
  Result<bool> Refresh();
  // In the order of discovery; new files are appended.
  std::span<CounterFile> Files();
  // Why files with the name of a counter file were rejected; Refresh continues without them.
  std::span<const Error> Refused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Decodes a slot: undoes complements and inverted sign bits. Returns nothing for the minimum or
// maximum of no values.
std::optional<std::int64_t> ValueOfSlot(const SlotMetric& metric, std::uint64_t raw);

}  // namespace tare::format
