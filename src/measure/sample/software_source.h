// software_source.h: the counters of a running program that tare-cc has built.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/software_counters.h"
#include "measure/sample/function_names.h"
#include "measure/sample/software_channels.h"
#include "measure/sample/source.h"

namespace tare::sample {

// What the counters lost.
struct CounterLosses {
  std::uint64_t threads = 0;   // that found no bank
  std::uint64_t children = 0;  // forked processes without a file
  std::uint64_t function_calls = 0;
};

// Whose counters are wanted.
enum class CounterScope {
  kProgram,  // of the process, without libraries
  kProcess,  // of the process
  kTree,     // of all processes
};

class SoftwareSource {
 public:
  // Files appear in `directory` while the program runs.
  SoftwareSource(std::filesystem::path directory, pid_t process, CounterScope scope,
                 MetricChoice choice);

  // Looks for new modules and processes; true when channels were added to Channels().
  bool Refresh();
  const std::vector<format::Channel>& Channels() const { return channels_.Channels(); }
  void Read(Values values);

  // Files that count, numbered as for SoftwareChannels::ReadSlot; valid until Refresh().
  std::size_t Files() const { return files_.size(); }
  format::CounterFile& File(std::size_t file) { return directory_.Files()[files_[file]]; }
  // The same as Read, from other slots than those of the files.
  void ReadFrom(const SoftwareChannels::ReadSlot& read, Values values) const {
    channels_.Read(read, values);
  }

  // A program without any counters was not built by tare-cc.
  bool HasCounters() const { return !files_.empty(); }
  std::vector<format::AbsentChannel> Absent() const;
  std::map<std::string, Histogram> Histograms();
  CounterLosses Losses();

 private:
  SoftwareChannels::ReadSlot SlotReader();
  bool AddHookedFunctions();
  bool Wants(const format::CounterFile& file);

  format::CounterDirectory directory_;
  pid_t process_;
  CounterScope scope_;
  std::set<std::string> libraries_;  // that were left out
  SoftwareChannels channels_;
  std::size_t looked_at_ = 0;
  std::vector<std::size_t> files_;  // those of the directory that count, by their number there
  std::map<std::size_t, FunctionNames> hooked_;  // by number in files_, where gcc's hooks count
};

}  // namespace tare::sample
