// software_counters.h: the counters of programs built by tare-cc, read while they run or later.
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

// One line of a unit's text that names a metric.
struct SlotMetric {
  std::string name;
  SlotKind kind = SlotKind::kCount;
  bool is_signed = false;
  bool is_function = false;  // of a selected function, not of a metric that was named
  std::uint64_t slot = 0;    // of the module's bank
  // Not empty: counted at calls of the function that the linker knows by this name, which the unit
  // does not define. Void where a module of the process counts the entries of that function.
  std::string site = {};
};

// A metric that is counted where a function is entered, whoever calls it.
struct EntryMetric {
  std::string name;
  std::string linkage;
  auto operator<=>(const EntryMetric&) const = default;
};

// A function that gcc's hooks have seen.
struct HookedFunction {
  std::uint64_t address = 0;  // in the module's file
  std::uint64_t slot = 0;     // of the module's bank
};

// Counters of blocks of one unit.
struct UnitBlocks {
  std::uint64_t unit = 0;   // id
  std::uint64_t first = 0;  // slot of the module's bank
  std::uint64_t count = 0;
};

// One module of one process, mapped read-only (its header also for writing, where the file allows
// it). Nothing in the file is trusted: places and sizes are checked when it is opened, and are not
// read again.
class CounterFile {
 public:
  // kFormat for a file that is not whole yet, too: it can be tried again.
  static Result<CounterFile> Open(const std::filesystem::path& path);
  // The descriptor stays the caller's. `name` is for messages.
  static Result<CounterFile> OpenDescriptor(int descriptor, const std::filesystem::path& name);
  CounterFile(CounterFile&&) noexcept;
  CounterFile& operator=(CounterFile&&) noexcept;
  ~CounterFile();

  // As it stands at this moment; places and sizes as they were when it was opened.
  tare_counters_header Header() const;
  const std::string& ModulePath() const;
  // Without those at sites of functions whose entries this module counts itself.
  const std::vector<SlotMetric>& Metrics() const;
  // Those that other modules of the process must know of.
  const std::vector<EntryMetric>& Entries() const;
  const std::vector<UnitBlocks>& Blocks() const;

  // Slot by slot the sum over all banks; minima and maxima are combined, in the form of the wire.
  // `to` has Header().slots elements.
  void Read(std::span<std::uint64_t> to) const;
  // One slot.
  std::uint64_t ReadSlot(std::uint64_t slot, SlotKind kind) const;

  // In no order. More come while the program runs: Header().functions_used grows.
  std::vector<HookedFunction> HookedFunctions() const;

  // Takes the records of the signal sampler that have come since; each has Header().sample_values
  // values. Returns how many were appended to `values`. The room that they took is given back to
  // the program.
  std::size_t TakeSamples(std::vector<std::uint64_t>& values);
  // Asks the running signal sampler for another interval; 0 stops it for good. False when the file
  // cannot be written to.
  bool SetSampleInterval(std::uint64_t interval_ns);

 private:
  struct Mapping;
  explicit CounterFile(std::unique_ptr<Mapping> mapping);
  std::unique_ptr<Mapping> mapping_;
};

// A run's directory while the program runs: modules appear as they are loaded and forked.
class CounterDirectory {
 public:
  explicit CounterDirectory(std::filesystem::path directory);

  CounterDirectory(CounterDirectory&&) noexcept;
  CounterDirectory& operator=(CounterDirectory&&) noexcept;
  ~CounterDirectory();

  // Looks for files that were not there before; those that are not whole yet are left for the next
  // time. False when nothing new was found. One system call when nothing has changed.
  Result<bool> Refresh();
  // In the order in which they were found; new ones come behind.
  std::span<CounterFile> Files();
  // Why files with the name of a counter file were refused; Refresh goes on without them.
  std::span<const Error> Refused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The value as a number: complements and inverted signs undone; nothing for a minimum or maximum of
// no values.
std::optional<std::int64_t> ValueOfSlot(const SlotMetric& metric, std::uint64_t raw);

}  // namespace tare::format
